"""Keeps a renderer in step with a simulator: its robots, their looks, their cameras."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import BoolArray
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.renderer import FIRST_ROBOT, LABELS, CameraView, Layer, Picture, SceneRenderer
from simspark_ros.rendering.robot_cameras import RobotCamera, cameras_of
from simspark_ros.rendering.scene_models import ModelKey, Perceptors, SimulatedRobot
from simspark_ros.robots.description import RobotDescription

_NO_CAMERAS: Mapping[str, Perceptors] = MappingProxyType({})


@dataclass(frozen=True)
class SceneCamera:
    """A camera of a robot; `number` is the robot's index in the renderer."""

    robot: SimulatedRobot
    number: int
    camera: RobotCamera


class RenderedScene:
    """A renderer and the robots in it. A robot that the simulator has not described is left out.

    Args:
        renderer: renderer that belongs to this scene alone.
        warn: function that takes lines for the operator, which may come again and again.

    Attributes:
        cameras: cameras of all robots that have a name.
    """

    def __init__(self, renderer: SceneRenderer, warn: Callable[[str], object]) -> None:
        self.cameras: tuple[SceneCamera, ...] = ()
        self._renderer = renderer
        self._warn = warn
        self._robots: tuple[SimulatedRobot, ...] = ()
        self._there: list[tuple[SimulatedRobot, RobotDescription]] = []
        # None until the simulator has described its robots.
        self._models: Mapping[ModelKey, RobotDescription] | None = None
        self._own_cameras = _NO_CAMERAS
        self._known: BoolArray = np.zeros(0, np.bool_)

    def learn(
        self, models: Mapping[ModelKey, RobotDescription], cameras: Mapping[str, Perceptors] = _NO_CAMERAS
    ) -> None:
        """Take the simulator's description of its robots, in place of any earlier one.

        Args:
            models: descriptions of kinds of robots.
            cameras: cameras of robots that differ from their kind, by names of these robots.
        """
        before, self._models, self._own_cameras = self._models or {}, models, cameras
        if len(before) == len(models) and all(before.get(key) is one for key, one in models.items()):
            self._find_cameras()
        else:
            self._draw(self._robots)

    def follow(self, robots: Sequence[SimulatedRobot]) -> bool:
        """Take the robots of the simulator; returns whether they have changed."""
        if tuple(robots) == self._robots:
            return False
        self._draw(tuple(robots))
        return True

    def _draw(self, robots: tuple[SimulatedRobot, ...]) -> None:
        self._robots = robots
        descriptions = [self._description(robot) for robot in robots]
        self._there = there = [
            (one, found) for one, found in zip(robots, descriptions, strict=True) if found is not None
        ]
        self._renderer.set_robots([RobotLook(found.model, robot.team) for robot, found in there])
        known = np.array([found is not None for found in descriptions], np.bool_)
        self._known = np.repeat(known, np.array([robot.links for robot in robots], np.int64))
        self._find_cameras()

    def _find_cameras(self) -> None:
        self.cameras = tuple(
            SceneCamera(robot, number, camera)
            for number, (robot, description) in enumerate(self._there)
            if robot.name
            for camera in self._cameras(robot, description)
        )

    def show_world(self, renderer: SceneRenderer) -> None:
        """Show the same robots in another world, which a renderer has; the one before is freed."""
        self._renderer.close()
        self._renderer = renderer
        self._draw(self._robots)

    def place(self, pose: ScenePose) -> None:
        """Show a state of the robots that `follow` took, with as many links.

        Raises:
            ValueError: the state has numbers that are not finite.
        """
        positions, quaternions = pose.positions[self._known], pose.quaternions[self._known]
        self._renderer.place(pose._replace(positions=positions, quaternions=quaternions))

    @property
    def labels(self) -> dict[int, str]:
        """Names of the labels of views; robots have their own names, or else `robot_N`."""
        names = dict(enumerate(LABELS))
        for number, (robot, _) in enumerate(self._there):
            names[FIRST_ROBOT + number] = robot.name or f"robot_{number}"
        return names

    def view(
        self, camera: SceneCamera, lens: Lens | MirrorLens, layers: Layer = Layer.PICTURE, antialias: int = 1
    ) -> CameraView:
        """The view of one of `cameras` in the last state, with `antialias` samples along each edge of a pixel."""
        return smoothed(partial(self._renderer.robot_view, camera.number, camera.camera.mount), lens, layers, antialias)

    def look(self, camera: CameraPose, lens: Lens, antialias: int = 1) -> Picture:
        """The picture of a free camera in the last state, with `antialias` samples along each edge of a pixel."""
        return smoothed(partial(self._renderer.view, camera), lens, Layer.PICTURE, antialias).picture

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()

    def _description(self, robot: SimulatedRobot) -> RobotDescription | None:
        # Robots and their descriptions come in two messages, the first of each in any order.
        if self._models is None:
            return None
        description = self._models.get((robot.model, robot.variant))
        if description is None:
            self._warn(f"robots '{robot.model}' are not drawn: the simulator has not described them")
            return None
        expected = len(description.model.links)
        if robot.links != expected:
            self._warn(
                f"robots '{robot.model}' are not drawn: they have {robot.links} links, but {expected} are described; "
                "perhaps their file has changed since the simulator read it"
            )
            return None
        return description

    def _cameras(self, robot: SimulatedRobot, description: RobotDescription) -> tuple[RobotCamera, ...]:
        perceptors = self._own_cameras.get(robot.name, description.perceptors)
        try:
            return cameras_of(replace(description, perceptors=perceptors))
        except ConfigurationError as error:
            self._warn(f"no pictures: {error}")
            return ()


def smoothed(
    look: Callable[[Lens | MirrorLens, Layer], CameraView], lens: Lens | MirrorLens, layers: Layer, antialias: int
) -> CameraView:
    """A view with `antialias` samples of its picture along each edge of a pixel."""
    if antialias == 1 or Layer.PICTURE not in layers:
        return look(lens, layers)
    others, fine = layers & ~Layer.PICTURE, look(lens.finer(antialias), Layer.PICTURE)
    samples = fine.picture.reshape(lens.height, antialias, lens.width, antialias, 3)
    picture = np.rint(samples.mean(axis=(1, 3), dtype=np.float32)).astype(np.uint8)
    return replace(look(lens, others) if others else fine, picture=picture)
