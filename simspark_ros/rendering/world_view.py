"""Pictures of the current world of a simulation in the same process."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import Array, LinkSelection
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.model import Vector
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.opengl import chooses_opengl
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.pictures import measured_depth, taken
from simspark_ros.rendering.rendered_scene import RenderedScene, SceneCamera
from simspark_ros.rendering.renderer import CameraView, Layer, Picture, SceneRenderer
from simspark_ros.rendering.scene_models import SimulatedRobot
from simspark_ros.simulation.settings import Renderer
from simspark_ros.soccer.world import SoccerWorld

_LOG = logging.getLogger("simspark")

SMOOTH = 2
"""Samples along each edge of a pixel of free pictures."""


class WorldView:
    """Draws a world, and follows its robots.

    Args:
        world: function that gives the current world, which may be another one after a while.
        seed: function that gives the seed of the cameras' noise.
        renderer: choice of what draws; the log says what does.
    """

    def __init__(self, world: Callable[[], SoccerWorld], seed: Callable[[], int], renderer: Renderer) -> None:
        self._world, self._seed, self._renderer = world, seed, renderer
        opengl, line = chooses_opengl(renderer)
        _LOG.log(logging.INFO if opengl or renderer != "egl" else logging.WARNING, line)
        self._troubles: list[str] = []
        self._shown: tuple[SoccerWorld, int] | None = None
        self._seen: tuple[SimulatedRobot, ...] = ()
        self._scene = RenderedScene(self._made(world()), self._troubles.append)
        self._links: LinkSelection

    def free(self, eye: Vector, target: Vector, size: tuple[int, int], opening: float) -> Picture:
        """The picture of a camera at a point `eye`, m, with the point `target`, m, in its middle.

        The size is in pixels, the opening across the width in rad.

        Raises:
            UserError: there is no view from one point to the other, or the picture is too large for OpenGL.
        """
        try:
            camera = CameraPose.look_at(eye, target)
        except ValueError as error:
            raise UserError(str(error)) from None
        self._update()
        return self._scene.look(camera, Lens(*size, opening), SMOOTH)

    def of_camera(self, robot: str, name: str) -> Picture:
        """The picture of a robot's camera, of the first one if the name is empty.

        Raises:
            UserError: the robot has no such camera; the message lists its cameras.
        """
        camera = self._camera(robot, name)
        return self._taken(camera, Layer(0))[1]

    def features(self, robot: str, name: str) -> dict[str, Array]:
        """All measurements of a robot's camera, by features of the container of sensors; errors as in `of_camera`.

        They are `image` (height, width, 3), `depth` (m) and `labels` (height, width, 1), as far as the camera has them.
        """
        camera = self._camera(robot, name)
        settings = camera.camera.settings
        layers = (Layer.DEPTH if settings.depth else Layer(0)) | (Layer.LABELS if settings.segmentation else Layer(0))
        view, picture, random = self._taken(camera, layers)
        found: dict[str, Array] = {"image": picture.astype(float)}
        if settings.depth:
            found["depth"] = measured_depth(view.depth, settings, random)[..., None].astype(float)
        if settings.segmentation:
            found["labels"] = view.labels[..., None].astype(float)
        return found

    def close(self) -> None:
        """Free the renderer."""
        self._scene.close()

    def _made(self, world: SoccerWorld) -> SceneRenderer:
        return SceneRenderer(world.settings, renderer=self._renderer)

    def _camera(self, robot: str, name: str) -> SceneCamera:
        """One of a robot's cameras, in the current scene."""
        self._update()
        own = [camera for camera in self._scene.cameras if camera.robot.name == robot]
        chosen = next((one for one in own if name in ("", one.camera.name)), None)
        if chosen is None:
            trouble = "; ".join(self._troubles[:1])
            known = ", ".join(one.camera.name for one in own) or trouble or "none"
            raise UserError(f"robot '{robot}' has no camera '{name[:40]}'; it has: {known}")
        return chosen

    def _taken(self, camera: SceneCamera, layers: Layer) -> tuple[CameraView, Picture, np.random.Generator]:
        """A view with these layers, the camera's picture of it, and the camera's randomness."""
        settings = camera.camera.settings
        layers |= Layer.PICTURE | (Layer.DEPTH if settings.aperture else Layer(0))
        view = self._scene.view(camera, settings.lens, layers, settings.antialias)
        # Noise depends on seed, camera and cycle alone.
        key = [self._seed(), zlib.crc32(f"{camera.robot.name} {camera.camera.name}".encode()), self._world().cycle]
        random = np.random.default_rng(key)
        return view, taken(view, settings, settings.lens, random), random

    def _update(self) -> None:
        world = self._world()
        if self._shown is None or self._shown[0] is not world or self._shown[1] != world.revision:
            self._follow(world)
        positions, rotations = world.engine.link_poses(self._links)
        ball = world.engine.state.ball_position if world.scene.ball else None
        self._scene.place(ScenePose(positions, quaternions_from_rotations(rotations), ball))

    def _follow(self, world: SoccerWorld) -> None:
        if self._shown is not None and self._shown[0].settings is not world.settings:
            self._scene.show_world(self._made(world))
        self._shown = world, world.revision
        robots = list(world.robots.values())
        # Models by handle: descriptions that a program has changed may have the same source.
        models = {(str(robot.handle), 0): robot.description for robot in robots}
        seen = tuple(
            SimulatedRobot(one.name, str(one.handle), 0, one.side, len(one.description.model.links)) for one in robots
        )
        if seen != self._seen:
            self._scene.follow(())
        self._seen = seen
        self._scene.learn(models, {robot.name: robot.carried for robot in robots if robot.adjusted})
        self._scene.follow(seen)
        links = [(robot.handle, link.name) for robot in robots for link in robot.description.model.links]
        self._links = world.engine.select_links(links)
