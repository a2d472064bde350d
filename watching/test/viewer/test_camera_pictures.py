from typing import Any

import numpy as np
import pytest

from simspark_ros.soccer.settings import load_soccer_settings
from simspark_watching.broadcast.bodies import BodyPoses, body_frames
from simspark_watching.viewer import camera_pictures
from simspark_watching.viewer.camera_pictures import CameraPictures, CameraScene
from test.rigs.waiting import until
from watching.test.broadcast.scenes import FINDER, robot, shown


@pytest.fixture(scope="module")
def seen():
    """A scene with two robots that have a camera and one that has none, and its poses."""
    reader = shown(robot("nao", 0, "left", 1), robot("nao", 0, "right", 2), robot("sphere", 0, "", 0))
    objects = FINDER.find(reader.nodes)
    bodies = body_frames(objects)
    # The ground of a field takes a second to paint.
    return CameraScene(objects, bodies, load_soccer_settings("empty")), BodyPoses(*bodies.poses(reader.world()))


def test_the_cameras_of_all_robots_are_side_by_side(seen):
    scene, poses = seen
    sheet: Any = camera_pictures._sheet(scene, poses, (0, 1, 2))
    assert sheet.shape == (210, 560, 3)
    left, right = np.split(sheet.astype(int), 2, axis=1)
    assert (left != right).any() and left.std() > 5.0 and right.std() > 5.0
    one: Any = camera_pictures._sheet(None, poses, (1,))
    assert one.shape == (240, 320, 3) and camera_pictures._sheet(None, poses, (2,)) is None


def test_a_process_draws_while_pictures_are_wanted_and_scenes_that_cannot_be_drawn_are_left_alone(seen):
    pictures: Any = CameraPictures(print)
    until(lambda: (sheet := pictures.follow(*seen, (0,))) is not None and sheet.shape == (240, 320, 3))
    (process,) = pictures._pool._processes.values()
    pictures.rest()
    until(lambda: not process.is_alive())
    scene, poses = seen
    said: list[str] = []
    pictures = CameraPictures(said.append)
    lost = BodyPoses(np.full_like(poses.positions, np.nan), poses.quaternions)
    until(lambda: said or pictures.follow(scene, lost, (0,)))
    assert "not finite" in said[0]
    assert pictures.follow(scene, poses, (0,)) is None and pictures._pool is None and len(said) == 1
