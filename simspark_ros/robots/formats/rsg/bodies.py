"""Rigid bodies, colliders and visuals of SimSpark's scenes."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.parts.bodies import GREY, Body, Solid, add_mass
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly
from simspark_ros.robots.formats.rsg.nodes import Call, Node, pose_in_scene, turned_box
from simspark_ros.robots.formats.rsg.scene import SceneBuilder

Colour = tuple[float, float, float, float]

_SHAPES = {"Box": "box", "Sphere": "sphere", "Capsule": "capsule", "CCylinder": "capsule", "Cylinder": "cylinder"}
"""Shapes by their part of the name of a method, as in `setCapsuleTotal`."""

_COLLIDERS = {
    "BoxCollider": ("box", "setBoxLengths"),
    "SphereCollider": ("sphere", "setRadius"),
    "CapsuleCollider": ("capsule", "setParams"),
    "CCylinderCollider": ("capsule", "setParams"),
    "CylinderCollider": ("cylinder", "setParams"),
}
_SEEN = {
    "Box": ("box", "setExtents"),
    "Sphere": ("sphere", "setRadius"),
    "Capsule": ("capsule", "setParams"),
    "CCylinder": ("capsule", "setParams"),
    "Cylinder": ("cylinder", "setParams"),
}
_SIZES = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2}

_COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.8, 0.1, 0.1),
    "green": (0.1, 0.7, 0.1),
    "blue": (0.1, 0.2, 0.8),
    "yellow": (0.9, 0.8, 0.1),
    "white": (0.95, 0.95, 0.95),
    "black": (0.05, 0.05, 0.05),
    "grey": (0.6, 0.6, 0.6),
}


class BodyReader:
    """Finds the bodies of a scene, and the body that each solid belongs to."""

    def __init__(self, scene: SceneBuilder, assembly: RobotAssembly) -> None:
        self._scene = scene
        self._assembly = assembly
        self._bodies: dict[Node, Body] = {}

    def add(self, node: Node) -> None:
        """Add the body of a RigidBody, named after the node that carries it."""
        holder = node.parent
        assert holder is not None
        name = holder.name if holder.call("setName") else node.name
        body = Body(name, pose_in_scene(node))
        known = [self._add_mass(body, node, call) for call in node.calls]
        if not any(known):
            raise node.fail("has no mass; add one, for example by (setBoxTotal mass x y z)")
        self._bodies[node] = self._assembly.add(body)
        self._assembly.report.understood(f"body '{body.name}'", "", node.file.name, node.line)

    def body_at(self, node: Node | None) -> Body | None:
        """The body of a node."""
        return None if node is None else self._bodies.get(node)

    def carrier(self, node: Node) -> Body | None:
        """The body that a node moves with: the nearest body beside the node or beside a node above it."""
        walked: Node | None = node
        while walked is not None:
            for child in walked.children:
                if child in self._bodies:
                    return self._bodies[child]
            walked = walked.parent
        return None

    def add_solid(self, node: Node) -> None:
        """Add a collider or visual to the body that carries it; a broken visual is dropped with a note."""
        body = self.carrier(node)
        what, place = f"{node.kind} '{node.name}'", (node.file.name, node.line)
        if body is None:
            self._assembly.report.dropped(what, "it belongs to no body", *place)
            return
        collides = node.kind in _COLLIDERS
        try:
            pose = body.pose.inverse() @ pose_in_scene(node)
            body.solids.append(self._mesh(node, pose) if node.kind == "StaticMesh" else _solid(node, pose, collides))
        except RobotError as error:
            if collides and node.call(_COLLIDERS[node.kind][1]):
                raise
            self._assembly.report.dropped(what, str(error).partition(": ")[2], *place)
            body.lost_looks |= not collides

    def _mesh(self, node: Node, pose: Transform) -> Solid:
        call = node.call("load")
        name = str(call.arguments[0]) if call and call.arguments else ""
        path = self._scene.folders.find(name, self._scene.root, f"{node.file}:{node.line}")
        # The mesh keeps SimSpark's axes.
        turn = Transform(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        scale = node.numbers("setScale", 3) or (1.0, 1.0, 1.0)
        return Solid("mesh", scale, pose @ turn, file=f"file://{path}", collides=False)

    def _add_mass(self, body: Body, node: Node, call: Call) -> bool:
        """Apply a call that sets a mass: setBoxTotal, addSphereTotal, setCapsule, setMass, ...; False for others."""
        if call.method == "setMass":
            (body.mass,) = node.numbers_of(call, 1)
            body.inertia = np.eye(3) * body.mass
            return True
        is_total = call.method.endswith("Total")
        word, shape = call.method[:3], call.method.removesuffix("Total")[3:]
        if word not in ("set", "add") or shape not in _SHAPES:
            return False
        kind = _SHAPES[shape]
        amount, *size = node.numbers_of(call, 1 + _SIZES[kind])
        if amount <= 0.0 or min(size) <= 0.0:
            raise RobotError(f"{node.file}:{call.line}: ({call.method} ...): mass and sizes must be greater than 0")
        solid = Solid(kind, turned_box(tuple(size)) if kind == "box" else tuple(size))
        new = Body("")
        add_mass(new, solid, 1.0)
        # With a total mass, the density follows from the volume.
        add_mass(body, solid, amount / new.mass if is_total else amount)
        return True


def is_solid(node: Node) -> bool:
    """Whether a node is a collider or visual."""
    return node.kind in _COLLIDERS or node.kind in _SEEN or node.kind == "StaticMesh"


def _solid(node: Node, pose: Transform, collides: bool) -> Solid:
    kind, method = (_COLLIDERS | _SEEN)[node.kind]
    size = node.numbers(method, _SIZES[kind])
    if size is None:
        raise RobotError(f"{node.file}:{node.line}: it has no {method}")
    edges = turned_box(size) if kind == "box" else size
    return Solid(kind, edges, pose, None if collides else _colour(node), collides=collides, seen=not collides)


def _colour(node: Node) -> Colour:
    """Colour by the name of the material, as `matDarkGrey`."""
    call = node.call("setMaterial")
    name = str(call.arguments[0]).lower() if call and call.arguments else ""
    shade = 0.5 if "dark" in name else 1.0
    red, green, blue = next((rgb for word, rgb in _COLOURS.items() if word in name), GREY[:3])
    return (red * shade, green * shade, blue * shade, 1.0)
