"""Rows of wheels that skid in turns are told with the track that makes turns right."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.motion.wheels.skidding import effective_track, skidding
from simspark_ros.physics.engine import Array
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.description import RobotDescription


def rows(forward: tuple[float, ...], track: float) -> Array:
    return np.array([(x, side * track / 2.0) for side in (1.0, -1.0) for x in forward])


def with_track(name: str, track: float) -> RobotDescription:
    robot = load_robot(name)
    effectors = [
        replace(spec, parameters={**spec.parameters, "track": track}) if spec.kind == "wheels" else spec
        for spec in robot.effectors
    ]
    return replace(robot, effectors=tuple(effectors))


@pytest.mark.parametrize(
    ("forward", "track", "effective"),
    [((0.135, -0.135), 0.39, 0.39 + 0.27**2 / 0.39), ((0.0, 0.0), 0.4, 0.4), ((0.0,), 0.33, 0.33)],
)
def test_two_wheels_a_row_have_the_track_of_the_appendix_and_wheels_side_by_side_their_own(
    forward: tuple[float, ...], track: float, effective: float
) -> None:
    assert effective_track(rows(forward, track)) == pytest.approx(effective)


def test_a_wheel_in_the_middle_of_each_row_lessens_the_skid() -> None:
    assert 0.4 < effective_track(rows((0.2, 0.0, -0.2), 0.4)) < effective_track(rows((0.2, -0.2), 0.4))


def test_a_robot_with_the_track_of_its_rows_is_told_the_effective_one() -> None:
    (told,) = skidding(with_track("pioneer_2at", 0.39))
    assert "about 0.68 times as far as commanded" in told
    assert "the effective 0.577 m, not 0.39 m" in told


def test_no_robot_of_the_package_and_no_robot_with_a_wheel_a_side_is_told() -> None:
    assert {name: skidding(load_robot(name)) for name in robot_names()} == {name: [] for name in robot_names()}
    assert skidding(with_track("differential", 0.1)) == []
