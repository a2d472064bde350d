"""A picture of one robot as it stands, alone."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.rendering.drawing.bodies import RobotLook, coloured_parts
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.rendered_scene import smoothed
from simspark_ros.rendering.renderer import Layer, Picture, SceneRenderer
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.robots.description import RobotDescription
from simspark_ros.soccer.settings import load_soccer_settings

_LENS = Lens(640, 480, math.radians(40.0))
_DIRECTION = np.array((0.75, -0.56, 0.35))
"""Unit vector from the robot to the camera: in front of the robot, to its right, above."""


def portrait(robot: RobotDescription) -> Picture:
    """A robot in its home pose, on the ground, in the colours of its file: (480, 640, 3), red, green, blue."""
    model = robot.model
    ground = Transform(position=np.array((0.0, 0.0, robot.spawn_height - model.base.centre[2])))
    home = zip((joint.name for joint in model.joints), home_positions(robot).tolist(), strict=True)
    frames = link_frames(model, dict(home), ground)
    centres = np.array([frames[link.name].apply(np.array(link.centre)) for link in model.links])
    turns = np.array([frames[link.name].rotation for link in model.links])
    seen = [
        (mesh.vertices @ turn.T + centre)
        for link, centre, turn in zip(model.links, centres, turns, strict=True)
        for mesh, _ in coloured_parts(link, None)
    ]
    points = np.concatenate(seen) if seen else centres
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2.0
    # The sphere around the robot fills the lower of the two openings.
    half_opening = math.atan(math.tan(_LENS.horizontal_fov / 2.0) * _LENS.height / _LENS.width)
    away = max(float(np.linalg.norm(high - low)) / 2.0, 0.05) / math.sin(half_opening)
    renderer = SceneRenderer(load_soccer_settings())
    try:
        renderer.set_robots([RobotLook(model)])
        renderer.place(ScenePose(centres, quaternions_from_rotations(turns)))
        eye = middle + away * _DIRECTION
        eye[2] = max(eye[2], 0.02)
        camera = CameraPose.look_at(tuple(eye.tolist()), tuple(middle.tolist()))
        return smoothed(partial(renderer.view, camera), _LENS, Layer.PICTURE, 2).picture
    finally:
        renderer.close()
