"""Cameras on robots of foreign formats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.formats.parts.robot_assembly import RobotAssembly

OPTICAL = Transform(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
"""Axes of a picture (x right, y down, z forward) in the axes of a camera."""

_MOST_PIXELS = 1280


def add_camera(
    assembly: RobotAssembly,
    name: str,
    body: str,
    pose: Transform,
    size: tuple[int, int],
    field_of_view_deg: float,
    **parameters: Any,
) -> None:
    """Add a camera that looks along x of a pose in the frame of a body.

    Args:
        assembly: robot that gets the camera.
        name: name of camera and frame.
        body: body that carries the camera.
        pose: pose in the frame of the body; z is up in the picture.
        size: width and height of the pictures, pixels; reduced if too large.
        field_of_view_deg: angle between left and right edge of the pictures, degrees.
        parameters: other parameters of the perceptor.
    """
    width, height = size
    shrink = min(1.0, _MOST_PIXELS / max(width, height, 1))
    frame = assembly.mark(name, body, pose)
    optical = assembly.mark(f"{name}_optical", body, pose @ OPTICAL)
    assembly.devices.perceptor(
        "camera",
        name,
        frame,
        optical_frame=optical,
        width=max(1, math.floor(width * shrink)),
        height=max(1, math.floor(height * shrink)),
        horizontal_fov_deg=min(max(field_of_view_deg, 1.0), 170.0),
        **parameters,
    )
