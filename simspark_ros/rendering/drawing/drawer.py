"""The interface of what draws things: PyBullet's software (`tiny`) or OpenGL (`opengl`), with the same pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.rendering.drawing.bodies import RobotShape
from simspark_ros.rendering.drawing.meshes import Colour, Detail, Mesh
from simspark_ros.rendering.drawing.optics import Lens

Pixels = NDArray[np.uint32]
"""Colours as the renderer returns them: four bytes red, green, blue, alpha, seen as one number."""

AMBIENT, DIFFUSE, SPECULAR = 0.55, 0.5, 0.05
"""Shares of the sky's light, of the sun's, and of the sun's that is reflected."""


class Thing(NamedTuple):
    """Something of one colour that is no robot, and its label, more than 0."""

    mesh: Mesh
    colour: Colour
    label: int


class ScenePose(NamedTuple):
    """Poses of everything that moves, world frame.

    Attributes:
        positions: (K, 3) centres of mass of all links of all robots, in the order of `SceneRenderer.set_robots` and of
            the models' links, m.
        quaternions: (K, 4) rotations from links to world, x, y, z, w.
        ball: (3,) centre of the ball, m, or None.
    """

    positions: Array
    quaternions: Array
    ball: Array | None = None


class Take(NamedTuple):
    """What is to be drawn.

    Attributes:
        view: transform (4, 4) from the world to OpenGL's eye space.
        lens: a lens without distortion.
        near, far: distances between which things are drawn, m.
        sunlit: whether the sun's light falls on things, or only the sky's.
        shadows: whether only `is_there` matters, as `view` flattens things to shadows.
        measured: whether labels and distances are asked for.
    """

    view: Array
    lens: Lens
    near: float
    far: float
    sunlit: bool = True
    shadows: bool = False
    measured: bool = False


class Drawn(NamedTuple):
    """Things before a camera without distortion.

    Attributes:
        colours: (height, width) packed colours.
        is_there: (height, width) whether each pixel shows a thing; the other arrays say nothing where none is.
        labels: (height, width) labels of the things, empty unless asked for.
        distances: (height, width) distances along the camera's axis, m, empty unless asked for.
    """

    colours: Pixels
    is_there: NDArray[np.bool_]
    labels: NDArray[np.uint16] = np.zeros((0, 0), np.uint16)
    distances: NDArray[np.float32] = np.zeros((0, 0), np.float32)

    def picked(self, pixels: IntArray | None, lens: Lens) -> Drawn:
        """The picture of a lens with these pixels, by index; None = all."""
        if pixels is None:
            return self

        def of(values: NDArray[Any]) -> NDArray[Any]:
            return values.take(pixels).reshape(lens.height, lens.width) if values.size else values

        return Drawn(*map(of, self))


class Drawer(Protocol):
    """Draws fixed things, a ball and robots. Not thread-safe."""

    def set_robots(self, robots: Sequence[RobotShape], first_label: int) -> None:
        """Replace the robots, whose labels count from the first one; the poses become void."""

    def place(self, pose: ScenePose, starts: IntArray) -> None:
        """Put the links of all robots, of which each robot's first one is given, and the ball into their poses."""

    def show(self, details: Sequence[Detail | None]) -> None:
        """Show each robot in this detail, or not at all."""

    def hide(self, robot: int, link: int | None) -> None:
        """Leave out this link of a robot, and no other."""

    def draw(self, take: Take) -> Drawn:
        """Draw what is shown."""
        ...

    def close(self) -> None:
        """Free everything."""
