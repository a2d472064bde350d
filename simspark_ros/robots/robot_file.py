"""The content of a robot's YAML file, and its translation into perceptors and effectors of one variant.

Keys of the file are the attributes of `RobotFile`; config/robots/nao.yaml is the example to start from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from simspark_ros.configuration.library import Library
from simspark_ros.configuration.schema import Checked, ConfigurationError, NotNegative, build
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec, RobotError


class _ForVariants(Protocol):
    @property
    def variants(self) -> tuple[int, ...]: ...


_Entry = TypeVar("_Entry", bound=_ForVariants)

UNIVERSAL_JOINT, UNIVERSAL = "universal_joint", "universal"
"""Kinds of perceptor and effector that two joints share."""


@dataclass(frozen=True)
class TouchLink:
    """A link whose contacts are measured.

    Attributes:
        link: its name.
        variants: that have it; empty = all.
    """

    link: str
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class PerceptorEntry:
    """One perceptor, or one for each of `joints`.

    Attributes:
        kind: name of the plug-in.
        name: of this instance; the kind if left out.
        link: link or frame that carries it.
        joints: sensed joints, each by a perceptor of the joint's name; `universal_joint` senses two as one.
        parameters: of the plug-in.
        variants: that have it; empty = all.
    """

    kind: str
    name: str = ""
    link: str = ""
    joints: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class EffectorEntry:
    """One effector, or one for each of `joints`.

    Attributes:
        kind: name of the plug-in.
        name: the word that commands it; the kind if left out.
        joints: joint -> the word that commands it; for `universal`, two joints have the same word, and the first
            number of a command is for the one that comes first in the model.
        parameters: of the plug-in.
        variants: that have it; empty = all.
    """

    kind: str
    name: str = ""
    joints: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[int, ...] = ()


@dataclass(frozen=True)
class RobotFile(Checked):
    """The content of a robot's YAML file.

    A file that is `based_on` another robot adds to its lists by `more_perceptors`, `more_effectors` and
    `more_touch_links`; `perceptors` itself replaces the list.

    Attributes:
        model: path of its URDF or xacro file, relative to the YAML file. A xacro file gets the variant as `type`.
        variants: heterogeneous types; the model file reads the numbers of each.
        linear_drag: force per velocity on every link, N s/m.
        angular_drag: torque per angular velocity on every link, N m s/rad.
        shapes: link -> solid that replaces `cylinder` in its collisions.
        touch_links: in the order of the touch arrays.
        visible_parts: label in vision messages -> link.
        self_collision_exclusions: pairs of links whose boxes may overlap, besides those that a joint connects.
        perceptors: in the order of a classic message.
        effectors: that can be commanded.
    """

    model: str
    variants: Mapping[int, Mapping[str, Any]] = field(default_factory=lambda: {0: {}})
    linear_drag: NotNegative = 0.0
    angular_drag: NotNegative = 0.0
    shapes: Mapping[str, Literal["capsule", "cylinder"]] = field(default_factory=dict)
    touch_links: tuple[TouchLink, ...] = ()
    visible_parts: Mapping[str, str] = field(default_factory=dict)
    self_collision_exclusions: tuple[tuple[str, ...], ...] = ()
    perceptors: tuple[PerceptorEntry, ...] = ()
    effectors: tuple[EffectorEntry, ...] = ()

    def __post_init__(self) -> None:
        """Check the variants, and those of entries."""
        super().__post_init__()
        if not self.variants or not all(type(number) is int and number >= 0 for number in self.variants):
            raise ValueError("variants: must map whole numbers >= 0 to a mapping of numbers, e.g. '0: {}'")
        for key in ("touch_links", "perceptors", "effectors"):
            for index, entry in enumerate(getattr(self, key)):
                for number in entry.variants:
                    if number not in self.variants:
                        known = ", ".join(map(str, self.variants))
                        raise ValueError(f"{key}[{index}]: variants: there is no variant {number}; there are: {known}")


def _with_whole_path(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Make the model's path absolute: a file that is based on this one may lie elsewhere."""
    model = document.get("model")
    return {**document, "model": str((path.parent / model).resolve())} if isinstance(model, str) else document


ROBOTS = Library("robots", "robot", _with_whole_path, ("touch_links", "perceptors", "effectors"))


def read_robot_file(path: Path) -> RobotFile:
    """Read and check a robot's YAML file, as far as it can be checked without its model.

    Raises:
        RobotError: it cannot be used; the message names file, key and what is allowed.
    """
    try:
        return build(RobotFile, ROBOTS.document(path), str(path))
    except ConfigurationError as error:
        raise RobotError(str(error)) from None


def of_variant(entries: Iterable[_Entry], variant: int) -> list[tuple[int, _Entry]]:
    """Entries that a variant has, each with its index in the file."""
    return [(i, entry) for i, entry in enumerate(entries) if not entry.variants or variant in entry.variants]


class Names:
    """Names of a model, and checks of the entries of a file that refer to them.

    All checks raise `RobotError`, which names the file and the key of the entry.
    """

    def __init__(self, file: Path, model: ArticulatedModel) -> None:
        self._file = file
        self.links = [link.name for link in model.links]
        self.places = [*self.links, *(frame.name for frame in model.frames)]
        self.joints = [joint.name for joint in model.joints]

    def check(self, name: str, allowed: Collection[str], what: str, key: str) -> None:
        """Check that a name exists."""
        if name not in allowed:
            raise RobotError(f"{self._file}: {key}: there is no {what} '{name}'; there are: {', '.join(allowed)}")

    def check_single(self, entry: PerceptorEntry | EffectorEntry, key: str) -> None:
        """Check that an entry with `joints` has neither `name` nor `link`."""
        if entry.joints and (entry.name or (isinstance(entry, PerceptorEntry) and entry.link)):
            raise RobotError(f"{self._file}: {key}: joints stand for names and links; leave out either joints or those")

    def pair(self, links: Sequence[str], key: str) -> tuple[str, str]:
        """Check a pair of links."""
        if len(links) != 2:
            raise RobotError(f"{self._file}: {key}: must be a pair of links, not {list(links)}")
        for name in links:
            self.check(name, self.links, "link", key)
        return links[0], links[1]

    def check_two(self, joints: Collection[str], what: str) -> None:
        """Check the number of joints of a universal joint."""
        if len(joints) != 2:
            raise RobotError(f"{self._file}: {what}: a universal joint has two joints, not {len(joints)}")

    def check_unique(self, specs: Iterable[PerceptorSpec] | Iterable[EffectorSpec], key: str) -> None:
        """Check that names are unique within a kind."""
        seen = set()
        for spec in specs:
            if spec.kind == UNIVERSAL:
                continue
            if (spec.kind, spec.name) in seen:
                raise RobotError(f"{self._file}: {key}: two of kind '{spec.kind}' are named '{spec.name}'; rename one")
            seen.add((spec.kind, spec.name))


def exclusions_of(file: RobotFile, names: Names) -> tuple[tuple[str, str], ...]:
    """Pairs of links that may overlap.

    Raises:
        RobotError: an entry is no pair, or names a link that the model lacks.
    """
    entries = enumerate(file.self_collision_exclusions)
    return tuple(names.pair(entry, f"self_collision_exclusions[{index}]") for index, entry in entries)


def perceptors_of(file: RobotFile, variant: int, names: Names) -> tuple[PerceptorSpec, ...]:
    """Perceptors of a variant, in the order of the file.

    Raises:
        RobotError: an entry refers to something that the model lacks, or two have the same kind and name.
    """
    specs = []
    for index, entry in of_variant(file.perceptors, variant):
        key = f"perceptors[{index}]"
        for joint in entry.joints:
            names.check(joint, names.joints, "joint", f"{key}: joints")
        if entry.kind == UNIVERSAL_JOINT:
            specs.append(_universal_perceptor(entry, names, key))
            continue
        names.check_single(entry, key)
        specs += [PerceptorSpec(entry.kind, joint, joint, entry.parameters) for joint in entry.joints]
        if not entry.joints:
            if entry.link:
                names.check(entry.link, names.places, "link or frame", f"{key}: link")
            specs.append(PerceptorSpec(entry.kind, entry.name or entry.kind, entry.link, entry.parameters))
    names.check_unique(specs, "perceptors")
    return tuple(specs)


def effectors_of(file: RobotFile, variant: int, names: Names) -> tuple[EffectorSpec, ...]:
    """Effectors of a variant, in the order of the file.

    Raises:
        RobotError: an entry refers to a joint that the model lacks, or two have the same kind and name.
    """
    specs = []
    for index, entry in of_variant(file.effectors, variant):
        key = f"effectors[{index}]"
        names.check_single(entry, key)
        for joint, word in entry.joints.items():
            names.check(joint, names.joints, "joint", f"{key}: joints")
            specs.append(EffectorSpec(entry.kind, word, joint, entry.parameters))
        if not entry.joints:
            specs.append(EffectorSpec(entry.kind, entry.name or entry.kind, "", entry.parameters))
    words = [spec.name for spec in specs if spec.kind == UNIVERSAL]
    for word in words:
        names.check_two([other for other in words if other == word], f"effectors: '{word}'")
    names.check_unique(specs, "effectors")
    return tuple(specs)


def _universal_perceptor(entry: PerceptorEntry, names: Names, key: str) -> PerceptorSpec:
    names.check_two(entry.joints, f"{key}: joints")
    name = entry.name or "_".join(entry.joints)
    return PerceptorSpec(entry.kind, name, entry.link, {**entry.parameters, "joints": entry.joints})
