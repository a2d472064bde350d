"""Sensors and motors that a URDF document declares for Gazebo and ros2_control, as entries of a robot's YAML file."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from simspark_ros.configuration.names import unique
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.adaptation.joints import end_of
from simspark_ros.robots.formats.adaptation.notes import Notes
from simspark_ros.robots.formats.adaptation.sensors import ON_LINKS, SENSORS, SensorReader
from simspark_ros.robots.formats.parts.gazebo import add_drive, driven_wheels, friction, is_drive, named_plugin
from simspark_ros.robots.formats.parts.sensor_frames import OPTICAL, Frame, named_frame, note_frame_of_link
from simspark_ros.robots.formats.parts.sensor_tags import SensorTags, topic_of

_DRIVEN = ("joint", "flexJoint", "rollJoint", "gap_joint")
"""Elements that name a driven joint; the last three belong to wrists and grippers of older transmissions."""


@dataclass
class DeclaredDevices:
    """The devices that a document declares, in its order.

    Attributes:
        frames, perceptors, effectors, touch_links, materials: entries of a robot's YAML file.
        driven, watched: joints with a motor by a transmission or ros2_control; joints that ros2_control only measures.
    """

    frames: list[dict[str, Any]] = field(default_factory=list)
    perceptors: list[dict[str, Any]] = field(default_factory=list)
    effectors: list[dict[str, Any]] = field(default_factory=list)
    materials: dict[str, dict[str, float]] = field(default_factory=dict)
    touch_links: list[str] = field(default_factory=list)
    driven: set[str] = field(default_factory=set)
    watched: set[str] = field(default_factory=set)

    @property
    def motors(self) -> set[str]:
        """The joints that the document drives in any way."""
        return self.driven | driven_wheels(self.effectors)


def read_devices(root: ET.Element, notes: Notes) -> DeclaredDevices:
    """The sensors and motors of a document; unsupported ones are dropped with a note."""
    reader = _Reader(root, notes)
    for element in root:
        if element.tag == "gazebo":
            reader.gazebo(element)
        elif element.tag in ("transmission", "ros2_control"):
            reader.motors(element)
        elif element.tag == "sensor":
            notes.dropped(element, f"<sensor> '{_short(element.get('name'))}'", "it is supported only in <gazebo>")
        elif element.tag not in ("link", "joint", "material"):
            is_xacro = element.tag.startswith("xacro:")
            why = "xacro has left it over: it declares no such macro" if is_xacro else "not part of URDF"
            notes.dropped(element, f"<{_short(element.tag)}>", why)
    return reader.devices


class _Reader:
    def __init__(self, root: ET.Element, notes: Notes) -> None:
        self.notes = notes
        self._links = {link.get("name", ""): link for link in root.findall("link")}
        self._names = set(self._links)
        carried = {end_of(joint, "child") for joint in root.findall("joint")}
        self._base = next((name for name in self._links if name not in carried), "")
        # Names of perceptors by kind.
        self._taken: defaultdict[str, set[str]] = defaultdict(set)
        self._joints = {joint.get("name", ""): joint for joint in root.findall("joint")}
        self._hinges = [
            one.get("name", "") for one in root.findall("joint") if one.get("type") in ("continuous", "revolute")
        ]
        self._child_of = {joint.get("name", ""): end_of(joint, "child") for joint in root.findall("joint")}
        self._fixed_to: dict[str, str] = {}
        self._origins: dict[str, ET.Element | None] = {}
        for joint in root.findall("joint"):
            if joint.get("type") == "fixed":
                self._fixed_to[end_of(joint, "child")] = end_of(joint, "parent")
                self._origins[end_of(joint, "child")] = joint.find("origin")
        # Frames that were added, with the links that carry them.
        self._added: dict[str, tuple[str, Transform]] = {}
        self.devices = DeclaredDevices()

    def motors(self, element: ET.Element) -> None:
        """The joints of a transmission or of a ros2_control system."""
        for joint in (one for one in element.iter() if one.tag in _DRIVEN):
            name = joint.get("name", "")
            if element.tag == "transmission" or joint.find("command_interface") is not None:
                self.devices.driven.add(name)
                self.notes.understood(joint, f"motor of joint '{_short(name)}'", f"declared by <{element.tag}>")
            else:
                self.devices.watched.add(name)
        for plugin in element.iter("plugin"):
            self.notes.dropped(plugin, f"plugin {_short(plugin.text)}", "the simulator replaces hardware")

    def gazebo(self, element: ET.Element) -> None:
        """Sensors, friction and drive of a `<gazebo>` element."""
        reference = element.get("reference", "")
        for part in element:
            if part.tag == "sensor":
                self._sensor(part, reference)
            elif part.tag == "mu1" and reference in self._links:
                self._friction(part, reference)
            elif part.tag == "mu2":
                self.notes.dropped(part, f"<mu2> for Gazebo on '{_short(reference)}'", "only <mu1> is used")
            elif part.tag == "plugin" and is_drive(part):
                self._drive(part)
            elif part.tag == "plugin":
                self.notes.dropped(part, f"{named_plugin(part)} for Gazebo", "it is not supported")
            else:
                what = f"<{_short(part.tag)}> for Gazebo" + (f" on '{_short(reference)}'" if reference else "")
                self.notes.dropped(part, what, "it is not supported")

    def _friction(self, element: ET.Element, link: str) -> None:
        """Read the coefficient of friction of a link; the coefficient of its second direction is dropped."""
        what = f"friction of link '{link[:60]}'"
        if not self.has_mass(link):
            self.notes.dropped(element, what, "the link is not a body of its own")
            return
        held = ET.Element("mu1", value=(element.text or element.get("value") or "").strip())
        try:
            taken = friction(self.notes.numbers(held, "value", "1", what)[0])
        except RobotError as error:
            self.notes.dropped(element, what, f"its number cannot be used: {error}")
            return
        self.devices.materials[link] = {"friction": taken}
        self.notes.understood(element, what, f"{taken:g}, in all directions")

    def _drive(self, plugin: ET.Element) -> None:
        """The drive of two rows of wheels."""
        what = named_plugin(plugin)
        try:
            torque = add_drive(plugin, self._hinges, self.devices.effectors, self.notes.report, self.notes.file)
        except ValueError as error:
            self.notes.dropped(plugin, what, f"it cannot be used as a drive: {error}")
            return
        for name in driven_wheels(self.devices.effectors) if torque else ():
            joint = self._joints[name]
            limit = joint.find("limit")
            (ET.SubElement(joint, "limit") if limit is None else limit).set("effort", repr(torque))

    def _sensor(self, sensor: ET.Element, reference: str) -> None:
        kind = sensor.get("type", "")
        what = f"sensor '{_short(sensor.get('name'))}' of type '{_short(kind)}'"
        reader = SENSORS.get(kind)
        if reader is None:
            self.notes.dropped(sensor, what, f"this type is not supported; use one of: {', '.join(sorted(SENSORS))}")
            return
        link = self._child_of.get(reference, reference)
        if link not in self._links:
            self.notes.dropped(sensor, what, f"unknown link or joint '{_short(reference)}'")
            return
        try:
            self._add(sensor, reader, link, what)
        except RobotError as error:
            self.notes.dropped(sensor, what, f"its numbers cannot be used: {error}")

    def _add(self, sensor: ET.Element, reader: SensorReader, link: str, what: str) -> None:
        kind, name = sensor.get("type", ""), _topic_name(sensor.get("name", ""))
        name_in_file = _short(sensor.get("name"))
        tags = SensorTags(sensor, name_in_file, partial(self._number, sensor), self.notes.report, self.notes.file)
        entries = list(reader(self, tags, link))
        if not entries:
            problem = "contacts need a link with colliding solids that is a body, or is fixed to one"
            self.notes.dropped(sensor, what, problem)
            return
        tags.note_other_noise()
        pose = self._pose(sensor, what)
        if kind in ON_LINKS:
            carrier = link
            note_frame_of_link(tags, entries[0].get("link", link))
        elif entries[0]["kind"] == "camera":
            carrier = self._mark(f"{name}_frame", link, pose)
            entries[0]["parameters"]["optical_frame"] = self._optical(tags, link, pose, f"{carrier}_optical")
        else:
            own = link if _is_origin(pose) else f"{name}_frame"
            named = named_frame(tags, pose, partial(self._find, link), own)
            carrier = self._known(named, link, pose) if named else self._mark(own, link, pose)
        made = []
        for entry in entries:
            own = unique(name, self._taken[entry["kind"]])
            made.append({"name": own, "link": carrier, **entry})
        self.devices.perceptors += made
        kinds = " and ".join(entry["kind"] for entry in entries)
        self.notes.understood(sensor, what, f"{kinds} on '{_short(made[0]['link'])}'")
        topics = dict.fromkeys(topic_of(one["kind"], one["name"], one["link"], self._base) for one in made)
        for plugin in sensor.findall("plugin"):
            how = f"the simulator names its topics itself: {', '.join(topics)} below the robot's name"
            self.notes.dropped(plugin, f"{named_plugin(plugin)} of {what}", how)

    def _pose(self, sensor: ET.Element, what: str) -> Transform:
        """Pose of a sensor in the frame of its link."""
        pose = sensor.find("pose")
        text = "" if pose is None else (pose.text or "")
        return self._placed(ET.Element("pose", xyzrpy=text), "xyzrpy", what)

    def _placed(self, element: ET.Element, attribute: str, what: str) -> Transform:
        x, y, z, roll, pitch, yaw = self.notes.numbers(element, attribute, "0 0 0 0 0 0", what)
        return Transform.of((x, y, z), (roll, pitch, yaw))

    def _optical(self, tags: SensorTags, link: str, pose: Transform, own: str) -> str:
        """A camera's optical frame: that of its tags, or one of its own, unless the document has it."""
        pose = pose @ OPTICAL
        name = named_frame(tags, pose, partial(self._find, link), own, is_camera=True)
        return self._known(name or own, link, pose)

    def _find(self, link: str, name: str) -> Frame | None:
        """A link or frame, with its pose in the frame of a link."""
        if name not in self._names:
            return None
        (root, pose), (other, place) = self._body(name), self._body(link)
        return Frame(name, place.inverse() @ pose if root == other else None)

    def _body(self, name: str) -> tuple[str, Transform]:
        """The link above all fixed joints that carry a link or frame, and the pose in its frame."""
        pose, passed = Transform(), {""}
        while name not in passed and (name in self._added or name in self._fixed_to):
            passed.add(name)
            if name in self._added:
                name, here = self._added[name]
            else:
                origin, what = self._origins[name], f"<origin> of link '{_short(name)}'"
                here = Transform() if origin is None else self._origin(origin, what)
                name = self._fixed_to[name]
            pose = here @ pose
        return name, pose

    def _origin(self, origin: ET.Element, what: str) -> Transform:
        position, angles = (self.notes.numbers(origin, key, "0 0 0", what) for key in ("xyz", "rpy"))
        return Transform.of((position[0], position[1], position[2]), (angles[0], angles[1], angles[2]))

    def _mark(self, name: str, link: str, pose: Transform) -> str:
        """The link, or a new frame if the pose is another one."""
        return link if _is_origin(pose) else self._add_frame(name, link, pose)

    def _known(self, name: str, link: str, pose: Transform) -> str:
        """The link or frame of a name, which is new if there is none."""
        return name if name in self._names else self._add_frame(name, link, pose)

    def _add_frame(self, name: str, link: str, pose: Transform) -> str:
        while name in self._names:
            name += "_"
        self._names.add(name)
        self._added[name] = link, pose
        angles = [math.degrees(angle) for angle in pose.rpy()]
        self.devices.frames.append({"name": name, "link": link, "position": list(pose.vector()), "rpy_deg": angles})
        return name

    def touch(self, sensor: ET.Element, link: str) -> str:
        """Measure contacts of a link, or of the body it is part of; returns that body, empty if nothing collides."""
        if self._links[link].find("collision") is None:
            return ""
        body, passed = link, {link}
        while not self.has_mass(body):
            body = self._fixed_to.get(body, "")
            # A circle of joints is refused elsewhere.
            if body not in self._links or body in passed:
                return ""
            passed.add(body)
        if body != link:
            what = f"sensor '{_short(sensor.get('name'))}'"
            self.notes.approximated(sensor, what, f"it feels all of '{_short(body)}', not '{_short(link)}' alone")
        if body not in self.devices.touch_links:
            self.devices.touch_links.append(body)
        return body

    def has_mass(self, link: str) -> bool:
        """Whether a link is a body of its own, which a joint can carry."""
        return self._links[link].find("inertial") is not None

    def _number(self, sensor: ET.Element, path: str, default: float) -> float:
        """A number in an element below a sensor."""
        found = sensor.find(path)
        if found is None:
            return default
        what = f"<{path}> of sensor '{_short(sensor.get('name'))}'"
        held = ET.Element("value", value=(found.text or "").strip())
        return self.notes.numbers(held, "value", repr(default), what)[0]


def _topic_name(text: str) -> str:
    """A name that can be part of a ROS topic."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text.strip()[:60]).strip("_")
    return name if name[:1].isalpha() else f"sensor_{name}".rstrip("_")


def _short(text: str | None) -> str:
    return (text or "").strip()[:60]


def _is_origin(pose: Transform) -> bool:
    return not pose.position.any() and np.array_equal(pose.rotation, np.eye(3))
