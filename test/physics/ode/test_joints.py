"""Angles, velocities and efforts of joints on ODE, however and whenever they are read."""

import math

import pytest


def test_joints_thrown_around_read_no_turn_that_their_range_does_not_have(lab):
    robot = lab.nao(z=5.0)
    library, body = lab.core._library, lab.core._robots[robot].bodies[1]
    control = lab.hold()
    control.effort_limit[:] = 0.0
    # 6 rad a step tear joints, whose motors are off, through their stops.
    library.dBodySetAngularVel(body, 0.0, 0.0, 300.0)
    lab.run(25, control)
    middle = (lab.state.joint_lower + lab.state.joint_upper) / 2.0
    assert abs(lab.state.joint_position - middle).max() < math.pi


@pytest.mark.parametrize("still", [False, True])
def test_velocities_and_efforts_are_the_same_whenever_they_are_asked_for(make_lab, still):
    def last(ask: bool) -> tuple[list[float], list[float]]:
        lab = make_lab()
        robot = lab.nao()
        lab.nao(x=2.0)
        for cycle in range(160):
            lab.turn("hj1", 0.0 if still else math.sin(0.3 * cycle), 1)
            if ask:
                assert lab.state.joint_velocity is lab.state.joint_velocity
                assert len(lab.state.joint_effort) == 44
        # Robots that hold still sleep by now: ODE computes nothing for them.
        assert lab.core._robots[robot].is_awake() is not still
        lab.engine.place_ball((3.0, 3.0, 1.0))
        return lab.state.joint_velocity.tolist(), lab.state.joint_effort.tolist()

    velocity, effort = last(ask=False)
    assert (velocity, effort) == last(ask=True)
    assert any(effort)
    assert any(velocity) is not still
