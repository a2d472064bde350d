import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from test.perceptors.readings import reading

ROBOT = load_robot("differential")


def add(played: Any, **parameters: Any) -> Any:
    spec = PerceptorSpec("odometry", "odometry", "", parameters)
    robot = replace(ROBOT, perceptors=(*ROBOT.perceptors, spec))
    return played.world.add_robot(robot, (0.0, 2.0, robot.spawn_height), 0.3)


def step(played: Any, robot: Any, x: float, y: float, heading: float) -> np.ndarray:
    """Put the robot's base link somewhere as if it had driven there, and read."""
    turn = rotation_about((0.0, 0.0, 1.0), heading)
    place = np.array([x, y, 0.0]) + turn @ (*robot.description.model.base.centre[:2], 0.0)
    place[2] = robot.description.spawn_height
    played.world.engine.place_robot(robot.handle, tuple(place), quaternion_from_rotation(turn))
    played.world.cycle += 1
    played.world.elapsed = 0.02
    return reading(played.simulation.sensing.sense(played.world, 0.0), "odometry").copy()


def drive(played: Any, robot: Any) -> np.ndarray:
    """A way of 2 m on an arc of a radian, in steps."""
    for part in np.linspace(0.0, 1.0, 101):
        heading, radius = 0.3 + part, 2.0
        x, y = radius * (math.sin(heading) - math.sin(0.3)), 2.0 - radius * (math.cos(heading) - math.cos(0.3))
        told = step(played, robot, x, y, heading)
    return told


@pytest.fixture
def played(play):
    return play(engine="planar", referee=False)


def test_without_errors_it_tells_the_way_from_the_start_in_the_axes_of_the_start(played):
    x, y, heading, forward, left, turn = drive(played, add(played))
    # The chord of the arc, in steps of 2 cm.
    assert (x, y, heading) == pytest.approx((2.0 * math.sin(1.0), 2.0 * (1.0 - math.cos(1.0)), 1.0), abs=1e-3)
    assert (forward, left, turn) == pytest.approx((1.0, 0.0, 0.5), abs=1e-3)


def test_scales_are_those_of_wheels_of_another_size(played):
    _, _, heading, forward, _, turn = drive(played, add(played, distance_scale=1.1, turn_scale=0.5))
    assert (heading, forward, turn) == pytest.approx((0.5, 1.1, 0.25), abs=1e-3)


def test_errors_grow_with_the_way_as_its_parameters_say(played):
    robot = add(played, distance_noise=0.05, heading_noise_deg=3.0)
    perceptor = played.simulation.sensing._perceptors["odometry"]
    ends = []
    for _ in range(40):
        step(played, robot, 0.0, 2.0, 0.0)
        perceptor._tracks.clear()
        played.world.revision += 1
        for part in np.linspace(0.0, 0.4, 5):
            end = step(played, robot, part, 2.0, 0.0)
        ends.append(end)
    deviation = np.std(ends, axis=0) / math.sqrt(0.4)
    # 40 ways: deviations are known to 11 %.
    assert deviation[0] == pytest.approx(0.05, rel=0.35)
    assert deviation[2] == pytest.approx(math.radians(3.0), rel=0.35)


def test_a_robot_that_is_put_elsewhere_has_not_driven_there_and_a_wrong_parameter_is_refused_by_name(played):
    robot = add(played)
    before = drive(played, robot)
    assert step(played, robot, -3.0, -1.0, 0.0)[:3] == pytest.approx(before[:3])
    with pytest.raises(UserError, match="drift"):
        add(played, drift=1.0)
