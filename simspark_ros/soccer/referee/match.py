"""The match as rules see it, and everything that they may do to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.rotations import quaternions_from_rotations
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import BEAMING_ALLOWED, FoulKind, GameState, PlayMode
from simspark_ros.soccer.referee.ball_record import BallRecord
from simspark_ros.soccer.referee.bodies import Bodies
from simspark_ros.soccer.referee.decision import Decision, Spot
from simspark_ros.soccer.referee.decision_log import DecisionLog
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.repositioning import Repositioning
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import World

PAUSED = frozenset({*BEAMING_ALLOWED, PlayMode.GAME_OVER})
"""Modes in which no fouls are counted."""


class Match:
    """What rules see and do. World frame, SI.

    Attributes:
        world: robots, ball, game; rules read it and change it through this class only.
        book: the numbers of the rules.
        random: source of all chance of the referee.
        players: those with a team who are not lifted, in an order that is shuffled anew every cycle.
        everybody: all with a team, lifted or not, in row order.
        ball: what is known about the ball.
        log: the decisions.
        repositioning: finds free places.
        now: seconds of simulated time that the referee has seen; goes on in every play mode.
        rule: name of the rule that is being applied.
    """

    def __init__(self, world: World, book: RuleBook, random: np.random.Generator) -> None:
        """Watch a world."""
        self.world = world
        self.book = book
        self.random = random
        self.players: tuple[Player, ...] = ()
        self.everybody: tuple[Player, ...] = ()
        self.ball = BallRecord()
        self.log = DecisionLog()
        self.repositioning = Repositioning(self)
        self.now = 0.0
        self.rule = ""
        self._bodies = Bodies(world)

    @property
    def game(self) -> GameState:
        """Mode, clock and score."""
        return self.world.game

    @property
    def field(self) -> Field:
        """Sizes of the field."""
        return self.world.settings.field

    @property
    def state(self) -> EngineState:
        """All robots and the ball after physics, and after what rules of this cycle have moved."""
        return self.world.engine.state

    @property
    def seconds(self) -> float:
        """Simulated time of this cycle, s."""
        return self.world.elapsed

    @property
    def paused(self) -> bool:
        """Whether no fouls are counted: before a kick-off, after a goal, after the game."""
        return self.game.play_mode in PAUSED

    def position(self, player: Player) -> tuple[float, float, float]:
        """Torso of a player, m."""
        x, y, z = self.state.position[player.row].tolist()
        return x, y, z

    @property
    def boxes(self) -> Array:
        """(N, 2, 3) least and greatest corner of the box around each robot, along the world's axes, m.

        Computed when first asked for in a cycle; follows robots that rules move.
        """
        return self._bodies.boxes()

    @property
    def robot_contacts(self) -> IntArray:
        """(C, 2) rows of robots that touched each other in this cycle."""
        contacts: IntArray = getattr(self.state, "robot_contacts", np.zeros((0, 2), np.int64))
        return contacts

    @property
    def robot_contact_points(self) -> Array:
        """(C, 3) where they did, m."""
        points: Array = getattr(self.state, "robot_contact_points", np.zeros((0, 3)))
        return points

    def decide(
        self,
        kind: str,
        text: str,
        *,
        player: Player | None = None,
        side: Side | None = None,
        unum: int = 0,
        play_mode: PlayMode | None = None,
        place: Spot | None = None,
        evidence: Mapping[str, float] | None = None,
    ) -> Decision:
        """Take a decision. What the rule does after it, up to its next one, belongs to it and can be overruled.

        Args:
            kind: what is decided, e.g. `corner_kick`.
            text: one sentence for people; names who, where and what was measured.
            player: that it is about; stands for side and unum.
            side: of the team that it is about.
            unum: of the player that it is about.
            play_mode: to set; None = the mode stays.
            place: where it happened or where play goes on, m.
            evidence: what was measured, name with unit -> number.
        """
        if player is not None:
            side, unum = player.side, player.unum
        self.log.open(self.world)
        if play_mode is not None:
            self.game.set_play_mode(play_mode)
        decision = Decision(
            number=self.log.next_number,
            cycle=self.world.cycle,
            time=self.game.time,
            rule=self.rule,
            kind=kind,
            side=side,
            unum=unum,
            play_mode=self.game.play_mode,
            place=place,
            evidence={name: float(value) for name, value in (evidence or {}).items()},
            text=text,
        )
        self.log.add(decision)
        return decision

    def foul(self, kind: FoulKind, text: str, player: Player, evidence: Mapping[str, float] | None = None) -> Decision:
        """Decide on a foul of a player: recorded with its place, and reported to monitors."""
        x, y, _ = self.position(player)
        decision = self.decide(kind.name.lower(), text, player=player, place=(x, y), evidence=evidence)
        self.game.report_foul(kind, player.side, player.unum)
        return decision

    def move_player(self, player: Player, spot: Spot, *, z: float | None = None, clear_of_ball: bool = False) -> Spot:
        """Move a player to the free place nearest to a spot; it keeps joints and orientation, and stands still.

        Args:
            player: to be moved.
            spot: wanted, m.
            z: height of its torso there, m; None = as it is.
            clear_of_ball: whether to keep away from the ball as well.

        Returns:
            Where it was put.
        """
        place = self.repositioning.free_spot(player, spot, clear_of_ball=clear_of_ball)
        self.put_player(player, (*place, self.position(player)[2] if z is None else z))
        return place

    def put_player(self, player: Player, position: tuple[float, float, float]) -> None:
        """Put a player exactly there, whoever else is there; it keeps joints and orientation, and stands still."""
        x, y, z = self.position(player)
        quaternion = self._quaternion(player.row)
        self.log.undo(partial(_put_back, self.world, player.handle, (x, y, z), quaternion))
        self.world.engine.place_robot(player.handle, position, quaternion)
        self._bodies.shift(player.row, (position[0] - x, position[1] - y, position[2] - z))

    def beam_out(self, player: Player) -> None:
        """Take a player out for a moment and put it beside the field."""
        self.repositioning.beam_out(player)

    def place_ball(self, spot: Spot) -> None:
        """Put the ball at rest on the ground."""
        self.world.place_ball(spot)
        x, y, z = self.state.ball_position.tolist()
        self.ball.position = self.ball.previous = (x, y, z)
        self.ball.last_valid = spot

    def on_undo(self, action: Callable[[], None]) -> None:
        """Have something done when the last decision is overruled."""
        self.log.undo(action)

    def _quaternion(self, row: int) -> tuple[float, float, float, float]:
        qx, qy, qz, qw = quaternions_from_rotations(self.state.rotation[row][None])[0].tolist()
        return qx, qy, qz, qw


def _put_back(
    world: World,
    handle: int,
    position: tuple[float, float, float],
    quaternion: tuple[float, float, float, float],
) -> None:
    """Put a moved robot where it was, unless it has left."""
    if handle in world.robots:
        world.engine.place_robot(handle, position, quaternion)
