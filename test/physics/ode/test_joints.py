"""Angles, velocities and efforts of joints on ODE, however and whenever they are read."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from simspark_conformance.models import arm


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


@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.4, -0.3, 1.2)])
@pytest.mark.parametrize(("lower", "upper"), [(-0.1, 3.8), (-3.8, 0.1), (-math.pi - 0.001, 0.0)])
def test_a_hinge_turns_beyond_half_a_turn_and_no_farther_than_its_stops(lab, lower, upper, turned):
    # So high that it falls all the time.
    model = arm(lower=lower, upper=upper, rpy=turned, max_velocity=3.0, max_effort=20.0)
    lab.engine.add_robot(model, (0.0, 0.0, 80.0), 0.0)
    for speed, stop in ((3.0, upper), (-3.0, lower)):
        angles = [math.degrees(lab.state.joint_position[0]), *lab.turn("elbow", speed, 80)]
        # 0.06 rad a cycle, which is how far it goes past its stop, too, before it bounces off.
        assert angles[-1] == pytest.approx(math.degrees(stop), abs=7.0)
        assert max(abs(after - before) for before, after in pairwise(angles)) < math.degrees(0.07)


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


def test_velocities_and_efforts_are_the_caller_s_to_change(lab):
    lab.nao()
    lab.run(5)
    before = lab.state.joint_effort.copy()
    lab.state.joint_effort[:] = lab.state.joint_velocity[:] = 7.0
    lab.engine.place_ball((3.0, 3.0, 1.0))
    assert lab.state.joint_effort.tolist() == before.tolist()
    assert abs(lab.state.joint_velocity).max() < 1.0
