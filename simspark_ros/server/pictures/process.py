"""The process that draws the pictures of classic agents, as the server that started it asks."""

from __future__ import annotations

import base64
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection

import numpy as np

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.protocol.agent.profile import PictureFormat
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.pictures import taken
from simspark_ros.rendering.rendered_scene import RenderedScene, SceneCamera
from simspark_ros.rendering.renderer import Layer, Picture, SceneRenderer
from simspark_ros.rendering.robot_cameras import CameraSettings
from simspark_ros.rendering.scene_models import cameras_of_lines, models_of_lines
from simspark_ros.server.pictures.source import PictureRequest, Texts
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.settings import SoccerSettings


class PictureDrawer:
    """Draws the pictures of agents' cameras, and writes them in the dialect of a profile.

    `form` has the message, and the size that all pictures have if it names one. `warn` takes lines for the operator,
    `settings` have the seed of all noise and the choice of what draws.
    """

    def __init__(
        self, form: PictureFormat, soccer: SoccerSettings, warn: Callable[[str], object], settings: SimulationSettings
    ) -> None:
        self._form, self._world, self._simulation = form, soccer, settings
        self._scene = RenderedScene(SceneRenderer(soccer, renderer=settings.renderer), warn)

    def draw(self, request: PictureRequest) -> Texts:
        """The messages of all cameras of each robot, by its handle."""
        if request.world is not None and request.world != self._world:
            self._world = request.world
            self._scene.show_world(SceneRenderer(request.world, renderer=self._simulation.renderer))
        if request.models is not None:
            self._scene.learn(models_of_lines(request.models), cameras_of_lines(request.models))
        self._scene.follow(request.robots)
        poses, texts = request.poses, Texts()
        self._scene.place(ScenePose(poses.positions, quaternions_from_rotations(poses.rotations), poses.ball))
        for camera in self._scene.cameras:
            handle = int(camera.robot.name)
            texts[handle] = texts.get(handle, "") + self._text(camera, request.time)
        return texts

    def close(self) -> None:
        """Free the renderer."""
        self._scene.close()

    def _text(self, camera: SceneCamera, time: float) -> str:
        settings, name = self._settings(camera.camera.settings), camera.camera.name
        # Noise depends on seed, robot, camera and time alone.
        seed = [self._simulation.seed, zlib.crc32(f"{camera.robot.name} {name}".encode()), round(time * 1000.0)]
        picture = self._picture(camera, settings, np.random.default_rng(seed))
        return self._form.message(name, settings.width, settings.height, base64.b64encode(picture.tobytes()).decode())

    def _settings(self, own: CameraSettings) -> CameraSettings:
        """A camera's settings with the profile's size, unless its lens cannot have that."""
        try:
            return replace(own, width=self._form.width or own.width, height=self._form.height or own.height)
        except ValueError:
            return own

    def _picture(self, camera: SceneCamera, settings: CameraSettings, random: np.random.Generator) -> Picture:
        layers = Layer.PICTURE | (Layer.DEPTH if settings.aperture else Layer(0))
        view = self._scene.view(camera, settings.lens, layers, settings.antialias)
        return taken(view, settings, settings.lens, random)


def main() -> int:
    """Answer requests until the server closes the connection, whose file descriptor is the argument.

    Returns the exit status: 2 if the world cannot be drawn.
    """
    limit_blas_threads(1)
    say = partial(print, "pictures:", file=sys.stderr, flush=True)
    with Connection(int(sys.argv[1])) as server:
        form, soccer, settings = server.recv()
        try:
            drawer = PictureDrawer(form, soccer, say, settings)
        except UserError as error:
            say(error)
            return 2
        try:
            while True:
                server.send(drawer.draw(server.recv()))
        except (EOFError, ConnectionError):
            return 0
        finally:
            drawer.close()


if __name__ == "__main__":
    sys.exit(main())
