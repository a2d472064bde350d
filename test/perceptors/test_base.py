from dataclasses import replace

import pytest

from simspark_ros.robots.catalogue import load_robot


def readings(percepts, row, kind):
    return [
        (percepts.values[slot.start : slot.start + len(slot.columns)].tolist())
        for slot in percepts.layout.robots[row].slots
        if slot.kind == kind
    ]


def check_motion_and_joints(played, percepts, rows):
    """Robots of these rows report their own angular velocity and joints, all others nothing."""
    state = played.world.engine.state
    for row, robot in enumerate(played.world.robots.values()):
        if row not in rows:
            assert percepts.layout.robots[row].slots == ()
            continue
        (turning,) = readings(percepts, row, "gyroscope")
        # The same product in another order of additions.
        assert turning == pytest.approx(state.rotation[row].T @ state.angular_velocity[row], abs=1e-12)
        first = int(state.joint_offset[row])
        own = state.joint_position[first : first + len(robot.description.model.joints)].tolist()
        angles = [angle for (angle,) in readings(percepts, row, "hinge_joint")]
        assert sorted(angles) == sorted(own)
        assert len(readings(percepts, row, "force_resistance")) == 2


def test_readings_stay_with_their_robot_when_robots_without_perceptors_come_and_go(play):
    played = play(referee=False)
    nao = load_robot("nao")
    numb = replace(nao, perceptors=())
    world = played.world
    first = world.add_robot(nao, (-6.0, 0.0, 0.385), 0.3)
    check_motion_and_joints(played, played.run(3), {0})
    world.add_robot(numb, (-3.0, 0.0, 0.385), 1.0)
    check_motion_and_joints(played, played.run(3), {0})
    world.add_robot(nao, (3.0, 0.0, 0.385), 2.0)
    percepts = played.run(3)
    check_motion_and_joints(played, percepts, {0, 2})
    assert readings(percepts, 0, "gyroscope") != readings(percepts, 2, "gyroscope")
    world.remove_robot(first)
    check_motion_and_joints(played, played.run(3), {1})
