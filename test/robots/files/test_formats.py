"""Robots in SDF, MJCF and RSG: small ones of our own on every engine, and what all readers refuse."""

from dataclasses import replace
from pathlib import Path

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign, load_foreign_text
from simspark_ros.robots.files.formats import ending_of, read_format
from test.physics.engine_availability import skip_without
from test.rigs.robots.driven import drive_all

SAMPLES = Path(__file__).parents[2] / "data" / "robots"
LIMITS = LimitSettings()
HALF_OF_A_FINGER = 0.015
"""Least way of a joint that is driven for half a second each way, rad or m: the finger slides by 0.04 m in all."""


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("name", ["quadruped.xml", "arm.xml", "rover.sdf", "rsg/crawler/crawler.rsg"])
def test_every_joint_of_a_foreign_robot_moves_and_its_sensors_sense(play, engine: str, name: str) -> None:
    skip_without(engine)
    skip_without("mujoco")
    description = load_foreign(SAMPLES / name, 0, LIMITS)
    driven = drive_all(play(engine=engine).simulation, description)
    still = [joint for joint, way in driven.moved.items() if way < HALF_OF_A_FINGER]
    assert (still, driven.bad_values) == ([], 0)
    assert description.report.counts()["understood"] > 10


def test_a_text_is_read_in_the_format_that_it_shows() -> None:
    skip_without("mujoco")
    named = {
        "<robot/>": ".urdf",
        "<!-- an <sdf> --><mujoco/>": ".xml",
        "<?xml version='1.0'?>\n<sdf version='1.9'/>": ".sdf",
        "; a scene\n(RSG 0 1) ()": ".rsg",
        "model: a.urdf": ".yaml",
    }
    assert {text: ending_of(text) for text in named} == named
    text = (SAMPLES / "quadruped.xml").read_text(encoding="utf-8")
    assert load_foreign_text(text, LIMITS).model == load_foreign(SAMPLES / "quadruped.xml", 0, LIMITS).model


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("quadruped.xml", "robot 'quadruped' has no variant 3, only 0"),
        ("rover.sdf", "unknown type 3; the types are the file's models that move, 0 to 0"),
    ],
)
def test_types_that_a_format_or_file_does_not_have_are_refused(name: str, told: str) -> None:
    with pytest.raises(RobotError, match=f"{name}: {told}"):
        read_format(SAMPLES / name, 3, LIMITS)


def test_a_robot_beyond_the_limits_is_refused() -> None:
    skip_without("mujoco")
    with pytest.raises(RobotError, match=r"quadruped\.xml: the robot has 8 joints; max_joints allows 7"):
        load_foreign(SAMPLES / "quadruped.xml", 0, replace(LIMITS, max_joints=7))
