from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.exchange import Action
from simspark_ros.perceptors.base import Mount
from simspark_ros.perceptors.vision import _MOST_TURNS, RestrictedVisionPerceptor
from simspark_ros.robots.catalogue import load_robot

NO_NOISE = {
    "calibration_error": 0.0,
    "distance_noise": 0.0,
    "horizontal_noise_deg": 0.0,
    "vertical_noise_deg": 0.0,
}


def nao(**vision):
    """A type 0 robot whose vision has other parameters."""
    robot = load_robot("nao")
    perceptors = tuple(
        replace(p, parameters={**p.parameters, **vision}) if p.kind == "restricted_vision" else p
        for p in robot.perceptors
    )
    return replace(robot, perceptors=perceptors)


def look(play, x=0.0, y=0.0, yaw=0.0, **vision):
    """Percepts of one robot just placed in the air, where nothing has moved its head yet."""
    played = play()
    robot = played.world.add_robot(nao(**vision), (x, y, 0.385), yaw)
    return played, robot, played.run(1)


def seen(percepts, row=0):
    sight = percepts.sight
    observer = sight.observers.tolist().index(row)
    start, end = sight.object_offset[observer : observer + 2]
    labels = [percepts.layout.targets[t][0] for t in sight.object_target[start:end]]
    return dict(zip(labels, sight.object_polar[start:end], strict=True))


def test_without_noise_landmarks_are_where_they_are(play):
    played, robot, percepts = look(play, -3.0, 2.0, 0.3, **NO_NOISE)
    selection = played.world.engine.select_links([(robot.handle, "head")])
    (head,), (rotation,) = played.world.engine.link_poses(selection)
    for label, polar in seen(percepts).items():
        if label not in played.world.settings.field.landmarks():
            continue
        x, y, z = rotation.T @ (np.array(played.world.settings.field.landmarks()[label]) - head)
        expected = (math.hypot(x, y, z), math.atan2(y, x), math.asin(z / math.hypot(x, y, z)))
        assert polar == pytest.approx(expected, abs=1e-12)


def test_what_is_behind_or_beside_is_not_seen(play):
    _, _, percepts = look(play, 0.0, 5.0, 0.0, **NO_NOISE)
    labels = set(seen(percepts))
    assert {"G1R", "G2R", "F1R", "F2R"} <= labels
    assert not labels & {"G1L", "G2L", "F1L", "F2L"}


def test_the_first_recorded_message_is_reproduced(play):
    """First See of the recorded session: a robot at (0, -1, 1.5) facing +y, after one cycle of free fall.

    Tolerance: four standard deviations of the noise and the calibration error of 5 mm seen at 1.89 m (0.15 degrees).
    """
    recorded = {
        "F1L": (18.68, 53.87, -5.02),
        "F1R": (18.68, -54.03, -4.98),
        "B": (1.89, 0.20, -58.05),
    }
    played = play()
    percepts = played.act(Action("a", "create", ("nao", 0)))
    objects = seen(percepts)
    assert set(objects) == set(recorded)
    for label, (distance, azimuth, elevation) in recorded.items():
        assert objects[label][0] == pytest.approx(distance, abs=2 * 0.01 + 4 * 0.000965 * distance)
        assert math.degrees(objects[label][1]) == pytest.approx(azimuth, abs=2 * (4 * 0.148 + 0.15))
        assert math.degrees(objects[label][2]) == pytest.approx(elevation, abs=2 * (4 * 0.1225 + 0.15))
    assert percepts.sight is not None
    assert len(percepts.sight.line_polar) == 9


def test_lines_are_clipped_at_the_border_of_the_view(play):
    _, _, percepts = look(play, 0.0, -1.0, math.pi / 2, **NO_NOISE)
    assert percepts.sight is not None
    ends = percepts.sight.line_polar.reshape(-1, 3)
    angle = np.degrees(np.abs(ends[:, 1]))
    assert angle.max() <= 60.0 + 1e-9
    assert np.isclose(angle, 60.0, atol=1e-9).any()


def test_a_robot_looks_in_its_first_cycle_and_every_third_after(play):
    played = play()
    due: list[bool] = []
    for _ in range(7):
        if len(due) == 0:
            played.world.add_robot(nao(), (0, 0, 0.385), 0.0)
        percepts = played.run(1)
        due.append(percepts.sight is not None)
    assert due == [True, False, False, True, False, False, True]


def test_robots_that_join_later_keep_their_own_rhythm(play):
    played = play()
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
    specs = [robot.description.perceptors for robot in world.robots.values()]
    cameras = [next(spec for spec in each if spec.kind == "restricted_vision") for each in specs]
    robots = enumerate(zip(world.robots.values(), cameras, strict=True))
    perceptor.bind([Mount(robot, row, spec, 0, row) for row, (robot, spec) in robots], world)
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


def test_own_arms_are_seen_but_not_the_own_head_and_nobody_without_a_team(play):
    played = play()
    played.join()
    for _ in range(3):
        percepts = played.run(1)
        if percepts.sight is not None:
            break
    assert {"rlowerarm", "llowerarm"} <= set(seen(percepts))
    assert "head" not in seen(percepts)
    other = play()
    other.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    assert not {"rlowerarm", "llowerarm"} & set(seen(other.run(1)))


def test_calibration_error_is_fixed_and_bounded(play):
    quiet = {**NO_NOISE, "calibration_error": 0.005, "interval": 1}
    played, robot, percepts = look(play, 0.0, 0.0, 0.0, **quiet)
    selection = played.world.engine.select_links([(robot.handle, "head")])
    offsets = []
    for _ in range(3):
        (head,), (rotation,) = played.world.engine.link_poses(selection)
        d, a, e = seen(percepts)["G1R"]
        point = np.array([d * math.cos(e) * math.cos(a), d * math.cos(e) * math.sin(a), d * math.sin(e)])
        true = rotation.T @ (np.array(played.world.settings.field.landmarks()["G1R"]) - head)
        offsets.append(point - true)
        percepts = played.run(1)
    assert np.abs(offsets).max() <= 0.005
    assert np.abs(offsets).max() > 0
    assert np.ptp(offsets, axis=0).max() < 1e-9


def test_noise_has_the_measured_deviations(play):
    """400 samples: the standard error of a deviation is 3.5 %, so four of them are 14 %."""
    played, _, _ = look(play, 0.0, 0.0, 0.0, calibration_error=0.0, interval=1)
    played.run(40)
    samples = []
    for _ in range(400):
        samples.append(seen(played.run(1))["F1R"])
    distance, azimuth, elevation = np.array(samples).T
    assert distance.std() / distance.mean() == pytest.approx(0.000965, rel=0.14)
    assert np.degrees(azimuth).std() == pytest.approx(0.1480, rel=0.14)
    assert np.degrees(elevation).std() == pytest.approx(0.1225, rel=0.14)


def test_bad_parameters_are_refused_by_name(play):
    from simspark_ros.configuration.schema import ConfigurationError

    with pytest.raises(ConfigurationError, match=r"restricted_vision.*interval must be at least 1"):
        look(play, interval=0)
    with pytest.raises(ConfigurationError, match="unknown key 'intervall'"):
        look(play, intervall=3)
