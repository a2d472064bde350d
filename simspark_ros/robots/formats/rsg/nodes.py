"""The scene graph of RSG files: nodes with the calls that set them up, and their poses.

SimSpark's axes (x right, y forward) are turned to ours (x forward, y left).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from simspark_ros.configuration.errors import shown
from simspark_ros.physics.geometry.transforms import Array, Transform, product, rotation_about
from simspark_ros.physics.model import Vector
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.rsg.arithmetic import Value


@dataclass(frozen=True)
class Call:
    """A call of a method of a node, as `(setName torso)`."""

    method: str
    arguments: tuple[Value, ...]
    line: int


@dataclass(eq=False)
class Node:
    """A node and what is below it."""

    kind: str
    file: Path
    line: int
    parent: Node | None = None
    calls: list[Call] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name from `setName`, else the node's kind."""
        found = self.call("setName")
        return str(found.arguments[0]).strip() if found and found.arguments else self.kind

    def call(self, method: str) -> Call | None:
        """The last call of a method."""
        return next((call for call in reversed(self.calls) if call.method == method), None)

    def numbers(self, method: str, count: int) -> tuple[float, ...] | None:
        """The arguments of the last call of a method; None if there was none.

        Raises:
            RobotError: the arguments are not that many numbers.
        """
        call = self.call(method)
        return None if call is None else self.numbers_of(call, count)

    def numbers_of(self, call: Call, count: int) -> tuple[float, ...]:
        """The arguments of a call; errors as `numbers`."""
        try:
            values = tuple(float(value) for value in call.arguments[:count])
        except ValueError:
            values = ()
        if len(values) != count:
            given = " ".join(map(str, call.arguments))
            wanted = "a number" if count == 1 else f"{count} numbers"
            raise RobotError(f"{self.file}:{call.line}: ({call.method} {given[:80]}): needs {wanted}")
        return values

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def at(self, path: str) -> Node | None:
        """The node at a path such as `../../body/boxBody`, seen from this node."""
        node: Node | None = self
        for part in map(str.strip, path.split("/")):
            if node is None or part in ("", "."):
                continue
            node = node.parent if part == ".." else next((one for one in node.children if one.name == part), None)
        return node

    def fail(self, problem: str) -> RobotError:
        """The error to raise."""
        return RobotError(f"{self.file}:{self.line}: {self.kind} {shown(self.name)}: {problem}")


_TURN = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
_AXES: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def turned(vector: tuple[float, ...]) -> Array:
    """A vector (3,) in our axes."""
    result: Array = product(_TURN, vector)
    return result


def turned_box(size: tuple[float, ...]) -> Vector:
    """Edges of a box along our axes."""
    x, y, z = size
    return (y, x, z)


def pose_in_scene(node: Node) -> Transform:
    """Pose of a node in the scene, in our axes."""
    pose = Transform()
    walked: Node | None = node
    while walked is not None:
        pose = _own(walked) @ pose
        walked = walked.parent
    return pose


def _own(node: Node) -> Transform:
    """Pose of a node in its parent, from `setLocalPos`, `setLocalRotation` and `setLocalTransform`."""
    whole = node.numbers("setLocalTransform", 16)
    if whole is not None:
        # The file lists a matrix by columns.
        matrix = np.array(whole).reshape(4, 4).T
        return Transform(product(product(_TURN, matrix[:3, :3]), _TURN.T), turned(tuple(matrix[:3, 3])))
    place = node.numbers("setLocalPos", 3) or node.numbers("setLocalPosition", 3) or (0.0, 0.0, 0.0)
    place = node.numbers("setPosition", 3) or place
    angles = node.numbers("setLocalRotation", 3) or node.numbers("setRotation", 3) or (0.0, 0.0, 0.0)
    turn = np.eye(3)
    for axis, angle in zip(_AXES, angles, strict=True):
        turn = product(turn, rotation_about(axis, float(np.radians(angle))))
    return Transform(product(product(_TURN, turn), _TURN.T), turned(place))
