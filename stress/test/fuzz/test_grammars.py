"""What the grammars of the doors draw: seeded, plain JSON, valid and invalid, and quiet where it has to be."""

import contextlib
import json
import random
import sys
from dataclasses import is_dataclass
from functools import cache
from types import SimpleNamespace
from typing import cast

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError, declarations, read_yaml
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.monitor.trainer import parse
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.formats import read_format
from simspark_ros.server.remote.codec import CommandsMessage, Hello, decode
from simspark_ros.server.remote.serialization import CodecError
from simspark_ros.simulation.player_plugins.host import PLAYERS, parse_player
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings
from simspark_ros.soccer.settings import SoccerWorldFile, load_soccer_settings
from simspark_stress.fuzz.doors import worlds
from simspark_stress.fuzz.doors.classic import AGENTS, MONITORS
from simspark_stress.fuzz.doors.foreign_robots import foreign_robot_file
from simspark_stress.fuzz.doors.game_controller import GAME_CONTROLLER
from simspark_stress.fuzz.doors.lola import LOLA
from simspark_stress.fuzz.doors.messagepack import packed
from simspark_stress.fuzz.doors.newer_league import newer_doors
from simspark_stress.fuzz.doors.player_plugins import player_text
from simspark_stress.fuzz.doors.proxies import PROXIES
from simspark_stress.fuzz.doors.robot_files import bomb_file
from simspark_stress.fuzz.doors.viewer import VIEWER, frame
from simspark_stress.fuzz.doors.worlds import WORLDS, WorldsDoor, draw_config, draw_world
from simspark_stress.fuzz.server import Server

NEWER_AGENTS = newer_doors("T1")[0]
DOORS = (AGENTS, MONITORS, LOLA, GAME_CONTROLLER, PROXIES, VIEWER, WORLDS, NEWER_AGENTS)


@cache
def case(name, seed, quiet):
    return next(door for door in DOORS if door.name == name).draw(random.Random(seed), quiet)


def drawn(door, seed, quiet):
    """A case of a door; many tests look at the same ones."""
    return case(door.name, seed, quiet)


def texts(door, count, quiet):
    for seed in range(count):
        yield from (step[2] for step in drawn(door, seed, quiet) if step[0] == "message")


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_cases_are_seeded_json_and_hardly_ever_repeat(door):
    cases = [json.dumps(drawn(door, seed, False)) for seed in range(300)]
    assert cases == [json.dumps(door.draw(random.Random(seed), False)) for seed in range(300)]
    assert len(set(cases)) > 290


def test_quiet_agents_of_the_new_league_get_no_robot_and_proxies_send_both_valid_and_broken_ones():
    decoder = AgentDecoder(load_dialect("rcssservermj"))
    loud = [decoder.decode("a", text.encode("latin-1")) for text in texts(NEWER_AGENTS, 300, quiet=False)]
    assert sum(bool(decoded.rejected) for decoded in loud) > len(loud) / 3
    assert any(text.startswith("(init ROBOT Hostile ") for text in texts(NEWER_AGENTS, 300, quiet=False))
    assert not any("init" in text for text in texts(NEWER_AGENTS, 500, quiet=True))
    messages = [proxy_message(text) for text in texts(PROXIES, 500, quiet=False)]
    read = [message for message in messages if message is not None]
    kinds = {action.kind for one in read if isinstance(one, CommandsMessage) for action in one.commands.actions}
    assert min(len(read), len(messages) - len(read)) > 200 and {"create", "beam", "kill"} <= kinds


def proxy_message(text):
    with contextlib.suppress(CodecError):
        return decode(text.encode("latin-1"), Hello, CommandsMessage)
    return None


def changes_the_match(text):
    return any(action.kind != "kill_simulation" for action in parse("m", text.encode("latin-1")).actions)


DECODER = cache(lambda: AgentDecoder(load_dialect("measured")))


def asks_for_a_robot(text):
    return any(action.kind == "create" for action in DECODER().decode("a", text.encode("latin-1")).actions)


def asks_for_something(text):
    message = proxy_message(text)
    return isinstance(message, CommandsMessage) and bool(message.commands.actions)


@pytest.mark.parametrize(
    ("door", "acts"), [(MONITORS, changes_the_match), (AGENTS, asks_for_a_robot), (PROXIES, asks_for_something)]
)
def test_quiet_clients_change_nothing_and_others_do(door, acts):
    assert any(map(acts, texts(door, 300, quiet=False)))
    assert not any(map(acts, texts(door, 1000, quiet=True)))


def test_messages_of_pages_are_msgpack_in_frames_and_bombs_are_small_files_that_name_one_another():
    # MessagePack's specification; RFC 6455, section 5.2.
    expected = b"\xdf\0\0\0\1\xdb\0\0\0\1a\xdd\0\0\0\3\xcb\x3f\xf0" + bytes(6) + b"\xc0\xc3"
    assert packed({"a": [1, None, True]}) == expected
    assert frame(2, b"ab") == b"\x82\x82" + bytes(4) + b"ab"
    assert frame(1, bytes(300))[:4] == b"\x81\xfe\x01\x2c" and frame(1, b"", 70000)[1] == 0xFF
    texts = set()
    for seed in range(200):
        files = bomb_file(random.Random(seed), "r")
        assert next(iter(files)) == "r.yaml" and "r.urdf.xacro" in files
        assert sum(map(len, files.values())) < 1_000_000
        texts |= set(files.values())
    everything = "".join(texts)
    for part in ("*a7", "9**9**9", 'include filename="r.urdf.xacro"', "based_on: r.yaml", "x" * 5000, "[" * 500):
        assert part in everything
    assert any("OWN.yaml\n" in WORLDS.draw(random.Random(seed), False)[0][1] for seed in range(500))


def test_worlds_and_files_of_settings_have_all_keys_and_many_are_valid(tmp_path):
    keys, valid = set(), 0
    for seed in range(400):
        (tmp_path / "w.yaml").write_text(draw_world(random.Random(seed)), encoding="latin-1")
        with contextlib.suppress(ConfigurationError, AttributeError):
            document = read_yaml(tmp_path / "w.yaml")
            keys |= {(name, key) for name, part in document.items() for key in (part if type(part) is dict else "-")}
            if seed < 60:
                load_soccer_settings(tmp_path / "w.yaml")
                valid += 1
    assert 15 < valid < 45
    sections = [section for section in declarations(SoccerWorldFile) if is_dataclass(section.kind)]
    declared = {(section.name, key.name) for section in sections for key in declarations(section.kind)}
    assert keys >= declared | {("rules", name) for name in ("game", "order", "charging")} | {("max_robots", "-")}
    keys, valid = set(), 0
    for seed in range(200):
        (tmp_path / "c.yaml").write_text(draw_config(random.Random(seed)), encoding="latin-1")
        with contextlib.suppress(ConfigurationError, AttributeError, KeyError, TypeError):
            keys |= set(read_yaml(tmp_path / "c.yaml")["simulation"])
            load_simulation_settings(tmp_path / "c.yaml")
            valid += 1
    assert 60 < valid < 170
    assert keys >= {declaration.name for declaration in declarations(SimulationSettings)}


@pytest.mark.parametrize("option", ["world", "config"])
@pytest.mark.parametrize(
    ("text", "fault"),
    [("based_on: soccer\n", ""), ("field: {length: .nan}\n", ""), ("based_on: soccer\nend: 7\n", "status 7")],
)
def test_a_file_has_to_be_played_or_refused(option, text, fault, monkeypatch):
    # Instead of a server: refuses what is not finite, fails on `end`.
    program = "import sys; text = open(sys.argv[-1].partition('=')[2]).read(); "
    program += "sys.exit(7 if 'end' in text else 2 * ('nan' in text) if sys.argv[-1].startswith(OPTION) else 1)"
    program = program.replace("OPTION", repr(f"--{option}="))
    monkeypatch.setattr(worlds, "COMMAND", (sys.executable, "-c", program))
    door = WorldsDoor(cast("Server", SimpleNamespace(options=("--engine=ode",))))
    door.play(([option, text],))
    seen = door.fault()
    assert fault in seen and bool(seen) == bool(fault) and not door.fault()
    door.close()


def test_trainers_send_commands_of_all_kinds_spare_the_good_client_and_start_players_that_leave():
    messages = [parse("m", text.encode("latin-1")) for text in texts(MONITORS, 1500, quiet=False)]
    actions = [action for message in messages for action in message.actions]
    kinds = {"ball", "play_mode", "agent_position", "kill", "pause", "speed", "save_world", "agent_press"}
    assert {action.kind for action in actions} >= kinds | {"start_player", "stop_player"}
    assert sum(bool(message.rejected) for message in messages) > len(messages) / 3
    assert all(action.kind not in ("kill", "select") or action.arguments[0] == "right" for action in actions)
    started = [player_text(random.Random(seed)) for seed in range(200)]
    assert {text.partition("=")[2].partition("?")[0] for text in started} >= set(PLAYERS)
    assert any(parse_player(text)[2] for text in started if text.startswith("p1=goalkeeper?speed"))
    for seed in range(300):
        steps = drawn(MONITORS, seed, False)
        if any("(startPlayer" in str(step) for step in steps):
            assert steps[-1][2] == "(stopPlayer)"


def test_a_fair_part_of_the_robots_in_other_formats_is_valid(tmp_path):
    good = set()
    for seed in range(60):
        ((name, text),) = foreign_robot_file(random.Random(seed), "r").items()
        (tmp_path / name).write_text(text, encoding="utf-8")
        with contextlib.suppress(RobotError):
            read_format(tmp_path / name, 0, LimitSettings())
            good.add((seed, name))
    assert 10 < len(good) < 50
    assert {name for _, name in good} >= {"r.sdf", "r.rsg"}
