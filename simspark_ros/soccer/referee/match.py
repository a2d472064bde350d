"""The match as rules see it, and everything that they may do to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import BEAMING_ALLOWED, FoulKind, GameState, PlayMode
from simspark_ros.soccer.referee.ball_record import BallRecord, Point, Touch
from simspark_ros.soccer.referee.bodies import Bodies
from simspark_ros.soccer.referee.decision import Decision, Spot
from simspark_ros.soccer.referee.decision_log import DecisionLog, Quaternion, ball_back, robot_back
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
        places: x, y, z of the torsos of all robots by row, m; follows those that rules move.
        ball: what is known about the ball.
        log: the decisions.
        repositioning: finds free places.
        now: seconds of simulated time that the referee has seen; goes on in every play mode.
        rule: name of the rule that is being applied.
        restart_spot: where the ball of the set play lies that was just given; None = where its kind says.
        end_requested: whether a rule wants the simulation to end.
    """

    def __init__(self, world: World, book: RuleBook, random: np.random.Generator) -> None:
        """Watch a world."""
        self.world = world
        self.book = book
        self.random = random
        self.players: tuple[Player, ...] = ()
        self.everybody: tuple[Player, ...] = ()
        self.places: list[list[float]] = []
        self.ball = BallRecord()
        self.log = DecisionLog()
        self.repositioning = Repositioning(self)
        self.now = 0.0
        self.rule = ""
        self.restart_spot: Spot | None = None
        self.end_requested = False
        self._bodies = Bodies(world)
        self._revision = -1

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

    @property
    def lines(self) -> Spot:
        """Beyond this |x| of its centre the ball has wholly crossed a goal line, beyond this |y| a side line, m."""
        settings, margin = self.world.settings, self.book.ball.out_margin
        field, radius = settings.field, settings.ball.radius
        return field.length / 2 + radius + margin, field.width / 2 + radius + margin

    def position(self, player: Player) -> Point:
        """Torso of a player, m."""
        x, y, z = self.places[player.row]
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
        return self.state.robot_contacts

    @property
    def robot_contact_points(self) -> Array:
        """(C, 3) where they did, m."""
        return self.state.robot_contact_points

    def begin_cycle(self) -> None:
        """Look at the world after physics: clock, players, ball."""
        self.now += self.seconds
        self.look()
        state, ball = self.state, self.ball
        x, y, z = state.ball_position.tolist()
        ball.touches = ()
        if len(state.ball_contacts):
            near = frozenset(state.ball_contacts.tolist())
            ball.touches = tuple(Touch(p.handle, p.side, p.unum, self.now) for p in self.players if p.row in near)
        ball.follow((x, y, z), self.lines, self.field.centre_circle)

    def look_again(self) -> None:
        """See the world as it is between two cycles, after others may have moved robots and ball."""
        self._bodies.forget()
        self.look()
        x, y, z = self.state.ball_position.tolist()
        self.ball.position = (x, y, z)

    def look(self) -> None:
        """See who plays, in a new order."""
        if self._revision != self.world.revision:
            rows = enumerate(self.world.robots.values())
            self.everybody = tuple(Player(r, row, r.side, r.unum) for row, r in rows if r.side is not None)
            self._revision = self.world.revision
        players = self.everybody
        if len(players) > 1:
            order = list(range(len(players)))
            self.random.shuffle(order)
            players = tuple(map(players.__getitem__, order))
        if self.repositioning.anybody_out:
            players = tuple(player for player in players if not self.repositioning.is_out(player.handle))
        self.players = players
        self.look_for_places()

    def look_for_places(self) -> None:
        """See where everybody is."""
        self.places = self.state.position.tolist()

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
        timed: bool = False,
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
            timed: whether it is taken because the time of a play mode was up: when it is overruled, that time begins
                anew.
        """
        if player is not None:
            side, unum = player.side, player.unum
        before, mode_time = self.game.play_mode, self.game.mode_time
        if play_mode is not None:
            self.game.set_play_mode(play_mode)
        decision = Decision(
            number=self.log.count + 1,
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
        self.log.add(decision, self.world, before, mode_time, timed)
        return decision

    def foul(self, kind: FoulKind, text: str, player: Player, evidence: Mapping[str, float] | None = None) -> Decision:
        """Decide on a foul of a player: recorded with its place, and reported to monitors."""
        x, y, _ = self.position(player)
        decision = self.decide(kind.name.lower(), text, player=player, place=(x, y), evidence=evidence)
        self.game.report_foul(kind, player.side, player.unum)
        return decision

    def move_player(self, player: Player, spot: Spot) -> Spot:
        """Move a player to the free place nearest to a spot; it keeps joints and orientation, and stands still.

        Args:
            player: to be moved.
            spot: wanted, m.

        Returns:
            Where it was put.
        """
        place = self.repositioning.free_spot(player, spot)
        self.put_player(player, (*place, self.position(player)[2]))
        return place

    def put_player(self, player: Player, position: Point) -> None:
        """Put a player exactly there, whoever else is there; it keeps joints and orientation, and stands still."""
        x, y, z = self.position(player)
        quaternion = self._quaternion(player.row)
        self.on_undo(partial(robot_back, self.world, player.handle, (x, y, z), quaternion))
        self.world.engine.place_robot(player.handle, position, quaternion)
        self.look_for_places()
        self.repositioning.note_move(player.handle)
        self._bodies.shift(player.row, (position[0] - x, position[1] - y, position[2] - z))

    def beam_out(self, player: Player) -> None:
        """Take a player out for a moment and put it beside the field."""
        self.repositioning.beam_out(player)

    def place_ball(self, spot: Spot) -> None:
        """Put the ball at rest on the ground."""
        vx, vy, vz = self.state.ball_velocity.tolist()
        self.on_undo(partial(ball_back, self.world, self.ball.position, (vx, vy, vz)))
        self.world.place_ball(spot)
        x, y, z = self.state.ball_position.tolist()
        self.ball.position = self.ball.previous = (x, y, z)
        self.ball.last_valid, self.ball.on_field = spot, True

    def score(self, side: Side) -> None:
        """Count a goal of a side."""
        self.game.add_goals(side, 1)
        self.on_undo(lambda: self.game.add_goals(side, -1))

    def on_undo(self, action: Callable[[], None]) -> None:
        """Have something done when the last decision, if it was taken in this cycle, is overruled."""
        self.log.on_undo(self.world.cycle, action)

    def reset(self) -> None:
        """Forget ball and decisions: the game begins anew. Numbers of decisions go on."""
        self.ball = BallRecord()
        self.log.clear()
        self.repositioning.reset()

    def _quaternion(self, row: int) -> Quaternion:
        qx, qy, qz, qw = quaternions_from_rotations(self.state.rotation[row][None])[0].tolist()
        return qx, qy, qz, qw
