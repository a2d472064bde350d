"""Files of robots and worlds that change while the simulation runs."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.server.reloading import Reloader
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.settings import SimulationSettings

URDF = """<robot name="box">
  <link name="base">
    <inertial><mass value="{mass}"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
</robot>
"""
WORLD = "based_on: empty\ngravity: [0.0, 0.0, {gravity}]\n"


class Rig:
    """A simulation whose cycles run while a reloader looks after its files."""

    def __init__(self, world: str = "empty") -> None:
        self.simulation = build_simulation(SimulationSettings(world=world), (), time.monotonic, time.sleep)[0]
        self.said: list[str] = []
        self._stamp = 1_000_000_000
        self._reloader = Reloader(self.simulation, self.simulation.scheduler.settings, self.said.append)

    def check(self, times: int = 2) -> None:
        for _ in range(times):
            looker = threading.Thread(target=self._reloader.check)
            looker.start()
            while looker.is_alive():
                self.simulation.requests.run()
                looker.join(0.001)

    def spawn(self, path: Path) -> None:
        limits = self.simulation.scheduler.settings
        spawn(self.simulation.world, find_resource(str(path)).load(limits), limits, "mine")
        self.check(1)

    def change(self, path: Path, text: str) -> None:
        path.write_text(text)
        self._stamp += 1_000_000_000
        os.utime(path, ns=(self._stamp, self._stamp))


@pytest.fixture
def robot(tmp_path: Path) -> Any:
    rig, path = Rig(), tmp_path / "box.urdf"
    rig.change(path, URDF.format(mass=1.0))
    rig.spawn(path)
    return rig, path


def mass(rig: Rig) -> float:
    (one,) = rig.simulation.world.robots.values()
    assert one.name == "mine"
    return one.description.model.links[0].mass


def test_robots_of_a_changed_file_are_made_anew_where_they_stood(robot: Any) -> None:
    rig, path = robot
    world = rig.simulation.world
    (before,) = world.robots
    home, world.robots[before].is_guest = world.robots[before].home, True
    world.engine.place_robot(before, (2.0, -3.0, 0.5), (0.0, 0.0, 1.0, 0.0))
    rig.change(path, URDF.format(mass=2.5))
    rig.check(1)
    assert mass(rig) == 1.0, "an editor may be writing it"
    rig.check(1)
    assert mass(rig) == 2.5 and "1 robots were made again" in rig.said[-1]
    state = world.engine.state
    assert state.position[0, :2] == pytest.approx((2.0, -3.0), abs=1e-6)
    assert state.rotation[0] == pytest.approx(np.diag((-1.0, -1.0, 1.0)), abs=1e-6)
    (made,) = world.robots.values()
    assert made.home == pytest.approx(home) and made.is_guest, "a reset treats it as the old one"
    rig.check()
    assert len(rig.said) == 1


def test_a_file_that_is_wrong_is_refused_with_its_line_and_the_robots_stay(robot: Any) -> None:
    rig, path = robot
    rig.change(path, URDF.format(mass=1.0).replace("</link>", "</lnk>"))
    rig.check()
    assert mass(rig) == 1.0
    assert "box.urdf" in rig.said[-1] and "line 5" in rig.said[-1] and "stay as they were" in rig.said[-1]
    rig.change(path, URDF.format(mass=3.0))
    rig.check()
    assert mass(rig) == 3.0
    path.unlink()
    rig.check()
    assert mass(rig) == 3.0


def test_a_file_that_a_robot_s_file_names_counts_as_its_own_and_a_changed_world_is_loaded_again(tmp_path: Path) -> None:
    rig, model = Rig(), tmp_path / "box.urdf"
    rig.change(model, URDF.format(mass=1.0))
    (tmp_path / "box.yaml").write_text("model: box.urdf")
    rig.spawn(tmp_path / "box.yaml")
    rig.change(model, URDF.format(mass=2.5))
    rig.check()
    assert mass(rig) == 2.5
    assert rig.said == [f"{model} has changed: 1 robots were made again"]
    path = tmp_path / "moon.yaml"
    path.write_text(WORLD.format(gravity=-1.6))
    rig = Rig(str(path))
    rig.check(1)
    rig.change(path, WORLD.format(gravity=-3.7))
    rig.check()
    assert rig.simulation.world.settings.things.gravity[2] == -3.7 and "loaded again" in rig.said[-1]
    assert not rig.simulation.scheduler.paused
    rig.change(path, WORLD.format(gravity="[down"))
    rig.check()
    assert rig.simulation.world.settings.things.gravity[2] == -3.7
    assert "moon.yaml" in rig.said[-1] and "line" in rig.said[-1]
