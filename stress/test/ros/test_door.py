"""What the grammars of ROS draw fits its services and messages, and much of it is taken."""

import contextlib
import os
import random
from pathlib import Path
from unittest import mock

import pytest
from rcl_interfaces.msg import ParameterValue

from simspark_ros.effectors import EFFECTORS
from simspark_ros.msg import SimulationState
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.ros.network import choose_network
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.server.remote.codec import CommandsMessage, PerceptsMessage, decode
from simspark_ros.server.remote.serialization import CodecError
from simspark_stress.fuzz.case import Case
from simspark_stress.fuzz.doors.proxies import PROXY
from simspark_stress.fuzz.doors.robot_files import robot_file
from simspark_stress.fuzz.session import Session
from simspark_stress.fuzz.trials import play_all
from simspark_stress.ros.bridge import BRIDGE_DOOR, draw_bridge
from simspark_stress.ros.fields import fill
from simspark_stress.ros.grammar import SERVICES, VALUE_FIELDS, draw_files, draw_ros
from simspark_stress.settings import FuzzSettings
from test.rigs.ros_processes import Domain


def test_no_drawn_request_ends_the_server():
    drawn = [step for seed in range(800) for step in draw_ros(random.Random(seed), False)]
    assert any(verb == "parameter" and arguments[0].startswith("rule_book.game.") for verb, *arguments in drawn)
    assert not any(
        verb == "parameter" and arguments[0] == "rule_book.game.automatic_quit" for verb, *arguments in drawn
    )
    states = {arguments[1]["state"]["state"] for _, *arguments in drawn if arguments[0] == "set_simulation_state"}
    assert states and SimulationState.STATE_QUITTING not in states


@pytest.mark.parametrize("draw", [draw_ros, draw_files])
def test_drawn_requests_and_messages_have_fields_of_the_right_types(draw):
    seen = set()
    for seed in range(200):
        for verb, *arguments in draw(random.Random(seed), False):
            seen.add(verb)
            if verb == "call":
                fill(SERVICES[arguments[0]].Request(), arguments[1])
            elif verb == "publish":
                fill(message_type(arguments[1])(), arguments[2])
            elif verb == "parameter":
                fill(ParameterValue(), {VALUE_FIELDS[arguments[1]]: arguments[2]})
    assert {"call", "publish"} <= seen


def test_all_effectors_are_commanded_and_robots_come_as_texts_too():
    steps = [step for seed in range(600) for step in draw_ros(random.Random(seed), False)]
    published = {step[1].partition("/")[2] for step in steps if step[0] == "publish"}
    assert published >= {one.topic.name or kind for kind, one in EFFECTORS.items() if one.topic}
    assert any(step[0] == "parameter" and str(step[1]).startswith("sensors.r1.") for step in steps)
    files = [step for seed in range(60) for step in draw_files(random.Random(seed), False)]
    spawned = [step[2]["entity_resource"] for step in files if step[:2] == ["call", "spawn_entity"]]
    assert {key for one in spawned for key in one} == {"uri", "resource_string"}


def test_a_fair_part_of_the_drawn_robot_files_is_valid(tmp_path):
    good = 0
    for seed in range(60):
        files = robot_file(random.Random(seed), f"r{seed}")
        for name, text in files.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        with contextlib.suppress(RobotError):
            load_robot(str(tmp_path / next(iter(files))))
            good += 1
    assert 10 < good < 50


def test_forgers_send_both_valid_and_broken_messages_and_clients_come_to_both_ports_of_the_bridge():
    read, broken, verbs, who = 0, 0, set(), set()
    for seed in range(500):
        for verb, *arguments in draw_bridge(random.Random(seed), False):
            verbs.add(verb)
            if verb == "message":
                who.add(arguments[0].split()[0])
            elif verb in ("commands", "percepts"):
                try:
                    decode(arguments[0].encode("latin-1"), CommandsMessage, PerceptsMessage)
                    read += 1
                except CodecError:
                    broken += 1
    assert min(read, broken) > 100
    assert {"commands", "percepts", "message", "read"} <= verbs and who == {"agent", "monitor"}


@pytest.mark.slow
def test_a_proxy_and_a_bridge_are_attacked_beside_good_clients_at_their_ports(domain: Domain, tmp_path: Path):
    source = random.Random(1)
    doors = (PROXY, BRIDGE_DOOR)
    cases = [Case(door.name, tuple(door.draw(source, False))) for door in doors for _ in range(60)]
    # The machine of the tests may be busy.
    settings = FuzzSettings(max_gap=20.0, recovery=30.0)
    with mock.patch.dict(os.environ, domain.environment):
        choose_network("loopback")
        with Session((), doors, settings, tmp_path / "server") as session:
            assert set(session.server.agents) == {"server", "proxy", "bridge"}
            session.begin()
            play_all(session, cases, settings.workers)
            assert session.faults() == []
            assert session.server.end() == {"bridge": 0, "proxy": 0, "server": 0}
            session.begin()
            # The witnesses see that it is gone.
            assert [fault.kind for fault in session.faults()] == ["the server has ended"]
