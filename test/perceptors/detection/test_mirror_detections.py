"""A detector of a camera with a mirror finds things all around, in its picture and in space."""

from typing import Any

import numpy as np
import pytest

from simspark_ros.perceptors.camera import OPTICAL_DOWN
from simspark_ros.perceptors.readings import Detected, Detections
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec

KEY = "detections", "omni_detections"


@pytest.fixture
def looking(play):
    """A robot in the middle of a field, with a ball behind it."""
    played = play(engine="planar", world="msl", referee=False)
    robot = load_robot("differential_sensors")
    played.robot = played.world.add_robot(robot, (0.0, 0.0, robot.spawn_height), 0.5)
    played.world.place_ball((-1.0, -0.5))
    exact = {"camera": "omni_camera", "interval": 1}
    played.simulation.sensing.adjust(played.world, played.robot, PerceptorSpec(*KEY, "omni_camera", exact))
    played.simulation.sensing.demand({(played.robot.handle, *KEY)})
    played.run(1)
    return played


def found_by(looking: Any) -> Detections:
    key = (looking.robot.handle, *KEY)
    found: Detections = looking.simulation.sensing.detections[key]
    return found


def test_the_ball_behind_is_found_where_the_mirror_shows_it(looking):
    found = found_by(looking)
    (ball,) = np.flatnonzero(found.kind == Detected.BALL)
    engine = looking.world.engine
    (place,), (axes,) = engine.link_poses(engine.select_links([(looking.robot.handle, "omni_camera")]))
    position = (engine.state.ball_position - place) @ axes
    assert found.position[ball] == pytest.approx(position, abs=1e-6)
    # Behind is below the middle of the picture, and left is left.
    toward = position @ OPTICAL_DOWN
    column, row = found.pixel[ball] - 159.5
    assert row > 20.0
    assert column / row == pytest.approx(toward[0] / toward[1], rel=1e-6)
    box = found.box[ball]
    assert (box[:2] < found.pixel[ball]).all()
    assert (box[2:] > found.pixel[ball]).all()


def test_lines_goals_and_crossings_all_around_are_found(looking):
    found = found_by(looking)
    assert (found.kind == Detected.GOALPOST).sum() == 4
    assert len(found.lines) > 30
    assert len(found.markings.crossings) > 10
    assert len(found.markings.ellipses) == 1
