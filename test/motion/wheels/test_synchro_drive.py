"""A robot with a synchro drive: its wheels and its body turn together, and its lower base keeps its heading."""

import math
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.motion.interface import Walk
from simspark_ros.motion.wheels.synchro_drive import SynchroDrive
from simspark_ros.robots.catalogue import load_robot
from test.physics.engine_availability import skip_without
from test.rigs.robots.square_drives import Driven, arena

REST = (0.0, 0.0, 0.0)
CYCLE = 0.02


def lower_heading(driven: Driven) -> float:
    """Heading of the lower base in the world, rad."""
    engine = driven.engine
    _, (rotation,) = engine.link_poses(engine.select_links([(engine.state.handles[0], "lower_base")]))
    return math.atan2(rotation[1, 0], rotation[0, 0])


@pytest.mark.parametrize("engine", ["planar", "ode", "bullet", "mujoco"])
def test_it_drives_and_turns_as_told_and_its_lower_base_never_turns(engine: str) -> None:
    skip_without(engine)
    with arena(engine) as world:
        driven = Driven(world, "b21")
        driven.drive(0.5, 0.0, 0.0, seconds=4.0)
        # MuJoCo's contacts give way a little in each cycle.
        assert driven.place() == pytest.approx([2.0, 0.0, 0.0], abs=0.02)
        assert driven.felt() == pytest.approx([2.0, 0.0, 0.0], abs=1e-3)
        corner = driven.place()
        driven.drive(0.0, 0.0, math.pi / 4.0, seconds=2.0)
        assert driven.place() - corner == pytest.approx([0.0, 0.0, math.pi / 2.0], abs=math.radians(0.1))
        assert driven.felt()[2] == pytest.approx(math.pi / 2.0, abs=1e-3)
        assert lower_heading(driven) == pytest.approx(0.0, abs=math.radians(0.05))
        # It drives on where its body and its wheels look.
        driven.drive(0.5, 0.0, 0.0, seconds=1.0)
        assert driven.place()[1] - corner[1] == pytest.approx(0.5, abs=0.01)
        there = driven.place()
        driven.wait(1.0)
        assert driven.place() == pytest.approx(there, abs=1e-4)
        joints = driven.robot.description.model.joints
        turned = dict(zip((joint.name for joint in joints), driven.robot.joint_positions, strict=True))
        assert [turned[f"steering_{wheel}"] for wheel in (1, 2, 3, 4)] == pytest.approx([math.pi / 2.0] * 4, abs=1e-3)
        assert turned["body_joint"] == pytest.approx(-math.pi / 2.0, abs=1e-3)


@pytest.mark.parametrize("engine", ["planar", "bullet"])
def test_it_drives_an_arc_by_both_motions_at_once(engine: str) -> None:
    skip_without(engine)
    with arena(engine) as world:
        driven = Driven(world, "b21")
        driven.drive(0.4, 0.0, 0.4, seconds=math.pi)
        assert driven.place()[2] == pytest.approx(0.4 * math.pi, abs=math.radians(0.2))
        # As its odometry has it; wheels that turn while they roll yield a little more.
        assert driven.place() == pytest.approx(driven.felt(), abs=0.015)
        assert lower_heading(driven) == pytest.approx(0.0, abs=math.radians(0.1))


def test_its_speeds_near_the_commanded_ones_within_its_accelerations_and_sideways_is_dropped() -> None:
    drive = SynchroDrive.of(load_robot("b21"), "synchro", CYCLE)
    command = Walk(0.4, 0.3, 0.6)
    speeds = np.array([drive.update(0.0, np.zeros(9), REST, REST, command) for _ in range(60)])
    assert drive.motion(speeds[0] * CYCLE) / CYCLE == pytest.approx([0.5 * CYCLE, 0.0, 1.5 * CYCLE])
    assert drive.motion(speeds[-1] * CYCLE) / CYCLE == pytest.approx([0.4, 0.0, 0.6])
    assert not drive.is_standing
    for _ in range(60):
        drive.update(0.0, np.zeros(9), REST, REST, None)
    assert drive.is_standing


def test_too_fast_a_velocity_is_scaled_down_as_a_whole() -> None:
    drive = SynchroDrive.of(load_robot("b21"), "synchro", CYCLE)
    for _ in range(300):
        speeds = drive.update(0.0, np.zeros(9), REST, REST, Walk(1.8, 0.0, 1.0))
    assert drive.motion(speeds * CYCLE) / CYCLE == pytest.approx([0.9, 0.0, 0.5])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("steering_1\n      rolling: [rolling_1, ", "rolling_1\n      rolling: [", "must turn about the vertical"),
        ("steering: steering_1", "steering: rolling_1", "joint 'rolling_1' is named twice"),
        ("steering: steering_1", "steering: tiller", "unknown joint 'tiller'"),
        ("[rolling_1, rolling_2, rolling_3, rolling_4]\n      radius", "[steering_2]\n      radius", "roll along"),
        ("[rolling_1, rolling_2, rolling_3, rolling_4]\n      radius", "[]\n      radius", "roll along"),
    ],
)
def test_a_robot_without_the_body_for_it_is_refused_with_the_reason(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    catalogue = Path(load_robot("b21").file)
    text = catalogue.read_text()
    assert old in text
    path = tmp_path / "wrong.yaml"
    path.write_text(text.replace(old, new).replace("../../urdf", str(catalogue.parents[2] / "urdf")))
    with pytest.raises(ConfigurationError, match=reason):
        SynchroDrive.of(load_robot(str(path)), "synchro", CYCLE)
