"""Robots that stand straight, and what to look for in pictures."""

import numpy as np

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import Picture
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings

SETTINGS = load_soccer_settings()
FIELD, BALL_RADIUS = SETTINGS.field, SETTINGS.ball.radius
NAO = load_robot("nao")


Poses = tuple[np.ndarray, np.ndarray]


def standing(model: ArticulatedModel, x: float, y: float, yaw: float = 0.0, **joints: float) -> Poses:
    """Centres (L, 3) and quaternions (L, 4) of all links of a robot on the ground; angles in rad."""
    frames = link_frames(model, joints)
    root = Transform.of((x, y, NAO.spawn_height - model.base.centre[2]), (0.0, 0.0, yaw))
    poses = [root @ frames[link.name] for link in model.links]
    centres = [pose.apply(np.array(link.centre)) for pose, link in zip(poses, model.links, strict=True)]
    return np.array(centres), quaternions_from_rotations(np.array([pose.rotation for pose in poses]))


def scene(*robots: Poses, ball: tuple[float, float, float] | None = None) -> ScenePose:
    positions = np.concatenate([np.zeros((0, 3)), *(robot[0] for robot in robots)])
    quaternions = np.concatenate([np.zeros((0, 4)), *(robot[1] for robot in robots)])
    return ScenePose(positions, quaternions, None if ball is None else np.array(ball))


def project(lens: Lens, points: np.ndarray, camera: CameraPose | None = None) -> np.ndarray:
    """Pixels (n, 2) as u, v of points (n, 3) before the camera, in the world's frame, or in that of no camera given."""
    if camera is not None:
        points = (points - camera.position) @ camera.rotation
    pixels = points @ lens.matrix.T
    return pixels[:, :2] / pixels[:, 2:]


def ball_pixels(picture: Picture) -> np.ndarray:
    """(n, 2) pixels u, v of the orange ball: nothing else has so much more red than green, and that than blue."""
    red, green, blue = picture.astype(int).transpose(2, 0, 1)
    rows, columns = np.nonzero((red > green + 60) & (green > blue + 25))
    return np.stack([columns, rows], 1)
