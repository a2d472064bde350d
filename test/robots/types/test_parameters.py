"""Robots by the parameters of their bodies, and types that are drawn for a match."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.motion.interface import Stand, Walk
from simspark_ros.motion.nao import NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.robots.catalogue import body_rules, is_shipped, load_robot, variants
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.types.parameters import RobotName
from simspark_ros.robots.types.random_types import RobotType, RobotTypes
from test.physics.engine_availability import skip_without

SHORT_SHANKS = "nao?ankle_z=-0.06&thigh_z=-0.05"

OWN = """
based_on: nao
variants:
  5: {hip_y: 0.055, hip_z: -0.115, thigh_z: -0.06, ankle_z: -0.055, elbow_x: 0.07,
      ankle_pitch_speed: 6.1395, ankle_roll_speed: 6.1395, toe_length: 0.0}
"""


def place_of(robot: RobotDescription, joint: str) -> np.ndarray:
    (found,) = [one for one in robot.model.joints if one.name == joint]
    return np.array(found.position)


def test_equal_robots_have_one_name_and_parameters_and_types_change_the_body_alone() -> None:
    name = RobotName.parse("nao?type=4&thigh_z=-5e-2&ankle_z=-0.060")
    assert name == RobotName("nao", 4, {"thigh_z": -0.05, "ankle_z": -0.06})
    assert str(name) == "nao?type=4&ankle_z=-0.06&thigh_z=-0.05"
    assert str(RobotName.parse("nao")) == "nao"
    standard, changed = load_robot("nao"), load_robot(SHORT_SHANKS)
    # thigh_z and ankle_z are seen from places that stay: knee and ankle go down by the same 10 and 5 mm.
    assert place_of(changed, "rlj4") - place_of(standard, "rlj4") == pytest.approx([0, 0, -0.01])
    assert changed.spawn_height - standard.spawn_height == pytest.approx(0.015)
    assert changed.parameters == {**standard.parameters, "thigh_z": -0.05, "ankle_z": -0.06}
    assert (changed.name, changed.variant, changed.source) == ("nao", 0, SHORT_SHANKS)
    assert is_shipped(changed)
    assert changed.perceptors == standard.perceptors and changed.effectors == standard.effectors
    robot = load_robot("nao?type=4&toe_length=0.03", 9)
    assert (robot.variant, robot.body, robot.parameters["toe_length"]) == (9, 4, 0.03)
    assert "rlj7" in {joint.name for joint in robot.model.joints}
    assert load_robot(robot.source, robot.variant) is robot
    wide = load_robot("nao", 3)
    written = "&".join(f"{name}={value!r}" for name, value in wide.parameters.items() if name != "toe_length")
    again = load_robot(f"nao?{written}")
    assert wide.model.joints == again.model.joints


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
        ("arm.xacro?side=${1}", "argument 'side' is '${1}'; it must be NAME=VALUE"),
        ("arm.xacro?side='%2Bload_yaml('secret')%2B'", "it must be NAME=VALUE"),
        ("arm.xacro?side=a/b", "it must be NAME=VALUE"),
        ("arm.xacro/3?side=..", "argument 'side' is '..'"),
        ("arm.xacro?side=" + "a" * 201, "of at most 200 letters, digits, blanks and _ . + -"),
        ("arm.urdf?a)=1", "it must be NAME=VALUE"),
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
    with pytest.raises(RobotError, match=re.escape(problem)) as caught:
        load_robot(name)
    assert len(str(caught.value)) < 300


def test_a_xacro_file_takes_arguments_and_its_robot_is_found_again_by_its_source(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf.xacro"
    begin = '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:arg name="type" default="a"/>'
    mass = '<inertial><mass value="$(arg kg)"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    path.write_text(f'{begin}<link name="$(arg type)">{mass}</link></robot>')
    robot = load_robot(f"{path}?kg=3&type=heavy&fixed_base=true")
    assert (robot.model.base.name, robot.model.mass, robot.model.fixed_base) == ("heavy", 3.0, True)
    assert robot.source == f"{path}?kg=3&type=heavy&fixed_base=true"
    assert load_robot(robot.source).model == robot.model
    (tmp_path / "light.yaml").write_text("model: arm.urdf.xacro\nxacro_arguments: {type: light, kg: '1'}\n")
    assert load_robot(str(tmp_path / "light.yaml")).model.mass == 1.0
    assert variants(f"{path}?type=heavy&kg=1") == (0,)
    (tmp_path / "spy.yaml").write_text("model: arm.urdf.xacro\nxacro_arguments: {type: \"'+load_yaml('secret')+'\"}\n")
    with pytest.raises(RobotError, match=r"argument 'type' is .* it must be NAME=VALUE"):
        load_robot(str(tmp_path / "spy.yaml"))
    with pytest.raises(RobotError, match="give it a value as 'FILE\\?NAME=VALUE'"):
        load_robot(str(path))


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


def test_every_drawn_type_is_valid_found_by_name_and_number_and_follows_from_the_seed_alone() -> None:
    rules = body_rules("nao")
    bodies = set()
    for seed in range(20):
        standard, *drawn = RobotTypes(seed, 6).of("nao")
        assert standard.name == "nao" and dict(standard.parameters) == rules.values(0, {})
        for number, one in enumerate(drawn, start=1):
            assert one.number == number
            rules.checked(one.body, dict(one.parameters))
            bodies.add(one.body)
    assert bodies == {0, 4}
    types = RobotTypes(1, 5, ("nao",))
    robot = load_robot(types.name("nao", 2), 2)
    assert robot.variant == 2 and robot.parameters == dict(types.of("nao")[2].parameters)
    assert types.name("nao", 0) == "nao"
    with pytest.raises(RobotError, match="unknown type 5 of 'nao'; the types of this match are 0 to 4"):
        types.name("nao", 5)
    # Changes are to the drawn type; who names the type of the file means that one.
    changed = types.name("nao?hip_y=0.06", 2)
    assert "hip_y=0.06&" in changed and f"thigh_z={robot.parameters['thigh_z']}" in changed
    assert types.name("nao?type=4&hip_y=0.06", 2) == "nao?type=4&hip_y=0.06"
    # A robot without parameters has the types of its file, and without a seed every one has.
    assert types.name("sphere", 0) == "sphere" and RobotTypes().name("nao", 3) == "nao"
    assert RobotTypes(1, 5).of("nao") == RobotTypes(1, 5).of("nao")
    assert RobotTypes(1, 5).of("nao")[:3] == RobotTypes(1, 3).of("nao")
    first = {RobotTypes(seed, 5).of("nao")[1].parameters for seed in range(8)}
    assert len(first) == 8
    own, lola = (RobotTypes(1, 5).of(robot) for robot in ("nao", "nao_lola"))
    assert [one.parameters for one in own] == [one.parameters for one in lola]
    types = RobotTypes(3, 4, ("nao",))
    told = json.loads(json.dumps(types.as_json()))
    assert tuple(RobotType.from_json("nao", one) for one in told["nao"]) == types.of("nao") == types.told


def test_rules_that_leave_no_room_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simspark_ros.robots.types.random_types._MOST_DRAWS", 50)
    path = tmp_path / "own.yaml"
    path.write_text("based_on: nao\nparameter_rules: [{of: {hip_y: 1, hip_z: 1000}, low: 0, high: 0.02, why: so}]")
    with pytest.raises(RobotError, match="leave too little room to draw types"):
        RobotTypes(1, 5).of(str(path))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_drawn_robots_stand_and_walk(seed: int) -> None:
    skip_without("mujoco")
    for one in RobotTypes(seed, 4).of("nao")[1:]:
        rehearsal = Rehearsal("mujoco", variant=one.number, robot=one.name)
        motion = NaoMotion(load_robot(one.name, one.number), load_motion_settings())
        rehearsal.run(motion, Stand(), 1.0)
        assert rehearsal.standing.upright > 0.98, one
        rehearsal.run(motion, Walk(0.3), 2.0)
        # The standard robot walks 0.5 m in that time.
        assert not rehearsal.fallen and rehearsal.standing.x > 0.25, one
        rehearsal.close()
