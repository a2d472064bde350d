"""The content of a robot's YAML file, made from the sensors and motors of a foreign file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from simspark_ros.configuration.names import as_word, unique
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.files.robot_file import UNIVERSAL, UNIVERSAL_JOINT
from simspark_ros.robots.formats.parts.bodies import BodyJoint

_MOTION = {"gyroscope", "accelerometer"}


class Devices:
    """Collects perceptors, effectors and touch links; names are made unique within a kind.

    Attributes:
        touch_links: links whose contacts are measured.
        effectors: kinds of effectors that move no joint.
        drives: entries of effectors that move the robot as a whole.
        materials: link -> material of its surface.
        words: joint -> word that commands it, if other than the joint's name.
        pairs: names and joints of universal joints.
        visible_parts: label -> link or frame.
        readings: joint -> name of its perceptor, which reports the velocity, too, for joints that have sensors of both.
        servos: joints whose commands bring their gains along, with the parameters of their effector `motor`.
        first, last: entries of perceptors that come before and after all others.
    """

    def __init__(self) -> None:
        self.touch_links: list[str] = []
        self.effectors: list[str] = []
        self.materials: dict[str, dict[str, float]] = {}
        self.drives: list[dict[str, Any]] = []
        self.words: dict[str, str] = {}
        self.pairs: list[tuple[str, str, str]] = []
        self.visible_parts: dict[str, str] = {}
        self.home: dict[str, float] = {}
        self.readings: dict[str, str] = {}
        self.servos: dict[str, dict[str, float]] = {}
        self.first: list[dict[str, Any]] = []
        self.last: list[dict[str, Any]] = []
        self._drag = {"linear_drag": 0.0, "angular_drag": 0.0}
        self._perceptors: list[dict[str, Any]] = []
        self._names: dict[str, set[str]] = {}

    def perceptor(self, kind: str, name: str, link: str = "", **parameters: Any) -> None:
        """Add a perceptor on a link or frame."""
        name = unique(as_word(name) or kind, self._names.setdefault(kind, set()))
        self._perceptors.append({"kind": kind, "name": name, "link": link, "parameters": parameters})

    def has(self, kind: str, link: str) -> bool:
        """Whether there is a perceptor of that kind on a link."""
        return any(entry["kind"] == kind and entry["link"] == link for entry in self._perceptors)

    def touch(self, link: str) -> None:
        """Measure the contacts of a link."""
        if link not in self.touch_links:
            self.touch_links.append(link)

    def keep_those_on(self, links: Collection[str]) -> None:
        """Drop devices and materials on other links and frames."""
        self.touch_links = [link for link in self.touch_links if link in links]
        self._perceptors = [entry for entry in self._perceptors if entry["link"] in ("", *links)]
        self.visible_parts = {label: link for label, link in self.visible_parts.items() if link in links}
        self.materials = {link: material for link, material in self.materials.items() if link in links}

    def set_drag(self, linear: float, angular: float) -> None:
        """Set the drag of all links, N s/m and N m s/rad."""
        self._drag = {"linear_drag": linear, "angular_drag": angular}

    def document(self, path: Path, joints: Iterable[BodyJoint]) -> dict[str, Any]:
        """The content of a YAML file for the robot; a base without a sensor of motion gets one, as with plain URDF.

        Args:
            path: path of the foreign file, for messages.
            joints: joints of the robot.
        """
        moving = [joint for joint in joints if joint.kind is not JointKind.FIXED]
        return {
            "model": str(path),
            "perceptors": self._all_perceptors(moving),
            "effectors": self._all_effectors(moving),
            "touch_links": [{"link": link} for link in self.touch_links],
            "visible_parts": self.visible_parts,
            "materials": self.materials,
            "home": {joint.name: self.home[joint.name] for joint in moving if joint.name in self.home},
            **self._drag,
        }

    def _all_perceptors(self, moving: list[BodyJoint]) -> list[dict[str, Any]]:
        own = [] if self._names.keys() & _MOTION else [{"kind": kind} for kind in sorted(_MOTION, reverse=True)]
        paired = {joint for _, *two in self.pairs for joint in two}
        single = [joint.name for joint in moving if joint.name not in paired]
        # In the order of their sensors.
        names = {joint: name for joint, name in self.readings.items() if joint in single}
        hinges: list[dict[str, Any]] = []
        if rest := [joint for joint in single if joint not in names]:
            hinges.append({"kind": "hinge_joint", "joints": rest})
        if names:
            both = {"joints": [*names], "names": names, "parameters": {"velocity": True}}
            hinges.append({"kind": "hinge_joint", **both})
        pairs = [{"kind": UNIVERSAL_JOINT, "name": name, "joints": two} for name, *two in self.pairs]
        return [*self.first, *own, *self._perceptors, *hinges, *pairs, *self.last]

    def _all_effectors(self, moving: list[BodyJoint]) -> list[dict[str, Any]]:
        """All effectors; the two joints of a pair share one word, all other joints have their own."""
        taken: set[str] = set()
        motors = [joint.name for joint in moving if joint.has_motor]
        entries: list[dict[str, Any]] = []
        for _, first, second in self.pairs:
            if first in motors and second in motors:
                word = unique(self.words.get(first, first), taken)
                entries.append({"kind": UNIVERSAL, "joints": {first: word, second: word}})
                motors = [name for name in motors if name not in (first, second)]
        single = {name: unique(self.words.get(name, as_word(name)), taken) for name in motors}
        hinges: list[dict[str, Any]] = []
        for name, word in single.items():
            gains = self.servos.get(name)
            entry = {"kind": "hinge"} if gains is None else {"kind": "motor", "parameters": gains}
            if not hinges or any(hinges[-1].get(key) != entry.get(key) for key in ("kind", "parameters")):
                hinges.append({**entry, "joints": {}})
            hinges[-1]["joints"][name] = word
        return [*hinges, *entries, *({"kind": kind} for kind in dict.fromkeys(self.effectors)), *self.drives]
