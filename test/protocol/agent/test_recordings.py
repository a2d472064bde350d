"""Messages recorded from rcssserver3d 0.7.3: read by a strict grammar, made percepts, written again byte for byte.

The grammar here shares nothing with the package: it knows only what a recorded message looks like.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import radians

import numpy as np
import pytest

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.framing import frame
from test.rigs.messages.sessions import SESSIONS, real_session, scripted_session

LANDMARKS = ("G1L", "G2L", "G2R", "G1R", "F1L", "F2L", "F1R", "F2R", "B")
PARTS = ("head", "rlowerarm", "llowerarm", "rfoot", "lfoot")
ARMS = tuple(f"{side}aj{index}" for side in "rl" for index in range(1, 5))
COLUMNS = {
    "gyroscope": ("x", "y", "z"),
    "accelerometer": ("x", "y", "z"),
    "hinge_joint": ("angle",),
    "force_resistance": ("px", "py", "pz", "fx", "fy", "fz"),
}


def legs(toes: bool) -> Iterator[tuple[str, str]]:
    for side in "rl":
        yield from (("hinge_joint", f"{side}lj{index}") for index in range(1, 6))
        yield "force_resistance", f"{side}f"
        yield "hinge_joint", f"{side}lj6"
        if toes:
            yield "force_resistance", f"{side}f1"
            yield "hinge_joint", f"{side}lj7"


def perceptors(toes: bool) -> list[tuple[str, str]]:
    return [
        *((name, name) for name in ("time", "game_state", "hear")),
        *((kind, "torso") for kind in ("gyroscope", "accelerometer")),
        *(("hinge_joint", name) for name in ("hj1", "hj2")),
        ("restricted_vision", "vision"),
        *(("hinge_joint", name) for name in ARMS),
        *legs(toes),
    ]


NUMBER = r"-?(?:0|[1-9][0-9]*)\.[0-9]{2}"
TRIPLE = rf"{NUMBER} {NUMBER} {NUMBER}"
POLAR = rf"\(pol {TRIPLE}\)"
MARK = rf" \((?:{'|'.join(LANDMARKS)}) {POLAR}\)"
PART = rf" \((?:{'|'.join(PARTS)}) {POLAR}\)"
PLAYER = rf" \(P \(team [!-'*-~]+\) \(id [0-9]+\)(?:{PART})+\)"
LINE = rf" \(L {POLAR} {POLAR}\)"
FORMS = {
    "time": rf"\(time \(now (?P<now>{NUMBER})\)\)",
    "game_state": r"\(GS (?:\(unum (?P<unum>[1-9]|1[01])\) \(team (?P<side>left|right)\) )?\(sl (?P<sl>[0-9]+)\) "
    rf"\(sr (?P<sr>[0-9]+)\) \(t (?P<t>{NUMBER})\) \(pm (?P<mode>[A-Za-z_]+)\)\)",
    "hear": rf"(?P<hear>(?:\(hear [!-'*-~]+ {NUMBER} (?:self|{NUMBER}) [!-'*-~]{{1,20}}\)){{0,3}})",
    "gyroscope": rf"\(GYR \(n NAME\) \(rt (?P<KIND_NAME>{TRIPLE})\)\)",
    "accelerometer": rf"\(ACC \(n NAME\) \(a (?P<KIND_NAME>{TRIPLE})\)\)",
    "hinge_joint": rf"\(HJ \(n NAME\) \(ax (?P<KIND_NAME>{NUMBER})\)\)",
    "force_resistance": rf"(?:\(FRP \(n NAME\) (?P<KIND_NAME>\(c {TRIPLE}\) \(f {TRIPLE}\))\))?",
    "restricted_vision": rf"(?:\(See(?P<objects>(?:{MARK}|{PLAYER})*)(?P<lines>(?:{LINE})*)\))?",
}


def grammar(toes: bool) -> re.Pattern[str]:
    forms = (FORMS[kind].replace("KIND", kind).replace("NAME", name) for kind, name in perceptors(toes))
    return re.compile("".join(forms))


GRAMMARS = {toes: grammar(toes) for toes in (False, True)}


@dataclass
class Recorded:
    """A recorded message, and what the grammar found in it."""

    text: str
    toes: bool
    parts: dict[str, str | None]

    def __getitem__(self, key: str) -> str:
        return self.parts[key] or ""


def read(text: str) -> Recorded:
    for toes, pattern in GRAMMARS.items():
        match = pattern.fullmatch(text)
        if match:
            return Recorded(text, toes, match.groupdict())
    raise AssertionError(f"not a message of the classic server: {text}")


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(NUMBER, text)]


def reading(kind: str, text: str) -> list[float]:
    """Turn a recorded reading into SI and the frame x forward, y left, z up."""
    values = numbers(text)
    if kind == "hinge_joint":
        return [radians(values[0])]
    turned = [value for x, y, z in zip(values[::3], values[1::3], values[2::3], strict=True) for value in (y, -x, z)]
    return [radians(value) for value in turned] if kind == "gyroscope" else turned


def polars(text: str) -> list[tuple[float, float, float]]:
    values = numbers(text)
    triples = zip(values[::3], values[1::3], values[2::3], strict=True)
    return [(distance, radians(azimuth), radians(elevation)) for distance, azimuth, elevation in triples]


def robot(handle: int, client: str = "", **settings: object) -> RobotLayout:
    values: dict[str, object] = {"robot": "nao", "variant": 0, "team": "", "side": "", "unum": 0, "registrations": 0}
    values |= {"slots": (), "hinge_effectors": (), "visible_parts": (), "links": ()} | settings
    return RobotLayout(handle=handle, client=client, **values)  # type: ignore[arg-type]


def sight_of(message: Recorded) -> tuple[Sight | None, list[RobotLayout]]:
    """Return what was seen, and the seen players as robots of rows 1, 2, ..."""
    seen: list[tuple[int, tuple[float, float, float]]] = []
    players: list[RobotLayout] = []
    for item in re.findall(f"{MARK}|{PLAYER}", message["objects"]):
        if not item.startswith(" (P "):
            seen.append((LANDMARKS.index(item[2:].split(" ")[0]), polars(item)[0]))
            continue
        team, unum = re.findall(r"\(team ([^)]*)\) \(id ([0-9]+)\)", item)[0]
        first = len(LANDMARKS) + len(PARTS) * len(players)
        players.append(robot(10 + len(players), team=team, unum=int(unum), visible_parts=PARTS))
        for part in re.findall(PART, item):
            seen.append((first + PARTS.index(part[2:].split(" ")[0]), polars(part)[0]))
    lines = [polars(line) for line in re.findall(LINE, message["lines"])]
    if not seen and not lines:
        return None, players
    objects = np.array([target for target, _ in seen], np.int64), np.array([polar for _, polar in seen]).reshape(-1, 3)
    ends = np.array(lines).reshape(-1, 2, 3)
    return Sight(np.array([0]), np.array([0, len(seen)]), *objects, np.array([0, len(lines)]), ends), players


def heard_of(message: Recorded) -> tuple[Heard, ...]:
    found = re.findall(r"\(hear (\S+) (\S+) (\S+) ([^)]+)\)", message["hear"])
    return tuple(
        Heard(1, team, None if direction == "self" else radians(float(direction)), text, float(time))
        for team, time, direction, text in found
    )


def percepts_of(message: Recorded, registrations: int) -> Percepts:
    slots: list[Slot] = []
    values: list[float] = []
    present: list[bool] = []
    for kind, name in perceptors(message.toes):
        columns = COLUMNS.get(kind, ())
        recorded = message[f"{kind}_{name}"] if columns else ""
        slots.append(Slot(kind, name, columns, len(values)))
        present.append(bool(recorded) or not columns)
        values += reading(kind, recorded) if recorded else [0.0] * len(columns)
    sight, players = sight_of(message)
    numbers = {"registrations": registrations, "unum": int(message["unum"] or 0)}
    me = robot(1, "agent", slots=tuple(slots), side=message["side"], **numbers)
    layout = Layout(1, (me, *players), LANDMARKS)
    game = GameSnapshot(float(message["t"]), message["mode"], int(message["sl"]), int(message["sr"]), 1, "", "")
    told = Percepts(1, float(message["now"]), layout, game, np.array(values), np.array(present))
    return replace(told, sight=sight, heard=heard_of(message))


def all_types() -> list[tuple[str, str]]:
    recorded = json.loads((SESSIONS / "types.json").read_text())
    return [("<", text) for entry in recorded.values() for text in ([entry] if isinstance(entry, str) else entry)]


SOURCES = {"scripted": scripted_session, "real": real_session, "types": all_types}


def without_negative_zeros(message: bytes) -> bytes:
    return re.sub(rb"-0\.00(?=[ )])", b"0.00", message)


@pytest.mark.parametrize("source", SOURCES)
def test_every_recorded_message_is_written_again_byte_for_byte(source):
    encoder = AgentEncoder(load_dialect("measured"))
    registrations = 0
    messages = [read(text) for direction, text in SOURCES[source]() if direction == "<"]
    for message in messages:
        registrations += bool(message["unum"])
        written = encoder.encode(percepts_of(message, registrations))["agent"]
        expected = without_negative_zeros(message.text.encode())
        assert without_negative_zeros(written[4:]) == expected and written == frame(written[4:])
    assert messages and encoder.non_finite == 0 and encoder.unknown_kinds == set()


HEARING = json.loads((SESSIONS / "hear.json").read_text())
"""Steps: what agents (by index) said, and what each of five agents heard then."""


def test_every_recorded_hear_is_written_again_byte_for_byte():
    encoder = AgentEncoder(load_dialect("measured"))
    (_, text), *_ = all_types()
    for _, heard in HEARING:
        for hears in heard:
            message = read(text.replace("(GYR", "".join(hears) + "(GYR", 1))
            written = encoder.encode(percepts_of(message, 0))["agent"]
            assert without_negative_zeros(written[4:]) == without_negative_zeros(message.text.encode())


def test_what_was_heard_is_what_is_understood_of_what_was_said():
    decoder = AgentDecoder(load_dialect("measured"))
    said = [decoder.decode("agent", text.encode()) for step, _ in HEARING for text in step.values()]
    understood = {action.arguments[0] for decoded in said for action in decoded.actions}
    heard = {hear[:-1].split(" ")[-1] for _, step in HEARING for hears in step for hear in hears}
    assert understood == heard


def decoder_of_a_nao() -> tuple[AgentDecoder, tuple[str, ...]]:
    arms = [f"{side}ae{index}" for side in "rl" for index in range(1, 5)]
    effectors = ("he1", "he2", *arms, *[f"{side}le{index}" for side in "rl" for index in range(1, 7)])
    decoder = AgentDecoder(load_dialect("measured"))
    decoder.bind("agent", 7, effectors)
    return decoder, effectors


@pytest.mark.parametrize("source", ["scripted", "real"])
def test_every_recorded_command_is_understood(source):
    decoder, effectors = decoder_of_a_nao()
    commands = [text for direction, text in SOURCES[source]() if direction == ">"]
    for text in commands:
        decoded = decoder.decode("agent", text.encode())
        assert decoded.rejected == [] and decoded.syn == ("(syn)" in text)
        kinds = [kind.replace("scene", "create") for kind in re.findall(r"\((scene|init|beam|say) ", text)]
        assert [action.kind for action in decoded.actions] == kinds
        commanded = re.findall(r"\(((?:h|ra|la|rl|ll)e[0-9]) ([^ )]+)\)", text)
        assert [effectors[joint] for joint in decoded.joints] == [word for word, _ in commanded]
        assert decoded.numbers == [float(speed) for _, speed in commanded]
    assert commands


# The recording names its messages; these are messages of those names.
MALFORMED = {
    **{"normal": b"(he1 0.5)(syn)", "after nan": b"(he1 0)(syn)", "multi values": b"(he1 1 2 3)(syn)", "syn": b"(syn)"},
    **{"unknown effector": b"(foo 1)(syn)", "missing arg": b"(he1)(syn)", "non numeric": b"(he1 abc)(syn)"},
    **{"nan": b"(he1 nan)(syn)", "inf": b"(he1 inf)(syn)", "bare atoms": b"he1 1 (syn)", "empty list": b"()(syn)"},
    **{"nested name": b"((he1) 1)(syn)", "extra close": b")(he1 1)(syn)", "unclosed": b"(he1 1(syn)"},
    **{"spaces/newlines": b" ( he1\t1 )\r\n(syn)\n", "beam 2 args": b"(beam 1 2)(syn)", "empty message": b""},
    **{"beam nan": b"(beam nan 0 0)(syn)", "second init": b"(init (unum 1)(teamname RefA))(syn)"},
    **{"second scene": b"(scene rsg/agent/nao/nao_hetero.rsg 0)(syn)", "syn after unclosed": b"(syn)"},
    "binary": b"\x00\xff\x01(syn)",
}


def test_malformed_messages_count_as_answers_exactly_where_they_did_in_the_recording():
    decoder, _ = decoder_of_a_nao()
    steps = dict(json.loads((SESSIONS / "malformed.json").read_text()))
    assert steps.keys() == MALFORMED.keys() | {"half length then rest", "rest"}
    for name, payload in MALFORMED.items():
        assert decoder.decode("agent", payload).syn == (steps[name][0] != "NONE"), name
