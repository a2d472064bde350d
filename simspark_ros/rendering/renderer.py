"""Draws a soccer scene from poses: things by a `Drawer`, and the ground behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from enum import Flag, auto

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.model import Shape, ShapeKind
from simspark_ros.rendering.drawing.bodies import RobotLook, RobotShape
from simspark_ros.rendering.drawing.drawer import Drawer, Drawn, Pixels, ScenePose, Take, Thing
from simspark_ros.rendering.drawing.meshes import Detail, detail_for, mesh_of
from simspark_ros.rendering.drawing.opengl import OpenGLDrawer, chooses_opengl
from simspark_ros.rendering.drawing.optics import CameraMount, CameraPose, Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.drawing.sunlight import SunView, light_direction
from simspark_ros.rendering.drawing.visibility import UNSEEN, Spheres, flattening
from simspark_ros.rendering.ground import Ground
from simspark_ros.rendering.scenery import obstacle_mesh, scenery
from simspark_ros.simulation.settings import Renderer
from simspark_ros.soccer.settings import SoccerSettings

Picture = NDArray[np.uint8]
"""(height, width, 3) red, green, blue; the first row is the upper one."""

_NEAR, _FAR = 0.02, 120.0
"""Least and greatest distance that is drawn, m."""

SHADED = 4.0
"""Greatest distance along the camera's axis at which things show shadows, m; beyond, shadows would be too coarse."""

MAX_SPARE_PARTS = 2000
"""Most parts of gone robots that are kept for robots with the same looks. All Naos of both teams have fewer."""


class Layer(Flag):
    """Layers of a view."""

    PICTURE = auto()
    DEPTH = auto()
    LABELS = auto()


@dataclass(frozen=True)
class CameraView:
    """The view of a camera; a layer that was not asked for has no pixels.

    Attributes:
        picture: (height, width, 3) red, green and blue.
        depth: (height, width) distance along the camera's axis, m; infinite where nothing is.
        labels: (height, width) index of `LABELS`; from `FIRST_ROBOT` on the robots in the order of `set_robots`.
    """

    picture: Picture
    depth: NDArray[np.float32]
    labels: NDArray[np.uint16]


LABELS = ("sky", "ground", "line", "ball", "left_goal", "right_goal", "net", "wall")
"""Names of labels; the first ones are the labels of `Ground`."""

BALL, SCENERY, WALL, FIRST_ROBOT = 3, 4, 7, len(LABELS)
"""Labels of the ball, the first piece of scenery, walls and the first robot. Obstacles are seen as walls."""

_NOTHING = CameraView(np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.float32), np.zeros((0, 0), np.uint16))


class SceneRenderer:
    """A world's fixed things in its light, a ball and robots, and cameras that look at them.

    First `set_robots`, then `place` for each state, then `render` or `render_robot_view` for each picture of it.
    Pictures depend on nothing but the arguments. Not thread-safe. Shadows on the ground take about as long to draw as
    the things that throw them. With `body_shadows` robots and ball show shadows, too, up to `SHADED` m away; the link
    that carries the camera throws no shadow on them. `renderer` chooses what draws, see `chooses_opengl`.

    Raises:
        MissingPackageError: PyBullet is to draw, and is not installed.
        ConfigurationError: the texture of the ground cannot be used.
    """

    def __init__(
        self, world: SoccerSettings, *, shadows: bool = True, body_shadows: bool = False, renderer: Renderer = "auto"
    ) -> None:
        self._world, (self._opengl, _) = world, chooses_opengl(renderer)
        self._ground, light = Ground(world.field, world.things.ground), world.things.light
        self._sun = light_direction(math.radians(light.azimuth_deg), math.radians(light.elevation_deg))
        self._shadows, self._body_shadows = shadows, body_shadows
        self._robots: list[RobotShape] = []
        self._starts: IntArray = np.zeros(1, np.int64)
        self._extents: Array = np.zeros(0)
        self._spheres = Spheres(np.zeros((0, 3)), np.zeros(0))
        self._pose: ScenePose | None = None
        self._shapes: dict[RobotLook, RobotShape] = {}
        self._drawer = self._opened()

    def _opened(self) -> Drawer:
        """A drawer of field and ball."""
        seen = [Thing(*part, SCENERY + number) for number, part in enumerate(scenery(self._world.field))]
        seen += [Thing(*part, WALL) for part in map(obstacle_mesh, self._world.things.standing)]
        sphere = mesh_of(Shape(ShapeKind.SPHERE, (self._world.ball.radius,)))
        ball = Thing(sphere, (*self._world.ball.colour, 1.0), BALL)
        if self._opengl:
            return OpenGLDrawer(seen, ball, self._sun)
        # Needs PyBullet, which need not be there with OpenGL.
        from simspark_ros.rendering.drawing.tiny import TinyDrawer

        return TinyDrawer(seen, ball, self._sun)

    def set_robots(self, robots: Sequence[RobotLook]) -> None:
        """Replace the robots. Robots with the same looks keep what was made of them; the poses become void."""
        gone = self._shapes.keys() - set(robots)
        # PyBullet can only free all shapes at once.
        if sum(self._shapes[look].count for look in gone) > MAX_SPARE_PARTS:
            self._shapes = {look: shape for look, shape in self._shapes.items() if look not in gone}
            self._drawer.close()
            self._drawer = self._opened()
        for look in robots:
            if look not in self._shapes:
                self._shapes[look] = RobotShape(look)
        self._robots = [self._shapes[look] for look in robots]
        self._drawer.set_robots(self._robots, FIRST_ROBOT)
        self._starts = np.cumsum([0, *(len(look.model.links) for look in robots)])
        self._extents = np.concatenate([np.zeros(0), *(shape.extents for shape in self._robots)])
        self._pose = None

    def place(self, pose: ScenePose) -> None:
        """Put robots and ball into their poses.

        Raises:
            ValueError: the arrays do not fit the robots, or have numbers that are not finite.
        """
        count = int(self._starts[-1])
        if pose.positions.shape != (count, 3) or pose.quaternions.shape != (count, 4):
            raise ValueError(
                f"{len(self._robots)} robots have {count} links in all; give as many positions and quaternions, "
                f"not arrays of the shapes {pose.positions.shape} and {pose.quaternions.shape}"
            )
        if not (np.isfinite(pose.positions).all() and np.isfinite(pose.quaternions).all()):
            raise ValueError("a pose of a link is not finite")
        if pose.ball is not None and not (pose.ball.shape == (3,) and np.isfinite(pose.ball).all()):
            raise ValueError(f"the ball's position must be three finite numbers, not {pose.ball}")
        self._drawer.place(pose, self._starts)
        self._spheres = Spheres.around(pose.positions, self._extents, self._starts[:-1])
        self._pose = pose

    def render(self, camera: CameraPose, lens: Lens | MirrorLens) -> Picture:
        """The scene from anywhere above the ground."""
        return self.view(camera, lens).picture

    def view(self, camera: CameraPose, lens: Lens | MirrorLens, layers: Layer = Layer.PICTURE) -> CameraView:
        """Layers of the scene from anywhere above the ground."""
        if isinstance(lens, MirrorLens):
            return CameraView(*lens.assembled(camera, lambda pose, face: astuple(self.view(pose, face, layers))))
        return self._compose(camera, lens, layers, self._shadow(camera, lens, layers))

    def render_robot_view(self, robot: int, mount: CameraMount, lens: Lens | MirrorLens) -> Picture:
        """The picture of `robot_view`."""
        return self.robot_view(robot, mount, lens).picture

    def robot_view(
        self, robot: int, mount: CameraMount, lens: Lens | MirrorLens, layers: Layer = Layer.PICTURE
    ) -> CameraView:
        """The view of a camera of a robot, given by index, without the link that carries and encloses the camera.

        Raises:
            RuntimeError: `place` was not called since `set_robots`.
        """
        camera, link = self.camera_pose(robot, mount), mount.link
        if isinstance(lens, MirrorLens):
            return CameraView(
                *lens.assembled(camera, lambda pose, face: astuple(self._without(robot, link, pose, face, layers)))
            )
        return self._without(robot, link, camera, lens, layers)

    def _without(self, robot: int, link: int, camera: CameraPose, lens: Lens, layers: Layer) -> CameraView:
        """The view of a camera without one link of a robot, though with the link's shadow."""
        shadow = self._shadow(camera, lens, layers)
        self._drawer.hide(robot, link)
        try:
            return self._compose(camera, lens, layers, shadow)
        finally:
            self._drawer.hide(robot, None)

    def camera_pose(self, robot: int, mount: CameraMount) -> CameraPose:
        """Pose of a robot's camera.

        Raises:
            RuntimeError: `place` was not called since `set_robots`.
        """
        if self._pose is None:
            raise RuntimeError("the poses of the robots are unknown; call place() first")
        link = int(self._starts[robot]) + mount.link
        rotation = rotations_from_quaternions(self._pose.quaternions[link : link + 1])[0]
        return CameraPose.on_link(mount, self._pose.positions[link], rotation)

    def close(self) -> None:
        """Free the drawer."""
        self._drawer.close()

    def _show(self, camera: CameraPose, lens: Lens, shadows: bool) -> None:
        """Show the robots that the next picture needs, or the robots with shadows that it needs."""
        if self._pose is None:
            details: list[Detail | None] = [None] * len(self._robots)
        else:
            spheres = self._spheres.shadows(self._sun) if shadows else self._spheres
            errors = UNSEEN / lens.focal_length * np.maximum(self._spheres.depths(camera), 0.0)
            details = [
                detail_for(shape.roundness, error) if seen else None
                for shape, seen, error in zip(self._robots, spheres.in_view(camera, lens), errors, strict=True)
            ]
        self._drawer.show(details)

    def _shadow(self, camera: CameraPose, lens: Lens, layers: Layer) -> NDArray[np.bool_] | None:
        """Whether each pixel (height, width) is in a shadow on the ground; None without shadows."""
        if not self._shadows or Layer.PICTURE not in layers:
            return None
        return self._draw(camera, lens, shadows=True).is_there

    def _draw(self, camera: CameraPose, lens: Lens, near: float = _NEAR, far: float = _FAR, **options: bool) -> Drawn:
        """Draw everything but the ground, or its shadows; the options are those of `Take`."""
        pinhole, pixels = lens.pinhole()
        self._show(camera, pinhole, shadows := options.get("shadows", False))
        # A shadow is the thing itself, flattened onto the ground along the light.
        view = camera.view() @ flattening(self._sun) if shadows else camera.view()
        return self._drawer.draw(Take(view, pinhole, near, far, **options)).picked(pixels, lens)

    def _compose(self, camera: CameraPose, lens: Lens, layers: Layer, shadow: NDArray[np.bool_] | None) -> CameraView:
        # The ground is behind everything: nothing is below it, and cameras are above.
        measured = self._body_shadows or bool(layers & (Layer.DEPTH | Layer.LABELS))
        drawn = self._draw(camera, lens, measured=measured)
        picture, depth, labels = _NOTHING.picture, _NOTHING.depth, _NOTHING.labels
        if Layer.PICTURE in layers:
            colours = self._shade(drawn, camera, lens) if self._body_shadows else drawn.colours
            pixels = np.where(drawn.is_there, colours, self._ground.colours(camera, lens, shadow))
            # numpy takes six times as long to leave out every fourth byte.
            whole = Image.frombuffer("RGBX", (lens.width, lens.height), pixels, "raw", "RGBX", 0, 1)
            picture = np.array(whole.convert("RGB"))
        if Layer.DEPTH in layers:
            depth = np.where(drawn.is_there, drawn.distances, self._ground.depth(camera, lens))
        if Layer.LABELS in layers:
            labels = np.where(drawn.is_there, drawn.labels, self._ground.labels(camera, lens))
        return CameraView(picture, depth, labels)

    def _shade(self, drawn: Drawn, camera: CameraPose, lens: Lens) -> Pixels:
        """Colours of things; near robots and the ball lose the sun's light where other things hide the sun."""
        is_scenery = (drawn.labels >= SCENERY) & (drawn.labels < FIRST_ROBOT)
        there = np.flatnonzero(drawn.is_there & ~is_scenery & (drawn.distances < SHADED))
        if not len(there):
            return drawn.colours
        # As a shadow map: the sun's own depth picture of what these pixels show says which of them it sees.
        rays = lens.rays()[:, there] * drawn.distances.reshape(-1)[there]
        sun = SunView.of(camera.rotation @ rays + camera.position[:, None], self._sun)
        before = self._draw(sun.camera, sun.lens, sun.near, sun.far, measured=True)
        shaded = there[sun.shaded(np.where(before.is_there, before.distances, np.float32(np.inf)))]
        colours = drawn.colours.copy()
        colours.flat[shaded] = self._draw(camera, lens, sunlit=False).colours.flat[shaded]
        return colours
