"""Joins the bodies and joints of a file to one tree, and writes it as plain URDF: meshes become hulls and surfaces."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.names import unique
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.format_table import MeshCollisions
from simspark_ros.robots.files.imported import Imported
from simspark_ros.robots.files.report import ImportReport
from simspark_ros.robots.formats.adaptation.adapt import needy_links
from simspark_ros.robots.formats.adaptation.addresses import MeshAddresses, NoSuchFileError
from simspark_ros.robots.formats.adaptation.inertias import Inertias
from simspark_ros.robots.formats.adaptation.notes import Notes
from simspark_ros.robots.formats.adaptation.solids import Solids
from simspark_ros.robots.formats.adaptation.visuals import VisualSurfaces
from simspark_ros.robots.formats.parts.bodies import Body, BodyJoint, Coupling
from simspark_ros.robots.formats.parts.devices import Devices
from simspark_ros.robots.formats.parts.sensor_frames import OPTICAL, Frame
from simspark_ros.robots.formats.parts.urdf_text import urdf_text
from simspark_ros.robots.formats.urdf.importer import WORLD

SHARE = 0.01
"""Share of a body's mass that each link between two of its joints gets; the total mass and inertia stay."""

_MOST_PIXELS = 1280


@dataclass
class RobotAssembly:
    """A robot in the making.

    Attributes:
        name: name of the robot.
        file: path of the robot's file, for messages.
        bodies: bodies by name, candidates for the base first.
        joints: joints between the bodies.
        devices: sensors and motors of the robot.
        report: report on the parts of the file.
        names: names of bodies that are taken, including the world's name.
    """

    name: str
    file: Path
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: list[BodyJoint] = field(default_factory=list)
    devices: Devices = field(default_factory=Devices)
    report: ImportReport = field(default_factory=ImportReport)
    names: set[str] = field(default_factory=lambda: {WORLD})
    _world: Body | None = None

    def add(self, body: Body) -> Body:
        """Add a body; it may be renamed to be unique."""
        body.name = unique(body.name, self.names)
        self.bodies[body.name] = body
        return body

    def mark(self, name: str, body: str, pose: Transform) -> str:
        """Add a frame at a pose in the frame of a body; returns its name."""
        frame = self.add(Body(name, self.bodies[body].pose @ pose))
        joint_name = unique(f"{frame.name}_mount", {joint.name for joint in self.joints})
        self.joints.append(BodyJoint(joint_name, JointKind.FIXED, body, frame.name, frame.pose))
        return frame.name

    def find(self, link: str, name: str) -> Frame | None:
        """A body, with its pose in the frame of another one."""
        if name not in self.bodies:
            return None
        pose = self.bodies[link].pose.inverse() @ self.bodies[name].pose
        return Frame(name, pose if self._top(name) == self._top(link) else None)

    def _top(self, body: str) -> str:
        """The body above all fixed joints that carry a body."""
        parents = {joint.child: joint.parent for joint in self.joints if joint.kind is JointKind.FIXED}
        passed: set[str] = set()
        while body in parents and body not in passed:
            passed.add(body)
            body = parents[body]
        return body

    def chain(self, child: Body, joints: list[BodyJoint]) -> list[BodyJoint]:
        """The joints of one body as a chain, with links between them, so that each has one degree of freedom.

        The body loses the mass and inertia that the links get; the caller adds the joints to its own.

        Args:
            child: body that all joints carry.
            joints: joints of the body, the one next to the parent first, all with the same parent.
        """
        parent, chain = joints[0].parent, []
        mass, inertia = child.mass, child.inertia
        for joint in joints[:-1]:
            name = f"{child.name}_{joint.name}"
            link = self.add(Body(name, child.pose, SHARE * mass, child.centre, SHARE * inertia))
            child.mass -= link.mass
            child.inertia = child.inertia - link.inertia
            chain.append(replace(joint, parent=parent, child=link.name))
            parent = link.name
        return [*chain, replace(joints[-1], parent=parent, child=child.name)]

    def camera(
        self,
        name: str,
        body: str,
        pose: Transform,
        size: tuple[int, int],
        field_of_view_deg: float,
        optical: str = "",
        **parameters: Any,
    ) -> None:
        """Add a camera that looks along x of a pose in the frame of a body.

        Args:
            name: name of camera and frame.
            body: body that carries the camera.
            pose: pose in the frame of the body; z is up in the picture.
            size: width and height of the pictures, pixels; reduced if too large.
            field_of_view_deg: angle between left and right edge of the pictures, degrees.
            optical: body at the pose of the pictures, or name of the new frame there; empty = a name of its own.
            parameters: other parameters of the perceptor.
        """
        width, height = size
        shrink = min(1.0, _MOST_PIXELS / max(width, height, 1))
        frame = self.mark(name, body, pose)
        if optical not in self.bodies:
            optical = self.mark(optical or f"{name}_optical", body, pose @ OPTICAL)
        self.devices.perceptor(
            "camera",
            name,
            frame,
            optical_frame=optical,
            width=max(1, math.floor(width * shrink)),
            height=max(1, math.floor(height * shrink)),
            horizontal_fov_deg=min(max(field_of_view_deg, 1.0), 170.0),
            **parameters,
        )

    def world(self) -> Body:
        """The world as the body to which the file ties the robot: the root of the tree, which bolts the robot there."""
        if self._world is None:
            self._world = Body(WORLD, Transform())
            self.bodies = {WORLD: self._world, **self.bodies}
        return self._world

    def bolt(self, body: str) -> None:
        """Fix a body to the world, at its pose."""
        self.world()
        name = unique(f"{body}_bolts", {joint.name for joint in self.joints})
        self.joints.append(BodyJoint(name, JointKind.FIXED, WORLD, body, self.bodies[body].pose))

    def finished(self, limits: LimitSettings, meshes: MeshCollisions = "hulls") -> Imported:
        """The robot as URDF and document; `meshes`: kind of solid that meshes collide as.

        Raises:
            RobotError: there is no body, or a body has impossible numbers or unreadable meshes.
        """
        if not self.bodies:
            raise RobotError(f"{self.file}: the file has no body")
        base = self._base()
        joints = self._tree(base)
        kept = {base, *(joint.child for joint in joints)}
        for name in self.bodies.keys() - kept:
            self.report.dropped(f"body '{name}'", f"no joint ties it to '{base}'", self.file.name)
        joints = [replace(joint, mimic=self._coupling(joint, joints)) for joint in joints]
        self.devices.keep_those_on(kept)
        bodies = [body for name, body in self.bodies.items() if name in kept]
        for body in bodies:
            _check(body, self.file)
        document = self.devices.document(self.file, joints)
        original = urdf_text(self.name, bodies, joints)
        urdf = completed(original, self.file, limits, self.report, meshes)
        return Imported(urdf, document, self.report, original)

    def _base(self) -> str:
        """The body that is no child and carries the most bodies; the first of equal ones."""
        children = {joint.child for joint in self.joints}
        roots = [name for name in self.bodies if name not in children] or list(self.bodies)
        if self._world is not None:
            return self._world.name
        carried = {root: len(reached(root, self.joints)) for root in roots}
        return max(roots, key=lambda root: carried[root])

    def _tree(self, base: str) -> list[BodyJoint]:
        """The joints that form a tree from the base; joints that close a loop are dropped."""
        by_parent: dict[str, list[BodyJoint]] = {}
        for joint in self.joints:
            by_parent.setdefault(joint.parent, []).append(joint)
        carried, kept, order = {base}, set(), [base]
        for name in order:
            for joint in by_parent.get(name, []):
                if joint.child in carried:
                    self.report.dropped(f"joint '{joint.name}'", "it closes a loop of bodies", self.file.name)
                    continue
                carried.add(joint.child)
                kept.add(joint.name)
                order.append(joint.child)
        return [joint for joint in self.joints if joint.name in kept]

    def _coupling(self, joint: BodyJoint, joints: Iterable[BodyJoint]) -> Coupling | None:
        if joint.mimic is None or any(other.name == joint.mimic.joint for other in joints):
            return joint.mimic
        self.report.dropped(f"coupling of joint '{joint.name}'", f"unknown joint '{joint.mimic.joint}'")
        return None


def reached(root: str, joints: Iterable[BodyJoint]) -> list[str]:
    """A body and all bodies that hang on it."""
    children: dict[str, list[str]] = {}
    for joint in joints:
        children.setdefault(joint.parent, []).append(joint.child)
    order, seen = [root], {root}
    for name in order:
        new = [child for child in children.get(name, []) if child not in seen]
        seen.update(new)
        order += new
    return order


def _check(body: Body, file: Path) -> None:
    """Refuse numbers that engines cannot compute with; the importer of URDF checks the rest."""
    numbers = [body.mass, *body.centre, *body.inertia.ravel(), *body.pose.position, *body.pose.rotation.ravel()]
    if not np.all(np.isfinite(numbers)):
        raise RobotError(f"{file}: body '{body.name}': holds numbers that are not finite")
    if body.mass < 0.0:
        raise RobotError(f"{file}: body '{body.name}': its mass {body.mass:g} kg is negative")


def completed(
    urdf: str, file: Path, limits: LimitSettings, report: ImportReport, meshes: MeshCollisions = "hulls"
) -> str:
    """The document with solids and inertias that `import_urdf` takes.

    Args:
        urdf: document from a reader, which has found its meshes already.
        file: path of the robot's file, for messages; the URDF has other lines than the file.
        limits: limits on meshes.
        report: report that notes are added to.
        meshes: kind of solid that meshes collide as.

    Raises:
        RobotError: meshes cannot be read, or inertias are impossible.
    """
    root = ET.fromstring(urdf)
    notes = Notes(file.name, report)
    links = root.findall("link")
    found = _Found(file)
    surfaces = VisualSurfaces(notes, found, limits, materials=True)
    Solids(notes, found, limits, meshes, surfaces).adapt_all(links)
    inertias = Inertias(notes, links)
    needy = needy_links(root, inertias)
    for link in links:
        inertias.adapt(link, link.get("name", "") in needy)
    return ET.tostring(root, encoding="unicode")


class _Found(MeshAddresses):
    """Addresses of files that the reader has found within their folders: absolute paths; others are missing."""

    def find(self, address: str) -> Path:
        """The path of a file."""
        path = Path(address.removeprefix("file://"))
        if not path.is_absolute() or not path.is_file():
            raise NoSuchFileError(f"there is no file {shown(path.name if path.is_absolute() else address)}")
        return path
