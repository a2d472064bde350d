"""Draws shots, by the renderer of the robots' cameras: software that needs no graphics card and no screen."""

from __future__ import annotations

import math
from dataclasses import replace

from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind
from simspark_ros.rendering.drawing.bodies import RobotLook, coloured_parts
from simspark_ros.rendering.drawing.meshes import joined
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import Picture, SceneRenderer
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_watching.broadcast.bodies import scene_pose
from simspark_watching.broadcast.dress import links_of
from simspark_watching.broadcast.labels import INK, segments
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot
from simspark_watching.broadcast.tv_camera import FIELD_OF_VIEW
from simspark_watching.video.overlay import drawn_over
from simspark_watching.video.settings import VideoSettings
from simspark_watching.video.shots import Shot

_NUMBERED = "torso"


class Painter:
    """Draws the shots of one video. Pictures depend on the shot alone, so several may share the work.

    Raises:
        ConfigurationError: the world cannot be used.
    """

    def __init__(self, settings: VideoSettings) -> None:
        self._settings = settings
        across = 2.0 * math.atan(math.tan(FIELD_OF_VIEW / 2.0) * settings.width / settings.height)
        self._lens = Lens(settings.width, settings.height, across)
        soccer = load_soccer_settings(settings.world or None)
        self._renderer = SceneRenderer(soccer, shadows=settings.shadows, renderer=settings.renderer)
        self._objects = SceneObjects()

    def paint(self, shot: Shot) -> Picture:
        """The picture (height, width, 3) of a shot."""
        if shot.objects != self._objects:
            self._objects = shot.objects
            self._renderer.set_robots([_look(robot) for robot in shot.objects.robots])
        self._renderer.place(scene_pose(shot.bodies, shot.poses))
        camera = CameraPose.look_at(tuple(shot.eye.tolist()), tuple(shot.target.tolist()))
        picture = self._renderer.render(camera, self._lens)
        return drawn_over(picture, shot, camera, self._lens, self._settings.labels)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()


def _look(seen: SceneRobot) -> RobotLook:
    """A robot in its team's colour, with its number on back and chest."""
    links = links_of(seen)
    if seen.unum:
        links = [_numbered(link, seen.unum) if link.name == _NUMBERED and link.visuals else link for link in links]
    return RobotLook(ArticulatedModel(seen.robot or "unknown", tuple(links), joints=()))


def _numbered(link: Link, unum: int) -> Link:
    body = joined(mesh for mesh, _ in coloured_parts(link, None))
    x, y, z = link.centre
    bars = tuple(
        Shape(ShapeKind.BOX, bar.size, (x + bar.centre[0], y + bar.centre[1], z + bar.centre[2]), rgba=INK)
        for bar in segments(unum, body)
    )
    return replace(link, visuals=(*link.visuals, *bars))
