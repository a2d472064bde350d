"""Draws by PyBullet's TinyRenderer, software with the same picture on every machine; bodies have no physics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.quiet_import import import_quietly
from simspark_ros.rendering.drawing.bodies import RobotLook, RobotShape
from simspark_ros.rendering.drawing.drawer import AMBIENT, DIFFUSE, SPECULAR, Drawn, ScenePose, Take, Thing
from simspark_ros.rendering.drawing.meshes import Colour, Detail, Mesh

try:
    import_quietly("pybullet")
except ImportError as error:
    raise MissingPackageError(
        f"pictures need the package 'pybullet' with every engine where OpenGL is missing: {error}; install it with "
        "'pip install pybullet', or OpenGL with 'pip install simspark_ros[opengl]' (README.md)"
    ) from error

import pybullet

_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_AWAY = (0.0, 0.0, -1000.0)


class TinyDrawer:
    """A `Drawer`; see there. `sun` is the unit vector (3,) toward the sun."""

    def __init__(self, things: Sequence[Thing], ball: Thing, sun: Array) -> None:
        self._sun = sun
        self._client: int = pybullet.connect(pybullet.DIRECT)
        self._robots: list[_RobotBodies] = []
        self._parts: dict[RobotLook, _RobotParts] = {}
        self._first = 0
        self._label_of: dict[int, int] = {}
        for thing in things:
            _put_body(self._client, self._body_of(thing), (0.0, 0.0, 0.0))
        self._ball = self._body_of(ball)

    def _body_of(self, thing: Thing) -> int:
        body = _create_body(self._client, _create_shape(self._client, thing.mesh, thing.colour))
        self._label_of[body] = thing.label
        return body

    def set_robots(self, robots: Sequence[RobotShape], first_label: int) -> None:
        """Robots with the same looks keep their bodies."""
        self._first = first_label
        spare = defaultdict(list)
        for bodies in self._robots:
            spare[bodies.parts.shape.look].append(bodies)
        self._robots = [
            spare[shape.look].pop() if spare[shape.look] else _RobotBodies(self._parts_of(shape)) for shape in robots
        ]
        for left in spare.values():
            for bodies in left:
                bodies.remove()

    def _parts_of(self, shape: RobotShape) -> _RobotParts:
        return self._parts.setdefault(shape.look, _RobotParts(self._client, shape))

    def place(self, pose: ScenePose, starts: IntArray) -> None:
        """Take the poses; robots are moved when they are shown."""
        for robot, start, end in zip(self._robots, starts, starts[1:], strict=False):
            robot.place(pose.positions[start:end], pose.quaternions[start:end])
        _put_body(self._client, self._ball, _AWAY if pose.ball is None else pose.ball.tolist())

    def show(self, details: Sequence[Detail | None]) -> None:
        """Move and show the robots."""
        for robot, detail in zip(self._robots, details, strict=True):
            robot.show(detail)

    def hide(self, robot: int, link: int | None) -> None:
        """Takes effect when the robot is shown."""
        self._robots[robot].hide_link(link)

    def draw(self, take: Take) -> Drawn:
        """Shadows take as long as the things that throw them."""
        lens, near, far = take.lens, take.near, take.far
        _, _, colours, depth, seen = pybullet.getCameraImage(
            lens.width,
            lens.height,
            take.view.T.reshape(-1).tolist(),
            lens.projection(near, far),
            lightDirection=self._sun.tolist(),
            lightColor=(1.0, 1.0, 1.0),
            lightAmbientCoeff=AMBIENT,
            lightDiffuseCoeff=DIFFUSE if take.sunlit else 0.0,
            lightSpecularCoeff=SPECULAR if take.sunlit else 0.0,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        size = lens.height, lens.width
        # One number a pixel, so that picking and masking move whole pixels.
        packed = np.ascontiguousarray(colours, np.uint8).view(np.uint32).reshape(size)
        bodies = np.asarray(seen).reshape(size)
        if not take.measured:
            return Drawn(packed, bodies >= 0)
        # Depths are OpenGL's for this range.
        buffer = np.asarray(depth).reshape(size).astype(np.float64)
        distances = near * far / (far - (far - near) * buffer)
        return Drawn(packed, bodies >= 0, self._labels()[bodies], distances.astype(np.float32))

    def _labels(self) -> NDArray[np.uint16]:
        """Label of each body by its number."""
        of_robots = {body: self._first + i for i, robot in enumerate(self._robots) for body in robot.ids}
        label_of = {**self._label_of, **of_robots}
        labels = np.zeros(max(label_of) + 1, np.uint16)
        labels[list(label_of)] = list(label_of.values())
        return labels

    def close(self) -> None:
        """Free PyBullet's world."""
        pybullet.disconnect(self._client)


class _RobotParts:
    """The shapes of all robots of one look, each detail made when it is first needed: PyBullet cannot free them."""

    def __init__(self, client: int, shape: RobotShape) -> None:
        self.client, self.shape = client, shape
        self._made: dict[Detail, list[tuple[int, int, Colour]]] = {}

    def of(self, detail: Detail) -> list[tuple[int, int, Colour]]:
        """Link, shape and colour of each part."""
        if detail not in self._made:
            self._made[detail] = [
                (link, _create_shape(self.client, mesh, colour), colour)
                for link, mesh, colour in self.shape.parts(detail)
            ]
        return self._made[detail]


class _RobotBodies:
    """The bodies of one robot, one for each of its parts; out of sight until it is first placed and shown."""

    def __init__(self, parts: _RobotParts) -> None:
        self.parts = parts
        self._bodies: dict[Detail, list[tuple[int, int, Colour]]] = {}
        self._shown: Detail | None = None
        self._pose: tuple[list[list[float]], list[list[float]]] | None = None
        self._there: set[Detail] = set()
        self._hidden: int | None = None

    @property
    def ids(self) -> list[int]:
        """Numbers of the bodies."""
        return [body for bodies in self._bodies.values() for _, body, _ in bodies]

    def place(self, positions: Array, quaternions: Array) -> None:
        """Set the links' centres of mass (L, 3), m, world, and quaternions x, y, z, w (L, 4), in the model's order."""
        self._pose = positions.tolist(), quaternions.tolist()
        self._there.clear()

    def hide_link(self, hidden: int | None) -> None:
        """Leave out this link, and no other, when the robot is shown."""
        self._hidden = hidden
        self._there.clear()

    def show(self, detail: Detail | None) -> None:
        """Show the robot in this detail in the next picture, or not at all."""
        if detail is not self._shown:
            self._paint(self._shown, seen=False)
            self._paint(detail, seen=True)
            self._shown = detail
        if detail is not None and detail not in self._there:
            self._put(detail)

    def remove(self) -> None:
        """Free the bodies."""
        for body in self.ids:
            pybullet.removeBody(body, physicsClientId=self.parts.client)

    def _paint(self, detail: Detail | None, seen: bool) -> None:
        """Show or hide bodies: the renderer skips transparent ones, which saves nearly all of its time."""
        for _, body, colour in self._bodies.get(detail, ()) if detail else ():
            rgba = colour if seen else (*colour[:3], 0.0)
            pybullet.changeVisualShape(body, -1, rgbaColor=rgba, physicsClientId=self.parts.client)

    def _put(self, detail: Detail) -> None:
        if detail not in self._bodies:
            client = self.parts.client
            self._bodies[detail] = [
                (link, _create_body(client, shape), colour) for link, shape, colour in self.parts.of(detail)
            ]
        assert self._pose is not None
        positions, quaternions = self._pose
        for link, body, _ in self._bodies[detail]:
            _put_body(self.parts.client, body, _AWAY if link == self._hidden else positions[link], quaternions[link])
        self._there.add(detail)


def _put_body(client: int, body: int, position: Sequence[float], quaternion: Sequence[float] = _UPRIGHT) -> None:
    """Move a body: its frame's origin (m) and x, y, z, w."""
    pybullet.resetBasePositionAndOrientation(body, position, quaternion, physicsClientId=client)


def _create_shape(client: int, mesh: Mesh, colour: Colour) -> int:
    """A mesh of one colour that bodies can show."""
    shape: int = pybullet.createVisualShape(
        pybullet.GEOM_MESH,
        vertices=mesh.vertices.tolist(),
        indices=mesh.triangles.reshape(-1).tolist(),
        normals=mesh.normals.tolist(),
        rgbaColor=colour,
        physicsClientId=client,
    )
    return shape


def _create_body(client: int, shape: int) -> int:
    """A body without mass and collisions, out of sight, in the frame of the shape's mesh."""
    body: int = pybullet.createMultiBody(0, -1, shape, basePosition=_AWAY, physicsClientId=client)
    # Bodies out of sight lie in one place: without this Bullet would keep a list of all their pairs.
    pybullet.setCollisionFilterGroupMask(body, -1, 0, 0, physicsClientId=client)
    return body
