"""All names that authors of plug-ins import; see docs/how_to/plugins.md.

A distribution announces its plug-ins by entry points:

| group | value | name |
|---|---|---|
| `simspark_ros.perceptors` | subclass of `Perceptor` | kind in robots' files |
| `simspark_ros.effectors` | made by `effector` | kind in robots' files |
| `simspark_ros.drives` | subclass of `Drive` | kind of effector in robots' files |
| `simspark_ros.topics` | subclass of `TopicPublisher` | kind of perceptor |
| `simspark_ros.rules` | subclass of `Rule` | in `order` of a rule book |
| `simspark_ros.players` | subclass of `PlayerPlugin` | kind in `--player` |
| `simspark_ros.control_nodes` | callable that returns a `ControlNode` | free |
| `simspark_ros.commands` | function that takes the sub-parsers of `simspark` | free |
| `simspark_ros.engines` | callable that takes a preset and returns an `EngineCore` | `--engine` |
| `simspark_ros.time_sources` | subclass of `TimeSource` | `--pacing` |

A plug-in that cannot be used is named in a warning and left out. `X as X` marks a name as exported. Names for topics
need rclpy, so they are imported when they are asked for: everything else works without ROS.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simspark_ros.clients.classic_client import ClassicClient as ClassicClient
from simspark_ros.configuration.errors import UserError as UserError
from simspark_ros.configuration.schema import Checked as Checked
from simspark_ros.configuration.schema import ConfigurationError as ConfigurationError
from simspark_ros.configuration.schema import Error as Error
from simspark_ros.configuration.schema import Range as Range
from simspark_ros.effectors import CommandRejectedError as CommandRejectedError
from simspark_ros.effectors import CommandTopic as CommandTopic
from simspark_ros.effectors import Degrees as Degrees
from simspark_ros.effectors import Effector as Effector
from simspark_ros.effectors import Percent as Percent
from simspark_ros.effectors import effector as effector
from simspark_ros.effectors.base import JointParameters as JointParameters
from simspark_ros.exchange import Percepts as Percepts
from simspark_ros.motion.drive import Drive as Drive
from simspark_ros.motion.interface import Triple as Triple
from simspark_ros.motion.interface import Walk as Walk
from simspark_ros.motion.models.gaussian import GaussianMotionModel as GaussianMotionModel
from simspark_ros.motion.models.gaussian import MotionModel as MotionModel
from simspark_ros.perceptors.base import Mount as Mount
from simspark_ros.perceptors.base import Perceptor as Perceptor
from simspark_ros.perceptors.base import Topic as Topic
from simspark_ros.perceptors.base import parameters as parameters
from simspark_ros.physics.engine import Array as Array
from simspark_ros.physics.engine import BoolArray as BoolArray
from simspark_ros.physics.engine import EngineCore as EngineCore
from simspark_ros.physics.engine import EngineState as EngineState
from simspark_ros.physics.engine import IntArray as IntArray
from simspark_ros.physics.engine import JointControl as JointControl
from simspark_ros.physics.engine import Limits as Limits
from simspark_ros.physics.engine import LinkSelection as LinkSelection
from simspark_ros.physics.engine import PhysicsEngine as PhysicsEngine
from simspark_ros.physics.engine import PhysicsError as PhysicsError
from simspark_ros.physics.engine import RayHits as RayHits
from simspark_ros.physics.engine import RayTarget as RayTarget
from simspark_ros.physics.model import ArticulatedModel as ArticulatedModel
from simspark_ros.physics.model import SceneModel as SceneModel
from simspark_ros.physics.registry import create_engine as create_engine
from simspark_ros.robots.description import EffectorSpec as EffectorSpec
from simspark_ros.robots.description import PerceptorSpec as PerceptorSpec
from simspark_ros.robots.description import RobotDescription as RobotDescription
from simspark_ros.robots.motors.commands import Motors as Motors
from simspark_ros.sensors.container import SensorContainer as SensorContainer
from simspark_ros.sensors.container import SensorData as SensorData
from simspark_ros.sensors.feature import Feature as Feature
from simspark_ros.simulation.drawings import Drawing as Drawing
from simspark_ros.simulation.loop import ControlNode as ControlNode
from simspark_ros.simulation.loop import Simulation as Simulation
from simspark_ros.simulation.pacing.real_time import RealTime as RealTime
from simspark_ros.simulation.pacing.source import TimeSource as TimeSource
from simspark_ros.simulation.player_plugins.player import PlayerOptions as PlayerOptions
from simspark_ros.simulation.player_plugins.player import PlayerPlugin as PlayerPlugin
from simspark_ros.soccer.game_state import IN_PLAY as IN_PLAY
from simspark_ros.soccer.game_state import FoulKind as FoulKind
from simspark_ros.soccer.game_state import PlayMode as PlayMode
from simspark_ros.soccer.game_state import modes_of as modes_of
from simspark_ros.soccer.referee.decision import Decision as Decision
from simspark_ros.soccer.referee.match import Match as Match
from simspark_ros.soccer.referee.match_view import Player as Player
from simspark_ros.soccer.referee.rule import Rule as Rule
from simspark_ros.soccer.teams import Side as Side
from simspark_ros.soccer.world import SoccerRobot as SoccerRobot
from simspark_ros.soccer.world import SoccerWorld as SoccerWorld
from simspark_ros.worlds.robot import Robot as Robot
from simspark_ros.worlds.world import World as World

if TYPE_CHECKING:
    from simspark_ros.ros.topics import Cycle as Cycle
    from simspark_ros.ros.topics import RobotEntry as RobotEntry
    from simspark_ros.ros.topics import TopicError as TopicError
    from simspark_ros.ros.topics import TopicPublisher as TopicPublisher
    from simspark_ros.ros.topics import covariance as covariance
    from simspark_ros.ros.topics import interval_of as interval_of
    from simspark_ros.ros.topics import set_quaternion as set_quaternion
    from simspark_ros.ros.topics import set_xyz as set_xyz

_OF_TOPICS = frozenset(
    ("Cycle", "RobotEntry", "TopicError", "TopicPublisher", "covariance", "interval_of", "set_quaternion", "set_xyz")
)


def __getattr__(name: str) -> Any:
    """A name for topics, at its first use."""
    if name not in _OF_TOPICS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module("simspark_ros.ros.topics"), name)
