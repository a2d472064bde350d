"""Robots by the parameters of their bodies."""

from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import is_shipped, load_robot
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.types.parameters import RobotName

SHORT_SHANKS = "nao?ankle_z=-0.06&thigh_z=-0.05"

OWN = """
based_on: nao
variants:
  5: {hip_y: 0.055, hip_z: -0.115, thigh_z: -0.06, ankle_z: -0.055, elbow_x: 0.07,
      ankle_pitch_speed: 6.1395, ankle_roll_speed: 6.1395, toe_length: 0.0}
"""


def place_of(robot: RobotDescription, joint: str) -> np.ndarray:
    """Where a joint is anchored in its parent, m."""
    (found,) = [one for one in robot.model.joints if one.name == joint]
    return np.array(found.position)


def test_equal_robots_have_one_name() -> None:
    name = RobotName.parse("nao?type=4&thigh_z=-5e-2&ankle_z=-0.060")
    assert name == RobotName("nao", 4, {"thigh_z": -0.05, "ankle_z": -0.06})
    assert str(name) == "nao?type=4&ankle_z=-0.06&thigh_z=-0.05"
    assert str(RobotName.parse("nao")) == "nao"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nao?", "give 1 to 32 of NAME=NUMBER"),
        ("nao?thigh_z", "give 1 to 32 of NAME=NUMBER"),
        ("nao?thigh_z=-0.05&thigh_z=-0.04", "each name once"),
        ("nao?" + "&".join(f"p{number}=1" for number in range(33)), "give 1 to 32"),
        ("nao?thigh_z=nan", "'thigh_z' is 'nan'; it must be NAME=NUMBER"),
        ("nao?thigh_z=long", "'thigh_z' is 'long'"),
        ("nao?thigh_z)=1", "it must be NAME=NUMBER"),
        ("nao?type=-1", "must be the number of one of the robot's types"),
        ("nao?type=9&thigh_z=-0.05", "has no variant 9"),
        ("nao?arm=1", "type 0 has no parameter 'arm'; it has: hip_y, hip_z"),
        ("nao?thigh_z=-0.5", "thigh_z is -0.5 and must be at least -0.068 and at most -0.04 m"),
        ("nao?thigh_z=-0.06", "thigh and shank are about as long as each other"),
        ("nao?type=3&ankle_pitch_speed=8&ankle_roll_speed=4", "are paid for with one another"),
        ("sphere?radius=1", "it has: none"),
    ],
)
def test_a_name_that_is_no_valid_body_is_refused(name: str, problem: str) -> None:
    with pytest.raises(RobotError, match=problem.replace("?", r"\?")) as caught:
        load_robot(name)
    assert len(str(caught.value)) < 300


def test_parameters_change_the_body_and_nothing_else() -> None:
    standard, changed = load_robot("nao"), load_robot(SHORT_SHANKS)
    # thigh_z and ankle_z are seen from places that stay: knee and ankle go down by the same 10 and 5 mm.
    assert place_of(changed, "rlj4") - place_of(standard, "rlj4") == pytest.approx([0, 0, -0.01])
    assert changed.spawn_height - standard.spawn_height == pytest.approx(0.015)
    assert changed.parameters == {**standard.parameters, "thigh_z": -0.05, "ankle_z": -0.06}
    assert (changed.name, changed.variant, changed.source) == ("nao", 0, SHORT_SHANKS)
    assert is_shipped(changed)
    assert changed.perceptors == standard.perceptors and changed.effectors == standard.effectors


def test_a_changed_type_has_its_sensors_and_may_have_another_number() -> None:
    robot = load_robot("nao?type=4&toe_length=0.03", 9)
    assert (robot.variant, robot.body, robot.parameters["toe_length"]) == (9, 4, 0.03)
    assert "rlj7" in {joint.name for joint in robot.model.joints}
    assert load_robot(robot.source, robot.variant) is robot


def test_the_body_of_a_type_is_the_same_by_its_numbers() -> None:
    wide = load_robot("nao", 3)
    written = "&".join(f"{name}={value!r}" for name, value in wide.parameters.items() if name != "toe_length")
    again = load_robot(f"nao?{written}")
    for joint, other in zip(wide.model.joints, again.model.joints, strict=True):
        assert joint == other


def test_a_foreign_robot_takes_parameters_and_is_found_again_by_its_source(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("based_on: nao", encoding="utf-8")
    name = f"{path}?type=4&hip_y=0.06&toe_length=0.03"
    robot = load_foreign(path, 6, LimitSettings(), RobotName.parse(name))
    assert robot == load_robot(name, 6)
    assert robot.parameters["hip_y"] == 0.06 and not is_shipped(robot)
    assert load_foreign(path, robot.variant, LimitSettings(), RobotName.parse(robot.source)) is robot


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        (OWN, "variants: 5: thigh_z, ankle_z: thigh and shank are about as long"),
        ("based_on: nao\nparameters: {mass: {low: 1, high: 2}}", "parameters: mass: variant 0 has no number"),
        ("based_on: nao\nparameters: {hip_y: {low: 1, high: 0}}", "low 1 is above high 0"),
        ("based_on: nao\nparameters: {hip_y: {low: 0, high: 1, variants: [7]}}", "hip_y: variants: unknown variant 7"),
        ("based_on: nao\nparameter_rules: [{of: {arm: 1}, why: so}]", "unknown parameter 'arm'"),
        ("based_on: nao\ndrawn_from: [8]", "drawn_from: unknown variant 8"),
    ],
)
def test_data_that_contradict_themselves_are_refused(tmp_path: Path, yaml: str, problem: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(yaml, encoding="utf-8")
    with pytest.raises(RobotError, match=problem):
        load_robot(str(path))
