from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
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


def test_both_limbs_are_frozen_and_it_is_reported(pitch):
    pitch = tangled(pitch)
    (foul,) = pitch.apply()
    assert (foul.kind, foul.side, foul.unum) == ("self_collision", LEFT, 3)
    expected = {"overlap_m": 0.069, "tolerance_m": 0.04, "limb_pairs": 1, "frozen_s": 1.0}
    assert foul.evidence == pytest.approx(expected, abs=0.001)
    assert foul.text == "left 3 has rfoot and lfoot 6.9 cm in each other: their joints stand still for 1 s."
    legs = {f"{side}lj{number}" for side in "rl" for number in range(1, 7)}
    assert frozen(pitch) == {(1, name) for name in legs}
    assert not pitch.match.repositioning.is_out(pitch.robot.handle)


def test_commands_to_frozen_joints_act_as_speed_zero_for_a_second(pitch):
    pitch = tangled(pitch)
    pitch.apply()
    motors, state = pitch.world.motors, pitch.world.engine.state
    joint = 22 + [j.name for j in pitch.robot.description.model.joints].index("rlj3")
    for _ in range(50):
        motors.set_velocities(np.array([joint, 22]), np.array([1.0, 1.0]), state)
        velocity = motors.control(state, 0.02).velocity
        assert velocity[joint] == 0 and velocity[22] == 1
    motors.set_velocities(np.array([joint]), np.array([1.0]), state)
    assert motors.control(state, 0.02).velocity[joint] == 1


def test_a_player_who_takes_the_limbs_apart_is_not_accused_again(pitch):
    pitch = tangled(pitch)
    pitch.apply()
    pitch.bend(pitch.robot, {})
    assert not pitch.apply(3.5)


def test_only_the_limb_is_frozen_that_runs_through_the_torso(pitch):
    pitch = tangled(pitch, {"raj1": -70.0, "raj3": -35.0, "raj4": 45.0})
    (foul,) = pitch.apply()
    assert "torso and rlowerarm" in foul.text
    assert frozen(pitch) == {(1, f"raj{number}") for number in range(1, 5)}


def test_without_report_it_is_decided_but_no_foul(pitch):
    pitch = tangled(pitch, report=False)
    (decision,) = pitch.apply()
    assert decision.kind == "self_collision" and not pitch.game.fouls and frozen(pitch)


def test_a_tolerance_that_changes_in_the_game_holds(pitch):
    pitch = tangled(pitch)
    pitch.rule.settings = replace(pitch.rule.settings, tolerance=0.2)
    assert pitch.apply() == []


def test_robots_without_a_team_are_left_alone(pitch):
    pitch = tangled(pitch)
    pitch.robot.side = None
    pitch.world.revision += 1
    assert not pitch.apply()


def test_robots_of_other_kinds_play_along(pitch):
    pitch = tangled(pitch)
    pitch.add(Side.RIGHT, 2, 5.0, 0.0, 0.11, robot="sphere")
    assert [foul.unum for foul in pitch.apply()] == [3]


def test_an_overruled_foul_lets_the_joints_go(pitch):
    pitch = tangled(pitch)
    (foul,) = pitch.apply()
    pitch.match.log.overrule(pitch.world, foul.number)
    assert not frozen(pitch)


def test_a_reset_of_the_world_thaws_all_joints(pitch):
    pitch = tangled(pitch)
    pitch.apply()
    pitch.world.reset_state()
    assert not frozen(pitch)


def test_a_walking_robot_is_looked_at_but_not_accused(pitch):
    pitch = tangled(pitch, {})
    for step in range(100):
        swing = 20 * math.sin(step / 4)
        legs = {
            "rlj3": 30 + swing,
            "rlj4": -60,
            "rlj5": 30 - swing,
            "llj3": 30 - swing,
            "llj4": -60,
            "llj5": 30 + swing,
        }
        pitch.bend(pitch.robot, {**legs, "rlj2": 3, "llj2": 3, "raj1": -90, "laj1": -90})
        assert not pitch.apply()
