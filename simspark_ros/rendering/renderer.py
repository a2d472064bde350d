"""Draws a soccer scene from poses with PyBullet's software renderer: no display, no GPU, always the same picture."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pybullet
from numpy.typing import NDArray

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.model import BallModel, Shape, ShapeKind
from simspark_ros.rendering.bodies import (
    AWAY,
    RobotBodies,
    RobotLook,
    create_body,
    create_parts,
    create_shape,
    put_body,
)
from simspark_ros.rendering.ground import Ground, Pixels, light_direction
from simspark_ros.rendering.meshes import mesh_of
from simspark_ros.rendering.optics import CameraMount, CameraPose, Lens
from simspark_ros.rendering.scenery import scenery
from simspark_ros.soccer.field import Field

Picture = NDArray[np.uint8]
"""(height, width, 3) red, green, blue; the first row is the upper one."""

_NEAR, _FAR = 0.02, 120.0
"""Nothing nearer or farther is drawn, m."""


@dataclass(frozen=True)
class ScenePose:
    """Poses of everything that moves, world frame.

    Attributes:
        positions: (K, 3) centres of mass of all links of all robots, in the order of `SceneRenderer.set_robots` and of
            the models' links, m.
        quaternions: (K, 4) link to world, x, y, z, w.
        ball: (3,) centre of the ball, m, or none.
    """

    positions: Array
    quaternions: Array
    ball: Array | None = None


class SceneRenderer:
    """A field with goals, a ball and robots, and cameras that look at it.

    First `set_robots`, then `place` for each state, then `render` or `render_robot_view` for each picture of it.
    Pictures depend on nothing but the arguments. Not thread-safe. Shadows on the ground take about as long to draw as
    the things that throw them.
    """

    def __init__(self, field: Field, ball: BallModel, *, shadows: bool = True) -> None:
        self._client: int = pybullet.connect(pybullet.DIRECT)
        self._ground = Ground(field)
        self._sun = light_direction()
        self._shadows = shadows
        self._robots: list[RobotBodies] = []
        self._starts: IntArray = np.zeros(1, np.int64)
        self._pose: ScenePose | None = None
        self._parts: dict[RobotLook, list[tuple[int, int]]] = {}
        for mesh, colour in scenery(field):
            put_body(self._client, create_body(self._client, create_shape(self._client, mesh, colour)), (0.0, 0.0, 0.0))
        sphere = mesh_of(Shape(ShapeKind.SPHERE, (ball.radius,)))
        self._ball = create_body(self._client, create_shape(self._client, sphere, (*ball.colour, 1.0)))

    def set_robots(self, robots: Sequence[RobotLook]) -> None:
        """Replace the robots. Those that look as before keep their bodies; the poses become void."""
        spare = defaultdict(list)
        for bodies in self._robots:
            spare[bodies.look].append(bodies)
        self._robots = [spare[look].pop() if spare[look] else self._bodies(look) for look in robots]
        for left in spare.values():
            for bodies in left:
                bodies.remove()
        self._starts = np.cumsum([0, *(len(look.model.links) for look in robots)])
        self._pose = None

    def place(self, pose: ScenePose) -> None:
        """Put robots and ball where they are.

        Raises:
            ValueError: the arrays do not fit the robots, or have numbers that are not finite.
        """
        count = int(self._starts[-1])
        if pose.positions.shape != (count, 3) or pose.quaternions.shape != (count, 4):
            raise ValueError(
                f"{len(self._robots)} robots with {count} links in all need as many positions and quaternions, "
                f"not {pose.positions.shape} and {pose.quaternions.shape}"
            )
        if not (np.isfinite(pose.positions).all() and np.isfinite(pose.quaternions).all()):
            raise ValueError("a pose of a link is not finite")
        if pose.ball is not None and not (pose.ball.shape == (3,) and np.isfinite(pose.ball).all()):
            raise ValueError(f"the ball's position must be three finite numbers, not {pose.ball}")
        for robot in range(len(self._robots)):
            self._place_robot(robot, pose)
        put_body(self._client, self._ball, AWAY if pose.ball is None else pose.ball.tolist())
        self._pose = pose

    def render(self, camera: CameraPose, lens: Lens) -> Picture:
        """The scene from anywhere above the ground."""
        return self._compose(camera, lens, self._shadow(camera, lens))

    def render_robot_view(self, robot: int, mount: CameraMount, lens: Lens) -> Picture:
        """The view of the camera of a robot, given by index. The link that carries it is left out: it encloses it.

        Raises:
            RuntimeError: `place` was not called since `set_robots`.
        """
        camera = self.camera_pose(robot, mount)
        assert self._pose is not None
        shadow = self._shadow(camera, lens)
        self._robots[robot].hide_link(mount.link)
        picture = self._compose(camera, lens, shadow)
        self._place_robot(robot, self._pose)
        return picture

    def camera_pose(self, robot: int, mount: CameraMount) -> CameraPose:
        """Pose of a robot's camera.

        Raises:
            RuntimeError: `place` was not called since `set_robots`.
        """
        if self._pose is None:
            raise RuntimeError("place() has to say where the robots are first")
        link = int(self._starts[robot]) + mount.link
        rotation = rotations_from_quaternions(self._pose.quaternions[link : link + 1])[0]
        return CameraPose.on_link(mount, self._pose.positions[link], rotation)

    def close(self) -> None:
        """Free PyBullet's world."""
        pybullet.disconnect(self._client)

    def _bodies(self, look: RobotLook) -> RobotBodies:
        if look not in self._parts:
            self._parts[look] = create_parts(self._client, look)
        return RobotBodies(self._client, look, self._parts[look])

    def _place_robot(self, robot: int, pose: ScenePose) -> None:
        links = slice(int(self._starts[robot]), int(self._starts[robot + 1]))
        self._robots[robot].place(pose.positions[links].tolist(), pose.quaternions[links].tolist())

    def _shadow(self, camera: CameraPose, lens: Lens) -> NDArray[np.bool_] | None:
        """Pixels of shadows: of all things, projected onto the ground along the light (Blinn 1988)."""
        if not self._shadows:
            return None
        flat = np.eye(4)
        flat[:, 2] = 0.0
        flat[:2, 2] = -self._sun[:2] / self._sun[2]
        return self._draw(camera.view() @ flat, lens)[1]

    def _draw(self, view: Array, lens: Lens) -> tuple[Pixels, NDArray[np.bool_]]:
        """Everything but the ground, and where it is in the picture."""
        _, _, colours, _, bodies = pybullet.getCameraImage(
            lens.width,
            lens.height,
            view.T.reshape(-1).tolist(),
            lens.projection(_NEAR, _FAR),
            lightDirection=self._sun.tolist(),
            lightColor=(1.0, 1.0, 1.0),
            lightAmbientCoeff=0.55,
            lightDiffuseCoeff=0.5,
            lightSpecularCoeff=0.05,
            shadow=0,
            renderer=pybullet.ER_TINY_RENDERER,
            physicsClientId=self._client,
        )
        shape = (lens.height, lens.width)
        pixels = np.ascontiguousarray(colours, np.uint8).view(np.uint32).reshape(shape)
        return pixels, np.asarray(bodies).reshape(shape) >= 0

    def _compose(self, camera: CameraPose, lens: Lens, shadow: NDArray[np.bool_] | None) -> Picture:
        # The ground is behind everything: nothing is below it, and cameras are above.
        pixels, are_things = self._draw(camera.view(), lens)
        picture = np.where(are_things, pixels, self._ground.colours(camera, lens, shadow))
        return np.ascontiguousarray(picture.view(np.uint8).reshape(lens.height, lens.width, 4)[:, :, :3])
