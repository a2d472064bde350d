"""The state of a match for rules: players, places, contacts and the ball's history."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import BEAMING_ALLOWED, IN_PLAY, PlayMode
from simspark_ros.soccer.referee.ball_record import BallRecord, Point, Touch
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.robot_boxes import RobotBoxes
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.streams import Streams

GOALIE = 1
"""Uniform number of goalkeepers."""


@dataclass(frozen=True, eq=False)
class Player:
    """One player in one cycle; `row` is the robot's row in the engine's state, valid in this cycle."""

    robot: SoccerRobot
    row: int
    side: Side
    unum: int

    @cached_property
    def handle(self) -> int:
        """Handle of the robot, never reused."""
        return self.robot.handle

    @cached_property
    def is_goalie(self) -> bool:
        """Whether the player is the team's goalkeeper."""
        return self.unum == GOALIE

    def __str__(self) -> str:
        """Name of the player in decisions."""
        return f"{self.side.value} {self.unum}"


PAUSED = frozenset({*BEAMING_ALLOWED, PlayMode.GAME_OVER})
"""Modes in which no fouls are counted."""

Quaternion = tuple[float, float, float, float]
"""Orientation x, y, z, w."""


class Lifted(NamedTuple):
    """A player who is beamed out: its pose in the air, and the time of the match until which it is held, s."""

    position: Point
    quaternion: Quaternion
    until: float


class MatchView:
    """The part of `Match` that rules read. World frame, SI.

    Attributes:
        world: robots, ball, game; rules read the world, and change it only by the methods of `Match`.
        game: mode, clock and score.
        random: source of all randomness of this package's rules.
        streams: sources of randomness of other rules, by their names.
        players: players with a team who are neither lifted nor absent, in an order that is shuffled every cycle.
        team_players: all players with a team, in row order.
        lifted: players who are beamed out, by handle of the robot.
        absent: handles of players who serve a penalty.
        places: x, y, z of the torsos of all robots by row, m; up to date with robots moved by rules.
        now: simulated time that the referee has seen, s; goes on in every play mode.
    """

    def __init__(self, world: SoccerWorld, book: RuleBook, random: np.random.Generator) -> None:
        self.world = world
        self.game = world.game
        self.book = book
        self.random, self.streams = random, Streams(random)
        self.players: tuple[Player, ...] = ()
        self.team_players: tuple[Player, ...] = ()
        self.lifted: dict[int, Lifted] = {}
        self.absent: set[int] = set()
        self.places: list[list[float]] = []
        self.ball = BallRecord()
        self.now = 0.0
        self._robot_boxes = RobotBoxes(world, lambda: self.book.repositioning.torso_reach)
        self._revision = -1

    @property
    def field(self) -> Field:
        """Sizes of the field."""
        return self.world.settings.field

    @property
    def state(self) -> EngineState:
        """All robots and the ball after physics and after the moves by rules in this cycle."""
        return self.world.engine.state

    @property
    def time_step(self) -> float:
        """Simulated time that has passed since the last cycle, s; `now` is the clock."""
        return self.world.elapsed

    @property
    def paused(self) -> bool:
        """Whether no fouls are counted: before a kick-off, after a goal, after the game."""
        return self.game.play_mode in PAUSED

    @property
    def lines(self) -> Spot:
        """|x| and |y| of the ball's centre beyond which the ball has wholly crossed a goal line or a side line, m."""
        settings, margin = self.world.settings, self.book.ball.out_margin
        field, radius = settings.field, settings.ball.radius
        return field.length / 2 + radius + margin, field.width / 2 + radius + margin

    def position(self, player: Player) -> Point:
        """Position of a player's torso, m."""
        x, y, z = self.places[player.row]
        return x, y, z

    @property
    def boxes(self) -> Array:
        """(N, 2, 3) least and greatest corner of the box around each robot, along the world's axes, m.

        Computed on first use in a cycle; up to date with robots moved by rules.
        """
        return self._robot_boxes.boxes()

    @property
    def skeletons(self) -> Array:
        """Like `boxes`, but around the centres of the links only."""
        return self._robot_boxes.skeletons()

    def begin_cycle(self) -> None:
        """Look at the world after physics: clock, players, ball."""
        self.now += self.world.elapsed
        self.look()
        state, ball = self.world.engine.state, self.ball
        x, y, z = state.ball_position.tolist()
        ball.touches = ()
        handlers = self.world.ball_handlers
        if len(state.ball_contacts) or handlers:
            near = frozenset(state.ball_contacts.tolist())
            who = [player for player in self.players if player.row in near or player.handle in handlers]
            ball.touches = tuple(Touch(player.handle, player.side, player.unum, self.now) for player in who)
            handlers.clear()
        ball.follow((x, y, z), self.lines, self.field.centre_circle)
        if ball.on_field and (self.game.play_mode in IN_PLAY or ball.restart_spot is None):
            ball.restart_spot = ball.last_valid

    def look_again(self) -> None:
        """Look at the world between two cycles, as others may have moved robots and ball."""
        self._robot_boxes.forget()
        self.look()
        self.look_at_ball()

    def look_at_ball(self) -> None:
        """Read the place of the ball between two cycles."""
        x, y, z = self.state.ball_position.tolist()
        self.ball.position = (x, y, z)

    def look(self) -> None:
        """List the players anew, in a new order; follow the world to a new game."""
        self.game = self.world.game
        if self._revision != self.world.revision:
            rows = enumerate(self.world.robots.values())
            self.team_players = tuple(Player(r, row, r.side, r.unum) for row, r in rows if r.side is not None)
            self._revision = self.world.revision
        players = self.team_players
        if len(players) > 1:
            order = list(range(len(players)))
            self.random.shuffle(order)
            players = tuple(map(players.__getitem__, order))
        if self.lifted or self.absent:
            out = self.lifted.keys() | self.absent
            players = tuple(player for player in players if player.handle not in out)
        self.players = players
        self.look_for_places()

    def look_for_places(self) -> None:
        """Read the places of all robots."""
        self.places = self.world.engine.state.position.tolist()

    def quaternion(self, player: Player) -> Quaternion:
        """Orientation of a player's torso."""
        return quaternion_from_rotation(self.state.rotation[player.row])
