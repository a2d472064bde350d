"""Robots that stand close are not solved as one; those that left are spare ones; both move as if it were otherwise."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pybullet
import pytest

from simspark_ros.physics.bullet.far_pair_filter import FarPairFilter, LinkPair
from simspark_ros.physics.bullet.settings import BulletSettings
from simspark_ros.physics.bullet.spare_robots import MOST_SPARE, SpareRobots
from simspark_ros.physics.presets import load_preset
from simspark_ros.robots.catalogue import load_robot
from test.physics.conftest import Lab

UPRIGHT = (0.0, 0.0, 0.0, 1.0)
APART = [(2.0 * number, 5.0, 0.4) for number in range(6)]


@pytest.fixture(params=["J1", "legacy"])
def engine_preset(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def left_out(monkeypatch: pytest.MonkeyPatch) -> set[LinkPair]:
    """Link pairs that Bullet leaves out at the moment."""
    pairs: set[LinkPair] = set()
    original = pybullet.setCollisionFilterPair

    def change(*arguments: int, physicsClientId: int) -> None:  # noqa: N803
        *pair, collide = arguments
        (pairs.discard if collide else pairs.add)(tuple(pair))  # type: ignore[arg-type]
        original(*arguments, physicsClientId=physicsClientId)

    def remove(body: int, physicsClientId: int) -> None:  # noqa: N803
        pairs.difference_update([pair for pair in pairs if body in pair[:2]])
        removed(body, physicsClientId=physicsClientId)

    def disconnect(physicsClientId: int) -> None:  # noqa: N803
        pairs.clear()
        disconnected(physicsClientId=physicsClientId)

    removed, disconnected = pybullet.removeBody, pybullet.disconnect
    monkeypatch.setattr(pybullet, "removeBody", remove)
    monkeypatch.setattr(pybullet, "disconnect", disconnect)
    monkeypatch.setattr(pybullet, "setCollisionFilterPair", change)
    return pairs


def crowd(lab, spacing: float = 0.3) -> list[int]:
    """Two rows of three robots, shoulder to shoulder without contact; bounding boxes of links overlap."""
    return [lab.nao(x=spacing * column, y=spacing * row, z=0.386) for row in range(2) for column in range(3)]


def jostling(lab) -> Iterator[None]:
    """All joints move at random for 30 cycles; pauses ten times."""
    control, draw = lab.hold(), np.random.default_rng(3)
    for _ in range(10):
        control.velocity[:] = draw.uniform(-2.0, 2.0, len(control.velocity))
        lab.run(3, control)
        yield


def place(lab, robots, positions) -> None:
    for robot, position in zip(robots, positions, strict=True):
        lab.engine.place_robot(robot, position, UPRIGHT)


def test_crowd_moves_as_if_solved_as_one(make_lab, left_out, monkeypatch, engine_preset):
    def thrown() -> tuple[list[np.ndarray], int]:
        """Bases and joints while a robot is thrown against its neighbours; the most pairs left out."""
        lab, path, most = make_lab(), [], 0
        robots = crowd(lab)
        lab.engine.set_velocity(robots[1], (1.5, 0.3, 0.0), (0.0, 0.0, 0.0))
        for _ in range(25):
            lab.run(1)
            path.append(np.concatenate([lab.state.position.ravel(), lab.state.joint_position]))
            most = max(most, len(left_out))
        return path, most

    parted, most = thrown()
    assert most > 5
    # There was an impact: the right neighbour was pushed on.
    assert parted[-1][6] > 0.605
    left_out.clear()
    monkeypatch.setattr(FarPairFilter, "part", lambda self: None)
    whole, none = thrown()
    assert none == 0
    # Rounding of a solver that sees rows in another order, enlarged by half a second of impacts; more by hard contacts.
    rounding = 1e-6 if engine_preset == "J1" else 5e-5
    np.testing.assert_allclose(np.array(parted)[:, :18], np.array(whole)[:, :18], rtol=0.0, atol=rounding)
    np.testing.assert_allclose(parted, whole, rtol=0.0, atol=10.0 * rounding)


def test_links_that_may_touch_are_not_left_out_of_any_step(lab, left_out, monkeypatch, engine_preset):
    step, margin = pybullet.stepSimulation, load_preset("bullet", BulletSettings, "J1").contact_margin
    counts: list[int] = []

    def checked(physicsClientId: int) -> None:  # noqa: N803
        counts.append(len(left_out))
        for one, other, link, link_other in left_out:
            near = pybullet.getClosestPoints(one, other, margin, link, link_other, physicsClientId=physicsClientId)
            assert not near
        step(physicsClientId=physicsClientId)

    crowd(lab, spacing=0.27)
    monkeypatch.setattr(pybullet, "stepSimulation", checked)
    for _ in jostling(lab):
        pass
    # With the preset of classic agents the crowd comes apart for a moment.
    assert len(counts) == 30 and np.count_nonzero(counts) > (20 if engine_preset == "legacy" else 29)


def test_a_used_body_may_touch_what_it_was_too_far_from_before(lab, left_out):
    robots = crowd(lab)
    lab.run(2)
    used = lab.core._robots[robots[0]].body
    assert any(used in pair[:2] for pair in left_out)
    lab.engine.remove_robot(robots[0])
    lab.nao(x=5.0)
    assert lab.core._robots[lab.state.handles[-1]].body == used
    lab.run(1)
    assert left_out and not any(used in pair[:2] for pair in left_out)


@pytest.mark.parametrize(("stay", "together"), [(6, 6), (6, 2), (2, 2)])
def test_ghosts_that_were_a_crowd_pass_through_each_other(lab, left_out, engine_preset, stay, together):
    """Bullet's filter of a pair goes before the groups of ghosts."""
    robots = crowd(lab, spacing=0.27)
    for _ in jostling(lab):
        pass
    assert len(left_out) > (20 if engine_preset == "legacy" else 50)
    place(lab, robots, APART)
    lab.run(1)
    for robot in robots[stay:]:
        lab.engine.remove_robot(robot)
    robots = robots[:stay]
    place(lab, robots[:together], [(0.05 * number, 0.0, 0.4) for number in range(together)])
    for _ in range(3):
        lab.run(1)
        assert lab.state.robot_contacts.tolist() == []
    # Apart again, they are robots like others. Ghosts are looked at every 25 cycles.
    place(lab, robots, APART[:stay])
    lab.run(25)
    assert not left_out
    lab.engine.place_robot(robots[0], (1.8, 5.0, 0.4), UPRIGHT)
    lab.engine.set_velocity(robots[0], (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    lab.run(5)
    assert lab.state.robot_contacts.tolist() == [[0, 1]]


def bodies(lab: Lab) -> list[int]:
    """Bullet's numbers of the robots that play."""
    return [robot.body for robot in lab.core._robots.values()]


def spare(lab: Lab) -> list[int]:
    """Bullet's numbers of the spare robots."""
    return [robot.body for robot in lab.core._spare.robots]


def flail(lab: Lab, row: int, cycles: int = 20) -> None:
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
