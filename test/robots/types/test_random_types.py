"""Types of robots that are drawn for a match."""

import json
from pathlib import Path

import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.motion.interface import Stand, Walk
from simspark_ros.motion.nao import NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.robots.catalogue import body_rules, load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.types.random_types import RobotType, RobotTypes
from test.physics.engine_availability import skip_without


def test_every_drawn_type_is_valid_and_type_0_is_the_standard_one() -> None:
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


def test_types_follow_from_the_seed_alone() -> None:
    assert RobotTypes(1, 5).of("nao") == RobotTypes(1, 5).of("nao")
    assert RobotTypes(1, 5).of("nao")[:3] == RobotTypes(1, 3).of("nao")
    first = {RobotTypes(seed, 5).of("nao")[1].parameters for seed in range(8)}
    assert len(first) == 8
    own, lola = (RobotTypes(1, 5).of(robot) for robot in ("nao", "nao_lola"))
    assert [one.parameters for one in own] == [one.parameters for one in lola]


def test_a_name_and_a_number_lead_to_the_drawn_type() -> None:
    types = RobotTypes(1, 5, ("nao",))
    robot = load_robot(types.name("nao", 2), 2)
    assert robot.variant == 2 and robot.parameters == dict(types.of("nao")[2].parameters)
    assert types.name("nao", 0) == "nao"
    with pytest.raises(RobotError, match="unknown type 5 of 'nao'; the types of this match are 0 to 4"):
        types.name("nao", 5)
    # Changes are to the drawn type; who names the type of the file means that one.
    assert "hip_y=0.06&" in types.name("nao?hip_y=0.06", 2) and f"thigh_z={robot.parameters['thigh_z']}" in types.name(
        "nao?hip_y=0.06", 2
    )
    assert types.name("nao?type=4&hip_y=0.06", 2) == "nao?type=4&hip_y=0.06"
    # A robot without parameters has the types of its file, and without a seed every one has.
    assert types.name("sphere", 0) == "sphere" and RobotTypes().name("nao", 3) == "nao"


def test_programs_get_all_that_loads_a_type() -> None:
    types = RobotTypes(3, 4, ("nao",))
    told = json.loads(json.dumps(types.as_json()))
    assert tuple(RobotType.from_json("nao", one) for one in told["nao"]) == types.of("nao") == types.told


def test_rules_that_leave_no_room_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simspark_ros.robots.types.random_types._MOST_DRAWS", 50)
    path = tmp_path / "own.yaml"
    path.write_text(
        "based_on: nao\nparameter_rules: [{of: {hip_y: 1, hip_z: 1000}, low: 0, high: 0.02, why: so}]", encoding="utf-8"
    )
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
