"""Built-in sensors, actuators and drives take ARCHITECTURE.md's rows, and are used and isolated as plug-ins are."""

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_ros.arena.arena import Arena
from simspark_ros.arena.host import ArenaError
from simspark_ros.effectors import EFFECTORS
from simspark_ros.effectors.hinge import stiffness
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.perceptors.inertial import GyroscopePerceptor
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.simulation.velocity.drives import DRIVES, kind_of_drive
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.play import PLAY
from simspark_ros.worlds.errors import CommandRejectedError
from test.rigs.built_in_parts import CRAWLER, Altimeter, Crawl, hop, hopper


@pytest.fixture
def robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a robot with both parts, which are registered."""
    monkeypatch.setitem(EFFECTORS, "hop", hop)
    monkeypatch.setitem(PERCEPTORS, "alt", Altimeter)
    return hopper(tmp_path)


Play = Callable[..., Any]


def test_a_classic_agent_uses_both(robot: Path, tmp_path: Path, play: Play) -> None:
    (tmp_path / "profile.yaml").write_text(f"based_on: measured\nscenes: {{hopper.rsg: {{robot: {robot}}}}}\n")
    played, dialect = play(profile=str(tmp_path / "profile.yaml")), load_dialect(tmp_path / "profile.yaml")
    decoder, encoder = AgentDecoder(dialect), AgentEncoder(dialect)

    def send(text: bytes) -> float:
        """Send a message as an agent; returns the height that it is told after it has worked."""
        percepts = played.act(*decoder.decode("a", text).actions, cycles=3)
        (height,) = re.findall(rb"\(ALT \(n belly\) \(h (-?\d\.\d\d)\)\)", encoder.encode(percepts)["a"])
        return float(height)

    before = send(b"(scene hopper.rsg)(syn)")
    assert send(b"(hop 3.0)(syn)") > before + 0.05 and not played.control.rejected
    send(b"(hop -1)(he1 0)(syn)")
    assert played.control.rejected == {"hop": 1}


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


def test_a_drive_of_another_distribution_wins_over_a_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "both.yaml").write_text("based_on: differential\nmore_effectors: [{kind: crawl}]\n")
    both = load_robot(str(tmp_path / "both.yaml"))
    assert kind_of_drive(DRIVES, both) == "wheels"
    assert kind_of_drive({**DRIVES, "crawl": Crawl}, both) == "crawl"


def fail(*arguments: Any) -> None:
    raise RuntimeError("worn out")


RULE = PLAY[0]
FAILING = {
    "gyroscope": (GyroscopePerceptor, "sense", "perceptors", "it no longer senses anything"),
    "wheels": (WheelDrive, "update", "drives", "robot 'cart' stands still"),
    RULE.name: (RULE, "apply", "rules", "it is no longer applied"),
}
"""The class of a part, its method, its group, and the consequence."""


@pytest.mark.parametrize("name", FAILING)
def test_a_built_in_part_that_fails_is_named_and_switched_off(
    play: Play, built_in_parts_work: Callable[[], None], monkeypatch, caplog, name: str
) -> None:
    part, method, group, consequence = FAILING[name]
    played, cart = play(), load_robot("differential")
    played.join()
    robot = played.world.add_robot(cart, (0.0, 0.0, cart.spawn_height), 0.0, name="cart")
    before = played.run(1)
    built_in_parts_work()
    monkeypatch.setattr(part, method, fail)
    # Rules are applied again when the mode changes.
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    played.control.effectors["wheels"].act(played.world, robot, (0.3, 0.0, 0.0))
    (notice,) = [notice for _ in range(5) for notice in played.run(1).notices]
    fault = "fails: RuntimeError: worn out"
    assert notice.text == f"built-in '{name}' (group simspark_ros.{group}) {fault}; {consequence}"
    (record,) = [record for record in caplog.records if record.getMessage() == notice.text]
    # A fault of this package is one to report.
    assert record.levelno == logging.WARNING and record.exc_info
    slots = [slot.kind for robot in before.layout.robots for slot in robot.slots]
    present = [*zip(slots, before.present, played.simulation.percepts.present, strict=True)]
    assert ("gyroscope", True, False) in present or name != "gyroscope"
    assert ("accelerometer", True, False) not in present
    assert played.referee.failed.keys() == ({name} if part is RULE else set())


def test_a_built_in_actuator_that_fails_refuses_the_command(play: Play, built_in_parts_work, monkeypatch) -> None:
    built_in_parts_work()
    monkeypatch.setattr(stiffness, "_function", fail)
    played = play()
    played.join()
    with pytest.raises(CommandRejectedError, match=r"built-in 'stiffness' .* worn out; its command is refused"):
        played.control.act(played.world, played.world.robot_of("a"), "stiffness", (0.5,))
