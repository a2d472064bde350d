"""Cameras on pan-tilt units look where they are told to."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.simulation.robot_checks import check_effectors
from simspark_ros.worlds.errors import CommandRejectedError


class Watcher:
    """A robot with a camera on a pan-tilt unit, and an obstacle of a robot if wanted."""

    def __init__(self, played) -> None:
        self.played, self.world = played, played.world
        self.robot = self.add("differential_sensors", "watcher", 0.0, 0.0)

    def add(self, kind: str, name: str, x: float, y: float):
        pose = SpawnPose((x, y, 0.0), (0.0, 0.0, 0.0, 1.0))
        return spawn(self.world, load_robot(kind), self.played.simulation.scheduler.settings, name, pose=pose)

    def do(self, kind: str, *arguments) -> None:
        known_effectors()[kind].act(self.world, self.robot, arguments)

    def off(self, point) -> float:
        """Angle between the camera's axis and a point, degrees."""
        engine = self.world.engine
        (place,), (axes,) = engine.link_poses(engine.select_links([(self.robot.handle, "camera")]))
        away = np.array(point) - place
        return math.degrees(math.acos(np.clip(axes[:, 0] @ away / np.linalg.norm(away), -1.0, 1.0)))


@pytest.fixture
def watcher(play):
    played = play(engine="planar", world="msl", referee=False)
    played.world.place_ball((8.0, 0.0))
    return Watcher(played)


def test_a_camera_turns_to_angles_within_its_joints(watcher):
    watcher.do("turn_camera", 0.5, -0.3)
    watcher.played.run(40)
    assert watcher.world.engine.state.joint_position[2:4] == pytest.approx([0.5, 0.3], abs=1e-6)
    watcher.do("turn_camera", 3.0, 3.0)
    watcher.played.run(60)
    assert watcher.world.engine.state.joint_position[2:4] == pytest.approx([1.745, -0.5], abs=1e-3)


def test_a_camera_keeps_a_point_of_the_world_in_its_middle_while_its_robot_turns(watcher):
    point = (2.0, 1.0, 0.1)
    watcher.do("look_at", *point)
    watcher.played.run(50)
    assert watcher.off(point) < 0.5
    for _ in range(50):
        watcher.do("wheels", 0.2, 0.0, 0.4)
        watcher.played.run(1)
    # Joints follow what was aimed at in the cycle before: 0.4 rad/s is 0.5 degrees a cycle.
    assert watcher.off(point) < 2.0


def test_a_search_looks_around_until_the_thing_is_in_view_and_follows_it(watcher):
    watcher.world.place_ball((1.5, 1.5))
    watcher.do("search_for", "ball")
    offs = []
    for _ in range(120):
        watcher.played.run(1)
        offs.append(watcher.off(watcher.world.engine.state.ball_position))
    assert offs[0] > 30.0
    assert max(offs[-20:]) < 1.0
    watcher.world.place_ball((1.5, 1.5), (0.0, -1.0, 0.0))
    watcher.played.run(50)
    assert watcher.off(watcher.world.engine.state.ball_position) < 5.0


@pytest.mark.parametrize("mark", ["F2R", "right_goal"])
def test_a_search_finds_marks_of_the_field(watcher, mark):
    watcher.do("search_for", mark)
    watcher.played.run(130)
    offs = [watcher.off(watcher.world.settings.field.marks()[mark])]
    watcher.played.run(60)
    offs.append(watcher.off(watcher.world.settings.field.marks()[mark]))
    assert max(offs) < 1.0


def test_a_search_does_not_see_through_robots(watcher):
    watcher.add("omni", "wall", 1.0, 0.0)
    watcher.world.place_ball((1.6, 0.0))
    watcher.do("search_for", "ball")
    watcher.played.run(50)
    pans = []
    for _ in range(100):
        watcher.played.run(1)
        pans.append(watcher.world.engine.state.joint_position[2])
    assert np.ptp(pans) > 1.0


def test_things_that_are_not_there_and_joints_that_do_not_exist_are_refused(watcher):
    known = "ball, centre, left_goal, right_goal, G1L, G2L, G2R, G1R, F1L, F2L, "
    with pytest.raises(
        CommandRejectedError, match=f"unknown object 'F3L'; use one of: {known}F1R, F2R; did you mean 'F2L'"
    ):
        watcher.do("search_for", "F3L")
    description = load_robot("differential")
    bad = EffectorSpec("look_at", "look_at", "", {"pan": "neck", "tilt": "chin"})
    with pytest.raises(ConfigurationError, match="unknown joint 'neck'; the robot has: left_wheel_joint"):
        check_effectors(known_effectors(), replace(description, effectors=(bad,)))


def test_a_robot_without_joints_for_it_turns_its_view(watcher):
    robot = watcher.robot
    specs = tuple(EffectorSpec(one.kind, one.name) for one in robot.description.effectors if one.kind == "look_at")
    robot.description = replace(robot.description, effectors=specs)
    watcher.do("look_at", 0.0, 2.0, 0.1275)
    watcher.played.run(2)
    assert robot.pan_tilt[0] == pytest.approx(math.pi / 2.0, abs=0.1)
