"""Which plug-ins there are: the built-in ones by name, third-party ones by Python entry points.

A distribution adds plug-ins with entry points in the groups `simspark_ros.perceptors`, `simspark_ros.effectors`,
`simspark_ros.rules` and `simspark_ros.control_nodes`; the name of the entry point is the kind. Built-in plug-ins need
no metadata.
"""

from __future__ import annotations

from typing import Any

from simspark_ros.configuration.plug_ins import third_party
from simspark_ros.effectors.base import Effector
from simspark_ros.effectors.beam import BeamEffector
from simspark_ros.effectors.catch import CatchEffector
from simspark_ros.effectors.create import CreateEffector, LeaveEffector
from simspark_ros.effectors.drive import DriveEffector
from simspark_ros.effectors.init import InitEffector
from simspark_ros.effectors.kick import KickEffector
from simspark_ros.effectors.pantilt import PanTiltEffector
from simspark_ros.effectors.request_pass import PassEffector
from simspark_ros.effectors.say import SayEffector
from simspark_ros.perceptors.agent_state import AgentStatePerceptor
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.perceptors.camera import CameraPerceptor
from simspark_ros.perceptors.inertial import AccelerometerPerceptor, GyroscopePerceptor
from simspark_ros.perceptors.joints import HingeJointPerceptor, UniversalJointPerceptor
from simspark_ros.perceptors.touch import ForceResistancePerceptor, TouchPerceptor
from simspark_ros.perceptors.vision import RestrictedVisionPerceptor
from simspark_ros.soccer.referee.fouls import FOULS
from simspark_ros.soccer.referee.play import PLAY
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.trainer.ball import BallEffector
from simspark_ros.trainer.game_clock import GameTimeEffector, ScoreEffector
from simspark_ros.trainer.kill_simulation import KillSimulationEffector
from simspark_ros.trainer.play_mode import PlayModeEffector
from simspark_ros.trainer.referee import DropBallEffector, KickOffEffector, OverruleEffector
from simspark_ros.trainer.robots import (
    AgentBatteryEffector,
    AgentMoveEffector,
    AgentPositionEffector,
    AgentTemperatureEffector,
)
from simspark_ros.trainer.select_robot import KillEffector, ReposEffector, SelectEffector

PERCEPTORS: dict[str, type[Perceptor]] = {
    "time": Perceptor,
    "game_state": Perceptor,
    "hear": Perceptor,
    "camera": CameraPerceptor,
    "agent_state": AgentStatePerceptor,
    "hinge_joint": HingeJointPerceptor,
    "universal_joint": UniversalJointPerceptor,
    "gyroscope": GyroscopePerceptor,
    "accelerometer": AccelerometerPerceptor,
    "force_resistance": ForceResistancePerceptor,
    "touch": TouchPerceptor,
    "restricted_vision": RestrictedVisionPerceptor,
}

_TRAINER: tuple[type[Effector], ...] = (
    PlayModeEffector,
    KickOffEffector,
    DropBallEffector,
    OverruleEffector,
    BallEffector,
    AgentPositionEffector,
    AgentMoveEffector,
    AgentBatteryEffector,
    AgentTemperatureEffector,
    SelectEffector,
    KillEffector,
    ReposEffector,
    GameTimeEffector,
    ScoreEffector,
    KillSimulationEffector,
)

_AGENT: tuple[type[Effector], ...] = (
    CreateEffector,
    LeaveEffector,
    InitEffector,
    BeamEffector,
    SayEffector,
    PassEffector,
    PanTiltEffector,
    DriveEffector,
    KickEffector,
    CatchEffector,
)

EFFECTORS: dict[str, type[Effector]] = {effector.kind: effector for effector in (*_AGENT, *_TRAINER)}

RULES: dict[str, type[Rule]] = {rule.name: rule for rule in (*PLAY, *FOULS)}


def perceptor_types() -> dict[str, type[Perceptor]]:
    """All perceptor plug-ins by kind."""
    return {**third_party("simspark_ros.perceptors", Perceptor), **PERCEPTORS}


def effector_types() -> dict[str, type[Effector]]:
    """All effector plug-ins by kind."""
    return {**third_party("simspark_ros.effectors", Effector), **EFFECTORS}


def rule_types() -> dict[str, type[Rule]]:
    """All rules by the name that rule books order them by."""
    return {**third_party("simspark_ros.rules", Rule), **RULES}


def third_party_control_nodes() -> dict[str, Any]:
    """Control-node factories of other distributions by name."""
    return third_party("simspark_ros.control_nodes")
