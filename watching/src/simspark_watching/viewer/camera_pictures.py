"""Pictures of robots' cameras, drawn from the poses on the page by a process of its own, while somebody wants them.

The server has no part in this: it works for other servers and logs, too, as far as robots are recognised.
"""

from __future__ import annotations

import math
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image, ImageDraw

from simspark_ros.configuration.c_library import limit_blas_threads
from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.optics import Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.renderer import Picture, SceneRenderer
from simspark_ros.rendering.robot_cameras import RobotCamera, cameras_of
from simspark_ros.soccer.settings import SoccerSettings
from simspark_watching.broadcast.bodies import BodyFrames, BodyPoses, scene_pose, target_name
from simspark_watching.broadcast.dress import description_of, links_of
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot

MOST = 24
"""Most pictures at a time; further ones are left out."""

_WIDTH = 560
"""Width of all pictures side by side, pixels: twice the panel's width."""

_LARGEST = 320
"""Largest width of one picture, pixels."""


@dataclass(frozen=True)
class CameraScene:
    """The contents of pictures: robots of a scene, their frames, and the world."""

    objects: SceneObjects
    bodies: BodyFrames
    soccer: SoccerSettings


class CameraPictures:
    """Draws one sheet of pictures after the other; nothing runs before somebody wants the first one.

    `say` takes a line about a scene that cannot be drawn and is not tried again.
    """

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say
        self._pool: ProcessPoolExecutor | None = None
        self._scene: CameraScene | None = None
        self._impossible: CameraScene | None = None
        self._drawn: Future[Picture | None] | None = None

    def follow(self, scene: CameraScene, poses: BodyPoses, wanted: Sequence[int]) -> Picture | None:
        """Have the pictures of robots, by their indices, drawn; returns the finished sheet, if there is one."""
        if scene is self._impossible or (self._drawn is not None and not self._drawn.done()):
            return None
        try:
            sheet = self._drawn.result() if self._drawn is not None else None
            if self._pool is None:
                # A process that is forked would share the locks of this one's threads.
                self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)
            new, self._scene = (None if scene is self._scene else scene), scene
            self._drawn = self._pool.submit(_sheet, new, poses, tuple(wanted))
        # A server may send any models, and the process may be killed.
        except Exception as error:
            self._impossible = self._scene
            self._say(f"no pictures of cameras: {type(error).__name__}: {cut(str(error), 200)}")
            self.rest()
            return None
        return sheet

    def rest(self) -> None:
        """Nobody looks any more."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._scene = self._drawn = None


class _Work:
    """The state of the process that draws."""

    scene: CameraScene | None = None
    renderer: SceneRenderer | None = None
    cameras: tuple[tuple[RobotCamera, ...], ...] = ()


def _begin() -> None:
    # Ctrl-C reaches all processes of a terminal: this one ends with the pool.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_blas_threads(1)


def _set_scene(scene: CameraScene) -> None:
    if _Work.renderer is None or _Work.scene is None or scene.soccer != _Work.scene.soccer:
        if _Work.renderer is not None:
            _Work.renderer.close()
        _Work.renderer = SceneRenderer(scene.soccer)
    models = [_model(seen) for seen in scene.objects.robots]
    _Work.renderer.set_robots([RobotLook(model) for model in models])
    _Work.cameras = tuple(_cameras(seen, model) for seen, model in zip(scene.objects.robots, models, strict=True))
    _Work.scene = scene


def _sheet(new: CameraScene | None, poses: BodyPoses, wanted: Sequence[int]) -> Picture | None:
    """All pictures of some robots on a sheet, None if they have no camera; `new` is the scene if it has changed."""
    if new is not None:
        _set_scene(new)
    scene, renderer = _Work.scene, _Work.renderer
    assert scene is not None and renderer is not None
    chosen = [(robot, camera) for robot in wanted for camera in _Work.cameras[robot]][:MOST]
    if not chosen:
        return None
    renderer.place(scene_pose(scene.bodies, poses))
    columns = math.ceil(math.sqrt(len(chosen)))
    width = min(_WIDTH // columns, _LARGEST)
    pictures = [
        _named(
            renderer.render_robot_view(robot, camera.mount, _reduced(camera.settings.lens, width)),
            f"{target_name(scene.objects, robot)} {camera.name}",
        )
        for robot, camera in chosen
    ]
    return _side_by_side(pictures, columns, width)


def _side_by_side(pictures: Sequence[Picture], columns: int, width: int) -> Picture:
    height = max(picture.shape[0] for picture in pictures)
    rows = math.ceil(len(pictures) / columns)
    sheet = np.zeros((rows * height, columns * width, 3), np.uint8)
    for number, picture in enumerate(pictures):
        top, left = number // columns * height, number % columns * width
        sheet[top : top + picture.shape[0], left : left + width] = picture
    return sheet


def _reduced(lens: Lens | MirrorLens, width: int) -> Lens | MirrorLens:
    return replace(lens, width=width, height=max(1, round(lens.height * width / lens.width)))


def _named(picture: Picture, name: str) -> Picture:
    image = Image.fromarray(picture)
    ImageDraw.Draw(image).text((4, 3), name, (255, 255, 255), stroke_width=1, stroke_fill=(0, 0, 0))
    return np.asarray(image)


def _model(seen: SceneRobot) -> ArticulatedModel:
    """The links of a robot that the scene has, and their frames."""
    description, links = description_of(seen), tuple(links_of(seen))
    there = {link.name for link in links}
    frames = description.model.frames if description else ()
    return ArticulatedModel("seen", links, joints=(), frames=tuple(one for one in frames if one.link in there))


def _cameras(seen: SceneRobot, model: ArticulatedModel) -> tuple[RobotCamera, ...]:
    description = description_of(seen)
    try:
        return cameras_of(replace(description, model=model)) if description else ()
    except ConfigurationError:
        # The camera is on a link that monitors do not see.
        return ()
