"""Range finders against closed form: a wall of a known distance, the ball in a cone, limits by REP-117."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.perceptors.laser_objects import LaserObjectsPerceptor, segments
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.errors import UnusableRobotError
from test.perceptors.readings import is_present, reading

NAO = load_robot("nao_sensors")
WALL = 24.49
"""x of the inner face of the wall behind the right goal, m."""
LASER = np.array([0.055, 0.0, 0.02])
"""Place of the laser in the torso, whose frame is at its centre of mass, m."""


class Carrier:
    """A Nao with one more perceptor, which floats where it is put."""

    def __init__(self, played: Any, kind: str, link: str = "laser", **parameters: Any) -> None:
        self._played, self._key = played, (kind, "own")
        robot = replace(NAO, perceptors=(*NAO.perceptors, PerceptorSpec(kind, "own", link, parameters)))
        self.robot = played.world.add_robot(robot, (0.0, 0.0, 5.0), 0.0)
        played.simulation.sensing.demand({(self.robot.handle, *self._key)})

    def put(self, position: tuple[float, float, float], rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        turned = quaternion_from_rotation(rotation_from_rpy(rpy))
        self._played.world.engine.place_robot(self.robot.handle, position, turned)

    def read(self) -> tuple[bool, Any]:
        percepts = self._played.simulation.sensing.sense(self._played.world, 0.0)
        kind, name = self._key
        return is_present(percepts, kind, -1, name), reading(percepts, kind, -1, name)


def test_a_scan_of_a_wall_is_its_distance_over_the_cosine(played):
    carrier = Carrier(played, "laser", beams=61, angle_min_deg=-75.0, angle_max_deg=75.0, range_max=8.0)
    carrier.put((20.0, 5.0, 0.4), (0.0, 0.0, 0.3))
    present, (period, *ranges) = carrier.read()
    assert present and period == pytest.approx(0.02)
    # Beams in the world turn with the robot, and so does the place of the sensor.
    angles = np.radians(np.linspace(-75.0, 75.0, 61)) + 0.3
    distance = WALL - 20.0 - LASER[0] * math.cos(0.3)
    expected = distance / np.cos(angles)
    reached = (np.abs(angles) < math.pi / 2) & (expected < 8.0)
    assert 20 < reached.sum() < 61 and np.array(ranges)[reached] == pytest.approx(expected[reached], abs=1e-6)
    assert (np.array(ranges)[~reached] == np.inf).all()


def test_what_is_too_near_is_minus_infinity(played):
    carrier = Carrier(played, "laser", beams=61, angle_min_deg=-60.0, angle_max_deg=60.0, range_min=5.0)
    carrier.put((20.0, 5.0, 0.4))
    distance = (WALL - 20.055) / np.cos(np.radians(np.linspace(-60.0, 60.0, 61)))
    _, (_, *ranges) = carrier.read()
    assert np.array(ranges) == pytest.approx(np.where(distance < 5.0, -np.inf, distance), abs=1e-6)


def test_a_cone_reads_the_nearest_point_of_the_ball_and_of_the_ground_if_that_echoes(played):
    radius = played.world.scene.ball.radius
    for ground in (False, True):
        carrier = Carrier(played, "range", field_of_view_deg=30.0, ground=ground, range_max=3.0, rings=8)
        carrier.put((0.0, 0.0, 1.0))
        sensor = LASER + np.array([0.0, 0.0, 1.0])
        played.world.engine.place_ball(tuple((sensor + np.array([0.7, 0.0, 0.0])).tolist()))
        # The axis meets the ball's nearest point.
        assert carrier.read()[1] == pytest.approx([0.7 - radius])
        away = 20.0 * np.array([math.cos(math.radians(10.0)), math.sin(math.radians(10.0)), 0.0])
        played.world.engine.place_ball(tuple((sensor + away).tolist()))
        # The lowest ray meets the ground: 15 degrees below the axis that is 3.9 m away, tilted by 20 more 1.8 m.
        assert carrier.read()[1] == [math.inf]
        carrier.put((0.0, 0.0, 1.0), (0.0, math.radians(20.0), 0.0))
        turned = rotation_from_rpy((0.0, math.radians(20.0), 0.0)) @ LASER + np.array([0.0, 0.0, 1.0])
        expected = turned[2] / math.sin(math.radians(35.0)) if ground else math.inf
        assert carrier.read()[1] == pytest.approx([expected])
        played.world.remove_robot(carrier.robot)


def test_robots_do_not_hit_themselves_and_hit_others(played):
    sphere = load_robot("sphere")
    other = played.world.add_robot(sphere, (0.0, 2.0, 5.0), 0.0)
    carrier = Carrier(played, "laser", beams=3, angle_min_deg=-90.0, angle_max_deg=90.0)
    carrier.put((0.0, 0.0, 0.5))
    played.world.engine.place_robot(other.handle, (LASER[0], 2.0, 0.5 + LASER[2]), (0.0, 0.0, 0.0, 1.0))
    radius = sphere.model.links[0].collisions[0].size[0]
    assert carrier.read()[1][1:] == pytest.approx([math.inf, math.inf, 2.0 - radius])


def test_nothing_is_cast_without_demand_and_robots_take_turns(played, monkeypatch):
    cast: list[int] = []
    engine = played.world.engine
    real = engine.cast_rays

    def cast_rays(origins, *rest):
        cast.append(len(origins))
        return real(origins, *rest)

    monkeypatch.setattr(engine, "cast_rays", cast_rays)
    carriers = [Carrier(played, "laser", interval=3, beams=10) for _ in range(2)]
    played.simulation.sensing.demand(())
    played.run(6)
    assert cast == []
    played.simulation.sensing.demand({(one.robot.handle, "laser", "own") for one in carriers})
    played.run(6)
    assert cast == [10] * 4
    always = Carrier(played, "laser", beams=7, always=True)
    played.simulation.sensing.demand(())
    assert always.read()[0] and cast[4:] == [7]


def test_noise_has_its_deviation_and_depends_on_nothing_that_others_measure(play):
    def scans(others: bool) -> Any:
        played = play(seed=5)
        carrier = Carrier(played, "laser", beams=1000, noise=0.05, angle_min_deg=-1.0, angle_max_deg=1.0)
        carrier.put((20.0, 5.0, 0.4))
        keys = {(carrier.robot.handle, "laser", "own")}
        played.simulation.sensing.demand(keys | {(carrier.robot.handle, "laser", "laser")} if others else keys)
        return carrier.read()[1][1:]

    alone = scans(others=False)
    assert alone.tolist() == scans(others=True).tolist()
    assert alone.mean() == pytest.approx(WALL - 20.055, abs=0.01)
    assert alone.std() == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize(
    ("kind", "parameters", "words"),
    [
        ("laser", {"range_min": 3.0, "range_max": 2.0}, r"range_min \(3\) must be less than range_max \(2\)"),
        ("laser", {"beams": 100_000}, "beams"),
        ("laser", {"angle_min_deg": 10.0, "angle_max_deg": 10.0}, "angle_max_deg must be above"),
        ("range", {"rings": -1}, "rings"),
        ("range", {"radiation": "sound"}, "radiation"),
        ("magnetometer", {"field": [1.0, 2.0]}, "field"),
    ],
)
def test_what_cannot_work_is_refused_with_its_key(played, kind, parameters, words):
    with pytest.raises((UnusableRobotError, ConfigurationError), match=words):
        Carrier(played, kind, **parameters)
    lasers = [PerceptorSpec("laser", f"laser{number}", "laser", {"beams": 4096}) for number in range(4)]
    with pytest.raises(UnusableRobotError, match=r"casts \d+ rays in a cycle; at most 16384"):
        played.world.add_robot(replace(NAO, perceptors=(*NAO.perceptors, *lasers)), (0.0, 0.0, 1.0), 0.0)


def test_the_classic_message_stays_as_it_is(play):
    def messages(name: str) -> list[bytes]:
        played, encoder = play(seed=3), AgentEncoder(load_profile("measured"))
        played.world.add_robot(load_robot(name), (0.0, 0.0, 0.4), 0.0, client="a")
        return [encoder.encode(played.run(1))["a"] for _ in range(5)]

    assert messages("nao_sensors") == messages("nao")


def test_the_magnetometer_turns_with_its_robot(played):
    carrier = Carrier(played, "magnetometer", "torso", field=[0.0, 2e-5, -4e-5])
    carrier.put((0.0, 0.0, 1.0), (0.0, 0.0, math.pi / 2))
    assert carrier.read()[1] == pytest.approx([2e-5, 0.0, -4e-5], abs=1e-12)


def test_noise_grows_with_the_distance_values_have_a_resolution_and_some_echoes_are_lost(played):
    carrier = Carrier(played, "laser", beams=400, angle_min_deg=-1.0, angle_max_deg=1.0, noise=0.01, noise_per_m=0.02)
    carrier.put((WALL - 5.055, 5.0, 0.4))
    # 400 draws: the deviation is known to 4 %; beams a degree aside are 0.8 mm longer.
    assert np.std(carrier.read()[1][1:]) == pytest.approx(0.01 + 0.02 * 5.0, rel=0.15)
    carrier = Carrier(played, "laser", beams=1000, angle_min_deg=-60.0, angle_max_deg=60.0, resolution=0.1, missed=0.2)
    carrier.put((WALL - 2.0, 5.0, 0.4))
    ranges = carrier.read()[1][1:]
    reached = np.isfinite(ranges)
    assert ranges[reached] / 0.1 == pytest.approx(np.rint(ranges[reached] / 0.1), abs=1e-9)
    # 1000 draws: the share is known to 0.013.
    assert 1.0 - reached.mean() == pytest.approx(0.2, abs=0.05)


ROBOT, OTHER = load_robot("differential_sensors"), load_robot("omni")


def test_neighbouring_beams_at_about_the_same_distance_are_one_thing():
    angles = np.radians(np.arange(-5.0, 6.0))
    distance = np.array([np.inf, 2.0, 2.05, np.inf, 1.0, 1.0, 3.0, 3.1, np.inf, np.inf, 4.0])
    found = segments(distance, angles, 0.3)
    assert found[:, 0].tolist() == [2.0, 1.0, 3.0, 4.0]
    assert np.degrees(found[:, 1]) == pytest.approx([-3.5, -0.5, 1.5, 5.0])
    assert found[1, 2] == pytest.approx(2.0 * math.sin(math.radians(0.5)))
    assert len(segments(np.full(11, np.inf), angles, 0.3)) == 0


def test_robots_are_told_by_distance_and_bearing_and_the_pose_is_the_base_frames(play):
    played = play(engine="planar", world="msl", referee=False)
    exact = LaserObjectsPerceptor.exact(PerceptorSpec("laser_objects", "own", "laser", {"beams": 361}))
    robot = replace(ROBOT, perceptors=(*ROBOT.perceptors, exact))
    watcher = played.world.add_robot(robot, (-0.03, 0.0, robot.spawn_height), 0.0)
    played.world.add_robot(OTHER, (2.1, 0.0, OTHER.spawn_height), 0.0)
    played.world.add_robot(OTHER, (1.6, 1.5, OTHER.spawn_height), 0.0)
    played.simulation.sensing.demand({(watcher.handle, "laser_objects", "own")})
    values = reading(played.simulation.sensing.sense(played.world, 0.0), "laser_objects", name="own")
    assert values[:3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)
    distances, bearings, widths = values[3:].reshape(3, -1)
    # Robots of 0.5 m, 2 m ahead of the scanner and 2.1 m away to the left, by the nearest point of each.
    assert distances[:2] == pytest.approx([2.0 - 0.25, math.hypot(1.5, 1.5) - 0.25], abs=0.05)
    assert np.degrees(bearings[:2]) == pytest.approx([0.0, 45.0], abs=1.5)
    assert widths[:2] == pytest.approx([0.45, 0.45], abs=0.1) and np.isnan(distances[2:]).all()
