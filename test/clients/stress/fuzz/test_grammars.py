"""What the grammars of the doors draw: seeded, plain JSON, valid and invalid, and quiet where it has to be."""

from __future__ import annotations

import json
import random

import pytest

from simspark_ros.clients.stress.fuzz.doors import AGENTS, MONITORS
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.monitor.trainer import parse

DOORS = (AGENTS, MONITORS)


def texts(door, count, quiet):
    for seed in range(count):
        yield from (step[2] for step in door.draw(random.Random(seed), quiet) if step[0] == "message")


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.name)
def test_cases_are_seeded_json_and_hardly_ever_repeat(door):
    drawn = [json.dumps(door.draw(random.Random(seed), False)) for seed in range(300)]
    assert drawn == [json.dumps(door.draw(random.Random(seed), False)) for seed in range(300)]
    assert len(set(drawn)) > 290


def test_trainers_send_both_valid_and_wrong_commands():
    messages = [parse("m", text.encode("latin-1")) for text in texts(MONITORS, 500, quiet=False)]
    kinds = {action.kind for message in messages for action in message.actions}
    assert {"ball", "play_mode", "agent_position", "kill", "pause", "speed"} <= kinds
    assert sum(bool(message.rejected) for message in messages) > len(messages) / 3


def test_no_trainer_removes_the_good_client():
    for text in texts(MONITORS, 1000, quiet=False):
        for action in parse("m", text.encode("latin-1")).actions:
            assert action.kind not in ("kill", "select") or action.arguments[0] == "right", text


def test_quiet_monitors_change_nothing():
    for text in texts(MONITORS, 1000, quiet=True):
        assert not [a for a in parse("m", text.encode("latin-1")).actions if a.kind not in ("kill_simulation",)], text


def test_quiet_agents_get_no_robot(profile):
    decoder = AgentDecoder(profile)
    loud = [decoder.decode("a", text.encode("latin-1")) for text in texts(AGENTS, 500, quiet=False)]
    assert any(action.kind == "create" for decoded in loud for action in decoded.actions)
    for text in texts(AGENTS, 1000, quiet=True):
        assert not any(a.kind == "create" for a in decoder.decode("a", text.encode("latin-1")).actions), text
