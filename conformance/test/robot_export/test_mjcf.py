"""Robots written as MJCF and URDF: what is read back is the same robot and moves the same."""

from contextlib import closing
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.robot_export.mjcf import export_mjcf, mjcf_text
from simspark_conformance.robot_export.urdf import export_urdf
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.reading import describe
from test.robots.body.test_bolts import free, urdf

pytest.importorskip("mujoco")

NAMES = attrgetter("name", "parent", "child", "mimic")
LIMITS = attrgetter("lower", "upper", "max_velocity", "max_effort")
ROBOTS = Path(__file__).parents[3] / "test" / "data" / "robots"


def read_back(folder: Path, robot: RobotDescription) -> RobotDescription:
    path = folder / "written.xml"
    path.write_text(mjcf_text(robot), encoding="utf-8")
    read = read_format(path, 0, LimitSettings())
    assert read.report.counts()["dropped"] == 0
    return describe(path, read.document, read.urdf, 0)


@pytest.fixture(params=["nao", "nao of type 4", "arm"])
def robot(request: pytest.FixtureRequest) -> RobotDescription:
    if request.param == "arm":
        return load_foreign(ROBOTS / "arm.xml", 0, LimitSettings())
    return load_robot("nao", 4 if "4" in request.param else 0)


def test_a_robot_that_is_written_and_read_has_the_same_body(tmp_path: Path, robot: RobotDescription) -> None:
    again = read_back(tmp_path, robot)
    assert [link.name for link in again.model.links] == [link.name for link in robot.model.links]
    for one, other in zip(again.model.links, robot.model.links, strict=True):
        assert (one.mass, *one.centre, *one.inertia) == pytest.approx((other.mass, *other.centre, *other.inertia))
        assert [(s.kind, s.size) for s in one.collisions] == [(s.kind, s.size) for s in other.collisions]
    for mine, theirs in zip(again.model.joints, robot.model.joints, strict=True):
        assert NAMES(mine) == NAMES(theirs)
        assert LIMITS(mine) == pytest.approx(LIMITS(theirs))
    assert again.spawn_height == pytest.approx(robot.spawn_height)


@pytest.mark.parametrize("height", [2.0, 0.1], ids=["in the air", "onto the ground"])
def test_a_robot_that_is_written_and_read_moves_the_same(tmp_path: Path, height: float) -> None:
    robot = load_robot("nao")
    first, second = (track(one, height) for one in (robot, read_back(tmp_path, robot)))
    # Rounding alone differs, by 1e-15 m and rad in trials: rotations pass through quaternions.
    assert np.abs(first - second).max() < 1e-9
    # It falls, and every joint moves.
    assert np.ptp(first, axis=0)[2:].min() > 0.02


@pytest.mark.parametrize("option", ["", "?fixed_base=true"])
def test_robots_that_are_bolted_are_written_so(tmp_path: Path, option: str) -> None:
    made = load_robot(f"{free(tmp_path) if option else urdf(tmp_path, 0.7)}{option}")
    export_urdf(made, tmp_path / "out.urdf")
    again = load_robot(str(tmp_path / "out.urdf"))
    assert again.model.fixed_base
    assert again.spawn_height == pytest.approx(made.spawn_height)
    export_mjcf(made, tmp_path / "out.xml")
    assert "freejoint" not in (tmp_path / "out.xml").read_text(encoding="utf-8")


def track(robot: RobotDescription, height: float) -> NDArray[np.float64]:
    """Base and joints of a robot on MuJoCo that falls from a height above the ground (m) while it turns its joints."""
    with closing(create_engine("mujoco")) as engine:
        world, rows = CheckedWorld(engine, SceneModel()), []
        world.add(robot.model, (0.0, 0.0, robot.spawn_height + height))
        for cycle in range(25):
            world.run(1, replace(world.hold(), velocity=np.full(len(robot.model.joints), np.sin(0.3 * cycle))))
            rows.append(np.concatenate([world.state.position[0], world.state.joint_position]))
    return np.array(rows)
