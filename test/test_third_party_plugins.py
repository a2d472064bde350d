"""Two distributions with a plug-in of each kind: one is sound, the other one broken. The broken ones hinder nothing.

Topics, which need ROS: test/ros/test_plugins.py.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import repeat
from pathlib import Path
from typing import Any, cast
from unittest.mock import Mock

import numpy as np
import pytest

from simspark_ros import cli
from simspark_ros.configuration import entry_points
from simspark_ros.configuration.errors import UserError
from simspark_ros.effectors import effector
from simspark_ros.perceptors.detection.detections import DetectionPerceptor
from simspark_ros.perceptors.vision import RestrictedVisionPerceptor
from simspark_ros.physics.registry import create_engine, engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.pacing.registry import TIME_SOURCE_GROUP
from simspark_ros.simulation.player_plugins.host import PlayerHost, player_types
from simspark_ros.simulation.plug_in_nodes import third_party_control_nodes
from simspark_ros.simulation.registry import EFFECTOR_GROUP, isolated, known_effectors, perceptor_types
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.soccer.referee.rules import rule_types
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

FOLDER = Path(__file__).parent / "data" / "plug_ins"


def commands() -> list[str]:
    return [word for word in ("sound-command", "broken-command") if word in cli.build_parser().format_help()]


def nodes() -> list[str]:
    return ["sound_node" for node in third_party_control_nodes() if type(node.itself).__module__ == "sound_parts"]


FOUND: dict[str, tuple[Callable[[], Any], str]] = {
    "perceptors": (perceptor_types, "sensor"),
    "effectors": (known_effectors, "effector"),
    "drives": (known_effectors, "drive"),
    "rules": (rule_types, "rule"),
    "players": (player_types, "player"),
    "control_nodes": (nodes, "node"),
    "commands": (commands, "command"),
    "engines": (engine_names, "engine"),
    "time_sources": (TIME_SOURCE_GROUP.plug_ins, "time"),
}
"""Functions that find the plug-ins of a group, and the end of their names."""


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both distributions are installed for this process."""
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.chdir(FOLDER)
    entry_points.announced.cache_clear()
    entry_points._reported.clear()
    yield
    entry_points.announced.cache_clear()


@pytest.fixture
def match(installed: None, play: Callable[..., Any]) -> Callable[..., Any]:
    """Makes simulations with a player of the sound ones; keyword arguments replace settings."""
    return partial(play, world="msl", engine="planar", players=("one=sound_player",))


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("group", FOUND)
def test_the_broken_one_is_left_out_and_named_with_what_to_uninstall(group: str, caplog) -> None:
    find, kind = FOUND[group]
    with caplog.at_level(logging.WARNING, "simspark"):
        found = find()
    mark = "-" if group == "commands" else "_"
    assert f"sound{mark}{kind}" in found and f"broken{mark}{kind}" not in found
    (text,) = [text for text in caplog.messages if f"'broken{mark}{kind}'" in text]
    assert f"of broken-parts 2.0, group simspark_ros.{group})" in text
    assert text.endswith("it is left out; 'pip uninstall broken-parts' removes it")
    assert not any("sound-parts" in text for text in caplog.messages)


@pytest.mark.usefixtures("installed")
def test_who_asks_for_a_broken_one_gets_its_fault() -> None:
    with pytest.raises(UserError, match=r"unknown physics engine 'broken_engine'.*OSError: no library libwreck\.so"):
        create_engine("broken_engine")
    # That of a plug-in with the name of a built-in one is the built-in one.
    assert type(create_engine("bullet").core).__module__.startswith("simspark_ros.physics.bullet")


def test_all_sound_ones_work_in_one_simulation_beside_the_broken_ones(match) -> None:
    played = match(engine="sound_engine", changes=("rules.order.sound_rule=true",))
    used = import_module("sound_parts").USED
    used.clear()
    played.simulation.scheduler.settings = SimulationSettings(pacing="sound_time")
    played.simulation.run(5)
    percepts = played.simulation.percepts
    assert percepts.values[-1] == 42.0
    assert used == {"effector": 5, "drive": 5, "rule": 5, "node": 5, "time": 5}
    # As its drive has said since the second cycle.
    assert played.world.engine.state.joint_velocity == pytest.approx([0.5, 0.5])
    running = played.simulation.node(PlayerHost).running
    assert list(running) == ["one"] and running["one"].player.body.moved_by == "sound_drive"
    assert percepts.notices == ()


@pytest.mark.parametrize(
    ("speeds", "fault"),
    [
        ([np.nan, 1.0], "ValueError: update returns [nan, 1.0]"),
        ([1.0], "ValueError: "),
        (None, "RuntimeError: worn out"),
    ],
)
def test_a_drive_that_fails_is_named_and_its_robot_stands(match, monkeypatch, speeds, fault) -> None:
    def update(*arguments: Any) -> Any:
        if speeds is None:
            raise RuntimeError("worn out")
        return speeds

    played = match()
    played.run(5)
    monkeypatch.setattr(import_module("sound_parts").Motion, "update", update)
    (text,) = [notice.text for _ in range(10) for notice in played.run(1).notices]
    assert text.startswith("plug-in 'sound_drive' (sound_parts:Motion of sound-parts 1.0")
    assert f"fails: {fault}" in text and "robot 'one' stands still" in text
    assert text.endswith("'pip uninstall sound-parts' removes it")
    assert played.world.engine.state.joint_velocity == pytest.approx([0.0, 0.0], abs=1e-3)


def fail(*arguments: Any) -> None:
    raise RuntimeError("worn out")


FAILING = {
    "rules": ("SoundRule.apply", "SoundRule", "it is no longer applied"),
    "reset of rules": ("SoundRule.reset", "SoundRule", "it is no longer applied"),
    "reset of players": ("Player.reset", "Player", "player 'one' is stopped"),
    "perceptors": ("Sensor.sense", "Sensor", "it no longer senses anything"),
    "control_nodes": ("Node.end_cycle", "Node", "it no longer takes part"),
    "players": ("Player.sense_and_act", "Player", "player 'one' is stopped"),
}
"""The failing function of a group, its class, and the consequence."""


@pytest.mark.parametrize("group", FAILING)
def test_one_that_fails_is_named_once_and_switched_off_and_all_else_goes_on(match, monkeypatch, caplog, group) -> None:
    method, where, consequence = FAILING[group]
    played = match(changes=("rules.order.sound_rule=true",))
    played.run(3)
    monkeypatch.setattr(f"sound_parts.{method}", fail)
    if "reset" in method:
        played.simulation.reset_state()
    notices = [notice.text for _ in range(4) for notice in played.run(1).notices]
    (text,) = [text for text in caplog.messages if "worn out (test_third_party_plugins.py, line " in text]
    assert (
        notices == [text]
        and f"); {consequence}" in text
        and "of sound-parts 1.0" in text
        and f"sound_parts:{where}" in text
    )
    assert text.endswith("'pip uninstall sound-parts' removes it") and played.world.cycle == 7


@pytest.mark.parametrize("method", ["create", "Engine.step", "Engine.state", "Time.quanta_due", "Time.restart"])
def test_an_engine_and_a_source_of_time_that_fail_end_the_simulation_and_are_named(match, monkeypatch, method) -> None:
    kind, _, action = method.partition(".")
    name, what = ("time", "time stops") if kind == "Time" else ("engine", "no simulation can go on")
    where = "Time" if kind == "Time" else "create"
    failing = property(fail) if action == "state" else fail

    def run() -> None:
        played = match(engine="sound_engine", players=())
        played.simulation.scheduler.settings = SimulationSettings(pacing="sound_time")
        played.simulation.run(2)
        monkeypatch.setattr(f"sound_parts.{method}", failing, raising=False)
        played.simulation.scheduler.resume()
        played.simulation.run(2)

    if kind == "create":
        monkeypatch.setattr("sound_parts.create", fail)
    with pytest.raises(UserError, match=rf"plug-in 'sound_{name}' \(sound_parts:{where} of sound-parts 1\.0") as caught:
        run()
    text = str(caught.value)
    assert "fails: RuntimeError: worn out (test_third_party_plugins.py, line " in text
    assert f"; {what} without it" in text and text.endswith("'pip uninstall sound-parts' removes it")


def test_a_sensor_that_fails_reports_nothing_and_changes_nothing_else(match, monkeypatch) -> None:
    def played() -> tuple[Any, Any]:
        simulation = match()
        return simulation, simulation.run(5)

    def half(sensor: Any, world: Any, values: Any, present: Any) -> None:
        values[sensor._places] = 7.0
        fail()

    sound, before = played()
    monkeypatch.setattr("sound_parts.Sensor.sense", half)
    broken, after = played()
    assert (before.values[-1], before.present[-1]) == (42.0, True)
    assert (after.values[-1], after.present[-1]) == (0.0, False)
    assert state_hash(sound.world) == state_hash(broken.world)
    assert np.array_equal(before.values[:-1], after.values[:-1])
    # One that joins later does not bring it back.
    broken.world.revision += 1
    assert not broken.run(1).present[-1]


@pytest.mark.parametrize(
    ("base", "told"),
    [
        (RestrictedVisionPerceptor, lambda percepts, sensing: percepts.sight is not None),
        (DetectionPerceptor, lambda percepts, sensing: bool(sensing.detections)),
    ],
)
def test_what_a_sensor_that_fails_saw_last_is_told_no_more(match, monkeypatch, base, told) -> None:
    def see(sensor: Any, *arguments: Any) -> None:
        sensor.sight, sensor.detections = object(), {(0, "sound_sensor", ""): None}

    def begin(sensor: Any, random: Any) -> None:
        base.__init__(sensor, random)
        see(sensor)

    parts = import_module("sound_parts")
    methods = {"__init__": begin, "sense": see, "bind": parts.Sensor.bind, "check": Mock()}
    monkeypatch.setattr(parts, "Sensor", type("Sensor", (base,), methods))
    played = match()
    assert told(played.run(3), played.simulation.sensing)
    monkeypatch.setattr(parts.Sensor, "sense", fail)
    assert not told(played.run(1), played.simulation.sensing)


@pytest.mark.usefixtures("installed")
def test_no_client_can_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def lines(errors: Iterator[Exception], names: Iterator[str]) -> int:
        caplog.clear()
        for error, name in zip(errors, names, strict=False):
            assert name in EFFECTOR_GROUP.fails("sound_effector", error, f"robot '{name}' stands still")
        return len(caplog.messages)

    texts, names = list(map(str, range(100))), list(map("n{}".format, range(100)))
    assert lines(map(ValueError, texts), repeat("one")) == 1
    assert lines(map(TypeError, texts), iter(names)) == entry_points.MOST_LINES


def test_a_command_that_fails_is_refused(match, monkeypatch) -> None:
    monkeypatch.setattr(import_module("sound_parts").effect, "_function", fail)
    played = match(players=())
    robot = played.world.add_robot(load_robot("sound.yaml"), (0.0, 0.0, 0.1), 0.0)
    refused = r"worn out \(test_third_party_plugins.py, line \d+\); its command is refused; 'pip uninstall sound-parts'"
    with pytest.raises(CommandRejectedError, match=refused):
        played.control.act(played.world, robot, "sound_effector", ())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"joints": np.array([0, 2])}, r"joints must be 0 to 1, as the robot's model has them, not \[0 2\]"),
        ({"joints": np.array([0.0, 1.0])}, "must be a \\(K,\\) array of different whole numbers"),
        ({"joints": np.array([1, 1])}, "of different whole"),
        ({"joints": [0, 1]}, r"must be a \(K,\) array of .* not \[0, 1\]"),
        ({"middle": np.zeros(2)}, "middle must be"),
        ({"motion": lambda turns: [np.nan, 0.0, 0.0]}, "motion of joints at rest must be .*nan"),
    ],
)
def test_a_drive_that_cannot_work_is_refused_with_its_robot(match, monkeypatch, change, fault) -> None:
    motion = import_module("sound_parts").Motion
    begin = motion.__init__

    def begin_changed(self: Any, *arguments: Any) -> None:
        begin(self, *arguments)
        self.__dict__.update(change)

    monkeypatch.setattr(motion, "__init__", begin_changed)
    played = match(players=())
    with pytest.raises(UserError, match=f"ValueError: .*{fault}"):
        played.world.add_robot(load_robot("sound.yaml"), (0.0, 0.0, 0.1), 0.0)


def test_an_effector_that_is_guarded_takes_named_arguments() -> None:
    @effector("note")
    def note(world: World, robot: Robot, speed: float) -> None:
        raise ValueError(f"speed {speed}")

    with pytest.raises(CommandRejectedError, match=r"note.*speed 2\.0 \(.*\.py, line \d+\); its command is refused"):
        isolated({"note": note})["note"](cast(World, None), cast(Robot, None), speed=2.0)


def test_nothing_else_notices(play: Callable[..., Any], request: pytest.FixtureRequest) -> None:
    def played() -> str:
        simulation = play(world="msl", engine="planar", players=("one=goalkeeper",))
        simulation.run(5)
        return state_hash(simulation.world)

    alone = played()
    request.getfixturevalue("installed")
    assert played() == alone


def test_a_process_warns_of_what_it_meets_and_works() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(FOLDER), os.environ.get("PYTHONPATH", "")])}

    def simspark(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "simspark_ros.cli", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60.0, env=environment, check=False)

    worked = simspark("sound-command")
    assert worked.returncode == 0
    assert "plug-in 'broken-command' (broken_parts:fail of broken-parts 2.0" in worked.stderr
    asked = simspark("serve", "--no-ros", "--engine", "broken_engine")
    assert (asked.returncode, "Traceback" in asked.stderr) == (2, False)
    assert "no library libwreck.so" in asked.stderr
