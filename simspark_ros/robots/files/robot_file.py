"""The content of a robot's YAML file, and its translation into perceptors and effectors of one variant.

Keys of the file are the attributes of `RobotFile`; config/robots/nao.yaml is the example to start from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.library import Library, is_path
from simspark_ros.configuration.names import MAX_NAME, WORD, as_word, is_word, unique
from simspark_ros.configuration.schema import Checked, Range, read_yaml
from simspark_ros.physics.model import ArticulatedModel, SurfaceMaterial
from simspark_ros.robots.description import EffectorSpec, MotorKind, PerceptorSpec, RobotError
from simspark_ros.robots.files.format_table import MODEL_ENDINGS, MeshCollisions
from simspark_ros.robots.formats.urdf.bounds import DRAG
from simspark_ros.robots.lights import LightRing
from simspark_ros.robots.motors.data import MotorData
from simspark_ros.robots.types.parameters import BodyRules, ParameterRule, TypeParameter, check_argument

UNIVERSAL_JOINT, UNIVERSAL = "universal_joint", "universal"
"""Kinds of perceptor and effector that two joints share."""

CONTACT_KINDS = ("touch", "force_resistance")
"""Kinds of perceptors that need the contacts of their links measured."""

FORCE_TORQUE = "force_torque"
"""Kind of perceptor that needs the contacts measured of its link and of all links beyond."""

LISTS = ("touch_links", "frames", "perceptors", "effectors")
"""Keys of lists to which a file may add the entries of `more_...`."""


@dataclass(frozen=True)
class TouchLink:
    """A link whose contacts are measured; empty `variants` = all variants, here and below."""

    link: str
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class LinkMaterial(Checked):
    """Friction and restitution of a link's surface, as in `SurfaceMaterial`."""

    friction: Annotated[float, Range(0.0, 10.0)] = SurfaceMaterial.friction
    restitution: Annotated[float, Range(0.0, 1.0)] = SurfaceMaterial.restitution


@dataclass(frozen=True)
class FrameEntry:
    """A frame on a link, e.g. for a sensor that the model file does not have; it is part of the URDF and of TF.

    Attributes:
        link: link or frame that carries the frame.
        position: place of the frame's origin in the frame of that link, m.
        rpy_deg: roll, pitch and yaw in the frame of that link, degrees.
    """

    name: str
    link: str
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    rpy_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class PerceptorEntry:
    """One perceptor, or one for each of `joints`.

    Attributes:
        kind: name of the plug-in.
        name: name of this instance; the kind if left out.
        link: link or frame that carries the perceptor.
        joints: sensed joints, each by a perceptor of the joint's name; `universal_joint` senses two as one.
        names: joint -> name of its perceptor, if other than the joint's.
        parameters: parameters of the plug-in.
        variants: variants that have the perceptor.
        model: name of the device that it imitates, by which programs may find it.
    """

    kind: str
    name: str = ""
    link: str = ""
    joints: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[int, ...] = ()
    model: str = ""


@dataclass(frozen=True)
class EffectorEntry:
    """One effector, or one for each of `joints`; other attributes as in `PerceptorEntry`.

    Attributes:
        joints: joint -> word that commands it; for `universal`, two joints have the same word, and the first number of
            a command is for the joint that comes first in the model.
    """

    kind: str
    name: str = ""
    joints: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class RobotFile(Checked):
    """The content of a robot's YAML file.

    A file that is `based_on` another robot adds to its lists by `more_perceptors`, `more_effectors`, `more_frames` and
    `more_touch_links`; `perceptors` itself replaces the list. Names of perceptors, effectors and visible parts stand in
    messages to agents: at most 80 printable ASCII characters without blanks, brackets and quotes.

    Attributes:
        model: path of the robot's URDF or xacro file, relative to the YAML file. A xacro file gets the variant as
            `type`, and changed parameters as `changes`, e.g. `thigh_z=-0.05, ankle_z=-0.06`.
        xacro_arguments: argument of the xacro file -> its value.
        variants: heterogeneous types; the model file reads the numbers of each.
        parameters: numbers of the variants that may be changed; every variant has all of them.
        parameter_rules: rules that the parameters must keep together.
        drawn_from: variants that give randomly drawn types their sensors and joints; empty = the first.
        linear_drag: force per velocity on every link, N s/m.
        angular_drag: torque per angular velocity on every link, N m s/rad.
        fixed_base: whether the base is bolted to the world; None = as the model file says.
        frames: frames added to the frames of the model file.
        shapes: link -> solid that replaces `cylinder` in its collisions.
        mesh_collisions: kind of solid that meshes collide as: convex hulls, the boxes around them, or convex parts.
        materials: link -> material of its surface; contacts of links without one follow the engine's preset.
        touch_links: links whose contacts are measured, in the order of the touch arrays; links with perceptors of
            `CONTACT_KINDS`, and links that a perceptor of kind `FORCE_TORQUE` feels, follow.
        visible_parts: label in vision messages -> link or frame.
        self_collision_exclusions: pairs of links whose boxes may overlap, besides links that a joint connects.
        perceptors: perceptors of the robot, in the order of a classic message.
        effectors: effectors that can be commanded.
        home: joint -> position, rad or m, at which the robot starts, within the joint's stops; other joints start at 0,
            or at the place next to it that their stops allow.
        lights: places of the lights that the robot's driver commands, for viewers.
        motors: ideal servos, or the motors of `motor_data`.
        motor_data: data of the motors, or the path of a file with the data, relative to the YAML file; they replace the
            data of the base file key by key.
    """

    model: str
    xacro_arguments: Mapping[str, str] = field(default_factory=dict)
    variants: Mapping[int, Mapping[str, Any]] = field(default_factory=lambda: {0: {}})
    parameters: Mapping[str, TypeParameter] = field(default_factory=dict)
    parameter_rules: tuple[ParameterRule, ...] = ()
    drawn_from: tuple[int, ...] = ()
    linear_drag: Annotated[float, DRAG] = 0.0
    angular_drag: Annotated[float, DRAG] = 0.0
    fixed_base: bool | None = None
    frames: tuple[FrameEntry, ...] = ()
    shapes: Mapping[str, Literal["capsule", "cylinder"]] = field(default_factory=dict)
    mesh_collisions: MeshCollisions = "hulls"
    materials: Mapping[str, LinkMaterial] = field(default_factory=dict)
    touch_links: tuple[TouchLink, ...] = ()
    visible_parts: Mapping[str, str] = field(default_factory=dict)
    self_collision_exclusions: tuple[tuple[str, ...], ...] = ()
    perceptors: tuple[PerceptorEntry, ...] = ()
    effectors: tuple[EffectorEntry, ...] = ()
    home: Mapping[str, float] = field(default_factory=dict)
    lights: tuple[LightRing, ...] = ()
    motors: MotorKind = "ideal"
    motor_data: MotorData | None = None

    def __post_init__(self) -> None:
        """Check the variants, and the variants of entries."""
        super().__post_init__()
        for name, text in self.xacro_arguments.items():
            check_argument(name, text)
        if not self.variants or not all(type(number) is int and number >= 0 for number in self.variants):
            raise ValueError("variants: must map whole numbers >= 0 to a mapping of numbers, e.g. '0: {}'")
        if self.motors == "realistic" and self.motor_data is None:
            raise ValueError("motors: realistic motors need motor_data, e.g. 'motor_data: ../motors/nao.yaml'")
        entries = [(f"{key}[{index}]", one) for key in LISTS for index, one in enumerate(getattr(self, key))]
        entries += [(f"parameters: {name}", one) for name, one in self.parameters.items()]
        named = [(f"{where}: variants", one.variants) for where, one in entries]
        for where, numbers in (*named, ("drawn_from", self.drawn_from)):
            for number in numbers:
                if number not in self.variants:
                    known = ", ".join(map(str, self.variants))
                    raise ValueError(f"{where}: unknown variant {number}; use one of: {known}")
        self.body_rules.check()

    @property
    def body_rules(self) -> BodyRules:
        """Rules for the bodies of the robot."""
        return BodyRules(self.variants, self.parameters, self.parameter_rules)


def _located(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Make the model's path absolute, and read the motors' data, as a file based on this one may lie elsewhere."""
    model, motors = document.get("model"), document.get("motor_data")
    if isinstance(model, str):
        document = {**document, "model": str((path.parent / model).resolve())}
    if isinstance(motors, str):
        document = {**document, "motor_data": read_yaml((path.parent / motors).resolve())}
    return document


def is_robot_file(name: str) -> bool:
    """Whether a text is the path of a robot's file, not the name of a shipped robot."""
    return is_path(name) or name.endswith(MODEL_ENDINGS)


ROBOTS = Library("robots", "robot", _located, LISTS)


_Entry = TypeVar("_Entry", TouchLink, FrameEntry, PerceptorEntry, EffectorEntry)


def of_variant(entries: Iterable[_Entry], variant: int) -> list[tuple[int, _Entry]]:
    """Entries that a variant has, each with its index in the file."""
    return [(i, entry) for i, entry in enumerate(entries) if not entry.variants or variant in entry.variants]


class ModelNames:
    """Names of a model, and checks of the entries of a file that refer to them.

    All checks raise `RobotError`, which names the file and the key of the entry.
    """

    def __init__(self, file: Path, model: ArticulatedModel) -> None:
        self._file, self._model = file, model
        self.links = [link.name for link in model.links]
        self.places = [*self.links, *(frame.name for frame in model.frames)]
        self.joints = [joint.name for joint in model.joints]
        self.followers = {joint.name: joint.mimic.joint for joint in model.joints if joint.mimic is not None}

    def fail(self, key: str, problem: str) -> RobotError:
        """The error to raise."""
        return RobotError(ROBOTS.located(self._file, f"{self._file}: {key}: {problem}"))

    def check(self, name: str, allowed: Collection[str], what: str, key: str) -> None:
        """Check that a name exists."""
        if name not in allowed:
            raise self.fail(key, f"unknown {what} {shown(name)}; use one of: {', '.join(allowed)}")

    def check_position(self, name: str, position: float, key: str) -> None:
        """Check a position of a joint, rad or m."""
        self.check(name, self.joints, "joint", key)
        joint = next(one for one in self._model.joints if one.name == name)
        if not joint.lower <= position <= joint.upper:
            raise self.fail(key, f"{name} must be {joint.lower:g} to {joint.upper:g}, not {position:g}")

    def check_touching(self, name: str, key: str) -> None:
        """Check that a link has contacts that can be measured."""
        for frame in self._model.frames:
            if frame.name == name:
                raise self.fail(key, f"{shown(name)} has no mass, so it is part of link '{frame.link}'; name that link")
        self.check(name, self.links, "link", key)
        if not self._model.link(name).collisions:
            raise self.fail(key, f"{shown(name)} has no colliding solid, so it can touch nothing")

    def colliding_beyond(self, link: str) -> list[str]:
        """The links with a solid that collides, of a link and all links that it carries."""
        return [one.name for one in self._model.beyond(link) if one.collisions]

    def check_word(self, name: str, key: str) -> None:
        """Check a name that messages to agents contain."""
        if not is_word(name):
            raise self.fail(key, f"{shown(name)} must be 1 to {MAX_NAME} {WORD}")

    def check_joints(self, entry: PerceptorEntry | EffectorEntry, key: str) -> None:
        """Check that joints exist, and that `name` and `link` are not given, too, except for a universal joint."""
        for joint in entry.joints:
            self.check(joint, self.joints, "joint", f"{key}: joints")
        if entry.kind != UNIVERSAL_JOINT and entry.joints and (entry.name or getattr(entry, "link", "")):
            raise self.fail(key, "joints replace name and link; give either joints, or name and link")

    def check_two(self, joints: int, key: str) -> None:
        """Check the number of joints of a universal joint."""
        if joints != 2:
            raise self.fail(key, f"a universal joint has two joints, not {joints}")

    def check_unique(self, specs: Iterable[tuple[int, PerceptorSpec | EffectorSpec]], key: str) -> None:
        """Check that names are unique within a kind, but shared by the two joints of a universal effector.

        Each device comes with the index of its entry.
        """
        indices = defaultdict(list)
        for index, spec in specs:
            indices[spec.kind, spec.name].append(index)
        for (kind, name), (first, *others) in indices.items():
            if kind == UNIVERSAL:
                self.check_two(1 + len(others), f"{key}[{first}]: '{name}'")
            elif others:
                problem = f"has kind {shown(kind)} and name {shown(name)}, like {key}[{first}]; rename one"
                raise self.fail(f"{key}[{others[0]}]", problem)


def exclusions_of(file: RobotFile, names: ModelNames) -> tuple[tuple[str, str], ...]:
    """Pairs of links that may overlap."""
    pairs = []
    for index, links in enumerate(file.self_collision_exclusions):
        key = f"self_collision_exclusions[{index}]"
        if len(links) != 2:
            raise names.fail(key, f"must be a pair of links, not {len(links)} links")
        for link in links:
            names.check(link, names.links, "link", key)
        pairs.append((links[0], links[1]))
    return tuple(pairs)


def perceptors_of(file: RobotFile, variant: int, names: ModelNames) -> tuple[PerceptorSpec, ...]:
    """Perceptors of a variant, in the order of the file."""
    specs: list[tuple[int, PerceptorSpec]] = []
    # Words made of the names of joints, in which many signs have the same place.
    taken: dict[str, set[str]] = defaultdict(set)
    for index, entry in of_variant(file.perceptors, variant):
        key = f"perceptors[{index}]"
        names.check_joints(entry, key)
        names.check_word(entry.name or entry.kind, f"{key}: name")
        if entry.kind == UNIVERSAL_JOINT:
            names.check_two(len(entry.joints), f"{key}: joints")
            name, parameters = entry.name or "_".join(entry.joints), {**entry.parameters, "joints": [*entry.joints]}
            specs.append((index, PerceptorSpec(entry.kind, as_word(name), entry.link, parameters)))
        elif entry.joints:
            words = [
                (
                    as_word(entry.names[joint]) if joint in entry.names else unique(as_word(joint), taken[entry.kind]),
                    joint,
                )
                for joint in entry.joints
            ]
            specs += [(index, PerceptorSpec(entry.kind, word, joint, entry.parameters)) for word, joint in words]
        else:
            if entry.link:
                names.check(entry.link, names.places, "link or frame", f"{key}: link")
            name = entry.name or entry.kind
            specs.append((index, PerceptorSpec(entry.kind, name, entry.link, entry.parameters, entry.model)))
    names.check_unique(specs, "perceptors")
    return tuple(spec for _, spec in specs)


def touch_links_of(file: RobotFile, variant: int, names: ModelNames) -> tuple[str, ...]:
    """Links whose contacts are measured: the file's list, then other links whose contacts perceptors feel."""
    links = dict.fromkeys(entry.link for _, entry in of_variant(file.touch_links, variant))
    for index, entry in of_variant(file.perceptors, variant):
        if entry.kind in CONTACT_KINDS and entry.link and entry.link not in links:
            names.check_touching(entry.link, f"perceptors[{index}]: link")
            links[entry.link] = None
        elif entry.kind == FORCE_TORQUE:
            links |= dict.fromkeys(names.colliding_beyond(entry.link))
    return tuple(links)


def effectors_of(file: RobotFile, variant: int, names: ModelNames) -> tuple[EffectorSpec, ...]:
    """Effectors of a variant, in the order of the file."""
    specs: list[tuple[int, EffectorSpec]] = []
    for index, entry in of_variant(file.effectors, variant):
        names.check_joints(entry, f"effectors[{index}]")
        for joint in entry.joints:
            if joint in names.followers:
                leader = names.followers[joint]
                how = f"joint {shown(joint)} follows joint {shown(leader)}; command the leading joint"
                raise names.fail(f"effectors[{index}]: joints", how)
        for name in (entry.name or entry.kind, *entry.joints.values()):
            names.check_word(name, f"effectors[{index}]: name")
        if entry.joints:
            words = entry.joints.items()
            specs += [(index, EffectorSpec(entry.kind, word, joint, entry.parameters)) for joint, word in words]
        else:
            specs.append((index, EffectorSpec(entry.kind, entry.name or entry.kind, "", entry.parameters)))
    names.check_unique(specs, "effectors")
    return tuple(spec for _, spec in specs)
