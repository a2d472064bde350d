"""Descriptions of robots: a mechanical model and the perceptors and effectors mounted on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.lights import LightRing
from simspark_ros.robots.motors.data import MotorData

MotorKind = Literal["ideal", "realistic"]
"""Kind of motors: servos limited by their joint alone, or motors that get hot and drain a battery."""


class RobotError(UserError):
    """A robot, variant or model file cannot be used; the message names file, place and remedy."""


@dataclass(frozen=True)
class PerceptorSpec:
    """One perceptor on a robot, from YAML: kind `gyroscope`, name `torso`, for example.

    Attributes:
        link: link or frame that carries the perceptor; for a joint perceptor the joint.
        parameters: parameters of this instance: noise, interval, limits.
        model: name of the device that it imitates, e.g. `LMS200`, by which programs may find it.
    """

    kind: str
    name: str
    link: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""


@dataclass(frozen=True)
class EffectorSpec:
    """One effector on a robot, from YAML.

    Attributes:
        name: word that commands the effector in the classic protocol, e.g. `he1`.
        joint: joint that it moves, empty for effectors that move none.
    """

    kind: str
    name: str
    joint: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RobotDescription:
    """Everything the simulator needs to add one kind of robot.

    Attributes:
        variant: heterogeneous type of the robot, 0 = standard.
        perceptors: perceptors of the robot, in the order of a classic message.
        effectors: effectors that can be commanded.
        visible_parts: label in vision messages -> link or frame, in the order of the message.
        spawn_height: height of the base's centre above the ground when the robot stands in its home pose, m.
        urdf: model as plain URDF, which names no other file.
        original: model as it was read, with the names of its meshes and without capsules; empty = `urdf`.
        report: report on the reading of a file from outside the package.
        file: YAML file of the robot, for messages.
        source: argument of `load_robot`: name of the robot, or absolute path of its file, with parameters that differ
            from its variant; or all data that the robot is made from.
        self_collision_exclusions: pairs of links that may overlap, besides links that a joint connects.
        motors: kind of the robot's motors.
        motor_data: data of realistic motors; None if the file has none.
        body: variant of the file that gives the robot its sensors, joints and looks.
        parameters: parameters of the body that its file declares.
        lights: places of the lights that the robot's driver commands.
        home: position of each joint of the model at which the robot starts, rad or m; empty = all at 0.
        is_object: whether it is a thing of one link without devices, see `simspark_ros.robots.objects`.
        files: all files that a foreign robot was read from, and files that it misses.
    """

    name: str
    variant: int
    model: ArticulatedModel
    perceptors: tuple[PerceptorSpec, ...]
    effectors: tuple[EffectorSpec, ...]
    visible_parts: Mapping[str, str]
    spawn_height: float
    urdf: str
    file: str = ""
    source: str = ""
    original: str = ""
    report: ImportReport = field(default_factory=ImportReport)
    self_collision_exclusions: tuple[tuple[str, str], ...] = ()
    motors: MotorKind = "ideal"
    motor_data: MotorData | None = None
    body: int = 0
    parameters: Mapping[str, float] = field(default_factory=dict)
    lights: tuple[LightRing, ...] = ()
    home: tuple[float, ...] = ()
    is_object: bool = False
    files: tuple[str, ...] = field(default=(), compare=False)

    @property
    def published(self) -> str:
        """The document for `robot_description`."""
        return self.original or self.urdf

    @property
    def words(self) -> dict[str, str]:
        """Words that command joints, by the joints' names."""
        return {spec.joint: spec.name for spec in self.effectors if spec.joint}

    @cached_property
    def perceptor_kinds(self) -> frozenset[str]:
        """Kinds of the robot's perceptors."""
        return frozenset(spec.kind for spec in self.perceptors)

    def has_effector(self, kind: str) -> bool:
        """Whether the robot has an effector of that kind."""
        return any(spec.kind == kind for spec in self.effectors)

    def place(self, spec: PerceptorSpec | EffectorSpec) -> str:
        """Beginning of an error message about a perceptor or effector: its file and its name."""
        what = "perceptor" if isinstance(spec, PerceptorSpec) else "effector"
        return f"{self.file}: {what} {spec.kind}" + (f" '{spec.name}'" if spec.name != spec.kind else "")
