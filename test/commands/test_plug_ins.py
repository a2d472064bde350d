"""Plug-ins of another distribution, played by a classic agent: installed, served, named and read over a socket."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.configuration.resources import resource
from test.commands.test_serve import running

MODULE = '''
from simspark_ros.effectors import effector
from simspark_ros.perceptors.base import Perceptor


@effector("hop")
def hop(world, robot, speed: float, how: str):
    """Throws its robot upwards."""
    if how == "up":
        world.engine.set_velocity(robot.handle, (0.0, 0.0, speed), (0.0, 0.0, 0.0))


class Altitude(Perceptor):
    """Height of the robot's base, m."""

    columns = ("z",)
    message, message_values = "(ALT (n {name}) (z {}))", ("z",)

    def bind(self, mounts, world):
        self._places = [(mount.start, mount.row) for mount in mounts]

    def sense(self, world, values, present):
        for start, row in self._places:
            values[start] = world.engine.state.position[row, 2]
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A distribution with two plug-ins; returns a profile whose robot carries the perceptor."""
    site = tmp_path / "site"
    metadata = site / "hopper-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "hopper.py").write_text(MODULE)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hopper\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[simspark_ros.effectors]\nhop = hopper:hop\n[simspark_ros.perceptors]\naltitude = hopper:Altitude\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep))
    return a_profile_with(tmp_path)


def a_profile_with(folder: Path) -> Path:
    shipped = resource("config", "robots", "nao.yaml")
    robot = yaml.safe_load(shipped.read_text())
    robot["model"] = str((shipped.parent / robot["model"]).resolve())
    robot["perceptors"].append({"kind": "altitude", "name": "high"})
    robot["effectors"].append({"kind": "hop"})
    (folder / "hopper.yaml").write_text(yaml.safe_dump(robot))
    profile = yaml.safe_load(resource("config", "profiles", "measured.yaml").read_text())
    profile["scenes"] = {"hopper.rsg": {"robot": str(folder / "hopper.yaml")}}
    path = folder / "profile.yaml"
    path.write_text(yaml.safe_dump(profile))
    return path


def altitude(message: bytes) -> float:
    found = re.search(rb"\(ALT \(n high\) \(z (-?[0-9.]+)\)\)", message)
    assert found, message
    return float(found[1])


@pytest.mark.slow
def test_an_agent_hops_by_a_plug_in_and_feels_it_by_another(installed: Path) -> None:
    with (
        running("--pacing", "lockstep", "--profile", str(installed)) as server,
        ClassicClient("127.0.0.1", server.agent_port) as client,
    ):
        client.send("(scene hopper.rsg)(syn)")
        client.receive()
        heights = []
        for command in ("(init (unum 1)(teamname A))", "(hop 3.0 sideways)", "", "", "(hop 3.0 up)", *15 * ("",)):
            client.send(f"{command}(syn)")
            heights.append(altitude(client.receive()))
        # 3 m/s for 0.2 s and more against gravity: 0.3 m; before, the robot only sinks to the ground.
        assert max(heights[:5]) < heights[0] + 0.05
        assert heights[-1] > heights[4] + 0.3
        assert server.end()[0] == 0
