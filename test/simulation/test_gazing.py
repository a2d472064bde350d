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


def test_a_search_looks_around_until_the_thing_is_in_view_and_not_through_robots(watcher):
    watcher.world.place_ball((1.5, 1.5))
    watcher.do("search_for", "ball")
    state = watcher.world.engine.state
    offs = [watcher.off(state.ball_position) for _ in range(120) if watcher.played.run(1)]
    assert offs[0] > 30.0 and max(offs[-20:]) < 1.0
    watcher.world.place_ball((1.5, 1.5), (0.0, -1.0, 0.0))
    watcher.played.run(50)
    assert watcher.off(watcher.world.engine.state.ball_position) < 5.0
    watcher.add("omni", "wall", 1.0, 0.0)
    watcher.world.place_ball((1.6, 0.0))
    watcher.do("search_for", "ball")
    watcher.played.run(50)
    pans = [watcher.world.engine.state.joint_position[2] for _ in range(100) if watcher.played.run(1)]
    assert np.ptp(pans) > 1.0


@pytest.mark.parametrize("mark", ["F2R", "right_goal"])
def test_a_search_finds_marks_of_the_field(watcher, mark):
    watcher.do("search_for", mark)
    for cycles in (130, 60):
        watcher.played.run(cycles)
        assert watcher.off(watcher.world.settings.field.marks()[mark]) < 1.0


def test_what_is_not_there_is_refused_and_a_robot_without_joints_turns_its_view(watcher):
    known = "ball, centre, left_goal, right_goal, G1L, G2L, G2R, G1R, F1L, F2L, F1R, F2R"
    with pytest.raises(CommandRejectedError, match=f"unknown object 'F3L'; use one of: {known}; did you mean 'F2L'"):
        watcher.do("search_for", "F3L")
    bad = EffectorSpec("look_at", "look_at", "", {"pan": "neck", "tilt": "chin"})
    with pytest.raises(ConfigurationError, match="unknown joint 'neck'; the robot has: left_wheel_joint"):
        check_effectors(known_effectors(), replace(load_robot("differential"), effectors=(bad,)))
    robot = watcher.robot
    specs = tuple(EffectorSpec(one.kind, one.name) for one in robot.description.effectors if one.kind == "look_at")
    robot.description = replace(robot.description, effectors=specs)
    watcher.do("look_at", 0.0, 2.0, 0.1275)
    watcher.played.run(2)
    assert robot.pan_tilt[0] == pytest.approx(math.pi / 2.0, abs=0.1)
