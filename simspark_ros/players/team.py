"""Players of the demonstration team, and players that are one function, ready to answer percepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from simspark_ros.configuration.league_models import league_file
from simspark_ros.motion.adapted import AdaptedMotion
from simspark_ros.motion.interface import Command, MotionEngine
from simspark_ros.motion.nao import CYCLE, NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.motion.wheels.wheeled import WheeledMotion
from simspark_ros.players.answer import Answer, checked_command, checked_speeds
from simspark_ros.players.behaviour.team_play import GOALKEEPER, TeamPlay
from simspark_ros.players.geometry import Pose
from simspark_ros.players.percepts import Percept
from simspark_ros.players.player import PlayerAgent, SimpleBehaviour
from simspark_ros.players.team_settings import TacticsSettings
from simspark_ros.players.world_model import WorldModel
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.types.random_types import RobotType
from simspark_ros.soccer.settings import field_of

ROBOT, WHEELED = "nao", "msl"
"""The usual robot, and the robot on wheels, which has tactics of that name."""

LEAGUE = "league_2026"
"""Tactics of the robots of the league since 2026."""

SMALL_FIELD = 12.0
"""Length below which a field is played on with the tactics `small_field`, m."""

LARGE_FIELD = 40.0
"""Length above which a field is played on with the tactics `large_field`, m."""


def team_player(
    team: str,
    unum: int,
    tactics: TacticsSettings,
    cycle: float = CYCLE,
    types: Sequence[RobotType] = (),
    robot: str = ROBOT,
    world: str = "",
    goalkeeper: int = GOALKEEPER,
) -> PlayerAgent:
    """A player of the demonstration team.

    Args:
        team: name of the team.
        unum: uniform number.
        tactics: tactics for the field.
        cycle: time between two percepts, s.
        types: types of Naos that were drawn for the match; none = the types of the robot's file.
        robot: name of the robot, with the Nao's body or on wheels.
        world: world that has the field, see `field_of`.
        goalkeeper: number of the goalkeeper, 0 = there is none.

    Raises:
        ConfigurationError: one of the configuration files cannot be used.
    """
    pitch, behaviour = field_of(world), TeamPlay(tactics, goalkeeper)
    if robot != ROBOT:
        return PlayerAgent(team, pitch, _motion_of(load_robot(robot), cycle), behaviour, tactics.ball_friction)
    variant = type_of(unum, tactics, types)
    description = load_robot(types[variant].name, variant) if types else load_robot(ROBOT, variant)
    return PlayerAgent(team, pitch, _motion_of(description, cycle), behaviour)


def _motion_of(robot: RobotDescription, cycle: float) -> MotionEngine:
    if robot.has_effector(WHEELS):
        return WheeledMotion(robot, cycle)
    if robot.name == ROBOT:
        return NaoMotion(robot, load_motion_settings(), cycle)
    return AdaptedMotion(robot, load_motion_settings(robot.name), cycle)


def type_of(unum: int, tactics: TacticsSettings, types: Sequence[RobotType]) -> int:
    """The type of a number's robot, by the tactics; modulo the number of drawn types."""
    variant = tactics.types[unum - 1]
    return variant % len(types) if types else variant


def usual_tactics(world: str, robot: str = ROBOT) -> str:
    """Name of the tactics for a robot and the field of a world."""
    if robot == WHEELED:
        return WHEELED
    if league_file(robot):
        return LEAGUE
    length = field_of(world).length
    return "small_field" if length < SMALL_FIELD else "large_field" if length > LARGE_FIELD else "team"


def simple_player(
    think: Callable[[WorldModel], Command],
    team: str,
    variant: int = 0,
    robot: str = ROBOT,
    start: Pose | None = None,
    world: str = "",
    cycle: float = CYCLE,
) -> PlayerAgent:
    """A player that is one function, with the motions and the world model of the demonstration team.

    Args:
        think: function from the player's beliefs, in each cycle, to the command for its legs. After anything else
            `act` raises a `WrongAnswerError`.
        team: name of the team.
        variant: heterogeneous type of its robot.
        robot: name of the robot, with the Nao's body or on wheels; for a type drawn for a match `RobotType.name`.
        start: pose before kick-offs, in the frame of the team (attacking +x): m, rad.
        world: world that has the field, see `field_of`.
        cycle: time between two percepts, s.
    """
    motion = _motion_of(load_robot(robot, variant), cycle)
    behaviour = SimpleBehaviour(lambda me: checked_command(think(me)), start)
    return PlayerAgent(team, field_of(world), motion, behaviour)


class Reacting:
    """An agent that is one function: from a percept to speeds of joints, rad/s by their names, or a whole answer."""

    def __init__(self, react: Callable[[Percept], Answer | Mapping[str, float]]) -> None:
        self._react = react

    def act(self, percept: Percept) -> Answer:
        """Answer a percept; a `WrongAnswerError` describes the right form of an answer."""
        answer = self._react(percept)
        return answer if isinstance(answer, Answer) else Answer(checked_speeds(answer, percept.joints))

    def notice(self, percept: Percept) -> None:
        """Ignore a percept that is too old."""
