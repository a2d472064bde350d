import re
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import GameStateFormat, Profile, load_profile
from simspark_ros.robots.types.random_types import RobotType

PROFILE = load_profile("measured")
FORCE = ("px", "py", "pz", "fx", "fy", "fz")
KINDS = (
    *((name, name, ()) for name in ("time", "game_state", "hear")),
    *(("gyroscope", "torso", ("x", "y", "z")), ("restricted_vision", "vision", ())),
    *(("force_resistance", "rf", FORCE), ("hinge_joint", "rlj6", ("angle",))),
)
GAME = GameSnapshot(0.5, "PlayOn", 1, 2, 1, "A", "B")


def layout(*clients: str, kinds=KINDS, start=0) -> Layout:
    robots = []
    for row, client in enumerate(clients):
        slots = []
        for kind, name, columns in kinds:
            slots.append(Slot(kind, name, columns, start))
            start += len(columns)
        team, side, parts = "AB"[row % 2], ("left", "right")[row % 2], ("head", "rfoot")
        robots.append(RobotLayout(row + 1, client, "nao", 0, team, side, row + 1, 1, tuple(slots), (), parts, ()))
    return Layout(1, tuple(robots), ("G1L", "B"))


def percepts(layout: Layout, values=None, **settings) -> Percepts:
    slots = [slot for robot in layout.robots for slot in robot.slots]
    size = max(slot.start + len(slot.columns) for slot in slots)
    given = np.zeros(size) if values is None else np.array(values, float)
    return replace(Percepts(1, 3.0, layout, GAME, given, np.ones(len(slots), bool)), **settings)


def sight(observers: list[int], objects: list[list[int]], lines: list[int] | None = None) -> Sight:
    lines = lines or [0] * len(observers)
    targets = [target for seen in objects for target in seen]
    return Sight(
        observers=np.array(observers),
        object_offset=np.cumsum([0, *map(len, objects)]),
        object_target=np.array(targets, np.int64),
        object_polar=np.array([[float(target), 0.1, -0.1] for target in targets]).reshape(-1, 3),
        line_offset=np.cumsum([0, *lines]),
        line_polar=np.full((sum(lines), 2, 3), 0.5),
    )


def encode(values: Percepts, encoder: AgentEncoder | None = None) -> dict[str, str]:
    messages = (encoder or AgentEncoder(PROFILE)).encode(values)
    assert all(int.from_bytes(message[:4], "big") == len(message) - 4 for message in messages.values())
    return {client: message[4:].decode("ascii") for client, message in messages.items()}


def test_only_robots_with_a_client_get_a_message_and_a_registration_is_announced_once():
    values = np.zeros(30)
    values[[9, 19, 29]] = np.radians([1, 2, 3])
    messages = encode(percepts(layout("a", "", "c"), values))
    assert messages.keys() == {"a", "c"} and messages["a"].endswith("(ax 1.00))")
    assert messages["c"].endswith("(ax 3.00))")
    encoder = AgentEncoder(PROFILE)
    first = layout("me")
    new = first._replace(robots=(first.robots[0]._replace(registrations=2, unum=9),))
    other = first._replace(robots=(first.robots[0]._replace(variant=2),))
    sent = [re.findall(r"unum \d+", encode(percepts(each), encoder)["me"]) for each in (first, first, other, new, new)]
    assert sent == [["unum 1"], [], [], ["unum 9"], []]


def test_silent_perceptors_leave_nothing_and_times_and_bearings_that_are_not_finite_are_not_sent():
    encoder = AgentEncoder(PROFILE)
    values = percepts(layout("me"), [0, 0, 0, *[np.nan] * 6, 0])
    values.present[5] = False
    assert "(GYR (n torso) (rt 0.00 0.00 0.00))(HJ (n rlj6)" in encode(values, encoder)["me"].replace("-0.00", "0.00")
    assert encoder.non_finite == 0
    encoder = AgentEncoder(PROFILE)
    encode(percepts(layout("me")), encoder)
    heard = (Heard(1, "A", np.nan, "hi", np.inf),)
    text = encode(percepts(layout("me"), time=np.nan, game=GAME._replace(time=np.inf), heard=heard), encoder)["me"]
    assert text.startswith("(time (now 3.00))(GS (sl 1) (sr 2) (t 0.50) (pm PlayOn))(hear A 0.50 0.00 hi)")
    assert encoder.non_finite == 4


def test_any_combination_of_silent_perceptors_leaves_out_exactly_those_and_names_are_sent_as_they_are():
    kinds = (*(("hinge_joint", f"100%{{}}{index}", ("angle",)) for index in range(9)), KINDS[0])
    encoder = AgentEncoder(PROFILE)
    values = percepts(layout("me", kinds=kinds), np.radians(np.arange(9)))
    for mask in range(512):
        speaking = [index for index in range(9) if mask >> index & 1]
        values.present[:9] = False
        values.present[speaking] = True
        joints = "".join(f"(HJ (n 100%{{}}{index}) (ax {index}.00))" for index in speaking)
        assert encode(values, encoder)["me"] == joints + "(time (now 3.00))"


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e300])
def test_a_number_that_cannot_be_sent_is_replaced_by_the_last_good_one_and_counted(wrong):
    encoder = AgentEncoder(PROFILE)
    start = percepts(layout("me"), [0, 0, wrong, 0, 0, 0, 0, 0, 0, 0])
    good = percepts(start.layout, [0, 0, np.radians(5), 0, 0, 0, 0, 0, 0, 0])
    grown = percepts(layout("me", "you"), [0, 0, wrong, *[0] * 17])
    texts = [encode(each, encoder)["me"] for each in (start, good, start, grown)]
    assert [re.findall(r"(\S+)\)\)\(FRP", text) for text in texts] == [["0.00"], ["5.00"], ["5.00"], ["5.00"]]
    assert encoder.non_finite == 3


def test_seen_things_with_coordinates_that_cannot_be_sent_are_left_out_and_counted():
    encoder = AgentEncoder(PROFILE)
    seen = sight([0, 1], [[0, 1, 2], [1]], [1, 2])
    seen.object_polar[1, 1] = np.nan
    seen.line_polar[1, 1, 2] = np.inf
    messages = encode(percepts(layout("a", "b"), sight=seen), encoder)
    assert re.findall(r"\((?=[A-Z])(\w+) \(", messages["a"]) == ["GS", "GYR", "See", "P", "L", "FRP", "HJ"]
    assert re.findall(r"\((?=[A-Z])(\w+) \(", messages["b"]) == ["GS", "GYR", "See", "L", "FRP", "HJ"]
    assert "(See (G1L (pol 0.00 5.73 -5.73)) (P (team A) (id 1) (head " in messages["a"]
    assert "(See (B (pol 1.00 5.73 -5.73)) (L " in messages["b"] and encoder.non_finite == 2


def test_parts_of_two_observers_are_two_groups_and_robots_without_a_team_are_not_listed():
    messages = encode(percepts(layout("a", "b"), sight=sight([0, 1], [[2], [3]])))
    assert messages["a"].count("(P (team A) (id 1) (head ") == 1
    assert messages["b"].count("(P (team A) (id 1) (rfoot ") == 1
    both = layout("a", "b")
    lonely = both._replace(robots=(both.robots[0], both.robots[1]._replace(team="")))
    message = encode(percepts(lonely, sight=sight([0], [[0, 2, 4, 5]])))["a"]
    assert re.findall(r"\(P \(team (\w*)", message) == ["A"]


def test_who_does_not_look_or_sees_nothing_gets_no_vision():
    messages = encode(percepts(layout("a", "b", "c"), sight=sight([0, 2], [[], [0]])))
    assert ["See" in messages[client] for client in "abc"] == [False, False, True]


def test_numbers_beyond_the_usual_range_are_written_in_full_with_the_profiles_decimals():
    seen = sight([0], [[1]], [1])
    seen.object_polar[0] = [123.456, np.radians(359.5), np.radians(-100)]
    seen.line_polar[0, 0] = [1e6, 0, np.radians(95)]
    message = encode(percepts(layout("me"), sight=seen))["me"]
    assert "(See (B (pol 123.46 359.50 -100.00)) (L (pol 1000000.00 0.00 95.00) (pol 0.50 28.65 28.65)))" in message
    sent = encode(percepts(layout("me"), sight=sight([0], [[1]])), AgentEncoder(replace(PROFILE, decimals=1)))["me"]
    assert sent.startswith("(time (now 3.0))(GS (unum 1) (team left) (sl 1) (sr 2) (t 0.5) (pm PlayOn))(GYR (n torso)")
    assert "(See (B (pol 1.0 5.7 -5.7)))" in sent


def test_a_kind_without_format_is_left_out_and_reported():
    kinds = (*KINDS[:4], ("radar", "r", ("range",)), ("hinge_joint", "odd", ("velocity",)), KINDS[-1])
    encoder = AgentEncoder(PROFILE)
    message = encode(percepts(layout("me", kinds=kinds)), encoder)["me"]
    assert re.findall(r"\((\w+) \(n (\w+)\)", message) == [("GYR", "torso"), ("HJ", "rlj6")]
    assert encoder.unknown_kinds == {"radar", "hinge_joint"}


def test_a_robot_without_perceptors_gets_an_empty_message_and_a_profile_without_them_sends_the_ready_texts():
    robots = layout("me", kinds=()).robots
    nothing = Percepts(1, 3.0, Layout(1, robots, ()), GAME, np.zeros(0), np.zeros(0, bool))
    encoder = AgentEncoder(PROFILE)
    assert [encode(nothing, encoder), encode(nothing, encoder)] == [{"me": ""}] * 2
    assert encode(percepts(layout("me")), AgentEncoder(Profile()))["me"].endswith("(pm PlayOn))")


@pytest.mark.parametrize("sizes", [(1, 3, 1), (0, 22, 2), (2, 400, 1, 401)])
def test_layouts_that_grow_and_shrink_are_written_as_by_a_new_encoder(sizes):
    encoder = AgentEncoder(PROFILE)
    for robots in sizes:
        structure = layout("me", *[""] * robots)
        everything = percepts(structure, sight=sight([0], [[*range(len(structure.targets))]], [1]))
        text, expected = (encode(everything, by)["me"].partition("(See")[2] for by in (encoder, None))
        assert text == expected and text.count("(P ") == text.count("(id ") == robots + 1
        assert " (L (pol 0.50 28.65 28.65) (pol 0.50 28.65 28.65)))(FRP" in text


def test_drawn_types_are_told_in_a_message_of_their_own_where_the_profile_says_so():
    types = (RobotType("nao", 0, 0, (("hip_y", 0.055),)), RobotType("nao", 1, 4, (("hip_y", 0.06),)))
    drawn = layout("a")._replace(robot_types=types)
    telling = AgentEncoder(replace(PROFILE, game_state=GameStateFormat(report_robot_types=True)))
    assert telling.types(drawn)[4:] == b"(RT (robot nao)(type 0 (hip_y 0.05500))(type 1 (hip_y 0.06000)))"
    assert telling.types(layout("a")) == b"" and AgentEncoder(PROFILE).types(drawn) == b""
