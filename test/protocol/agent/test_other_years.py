"""Formats of other years, byte for byte as the protocol reference has them in section 9."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import Profile, VisionFormat

MANUAL = load_dialect("manual2010")
GAME = GameSnapshot(0.0, "BeforeKickOff", 1, 2, 1, "A", "B")


def message(profile: Profile, kind: str, name: str, readings: dict[str, float], **settings: Any) -> str:
    """What a robot with a single perceptor is sent."""
    slots = (Slot(kind, name, tuple(readings), 0),)
    robot = RobotLayout(1, "me", "nao", 0, "A", "left", 7, 1, slots, (), ("head", "rfoot"), ())
    other = replace(robot, handle=2, client="", team="NAME", unum=3, slots=())
    percepts = Percepts(
        1, 0.0, Layout(1, (robot, other), ("B",)), GAME, np.array(list(readings.values())), np.ones(1, bool)
    )
    encoded = AgentEncoder(profile).encode(replace(percepts, **settings))
    return encoded["me"][4:].decode("ascii")


@pytest.mark.parametrize(
    ("kind", "name", "readings", "expected"),
    [
        (
            "universal_joint",
            "laj1_2",
            {"angle1": math.radians(-1.32), "angle2": math.radians(2.0)},
            "(UJ (n laj1_2) (ax1 -1.32) (ax2 2.00))",
        ),
        ("touch", "bumper", {"touching": 1.0}, "(TCH n bumper val 1)"),
        ("touch", "bumper", {"touching": 0.0}, "(TCH n bumper val 0)"),
        ("agent_state", "agent_state", {"temperature": 48.0, "battery": 75.0}, "(AgentState (temp 48) (battery 75))"),
        (
            "gyroscope",
            "torso",
            {"x": math.radians(0.07), "y": math.radians(-0.01), "z": math.radians(0.46)},
            "(GYR (n torso) (rt 0.01 0.07 0.46))",
        ),
        (
            "force_resistance",
            "lf",
            {"px": 0.08, "py": 0.14, "pz": -0.05, "fx": -0.26, "fy": -1.12, "fz": 13.07},
            "(FRP (n lf) (c -0.14 0.08 -0.05) (f 1.12 -0.26 13.07))",
        ),
        ("game_state", "game_state", {}, "(GS (t 0.00) (pm BeforeKickOff))"),
    ],
)
def test_the_manuals_examples_are_written_byte_for_byte(kind, name, readings, expected):
    assert message(MANUAL, kind, name, readings) == expected


def test_the_game_state_has_neither_score_nor_number_and_spells_modes_its_way():
    spelled = {
        "corner_kick_left": "CORNER_KICK_LEFT",
        "goal_kick_right": "GOAL_KICK_RIGHT",
        "free_kick_left": "FREE_KICK_LEFT",
        "offside_left": "OFFSIDE_LEFT",
        "KickIn_Left": "KickIn_Left",
    }
    for mode, word in spelled.items():
        text = message(MANUAL, "game_state", "game_state", {}, game=replace(GAME, play_mode=mode))
        assert text == f"(GS (t 0.00) (pm {word}))"


@pytest.mark.parametrize(
    ("direction", "expected"),
    [(None, "(hear 12.30 self helloworld)"), (math.radians(-35), "(hear 12.30 -35 helloworld)")],
)
def test_a_message_is_heard_without_the_name_of_the_team(direction, expected):
    heard = (Heard(1, "A", direction, "helloworld", 12.3),)
    assert message(MANUAL, "hear", "hear", {}, heard=heard) == expected


def test_simple_players_are_one_position_that_of_their_first_part():
    profile = replace(MANUAL, vision=VisionFormat(simple_players=True))
    # targets: ball, own head and foot, head and foot of the other
    sight = Sight(
        observers=np.array([0]),
        object_offset=np.array([0, 4]),
        object_target=np.array([0, 2, 3, 4]),
        object_polar=np.array([[8.51, 0.0, 0.0], [0.3, 0.0, 0.0], [3.0, 0.5, -0.25], [3.1, 0.5, -0.5]]),
        line_offset=np.array([0, 0]),
        line_polar=np.zeros((0, 2, 3)),
    )
    assert message(profile, "restricted_vision", "vision", {}, sight=sight) == (
        "(See (B (pol 8.51 0.00 0.00)) (P (team NAME) (id 3) (pol 3.00 28.65 -14.32)))"
    )


def test_a_year_without_types_takes_the_scene_without_one():
    decoder = AgentDecoder(MANUAL)
    assert decoder.decode("me", b"(scene rsg/agent/nao/nao.rsg)").actions[0].arguments[0] == "nao"
    assert "unknown scene" in decoder.decode("me", b"(scene rsg/agent/nao/nao_hetero.rsg 1)").rejected[0]
