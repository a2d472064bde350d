"""The effector of a camera whose lens zooms, as on a pan-tilt-zoom unit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from simspark_ros.configuration.schema import Range, build
from simspark_ros.effectors.base import BodyParameters, CommandTopic, effector
from simspark_ros.effectors.signature import Degrees
from simspark_ros.perceptors.camera import MAX_FOV_DEG, MIN_FOV_DEG, CameraParameters
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World, Zoom

VIEW = "horizontal_fov_deg"
"""Parameter of cameras that a zoom changes."""

_VIEW = Range(MIN_FOV_DEG, MAX_FOV_DEG, "degrees")


@dataclass(frozen=True)
class ZoomParameters(BodyParameters):
    """Parameters in YAML.

    Attributes:
        camera: name of the camera's perceptor; empty = the robot's first camera.
        min_deg, max_deg: least and greatest horizontal field of view, degrees.
        speed_deg: greatest change of the field of view, degrees/s; infinite = it changes at once.
    """

    camera: str = ""
    min_deg: Annotated[float, _VIEW] = 5.0
    max_deg: Annotated[float, _VIEW] = 60.0
    speed_deg: Annotated[float, Range(0.0, math.inf, "degrees/s", above=True)] = math.inf

    def __post_init__(self) -> None:
        """Check that there is something between the limits."""
        super().__post_init__()
        if self.min_deg > self.max_deg:
            raise ValueError("min_deg must not be above max_deg")

    def check(self, description: RobotDescription) -> None:
        """See `BodyParameters.check`: the robot has the camera, whose lens can have both limits."""
        camera = camera_of(description.perceptors, self.camera)
        for degrees in (self.min_deg, self.max_deg):
            settings = build(CameraParameters, {**camera.parameters, VIEW: degrees}, f"camera '{camera.name}'")
            if settings.mirror:
                raise ValueError(f"camera '{camera.name}' looks into a mirror, which has no field of view")


def camera_of(perceptors: tuple[PerceptorSpec, ...], name: str) -> PerceptorSpec:
    """The camera of that name among perceptors, the first one for an empty name; a ValueError if there is none."""
    cameras = [one for one in perceptors if one.kind == "camera"]
    for camera in cameras:
        if name in ("", camera.name):
            return camera
    raise ValueError(f"unknown camera '{name}'; the robot has: {', '.join(one.name for one in cameras) or 'none'}")


def view_of(camera: PerceptorSpec) -> float:
    """Horizontal field of view of a camera, degrees."""
    return float(camera.parameters.get(VIEW, CameraParameters.horizontal_fov_deg))


@effector("zoom", topic=CommandTopic("std_msgs/msg/Float64", fields={"view": "data"}), for_agents=False)
def zoom(world: World, robot: Robot, parameters: ZoomParameters, view: Degrees) -> None:
    """Change a camera's horizontal field of view, rad, within its limits, as fast as it can."""
    camera = camera_of(robot.carried, parameters.camera)
    before = world.zooms.get((robot.handle, camera.name))
    goal = min(max(math.degrees(view), parameters.min_deg), parameters.max_deg)
    # A command in every cycle must not put the next step off for ever.
    start, waited = (view_of(camera), 0.0) if before is None else (before.start, before.waited)
    world.zooms[robot.handle, camera.name] = Zoom(start, goal, parameters.speed_deg, waited)
