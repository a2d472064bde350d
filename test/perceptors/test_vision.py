import math

import numpy as np
import pytest

from simspark_ros.exchange import Action
from simspark_ros.perceptors.vision import _MOST_TURNS, RestrictedVisionPerceptor
from test.rigs.robots.vision import QUIET, cameras, nao, seen


def look(play, x=0.0, y=0.0, yaw=0.0, **vision):
    """Percepts of one robot just placed in the air, where nothing has moved its head yet."""
    played = play()
    robot = played.world.add_robot(nao(**vision), (x, y, 0.385), yaw)
    return played, robot, played.run(1)


def test_without_noise_landmarks_are_where_they_are(play):
    played, robot, percepts = look(play, -3.0, 2.0, 0.3, **QUIET)
    selection = played.world.engine.select_links([(robot.handle, "head")])
    (head,), (rotation,) = played.world.engine.link_poses(selection)
    landmarks = played.world.settings.field.landmarks()
    found = {label: polar for label, polar in seen(percepts).items() if label in landmarks}
    assert found
    for label, polar in found.items():
        x, y, z = rotation.T @ (np.array(landmarks[label]) - head)
        expected = (math.hypot(x, y, z), math.atan2(y, x), math.asin(z / math.hypot(x, y, z)))
        assert polar == pytest.approx(expected, abs=1e-12)


def test_the_first_recorded_message_is_reproduced(played):
    """First See of the recorded session: a robot at (0, -1, 1.5) facing +y, after one cycle of free fall.

    Tolerance: four standard deviations of the noise and the calibration error of 5 mm seen at 1.89 m (0.15 degrees).
    """
    recorded = {"F1L": (18.68, 53.87, -5.02), "F1R": (18.68, -54.03, -4.98), "B": (1.89, 0.20, -58.05)}
    percepts = played.act(Action("a", "create", ("nao", 0)))
    objects = seen(percepts)
    assert set(objects) == set(recorded)
    for label, (distance, azimuth, elevation) in recorded.items():
        assert objects[label][0] == pytest.approx(distance, abs=2 * 0.01 + 4 * 0.000965 * distance)
        assert math.degrees(objects[label][1]) == pytest.approx(azimuth, abs=2 * (4 * 0.148 + 0.15))
        assert math.degrees(objects[label][2]) == pytest.approx(elevation, abs=2 * (4 * 0.1225 + 0.15))
    assert len(percepts.sight.line_polar) == 9


def test_a_robot_looks_in_its_first_cycle_and_every_third_after(played):
    played.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    due = [played.run(1).sight is not None for _ in range(7)]
    assert due == [True, False, False, True, False, False, True]


def test_robots_that_join_later_keep_their_own_rhythm(played):
    played.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    played.run(1)
    played.world.add_robot(nao(), (2, 0, 0.385), 0.0)
    looking = []
    for _ in range(3):
        sight = played.run(1).sight
        looking.append([] if sight is None else sight.observers.tolist())
    assert looking == [[1], [], [0]]


def test_more_sets_of_robots_than_are_kept_look_when_it_is_their_turn(play):
    world = play().world
    intervals = (2, 3, 4, 5, 7, 9, 11, 13)
    for row, interval in enumerate(intervals):
        world.add_robot(nao(interval=interval), (2.0 * row, 0.0, 0.385), 0.0)
    perceptor = RestrictedVisionPerceptor(np.random.default_rng(1))
    perceptor.bind(cameras(world), world)
    together = set()
    for world.cycle in range(600):
        due = [row for row, interval in enumerate(intervals) if world.cycle % interval == 0]
        together.add(tuple(due))
        present = np.ones(len(intervals), np.bool_)
        perceptor.sense(world, np.zeros(0), present)
        assert present.nonzero()[0].tolist() == due
        assert ([] if perceptor.sight is None else perceptor.sight.observers.tolist()) == due
        assert len(perceptor._turns) <= _MOST_TURNS
    assert len(together) > _MOST_TURNS


def test_own_arms_are_seen_but_neither_the_own_head_nor_robots_without_a_team(play):
    played = play()
    played.join()
    percepts = next(each for each in [played.run(1) for _ in range(3)] if each.sight is not None)
    assert {("rlowerarm", 0), ("llowerarm", 0)} <= set(seen(percepts))
    assert ("head", 0) not in seen(percepts)
    other = play()
    other.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    assert not {("rlowerarm", 0), ("llowerarm", 0)} & set(seen(other.run(1)))
