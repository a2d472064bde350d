"""Robots that left stay in Bullet's world as spare ones, and move like new ones when they are used again."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pybullet
import pytest

from simspark_ros.physics.bullet.spare_robots import MOST_SPARE, SpareRobots
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture(params=["J1", "legacy"])
def engine_preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def bodies(lab: Lab) -> list[int]:
    """Bullet's numbers of the robots that play."""
    return [robot.body for robot in lab.core._robots.values()]


def spare(lab: Lab) -> list[int]:
    """Bullet's numbers of the spare robots."""
    return [robot.body for robot in lab.core._spare.robots]


def flail(lab: Lab, row: int, cycles: int = 20) -> None:
    """Move all joints of a robot to and fro, at different speeds."""
    own = lab.state.joints_of(row)
    for cycle in range(cycles):
        control = lab.hold()
        control.velocity[own] = np.linspace(-3.0, 3.0, own.stop - own.start) * np.sin(0.5 * cycle)
        lab.engine.step(control)


def falls(lab: Lab, leaver: int) -> None:
    """It lies on the ground and moves, half a metre from the place where another robot will stand."""
    lab.engine.place_robot(leaver, (0.5, 1.0, 0.1), (0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)))
    flail(lab, 1)


def is_a_ghost(lab: Lab, leaver: int) -> None:
    lab.engine.place_robot(leaver, (0.02, 0.0, 0.4), UPRIGHT)
    flail(lab, 1, 10)
    assert lab.core._robots[leaver].ghost


def flies(lab: Lab, leaver: int) -> None:
    lab.engine.set_velocity(leaver, (3.0, 0.0, 2.0), (1.0, 5.0, 2.0))
    lab.run(5)


@pytest.mark.parametrize("leave", [falls, is_a_ghost, flies])
def test_a_robot_in_a_used_body_moves_like_one_in_a_new_body(make_lab, monkeypatch, engine_preset, leave):
    def path() -> tuple[np.ndarray, int, bool]:
        """All that is read of two robots, the step in which they meet, and whether the second has a used body."""
        lab = make_lab()
        lab.nao(z=0.386)
        leaver = lab.nao(x=3.0, z=0.386)
        lab.run(3)
        leave(lab, leaver)
        lab.engine.remove_robot(leaver)
        lab.run(7)
        kept = spare(lab)
        lab.nao(x=-0.6, z=0.386, yaw=0.1)
        lab.engine.set_velocity(lab.state.handles[1], (2.0, 0.0, 0.5), (0.0, 1.0, 0.0))
        rows, met = [], []
        for cycle in range(50):
            control = lab.hold()
            for side, sign in (("l", 1.0), ("r", -1.0)):
                control.velocity[lab.joint(f"{side}lj3", 1)] = sign * 2.0 * np.sin(0.6 * cycle)
                control.effort[lab.joint(f"{side}lj5", 1)] = sign * 0.5
            lab.engine.step(control)
            state = lab.state
            parts = (state.position, state.rotation, state.linear_velocity, state.angular_velocity)
            joints = (state.joint_position, state.joint_velocity)
            rows.append(np.concatenate([part.ravel() for part in (*parts, *joints)]))
            met.append(len(state.robot_contacts) > 0)
        return np.array(rows), met.index(True), kept == bodies(lab)[1:]

    used, met, reused = path()
    assert reused and met > 5
    monkeypatch.setattr(SpareRobots, "take", lambda *_: None)
    new, met_new, reused = path()
    assert not reused and met == met_new
    np.testing.assert_allclose(used[:met], new[:met], rtol=0.0, atol=1e-9)
    # Impacts enlarge the rounding of a solver that sees bodies in another order. With hard contacts 1e-13 m before one
    # are 0.03 m half a second later, in new bodies as well.
    np.testing.assert_allclose(used[:, :6], new[:, :6], rtol=0.0, atol=1e-6 if engine_preset == "J1" else 0.1)


def test_spare_robots_meet_nothing_and_stay_where_they_are(lab):
    handles = [lab.nao(x=0.3 * number, z=0.386) for number in range(6)]
    flail(lab, 2)
    for handle in handles[:5]:
        lab.engine.remove_robot(handle)

    def places() -> list[tuple[float, ...]]:
        client = lab.core._client
        return [pybullet.getBasePositionAndOrientation(body, physicsClientId=client)[0] for body in spare(lab)]

    before = places()
    lab.run(200)
    np.testing.assert_allclose(places(), before, rtol=0.0, atol=1e-9)
    assert len({place[2] for place in before}) == 5 and min(place[2] for place in before) > 100.0
    contacts = pybullet.getContactPoints(physicsClientId=lab.core._client)
    assert not {body for contact in contacts for body in contact[1:3]} & set(spare(lab))


def test_only_a_robot_of_an_equal_model_takes_the_place_of_one_that_left(lab):
    first, second = lab.nao(0), lab.nao(3, x=2.0)
    lab.run(1)
    left = bodies(lab)
    lab.engine.remove_robot(first)
    lab.engine.remove_robot(second)
    model = load_robot("nao", 3).model
    lab.engine.add_robot(replace(model, linear_drag=2.0 * model.linear_drag + 1.0), (0.0, 0.0, 0.4))
    assert bodies(lab)[0] not in left
    lab.engine.add_robot(replace(model), (2.0, 0.0, 0.4))
    assert bodies(lab)[1] == left[1] and spare(lab) == left[:1]


def bad_numbers(lab: Lab, handle: int) -> None:
    pybullet.resetBasePositionAndOrientation(
        lab.core._robots[handle].body, (0.0, 0.0, 1e5), UPRIGHT, physicsClientId=lab.core._client
    )
    lab.run(1)
    assert lab.engine.recovered == [handle]


@pytest.mark.parametrize("happens", [bad_numbers, lambda *_: None])
def test_a_robot_that_was_put_back_or_is_of_an_untried_model_is_removed(lab, happens: Callable[[Lab, int], None]):
    handle = lab.nao()
    happens(lab, handle)
    count = pybullet.getNumBodies(physicsClientId=lab.core._client)
    lab.engine.remove_robot(handle)
    assert spare(lab) == []
    assert pybullet.getNumBodies(physicsClientId=lab.core._client) == count - 1


def test_a_robot_that_leaves_before_a_step_is_kept_if_one_of_its_model_was_sound(lab):
    """Players that join and are gone in the same cycle, or beam and leave, would cost memory for ever."""
    stays = lab.nao()
    lab.run(1)
    for number in range(3):
        lab.engine.remove_robot(lab.nao(x=2.0 + number))
    lab.run(1)
    lab.engine.place_robot(stays, (0.0, 0.0, 3.0), UPRIGHT)
    lab.engine.remove_robot(stays)
    assert lab.core._spare.removed == 0
    lab.nao()
    lab.run(20)
    assert lab.engine.recovered == [] and len(spare(lab)) == 1


def test_the_oldest_of_too_many_spare_robots_is_removed_and_counts_as_waste(lab):
    handles = [lab.nao(x=1.0 * number) for number in range(MOST_SPARE + 1)]
    lab.run(1)
    left = bodies(lab)
    for handle in handles:
        lab.engine.remove_robot(handle)
    assert spare(lab) == left[1:]
    assert lab.core._spare.removed == 1


def test_spare_robots_stay_behind_in_a_world_that_is_replaced(lab, monkeypatch):
    stays, leaves = lab.nao(), lab.nao(x=2.0)
    lab.run(1)
    lab.engine.remove_robot(leaves)
    lab.core._renew_world()
    assert spare(lab) == []
    lab.nao(x=2.0)
    lab.run(30)
    assert lab.state.handles[0] == stays and lab.engine.recovered == []
    assert lab.state.touching.all()


def test_joins_and_leaves_in_number_remove_no_body(make_lab):
    """Or the world would have to be replaced, and that costs memory."""

    def run() -> list[float]:
        lab, draw = make_lab(), np.random.default_rng(2)
        playing = [lab.nao(number % 2, x=0.3 * number, z=0.386) for number in range(3)]
        for cycle in range(30):
            lab.run(1)
            lab.engine.remove_robot(playing.pop(draw.integers(2)))
            playing.append(lab.nao(cycle % 2, x=0.3 * float(draw.integers(3)), z=0.386))
        lab.run(5)
        assert lab.core._spare.removed + lab.core._rows.grip.removed == 0
        result: list[float] = lab.state.position.ravel().tolist() + lab.state.joint_position.tolist()
        return result

    assert run() == run()
