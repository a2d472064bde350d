"""Formats of other years, byte for byte as the protocol reference has them in section 9."""

import math
import re
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
from simspark_ros.soccer.game_state import PlayMode

MANUAL = load_dialect("manual2010")
GAME = GameSnapshot(0.0, "BeforeKickOff", 1, 2, 1, "A", "B")


def message(profile: Profile, kind: str, name: str, readings: dict[str, float], **settings: Any) -> str:
    """What a robot with a single perceptor is sent."""
    slots = (Slot(kind, name, tuple(readings), 0),)
    robot = RobotLayout(1, "me", "nao", 0, "A", "left", 7, 1, slots, (), ("head", "rfoot"), ())
    other = robot._replace(handle=2, client="", team="NAME", unum=3, slots=())
    layout, values = Layout(1, (robot, other), ("B",)), np.array(list(readings.values()))
    percepts = Percepts(1, 0.0, layout, GAME, values, np.ones(1, bool))
    return AgentEncoder(profile).encode(replace(percepts, **settings))["me"][4:].decode("ascii")


def degrees(**angles: float) -> dict[str, float]:
    return {name: math.radians(angle) for name, angle in angles.items()}


FORCE = {"px": 0.08, "py": 0.14, "pz": -0.05, "fx": -0.26, "fy": -1.12, "fz": 13.07}


@pytest.mark.parametrize(
    ("kind", "name", "readings", "expected"),
    [
        ("universal_joint", "laj1_2", degrees(angle1=-1.32, angle2=2.0), "(UJ (n laj1_2) (ax1 -1.32) (ax2 2.00))"),
        ("touch", "bumper", {"touching": 1.0}, "(TCH n bumper val 1)"),
        ("touch", "bumper", {"touching": 0.0}, "(TCH n bumper val 0)"),
        ("agent_state", "agent_state", {"temperature": 48.0, "battery": 75.0}, "(AgentState (temp 48) (battery 75))"),
        ("gyroscope", "torso", degrees(x=0.07, y=-0.01, z=0.46), "(GYR (n torso) (rt 0.01 0.07 0.46))"),
        ("force_resistance", "lf", FORCE, "(FRP (n lf) (c -0.14 0.08 -0.05) (f 1.12 -0.26 13.07))"),
        ("game_state", "game_state", {}, "(GS (t 0.00) (pm BeforeKickOff))"),
    ],
)
def test_the_manuals_examples_are_written_byte_for_byte(kind, name, readings, expected):
    assert message(MANUAL, kind, name, readings) == expected


def test_the_game_state_has_neither_score_nor_number_and_spells_modes_its_way():
    for mode in ("corner_kick_left", "goal_kick_right", "free_kick_left", "offside_left", "KickIn_Left"):
        text = message(MANUAL, "game_state", "game_state", {}, game=GAME._replace(play_mode=mode))
        assert text == f"(GS (t 0.00) (pm {mode if mode == 'KickIn_Left' else mode.upper()}))"


@pytest.mark.parametrize(("direction", "told"), [(None, "self"), (math.radians(-35), "-35")])
def test_a_message_is_heard_without_the_name_of_the_team(direction, told):
    heard = (Heard(1, "A", direction, "helloworld", 12.3),)
    assert message(MANUAL, "hear", "hear", {}, heard=heard) == f"(hear 12.30 {told} helloworld)"


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
    seen = "(See (B (pol 8.51 0.00 0.00)) (P (team NAME) (id 3) (pol 3.00 28.65 -14.32)))"
    assert message(profile, "restricted_vision", "vision", {}, sight=sight) == seen


def test_a_year_without_types_takes_the_scene_without_one():
    decoder = AgentDecoder(MANUAL)
    assert decoder.decode("me", b"(scene rsg/agent/nao/nao.rsg)").actions[0].arguments[0] == "nao"
    assert "unknown scene" in decoder.decode("me", b"(scene rsg/agent/nao/nao_hetero.rsg 1)").rejected[0]


NUMBER = r"-?\d+\.\d\d"
POLAR = rf"\(pol {NUMBER} {NUMBER} {NUMBER}\)"


def send(played, decoder, client, payload):
    decoded = decoder.decode(client, payload)
    assert not decoded.rejected
    return played.act(*decoded.actions)


def test_two_spheres_play_with_the_words_of_their_year(play):
    profile = load_dialect("sphere2006")
    played, decoder, encoder = play(profile="sphere2006"), AgentDecoder(profile), AgentEncoder(profile)
    for client, team in (("a", b"Red"), ("b", b"Blue")):
        send(played, decoder, client, b"(scene rsg/agent/sphere.rsg)")
        send(played, decoder, client, b"(init (unum 3)(teamname " + team + b"))")
        send(played, decoder, client, b"(beam -5.0 0.0 0.0)")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    text = b"(drive 20.0 50.0 0.0)(kick 20.0 80.0)(catch)(pantilt 0 0)(say helloworld)(syn)"
    percepts = send(played, decoder, "a", text)
    assert [notice.text.partition(":")[0] for notice in percepts.notices] == ["kick", "catch"]
    message = encoder.encode(percepts)["b"][4:].decode()
    assert "(AgentState (temp 25) (battery 100))" in message
    assert re.search(r"\(GS \(t 0\.\d\d\) \(pm PlayOn\)\)", message)
    assert re.search(r"\(hear 0\.\d\d -?\d+ helloworld\)", message)
    while percepts.sight is None or 1 not in percepts.sight.observers:
        percepts = played.run(1)
    message = encoder.encode(percepts)["b"][4:].decode()
    form = rf"\(See( \([GF][12][LR] {POLAR}\)){{8}} \(B {POLAR}\) \(P \(team Red\) \(id 3\) {POLAR}\)\)"
    assert re.fullmatch(form, message[message.index("(See") :])
