"""Robots that a simulator names are drawn, whatever their files are, and read within limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from simspark_ros.rendering.rendered_scene import RenderedScene, SimulatedRobot
from simspark_ros.rendering.renderer import SceneRenderer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings

LINK = """<robot name="one"><link name="a"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link></robot>"""


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def scene(warnings: list[str]) -> Iterator[RenderedScene]:
    soccer = load_soccer_settings()
    made = RenderedScene(SceneRenderer(soccer.field, soccer.ball), warnings.append)
    yield made
    made.close()


@pytest.fixture
def robot(tmp_path: Path) -> Callable[..., SimulatedRobot]:
    def write(ending: str, text: str) -> SimulatedRobot:
        file = tmp_path / f"robot{ending}"
        file.write_text(text, encoding="utf-8")
        return SimulatedRobot("r", str(file), 0, None, 1)

    return write


def test_a_robot_from_a_urdf_file_is_drawn(scene, robot, warnings):
    assert scene.follow((robot(".urdf", LINK),))
    assert warnings == []


def test_files_of_strangers_are_read_within_limits_and_once_when_they_are_refused(scene, robot, warnings, monkeypatch):
    large = robot(".yaml", "model: robot.urdf\n" + "#" * 3_000_000)
    scene.follow((large,))
    assert len(warnings) == 1 and "robot_file_size" in warnings[0]
    # Reading may take the ten seconds of a limit: not again whenever another robot comes.
    scene.follow((large, SimulatedRobot("n", "nao", 0, None, len(load_robot("nao").model.links))))
    assert len(warnings) == 1
    # Its file may be another one when it comes again.
    scene.follow(())
    scene.follow((large,))
    assert len(warnings) == 2
