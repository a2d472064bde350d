"""Built-in sensors, actuators and drives take ARCHITECTURE.md's rows, and are used and isolated as plug-ins are."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.arena.arena import Arena
from simspark_ros.arena.host import ArenaError
from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.effectors import EFFECTORS
from simspark_ros.effectors.hinge import stiffness
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.perceptors.inertial import AccelerometerPerceptor, GyroscopePerceptor
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.velocity.drives import DRIVES
from simspark_ros.soccer.referee.play import PLAY
from simspark_ros.worlds.errors import CommandRejectedError
from test.rigs.built_in_parts import CRAWLER, Altimeter, Crawl, hop, hopper


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a robot with both parts, which are registered."""
    monkeypatch.setitem(EFFECTORS, "hop", hop)
    monkeypatch.setitem(PERCEPTORS, "alt", Altimeter)
    return hopper(tmp_path)


class Served:
    """A simulation and a client of its port, in turns."""

    def __init__(self, profile: Path) -> None:
        settings = ClassicServerSettings(AgentServerSettings(port=0), None, str(profile))
        self.server = ClassicServer(settings)
        chosen = SimulationSettings(pacing="fast", profile=str(profile))
        self.simulation, self.control = build_simulation(chosen, [self.server], lambda: 0.0, lambda seconds: None)
        self.client = ClassicClient("127.0.0.1", self.server.agents.port)

    def send(self, text: str) -> str:
        """Have the client send a message; returns the percept after it has worked."""
        self.client.send(text)
        while self.server.poll(0.2):
            pass
        messages: list[bytes] = []
        for _ in range(3):
            self.simulation.run_cycle()
            messages += self.client.receive_some(0.5)
        return messages[-1].decode()

    def close(self) -> None:
        self.client.close()
        self.server.close()
        self.simulation.world.engine.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], Served]]:
    served: list[Served] = []

    def make(profile: str) -> Served:
        (tmp_path / "profile.yaml").write_text(profile)
        served.append(Served(tmp_path / "profile.yaml"))
        return served[-1]

    yield make
    for one in served:
        one.close()


def height(message: str) -> float:
    (text,) = re.findall(r"\(ALT \(n belly\) \(h (-?\d\.\d\d)\)\)", message)
    return float(text)


def test_a_classic_agent_uses_both(robot: Path, serve: Callable[[str], Served]) -> None:
    played = serve(f"based_on: measured\nscenes: {{hopper.rsg: {{robot: {robot}}}}}\n")
    before = height(played.send("(scene hopper.rsg)(syn)"))
    assert height(played.send("(hop 3.0)(syn)")) > before + 0.05
    assert not played.control.rejected
    played.send("(hop -1)(he1 0)(syn)")
    assert played.control.rejected == {"hop": 1}


def test_what_a_profile_says_of_them_wins(robot: Path, serve: Callable[[str], Served]) -> None:
    played = serve(
        f"based_on: measured\nscenes: {{hopper.rsg: {{robot: {robot}}}}}\n"
        "perceptors: {alt: {format: '(H {})', values: [height], decimals: 1}}\n"
        "commands: {plug_ins: {hop: [speed percent]}}\n"
    )
    assert re.search(r"\(H \d\.\d\)", played.send("(scene hopper.rsg)(syn)"))
    played.send("(hop 300)(syn)")
    speed = played.simulation.world.engine.state.linear_velocity[0, 2]
    assert 1.5 < speed < 3.0


def test_a_program_uses_both(robot: Path) -> None:
    with Arena(f"one={robot}") as arena:
        arena.step()
        before = arena["one"].read("alt")
        arena["one"].act("hop", 3.0)
        arena.step()
        after = arena["one"].read("alt")
        assert before is not None and after is not None and after[0] > before[0] + 0.03
        with pytest.raises(ArenaError, match="hop: speed must not be negative"):
            arena["one"].act("hop", -1.0)


def test_a_program_uses_a_built_in_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DRIVES, "crawl", Crawl)
    (tmp_path / "crawler.yaml").write_text(CRAWLER)
    with Arena(f"one={tmp_path / 'crawler.yaml'}", engine="planar") as arena:
        arena["one"].act("crawl", 0.4, 0.0, 0.0)
        begun = arena["one"].position
        arena.step(20)
        # The wheels turn from the fourth cycle on.
        assert np.linalg.norm(arena["one"].position - begun) == pytest.approx(17 * 0.02 * 0.4, rel=1e-3)


def fail(*arguments: Any) -> None:
    raise RuntimeError("worn out")


def test_a_built_in_sensor_that_fails_is_named_and_switched_off(
    play: Callable[..., Any],
    built_in_parts_work: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    played = play()
    played.join()
    before = played.run(1)
    built_in_parts_work()
    monkeypatch.setattr(GyroscopePerceptor, "sense", fail)
    (notice,) = played.run(1).notices
    assert notice.text == (
        "built-in 'gyroscope' (group simspark_ros.perceptors) fails: RuntimeError: worn out; it senses nothing any more"
    )
    after = played.run(2)
    slots = [slot.kind for slot in after.layout.robots[0].slots]
    silent = {kind for kind, was, is_ in zip(slots, before.present, after.present, strict=True) if was and not is_}
    assert "gyroscope" in silent and "accelerometer" not in silent
    (record,) = [record for record in caplog.records if record.getMessage() == notice.text]
    # A fault of this package is one to report.
    assert record.levelno == logging.WARNING and record.exc_info


def test_a_built_in_actuator_that_fails_refuses_the_command(
    play: Callable[..., Any], built_in_parts_work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    built_in_parts_work()
    monkeypatch.setattr(stiffness, "_function", fail)
    played = play()
    played.join()
    with pytest.raises(CommandRejectedError, match=r"built-in 'stiffness' .* worn out; its command is refused"):
        played.control.act(played.world, played.world.robot_of("a"), "stiffness", (0.5,))


def test_a_built_in_drive_that_fails_moves_its_robot_no_more(
    play: Callable[..., Any], built_in_parts_work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    built_in_parts_work()
    monkeypatch.setattr(WheelDrive, "update", fail)
    played = play()
    description = load_robot("differential")
    robot = played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0, name="cart")
    played.control.effectors["wheels"].act(played.world, robot, (0.3, 0.0, 0.0))
    (notice,) = [notice for _ in range(5) for notice in played.run(1).notices]
    assert notice.text == (
        "built-in 'wheels' (group simspark_ros.drives) fails: RuntimeError: worn out; robot 'cart' stands still"
    )


def test_a_built_in_rule_that_fails_is_applied_no_more(
    play: Callable[..., Any], built_in_parts_work: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    built_in_parts_work()
    rule = PLAY[0]
    monkeypatch.setattr(rule, "apply", fail)
    played = play()
    (notice,) = [notice for _ in range(5) for notice in played.run(1).notices]
    assert notice.text.startswith(
        f"built-in '{rule.name}' (group simspark_ros.rules) fails: RuntimeError: worn out; it is"
    )
    assert played.referee.failed.keys() == {rule.name}


def test_what_fails_in_a_test_is_raised(play: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    played = play()
    played.join()
    monkeypatch.setattr(AccelerometerPerceptor, "sense", fail)
    with pytest.raises(RuntimeError, match="worn out"):
        played.run(1)
