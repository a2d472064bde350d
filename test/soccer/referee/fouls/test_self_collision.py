import math
from dataclasses import replace

import pytest

from simspark_ros.soccer.referee.fouls.self_collision import SelfCollision
from simspark_ros.soccer.teams import Side

LEFT = Side.LEFT
FOOT_IN_FOOT = {"rlj1": -35.0, "rlj4": -55.0, "llj2": -20.0}


def tangled(pitch, degrees=FOOT_IN_FOOT, **numbers):
    made = pitch(SelfCollision(), self_collision={"interval": 0.0, **numbers})
    made.other, made.robot = made.add(LEFT, 2, -5.0, 1.0), made.add(LEFT, 3, -3.0, 1.0)
    made.apply()
    made.bend(made.robot, degrees)
    return made


def frozen(pitch):
    """Names of the frozen joints of all robots."""
    names = [joint.name for robot in pitch.world.robots.values() for joint in robot.description.model.joints]
    return {(i // 22, name) for i, name in enumerate(names) if pitch.world.motors.frozen[i] > 0}


def test_both_limbs_are_frozen_and_reported_or_the_one_that_runs_through_the_torso(pitch):
    one = tangled(pitch)
    (foul,) = one.apply()
    assert (foul.kind, foul.side, foul.unum) == ("self_collision", LEFT, 3)
    expected = {"overlap_m": 0.069, "tolerance_m": 0.04, "limb_pairs": 1, "frozen_s": 1.0}
    assert foul.evidence == pytest.approx(expected, abs=0.001)
    assert foul.text == "left 3: rfoot and lfoot overlap by 6.9 cm; their joints stand still for 1 s."
    legs = {f"{side}lj{number}" for side in "rl" for number in range(1, 7)}
    assert frozen(one) == {(1, name) for name in legs}
    assert not one.match.repositioning.is_out(one.robot.handle)
    pitch = tangled(pitch, {"raj1": -70.0, "raj3": -35.0, "raj4": 45.0})
    (foul,) = pitch.apply()
    assert "torso and rlowerarm" in foul.text
    assert frozen(pitch) == {(1, f"raj{number}") for number in range(1, 5)}


def test_a_tolerance_that_changes_in_the_game_holds_and_without_report_it_is_decided_but_no_foul(pitch):
    pitch = tangled(pitch, report=False)
    settings = pitch.rule.settings
    pitch.rule.settings = replace(settings, tolerance=0.2)
    assert pitch.apply() == []
    pitch.rule.settings = settings
    (decision,) = pitch.apply()
    assert decision.kind == "self_collision" and not pitch.game.fouls and frozen(pitch)


def test_robots_of_other_kinds_play_along_and_walking_ones_and_those_without_a_team_are_not_accused(pitch):
    one = tangled(pitch)
    one.robot.side = None
    one.add(Side.RIGHT, 2, 5.0, 0.0, 0.11, robot="sphere")
    assert not one.apply()
    one.robot.side = LEFT
    one.world.revision += 1
    assert [foul.unum for foul in one.apply()] == [3]
    pitch = tangled(pitch, {})
    for step in range(100):
        swing = 20 * math.sin(step / 4)
        right, left = {"rlj3": 30 + swing, "rlj5": 30 - swing}, {"llj3": 30 - swing, "llj5": 30 + swing}
        both = {"lj2": 3, "lj4": -60, "aj1": -90}
        pitch.bend(pitch.robot, {**right, **left, **{s + joint: angle for s in "rl" for joint, angle in both.items()}})
        assert not pitch.apply()


def test_an_overruled_foul_or_a_reset_of_the_world_lets_the_joints_go(pitch):
    overruled, reset = tangled(pitch), tangled(pitch)
    (foul,) = overruled.apply()
    overruled.match.log.overrule(overruled.world, foul.number)
    assert reset.apply() and frozen(reset)
    reset.world.reset_state()
    assert not frozen(overruled) and not frozen(reset)
