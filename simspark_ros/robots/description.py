"""Descriptions of robots: a mechanical model and the perceptors and effectors mounted on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.lights import LightRing
from simspark_ros.robots.motors.data import MotorData

MotorKind = Literal["ideal", "realistic"]
"""Servos without limits but their joint's, or motors that get hot and empty a battery."""


class RobotError(UserError):
    """A robot, variant or model file cannot be used; the message names file, place and remedy."""


@dataclass(frozen=True)
class PerceptorSpec:
    """One perceptor on a robot, from YAML: kind `gyroscope`, name `torso`, for example.

    Attributes:
        link: the link or frame that carries it; for a joint perceptor the joint.
        parameters: of this instance: noise, interval, limits.
        model: of the device that it is like, e.g. `LMS200`, by which programs may find it.
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
        name: the word that commands it in the classic protocol, e.g. `he1`.
        joint: the joint it moves, empty for effectors that move none.
    """

    kind: str
    name: str
    joint: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RobotDescription:
    """Everything the simulator needs to add one kind of robot.

    Attributes:
        variant: its heterogeneous type, 0 = standard.
        perceptors: in the order in which a classic message lists them.
        effectors: those that can be commanded.
        visible_parts: label in vision messages -> link, in the order of the message.
        spawn_height: height of the base's centre above the ground when the robot stands, m.
        urdf: its model as plain URDF, which names no other file.
        original: the document as it was read, with the meshes that it names; empty = `urdf`.
        report: what came of reading a file that is not the package's.
        file: its YAML file, for messages.
        source: argument of `load_robot`: its name, or the absolute path of its file, with parameters that are not those
            of a variant; or all that it is made from.
        self_collision_exclusions: pairs of links that may overlap, besides those that a joint connects.
        motors: the kind that it has.
        motor_data: of realistic motors; None if it has no such data.
        body: variant of the file whose sensors, joints and looks it has.
        parameters: of its body, as far as its file declares them.
        lights: where its lights are, of those that its driver commands.
        is_object: whether it is a thing of one link without devices, see `simspark_ros.robots.objects`.
        files: all files that a foreign robot was read from, and those that it misses.
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
    is_object: bool = False
    files: tuple[str, ...] = field(default=(), compare=False)

    @property
    def published(self) -> str:
        """The document for `robot_description`."""
        return self.original or self.urdf

    def has_effector(self, kind: str) -> bool:
        """Whether it has an effector of that kind."""
        return any(spec.kind == kind for spec in self.effectors)

    def place(self, spec: PerceptorSpec | EffectorSpec) -> str:
        """The file and one of its perceptors and effectors, as error messages begin."""
        what = "perceptor" if isinstance(spec, PerceptorSpec) else "effector"
        return f"{self.file}: {what} {spec.kind}" + (f" '{spec.name}'" if spec.name != spec.kind else "")
