"""What authors of plug-ins import; see docs/plugins.md.

A distribution announces its plug-ins by entry points:

| group | value | name |
|---|---|---|
| `simspark_ros.perceptors` | subclass of `Perceptor` | kind in robots' files |
| `simspark_ros.effectors` | made by `effector` | kind in robots' files |
| `simspark_ros.topics` | subclass of `simspark_ros.ros.topics.TopicPublisher` | kind of perceptor |
| `simspark_ros.rules` | subclass of `Rule` | in `order` of a rule book |
| `simspark_ros.control_nodes` | callable that returns a `ControlNode` | free |
| `simspark_ros.commands` | function that takes the sub-parsers of `simspark` | free |
| `simspark_ros.engines` | callable that takes a preset and returns a `PhysicsEngine` | `--engine` |

A plug-in that cannot be used is named in a warning and left out.
"""

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import CommandRejectedError, CommandTopic, Degrees, Effector, effector
from simspark_ros.exchange import Percepts
from simspark_ros.perceptors.base import Mount, Perceptor, Topic, parameters
from simspark_ros.physics.engine import (
    Array,
    BoolArray,
    EngineState,
    IntArray,
    JointControl,
    LinkSelection,
    PhysicsEngine,
    PhysicsError,
)
from simspark_ros.physics.model import ArticulatedModel, SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec, RobotDescription
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.player import Player
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import Robot, World

__all__ = [
    "Array",
    "ArticulatedModel",
    "BoolArray",
    "CommandRejectedError",
    "CommandTopic",
    "ConfigurationError",
    "ControlNode",
    "Decision",
    "Degrees",
    "Effector",
    "EffectorSpec",
    "EngineState",
    "FoulKind",
    "IntArray",
    "JointControl",
    "LinkSelection",
    "Match",
    "Mount",
    "Perceptor",
    "PerceptorSpec",
    "Percepts",
    "PhysicsEngine",
    "PhysicsError",
    "PlayMode",
    "Player",
    "Robot",
    "RobotDescription",
    "Rule",
    "SceneModel",
    "Side",
    "Simulation",
    "Topic",
    "UserError",
    "World",
    "create_engine",
    "effector",
    "parameters",
]
