"""The soccer world: a world with a ball, teams and a game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.geometry.rotations import turned
from simspark_ros.physics.model import ZERO, Vector
from simspark_ros.soccer.game_state import GameState
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.settings import SoccerSettings
from simspark_ros.soccer.speech import Speaker, SpeechChannel
from simspark_ros.soccer.teams import Side, Teams
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World
from simspark_ros.worlds.world_file import WorldSettings

LONGER_LEGS = 0.045
"""Most height, m, that the world's file may take off a standing robot; the reference puts long Naos 4 cm too low."""


@dataclass
class SoccerRobot(Robot):
    """One robot in a soccer world.

    Attributes:
        team, side, unum: team name, side and uniform number; empty, None and 0 until its init is accepted.
        registrations: number of accepted inits of the robot's client.
        selected: whether a trainer has selected the robot; at most one is selected.
        is_vacant: whether the client is gone although the robot is still a player, see `SoccerWorld.vacate`.
    """

    team: str = ""
    side: Side | None = None
    unum: int = 0
    registrations: int = 0
    selected: bool = False
    is_vacant: bool = False

    @property
    def frame_sign(self) -> int:
        """Factor +1 or -1 from x and y in the frame of its team to x and y in the world; +1 without a team."""
        return 1 if self.side is None else self.side.sign

    def height_at(self, height: float) -> float:
        """Height of its torso where the world's file has this height, m; 0, or one far too low: it stands there."""
        standing = self.description.spawn_height
        return height if 0.0 < height >= standing - LONGER_LEGS else standing

    @property
    def is_counted(self) -> bool:
        """Whether the robot counts in the limit on the number of robots; a vacant robot leaves room for a player."""
        return super().is_counted and not self.is_vacant


@dataclass
class SoccerWorld(World):
    """A world with a ball, which is on the centre spot at first, teams and a game; without a field it has no ball.

    Attributes:
        ball_quaternion: orientation of the ball, x, y, z, w, for pictures; follows the ball's angular velocity.
        ball_handlers: handles of robots that have acted on the ball by a device since a referee last looked.
    """

    robot_class: ClassVar[type[SoccerRobot]] = SoccerRobot

    settings: SoccerSettings
    robots: Mapping[int, SoccerRobot] = field(default_factory=dict)
    game: GameState = field(default_factory=GameState)
    teams: Teams = field(init=False)
    speech: SpeechChannel = field(init=False)
    ball_quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    ball_handlers: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Build the scene and put the ball into it."""
        super().__post_init__()
        self._begin()

    def replace(self, engine: PhysicsEngine, settings: WorldSettings) -> None:
        """Become another soccer world, empty but for its ball, with a new game."""
        super().replace(engine, settings)
        self._begin()

    def change_rules(self, book: RuleBook) -> None:
        """Use another rule book from now on; monitors get the numbers that are part of the environment."""
        before = self.settings.environment
        self.settings = replace(self.settings, rules=book)
        if self.settings.environment != before:
            self._robots_changed()

    def remove_robots(self, robots: Sequence[Robot]) -> None:
        """Remove robots and free their numbers."""
        players = [self.robots[robot.handle] for robot in robots]
        super().remove_robots(robots)
        for player in players:
            self.speech.forget(player.handle)
            if player.side is not None:
                self.teams.release(player.side, player.unum)

    def vacate(self) -> int:
        """Make every client's robot vacant: it stands still and can be taken over; returns the number of robots."""
        vacant = [robot for robot in self.robots.values() if robot.client]
        for robot in vacant:
            robot.client, robot.is_vacant = "", robot.side is not None
            self.motors.stop(robot.handle)
            if robot.side is None:
                self.remove_robot(robot)
        self.revision += 1
        return sum(robot.is_vacant for robot in vacant)

    def take_over(self, robot: SoccerRobot, vacant: SoccerRobot) -> None:
        """Give a robot's client a vacant robot in exchange; the client's own robot is removed."""
        client = robot.client
        self.remove_robot(robot)
        vacant.client, vacant.is_vacant = client, False
        vacant.registrations += 1
        self.revision += 1

    def change_sides(self) -> None:
        """Exchange the sides of both teams, with names, goals and waiting times; players receive their new side.

        Robots keep their ROS names, which are in topics, and their places: the rules before a kick-off move them.
        """
        teams, game = self.teams, self.game
        teams.left, teams.right = teams.right, teams.left
        for team in (teams.left, teams.right):
            team.side = team.side.other
        for robot in self.robots.values():
            if robot.side is not None:
                robot.side = robot.side.other
                robot.registrations += 1
                x, y, z, yaw = robot.home
                robot.home = (-x, y, z, math.remainder(yaw + math.pi, 2 * math.pi))
        game.change_sides()
        self.revision += 1

    def player(self, side: Side | None, unum: int) -> SoccerRobot | None:
        """The robot of a side and number; (None, 0) gives the first robot without a team."""
        return next((r for r in self.robots.values() if r.side is side and r.unum == unum), None)

    @property
    def selected(self) -> SoccerRobot | None:
        """The robot that a trainer has selected."""
        return next((r for r in self.robots.values() if r.selected), None)

    def select(self, robot: SoccerRobot | None) -> None:
        """Select one robot, and no other."""
        for other in self.robots.values():
            other.selected = other is robot

    @property
    def marks(self) -> Mapping[str, Vector]:
        """Named places of the field."""
        return self.settings.field.marks()

    def require_ball(self, what: str) -> None:
        """Refuse a command that needs the ball in a world without one, by a CommandRejectedError."""
        if self.scene.ball is None:
            raise CommandRejectedError(f"{what}: this world has no ball")

    def place_ball(self, spot: tuple[float, float], velocity: Vector = ZERO) -> None:
        """Put the ball on the ground (x, y in m, world frame)."""
        self.engine.place_ball((spot[0], spot[1], self.settings.ball_rest_height), velocity)

    def reset_state(self) -> None:
        """Bring robots home with their joints at zero, the ball to the centre and the game to its start."""
        super().reset_state()
        self.game = GameState.at_start(self.settings.rules.game)
        self._place_first_ball()

    def speaker(self, robot: SoccerRobot) -> Speaker | None:
        """A robot of a team as speaker and listener; None while it has no team."""
        if robot.side is None:
            return None
        x, y, z = self.engine.state.position[self.engine.state.row(robot.handle)].tolist()
        return Speaker(robot.handle, robot.side, robot.team, (x, y, z))

    def _begin(self) -> None:
        self.game = GameState.at_start(self.settings.rules.game)
        self.teams, self.speech = Teams(self.settings.teams), SpeechChannel(self.settings.speech, self.random)
        self.ball_quaternion = SoccerWorld.ball_quaternion
        self._place_first_ball()

    def _place_first_ball(self) -> None:
        if self.scene.ball is not None:
            self.place_ball((0.0, 0.0))

    def _passed(self, seconds: float) -> None:
        self.ball_quaternion = turned(self.ball_quaternion, self.engine.state.ball_angular_velocity, seconds)
        self.game.advance(seconds)


def soccer_world(world: World) -> SoccerWorld:
    """The world as a soccer world.

    Raises:
        TypeError: no soccer is played there, so that sensors and commands of a game cannot work.
    """
    if not isinstance(world, SoccerWorld):
        raise TypeError("this is not a soccer world: it has neither teams nor a game")
    return world
