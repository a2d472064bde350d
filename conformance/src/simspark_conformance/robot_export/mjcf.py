"""Writes robots as MJCF, for MuJoCo itself and for programs that read it.

This differs from the text of `physics.mujoco.document`, which the engine needs: that text is of a whole world, and has
bodies' frames at their centres of mass and friction in place of motors.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path

from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind, Vector
from simspark_ros.physics.surface import Surface
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.formats.mjcf.compiled import DRAG

SOFTNESS = 0.05
"""Error of a joint's speed, as a share of its greatest speed, at which the motor gives its full force."""

_SENSORS = {"gyroscope": "gyro", "accelerometer": "accelerometer", "magnetometer": "magnetometer"}

_COLLIDING = {"contype": "1", "conaffinity": "0", "group": "3"}
"""Collision bits of links: they collide with everything that does by default, but not with the same robot's links.

MuJoCo's viewer hides group 3."""

_SEEN = {"contype": "0", "conaffinity": "0", "group": "1"}


def export_mjcf(robot: RobotDescription, output: Path) -> list[Path]:
    """Write the MJCF document of a robot; the meshes of its hulls are in it.

    Returns:
        The written files: only the document.

    Raises:
        RobotError: the document cannot be written.
    """
    try:
        output.write_text(mjcf_text(robot), encoding="utf-8")
    except OSError as error:
        raise RobotError(f"{output}: cannot be written: {error.strerror}") from None
    return [output]


def mjcf_text(robot: RobotDescription) -> str:
    """The MJCF document of a robot: bodies, joints, motors of velocity, couplings, frames as sites, sensors of motion.

    Lengths and angles are in metres and radians; the frame of a body is the frame of its link.
    """
    model = robot.model
    root = ET.Element("mujoco", model=model.name)
    ET.SubElement(root, "compiler", angle="radian", eulerseq="XYZ", inertiafromgeom="false", autolimits="true")
    # This integrator has implicit damping, so motors that follow velocities stay stable.
    ET.SubElement(root, "option", integrator="implicitfast")
    _write_drag(root, model)
    assets = ET.SubElement(root, "asset")
    _Bodies(model, assets).write(ET.SubElement(root, "worldbody"), robot.spawn_height)
    if not len(assets):
        root.remove(assets)
    _write_motors(root, model.joints)
    _write_couplings(root, model.joints)
    _write_sensors(root, robot)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


class _Bodies:
    """Writes the tree of links."""

    def __init__(self, model: ArticulatedModel, assets: ET.Element) -> None:
        self._model = model
        self._assets = assets
        self._meshes: dict[tuple[Vector, ...], str] = {}
        self._surfaces: dict[tuple[str, str], str] = {}
        self._children: dict[str, list[Joint]] = {}
        for joint in (*model.joints, *model.fixed_joints):
            self._children.setdefault(joint.parent, []).append(joint)

    def write(self, world: ET.Element, height: float) -> None:
        """Write the base, standing or bolted to the world, and all links that it carries."""
        base = self._model.base
        element = ET.SubElement(world, "body", name=base.name, pos=_numbers((0.0, 0.0, height - base.centre[2])))
        if not self._model.fixed_base:
            ET.SubElement(element, "freejoint")
        pending = [(base, element)]
        for link, body in pending:
            self._fill(body, link)
            for joint in self._children.get(link.name, []):
                child = self._model.link(joint.child)
                place = {"pos": _numbers(joint.position), "euler": _euler(joint.rpy)}
                inner = ET.SubElement(body, "body", {"name": child.name} | place)
                _write_joint(inner, joint)
                pending.append((child, inner))

    def _fill(self, body: ET.Element, link: Link) -> None:
        ixx, ixy, ixz, iyy, iyz, izz = link.inertia
        inertia = _numbers((ixx, iyy, izz, ixy, ixz, iyz))
        ET.SubElement(body, "inertial", pos=_numbers(link.centre), mass=repr(link.mass), fullinertia=inertia)
        for shapes, role in ((link.collisions, _COLLIDING), (link.visuals, _SEEN)):
            for shape in shapes:
                ET.SubElement(body, "geom", self._solid(shape) | role | {"rgba": _numbers(shape.rgba)})
        for surface in link.surfaces:
            geom = {"type": "mesh", "mesh": self._surface(surface), "rgba": _numbers(surface.rgba)}
            ET.SubElement(body, "geom", geom | _SEEN)
        for frame in self._model.frames:
            if frame.link == link.name:
                place = {"pos": _numbers(frame.position), "euler": _euler(frame.rpy)}
                ET.SubElement(body, "site", {"name": frame.name} | place)

    def _solid(self, shape: Shape) -> dict[str, str]:
        place = {"pos": _numbers(shape.position), "euler": _euler(shape.rpy)}
        if shape.kind is ShapeKind.HULL:
            return {"type": "mesh", "mesh": self._mesh(shape)} | place
        if shape.kind is ShapeKind.BOX:
            size = tuple(edge / 2.0 for edge in shape.size)
        elif shape.kind is ShapeKind.SPHERE:
            size = shape.size
        else:
            size = (shape.size[0], shape.size[1] / 2.0)
        return {"type": shape.kind.value, "size": _numbers(size)} | place

    def _mesh(self, shape: Shape) -> str:
        """Name of the asset of a hull; equal hulls share one asset."""
        if shape.vertices not in self._meshes:
            name = self._meshes[shape.vertices] = f"hull{len(self._meshes)}"
            points = _numbers(value for point in shape.vertices for value in point)
            ET.SubElement(self._assets, "mesh", name=name, inertia="convex", vertex=points)
        return self._meshes[shape.vertices]

    def _surface(self, surface: Surface) -> str:
        """Name of the asset of a surface; equal surfaces share one asset."""
        key = surface.points, surface.triangles
        if key not in self._surfaces:
            name = self._surfaces[key] = f"surface{len(self._surfaces)}"
            points, triangles = surface.arrays
            # A surface need not enclose anything.
            data = {"vertex": _numbers(points.reshape(-1)), "face": " ".join(map(str, triangles.reshape(-1).tolist()))}
            ET.SubElement(self._assets, "mesh", data, name=name, inertia="shell")
        return self._surfaces[key]


def _write_drag(root: ET.Element, model: ArticulatedModel) -> None:
    """Write custom numbers, which our reader knows: MuJoCo's own drag depends on shapes."""
    drag = {name: getattr(model, name) for name in DRAG if getattr(model, name)}
    if drag:
        custom = ET.SubElement(root, "custom")
        for name, value in drag.items():
            ET.SubElement(custom, "numeric", name=name, data=repr(value))


def _write_joint(body: ET.Element, joint: Joint) -> None:
    if joint.kind is JointKind.FIXED:
        return
    kind = "slide" if joint.kind is JointKind.PRISMATIC else "hinge"
    element = ET.SubElement(body, "joint", name=joint.name, type=kind, axis=_numbers(joint.axis))
    if math.isfinite(joint.lower) and math.isfinite(joint.upper):
        # MuJoCo refuses an empty range.
        element.set("range", _numbers((joint.lower, max(joint.upper, joint.lower + 1e-6))))
    for key, value in (("damping", joint.damping), ("frictionloss", joint.friction)):
        if value:
            element.set(key, repr(value))


def _write_motors(root: ET.Element, joints: Iterable[Joint]) -> None:
    """Write motors that follow a velocity, like the simulator's, with the same greatest speed and force."""
    driven = [joint for joint in joints if joint.max_effort > 0.0 and joint.mimic is None]
    if not driven:
        return
    actuators = ET.SubElement(root, "actuator")
    for joint in driven:
        motor = ET.SubElement(actuators, "velocity", name=joint.name, joint=joint.name)
        effort, speed = min(joint.max_effort, 1e6), min(joint.max_velocity, 1e4)
        motor.set("kv", repr(effort / (SOFTNESS * max(speed, 1e-3))))
        motor.set("forcerange", _numbers((-effort, effort)))
        if speed > 0.0:
            motor.set("ctrlrange", _numbers((-speed, speed)))


def _write_couplings(root: ET.Element, joints: Iterable[Joint]) -> None:
    followers = [(joint.name, joint.mimic) for joint in joints if joint.mimic is not None]
    if not followers:
        return
    equality = ET.SubElement(root, "equality")
    for name, mimic in followers:
        factors = _numbers((mimic.offset, mimic.multiplier, 0.0, 0.0, 0.0))
        ET.SubElement(equality, "joint", joint1=name, joint2=mimic.joint, polycoef=factors)


def _write_sensors(root: ET.Element, robot: RobotDescription) -> None:
    """Write sensors of motion; a sensor on a link itself gets a site at the link's centre of mass."""
    specs = [spec for spec in robot.perceptors if spec.kind in _SENSORS]
    if not specs:
        return
    bodies = {body.get("name", ""): body for body in root.iter("body")}
    sites = {site.get("name", "") for site in root.iter("site")}
    sensors = ET.SubElement(root, "sensor")
    for spec in specs:
        place = spec.link or robot.model.base.name
        if place not in sites and f"{place}_centre" not in sites:
            centre = _numbers(robot.model.link(place).centre)
            ET.SubElement(bodies[place], "site", name=f"{place}_centre", pos=centre)
            sites.add(f"{place}_centre")
        site = place if place in sites else f"{place}_centre"
        ET.SubElement(sensors, _SENSORS[spec.kind], name=f"{spec.name}_{_SENSORS[spec.kind]}", site=site)


def _euler(rpy: Vector) -> str:
    """Roll, pitch, yaw about fixed axes x, y, z, which MuJoCo calls XYZ."""
    return _numbers(rpy)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
