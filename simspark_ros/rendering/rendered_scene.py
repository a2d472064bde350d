"""Keeps a renderer in step with a simulator: its robots, their looks, their cameras."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import BoolArray
from simspark_ros.rendering.bodies import RobotLook
from simspark_ros.rendering.optics import Lens
from simspark_ros.rendering.renderer import FIRST_ROBOT, LABELS, Layer, ScenePose, SceneRenderer, View
from simspark_ros.rendering.robot_cameras import RobotCamera, cameras_of
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.foreign import load_known
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class SimulatedRobot:
    """One robot of a simulator: namespace of its topics, empty while it has none; name in the catalogue."""

    name: str
    model: str
    variant: int
    team: Side | None
    links: int


@dataclass(frozen=True)
class SceneCamera:
    """A camera of a robot; `number` is the robot's index in the renderer."""

    robot: SimulatedRobot
    number: int
    camera: RobotCamera


class RenderedScene:
    """A renderer and the robots in it. A robot that this installation does not know is left out, with a warning.

    Args:
        renderer: belongs to this scene alone.
        warn: takes lines for the operator, which may come again and again.

    Attributes:
        cameras: of all robots that have a name.
    """

    def __init__(self, renderer: SceneRenderer, warn: Callable[[str], object]) -> None:
        self.cameras: tuple[SceneCamera, ...] = ()
        self._renderer = renderer
        self._warn = warn
        self._robots: tuple[SimulatedRobot, ...] = ()
        self._there: list[SimulatedRobot] = []
        # Models and variants of robots that are there and cannot be read, which may have taken long.
        self._refused: set[tuple[str, int]] = set()
        self._known: BoolArray = np.zeros(0, np.bool_)

    def follow(self, robots: Sequence[SimulatedRobot]) -> bool:
        """Take the robots of the simulator; returns whether they are others than before."""
        if tuple(robots) == self._robots:
            return False
        self._robots = tuple(robots)
        self._refused &= {(robot.model, robot.variant) for robot in robots}
        descriptions = [self._description(robot) for robot in robots]
        there = [(robot, found) for robot, found in zip(robots, descriptions, strict=True) if found is not None]
        self._there = [robot for robot, _ in there]
        self._renderer.set_robots([RobotLook(found.model, robot.team, found.is_object) for robot, found in there])
        known = np.array([found is not None for found in descriptions], np.bool_)
        self._known = np.repeat(known, np.array([robot.links for robot in robots], np.int64))
        self.cameras = tuple(
            SceneCamera(robot, number, camera)
            for number, (robot, description) in enumerate(there)
            if robot.name
            for camera in self._cameras(description)
        )
        return True

    def place(self, pose: ScenePose) -> None:
        """Show a state of the robots that `follow` took, with as many links.

        Raises:
            ValueError: it has numbers that are not finite.
        """
        positions, quaternions = pose.positions[self._known], pose.quaternions[self._known]
        self._renderer.place(replace(pose, positions=positions, quaternions=quaternions))

    @property
    def labels(self) -> dict[int, str]:
        """Names of the labels of views; of robots their own names, as far as they have one."""
        names = dict(enumerate(LABELS))
        for number, robot in enumerate(self._there):
            names[FIRST_ROBOT + number] = robot.name or f"robot_{number}"
        return names

    def view(self, camera: SceneCamera, lens: Lens, layers: Layer = Layer.PICTURE, antialias: int = 1) -> View:
        """What one of `cameras` sees in the last state, its picture with samples along each edge of a pixel."""
        look = partial(self._renderer.robot_view, camera.number, camera.camera.mount)
        if antialias == 1 or Layer.PICTURE not in layers:
            return look(lens, layers)
        others, fine = layers & ~Layer.PICTURE, look(lens.finer(antialias), Layer.PICTURE)
        samples = fine.picture.reshape(lens.height, antialias, lens.width, antialias, 3)
        picture = np.rint(samples.mean(axis=(1, 3), dtype=np.float32)).astype(np.uint8)
        return replace(look(lens, others) if others else fine, picture=picture)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer.close()

    def _description(self, robot: SimulatedRobot) -> RobotDescription | None:
        if (robot.model, robot.variant) in self._refused:
            return None
        try:
            description = load_known(robot.model, robot.variant)
        except RobotError as error:
            self._refused.add((robot.model, robot.variant))
            self._warn(f"robots '{robot.model}' are not drawn: {error}")
            return None
        expected = len(description.model.links)
        if robot.links != expected:
            self._warn(
                f"robots '{robot.model}' are not drawn: they have {robot.links} links in the simulator and {expected} "
                "here; use the same version of the robot's files on both sides"
            )
            return None
        return description

    def _cameras(self, description: RobotDescription) -> tuple[RobotCamera, ...]:
        try:
            return cameras_of(description)
        except ConfigurationError as error:
            self._warn(f"no pictures: {error}")
            return ()
