"""Inputs that no agent and no trainer of the league since 2026 should send, an attack for each, in families.

Texts may contain ROBOT and TEAM, the model and the team of the attackers.
"""

from __future__ import annotations

import contextlib
import random
import socket
import struct
from collections.abc import Callable, Mapping
from functools import partial

from simspark_stress.attacks.expressions import damage
from simspark_stress.hostile_client import Attack, AttackContext, HostileClient, framed

_MOMENT = 0.1
"""Time for which an attacker stays after its input, s."""

_FEW = 8192
"""Receive buffer of clients that do not read, bytes."""

Input = str | bytes


def _bytes(text: Input, context: AttackContext) -> bytes:
    if isinstance(text, bytes):
        return text
    return text.replace("ROBOT", context.dialect.robot).replace("TEAM", context.team).encode("latin-1", "replace")


def _stranger(given: Input, context: AttackContext) -> None:
    client = context.connect()
    client.send(_bytes(given, context))
    # Some of these messages are taken, and a robot takes a while.
    context.play(3.0, [client], until=lambda: bool(client.arrived) or not client.is_open)
    context.play(_MOMENT, [client])
    client.leave()


def _raw_stranger(given: Input, context: AttackContext) -> None:
    context.connect().raw(_bytes(given, context))
    context.idle(_MOMENT)


def _player(given: Input, context: AttackContext) -> None:
    (client,) = context.robots()
    client.send(_bytes(given, context))
    context.play(_MOMENT, [client])
    client.leave()


def _raw_player(given: Input, context: AttackContext) -> None:
    (client,) = context.robots()
    client.raw(_bytes(given, context))
    context.idle(_MOMENT)


def _trainer(given: Input, context: AttackContext) -> None:
    monitor = context.connect(monitor=True)
    monitor.send(_bytes(given, context))
    context.idle(_MOMENT / 2)
    monitor.leave()


def _raw_monitor(given: Input, context: AttackContext) -> None:
    context.connect(monitor=True).raw(_bytes(given, context))
    context.idle(_MOMENT / 2)


_NUMBERS = {
    "nan": "nan",
    "minus-nan": "-nan",
    "infinite": "inf",
    "minus-infinite": "-inf",
    "overflow": "1e999",
    "huge": "1e308",
    "large": "1e30",
    "denormal": "1e-320",
    "digits": "9" * 400,
    "hexadecimal": "0x1p1023",
    "underscore": "1_000",
    "word": "x",
    "list": "(1)",
    "nothing": "",
    "arabic": "\xd9\xa1",
}

FIRST: dict[str, Input] = {
    "empty": "",
    "no-words": "()",
    "only-syn": "(syn)",
    "motor-without-robot": "(he1 0 0 0 0 0)",
    "no-arguments": "(init)",
    "model-alone": "(init ROBOT)",
    "no-number": "(init ROBOT TEAM)",
    "too-many": "(init ROBOT TEAM 1 1)",
    **{f"number-{name}": f"(init ROBOT TEAM {number})" for name, number in _NUMBERS.items() if name != "large"},
    "minus-one": "(init ROBOT TEAM -1)",
    "fraction": "(init ROBOT TEAM 1.5)",
    "path": "(init ../../../../etc/passwd TEAM 1)",
    "device": "(init /dev/zero TEAM 1)",
    "parent": "(init .. TEAM 1)",
    "unknown-model": "(init nao TEAM 1)",
    "long-model": f"(init {'x' * 5000} TEAM 1)",
    "model-list": "(init (ROBOT) TEAM 1)",
    "long-team": f"(init ROBOT {'x' * 5000} 1)",
    "team-list": "(init ROBOT (TEAM) 1)",
    "team-quoted": '(init ROBOT "T M" 1)',
    "team-nul": "(init ROBOT T\0M 1)",
    "team-not-utf-8": b"(init ROBOT \xff\xfe 1)",
    "team-escapes": "(init ROBOT %s%n\x1b[2J 1)",
    "taken-number": "(init ROBOT Watcher 1)",
    "classic": "(scene rsg/agent/nao/nao_hetero.rsg 0)(syn)",
    "classic-init": "(init (unum 1)(teamname TEAM))",
    "unclosed": "(init ROBOT TEAM 1",
    "unopened": "init ROBOT TEAM 1)",
    "nested": "((init ROBOT TEAM 1))",
    "twice": "(init ROBOT TEAM 1)(init ROBOT TEAM 2)",
    "trainer": "(killsim)",
}

_LENGTHS = (0, 1, 2**16, 2**24, 2**31 - 1, 2**31, 3_000_000_000, 2**32 - 4, 2**32 - 1)
_FRAMES: dict[str, Input] = {
    "half-header": b"\0\0",
    "header-alone": b"\0\0\0\4",
    "empty-messages": bytes(4000),
    "half-message": framed("(init T1 Nobody 1)")[:12],
    "text-without-length": b"(he1 0 0 0 0 0)" * 100,
    "http": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "noise": random.Random(1).randbytes(4000),
    **{f"length-{length}": struct.pack(">I", length) + b"(he1 0" for length in _LENGTHS},
}

_MOTOR: dict[str, Input] = {
    **{f"position-{name}": f"(he1 {number} 0 10 1 0)" for name, number in _NUMBERS.items()},
    **{f"gain-{name}": f"(he1 10 0 {number} 1 0)" for name, number in _NUMBERS.items() if "nan" not in name},
    "speed-nan": "(he1 0 nan 10 1 0)",
    "damping-infinite": "(he1 0 0 10 inf 0)",
    "torque-nan": "(he1 0 0 0 0 nan)",
    "torque-huge": "(he1 0 0 0 0 1e12)",
    "negative-gains": "(he1 10 0 -1e6 -1e6 0)",
    "no-numbers": "(he1)",
    "four-numbers": "(he1 0 0 0 0)",
    "six-numbers": "(he1 0 0 0 0 0 0)",
    "five-words": "(he1 a b c d e)",
    "unknown-motor": "(he9 0 0 0 0 0)",
    "joint-for-motor": "(hj1 0 0 0 0 0)",
    "actuator-for-motor": "(he1_tau 0 0 0 0 0)",
    "attribute": "(__class__ 0 0 0 0 0)",
    "no-name": "( 0 0 0 0 0)",
    "list-for-name": "((he1) 0 0 0 0 0)",
    "thousands": "(he1 10 0 5 1 0)" * 4000,
    "all-thrash": "(he1 1e9 1e9 1e9 1e9 1e9)(lle1 -1e9 1e9 1e9 0 1e9)(rle1 1e9 -1e9 1e9 0 -1e9)",
}

_BEAM: dict[str, Input] = {
    **{f"x-{name}": f"(beam {number} 0 0)" for name, number in _NUMBERS.items()},
    "angle-nan": "(beam -3 1 nan)",
    "angle-huge": "(beam -3 1 1e300)",
    "one-number": "(beam 1)",
    "four-numbers": "(beam 1 1 0 0)",
    "end-of-the-world": "(beam 1e6 1e6 0)",
    "into-the-good-one": "(beam 2 -1 0)(beam -2 1 0)",
    "hundreds": "(beam -3 -1 0)" * 500,
}

_SPEECH: dict[str, Input] = {
    "not-base64": "(SPK say 100 ?!?!)",
    "wrong-padding": "(SPK say 100 aGk)",
    "padding-alone": "(SPK say 100 ====)",
    "not-utf-8": "(SPK say 100 //79/A==)",
    "brackets": "(SPK say 100 KSgpKA==)",
    "nul": "(SPK say 100 AAAA)",
    "bytes": b"(SPK say 100 \xff\xfe)",
    "long": f"(SPK say 100 {'YWFh' * 3000})",
    "no-text": "(SPK say 100)",
    "empty-text": "(SPK say 100 )",
    "list": "(SPK say 100 (aGk=))",
    "unknown-speaker": "(SPK shout 100 aGk=)",
    "no-speaker": "(SPK)",
    "volume-nan": "(SPK say nan aGk=)",
    "volume-infinite": "(SPK say inf aGk=)",
    "volume-negative": "(SPK say -5 aGk=)",
    "volume-huge": "(SPK say 1e308 aGk=)",
    "thousands": "(SPK say 100 aGk=)" * 3000,
    "classic": "(say hello)",
    "classic-long": f"(say {'x' * 3000})",
}

_SAMPLE = b"(he1 1.5 0 10 1 0)(lle1 -2 0 20 1 0)(beam -3 1 0)(SPK say 100 aGk=)(syn)"
_EXPRESSIONS: dict[str, Input] = {
    "nothing": "",
    "blanks": " \t\r\n" * 100,
    "word": "he1",
    "closed": ")" * 1000,
    "opened": "(" * 1000,
    "deep": "(" * 60_000,
    "deep-and-closed": "(" * 30_000 + ")" * 30_000,
    "empty-lists": "()" * 30_000,
    "back-to-front": ")he1 0 0 0 0 0(",
    "quote": '(he1 "0 0 0 0 0)',
    "comment": "; (he1 0 0 0 0 0)",
    "nul": "(he1\0 0 0 0 0 0)",
    "not-utf-8": b"(\xff\xfe\xed\xa0\x80 0 0 0 0 0)",
    "byte-order-mark": b"\xef\xbb\xbf(syn)",
    "long-atom": f"({'x' * 60_000})",
    "long-number": f"(he1 {'9' * 60_000} 0 0 0 0)",
    "syn-by-thousands": "(syn)" * 10_000,
    "syn-with-numbers": "(syn 1 nan (x))",
    "init-again": "(init ROBOT TEAM 5)",
    "init-other-team": "(init ROBOT Third 1)",
    "scene": "(scene rsg/agent/nao/nao.rsg)",
    "trainer-mode": "(playMode GameOver)",
    "trainer-kill": "(killsim)",
    **{f"damaged-{seed}": damage(_SAMPLE, random.Random(seed)) for seed in range(16)},
}

ORDERS: dict[str, Input] = {
    **{f"ball-{name}": f"(ball (pos {number} 0 0.1))" for name, number in _NUMBERS.items() if name != "denormal"},
    "ball-speed-infinite": "(ball (pos 0 0 0.1) (vel inf nan 0))",
    "ball-one-number": "(ball (pos 1))",
    "ball-alone": "(ball)",
    "ball-at-the-end": "(ball (pos 1e9 1e9 1e9))",
    "agent-alone": "(agent)",
    "agent-unknown": "(agent (unum 99) (team Left) (pos 0 0 1))",
    "agent-of-nobody": "(agent (unum 1) (team Nobody) (move 0 0 1 0))",
    "agent-nan": "(agent (unum 99) (team Left) (pos nan nan nan))",
    "agent-number": "(agent (unum x) (team Left) (pos 0 0 1))",
    "agent-number-huge": f"(agent (unum {'9' * 40}) (team Left) (pos 0 0 1))",
    "agent-no-turn": "(agent (unum 99) (team Left) (move3d 0 0 1 0 0 0 0))",
    "agent-turn-nan": "(agent (unum 99) (team Left) (move3d 0 0 1 nan 0 0 0))",
    "agent-six-numbers": "(agent (unum 99) (team Left) (move3d 0 0 1 1 0 0))",
    "agent-no-place": "(agent (unum 99) (team Left))",
    "mode-unknown": "(playMode NoSuchMode)",
    "mode-alone": "(playMode)",
    "mode-list": "(playMode ((((PlayOn)))))",
    "kick-off-of-nobody": "(kickOff Nobody)",
    "kick-off-list": "(kickOff (Left))",
    "unknown": "(noSuchCommand 1 2 3)",
    "time": "(time nan)",
    "score": "(score (left nan) (right inf))",
    "no-words": "()",
    "empty": "",
    "word": "dropBall",
    "unclosed": "(ball (pos 0 0",
    "deep": "(" * 60_000,
    "not-utf-8": b"(playMode \xff\xfe)",
    "agent-message": "(he1 0 0 0 0 0)(syn)",
    "init": "(init ROBOT TEAM 1)",
    "thousands": "(noSuchCommand)" * 4000,
}


def _leave(how: Callable[[HostileClient], None], data: Input, joined: bool, context: AttackContext) -> None:
    """Send raw bytes, and leave by `how`."""
    client = context.robots()[0] if joined else context.connect()
    client.raw(_bytes(data, context))
    how(client)


def _half_open(direction: int, context: AttackContext) -> None:
    (client,) = context.robots()
    with contextlib.suppress(OSError):
        client.socket.shutdown(direction)
    context.send_blindly(0.3, [client])


def _answer_with(payload: str, seconds: float, context: AttackContext) -> None:
    """Answer every message by this one."""
    (client,) = context.robots()
    client.answer = lambda: payload
    client.send(payload)
    context.play(seconds, [client])


def _several_a_cycle(count: int, context: AttackContext) -> None:
    (client,) = context.robots()
    burst = framed("(he1 1 0 5 1 0)(syn)") * count
    for _ in range(10):
        client.push(burst)
        context.play(0.02, [client])


def _never_read(context: AttackContext) -> None:
    (client,) = context.robots(receive_buffer=_FEW)
    context.send_blindly(2.0, [client])


def _read_slowly(context: AttackContext) -> None:
    (client,) = context.robots(receive_buffer=_FEW)
    for _ in range(100):
        client.send("(syn)")
        client.receive(1)
        context.idle(0.005)


def _fall_silent(context: AttackContext) -> None:
    (client,) = context.robots()
    end = context.left - (12.0 if context.lockstep else 1.0)
    while client.is_open and context.left > max(end, 0.0):
        context.idle(0.05)
        client.receive()


def _again_and_again(how: Callable[[HostileClient], None], context: AttackContext) -> None:
    for _ in range(6):
        how(context.robots()[0])


def _too_many(context: AttackContext) -> None:
    """Ask for more robots than a team has, and for a third team."""
    first = context.robots(10)
    third = context.connect()
    third.send(context.dialect.opened(1, "Third"))
    context.play(0.2, [*first, third])


def _monitor_deaf(context: AttackContext) -> None:
    monitors = [context.connect(monitor=True, receive_buffer=2048) for _ in range(4)]
    context.send_blindly(1.5, monitors, "(noSuchCommand)")


_OPENING = framed("(init ROBOT TEAM 1)")
_HALF = _OPENING[:9]
_LEAVING = {"end": HostileClient.close, "reset": HostileClient.reset}

_CONDUCT: dict[str, Callable[[AttackContext], None]] = {
    **{f"connect-{name}": partial(_leave, how, b"", False) for name, how in _LEAVING.items()},
    **{f"half-message-{name}": partial(_leave, how, _HALF, False) for name, how in _LEAVING.items()},
    **{f"header-{name}": partial(_leave, how, b"\0\0\0\4", False) for name, how in _LEAVING.items()},
    **{f"player-{name}": partial(_leave, how, b"", True) for name, how in _LEAVING.items()},
    **{f"player-half-{name}": partial(_leave, how, _HALF, True) for name, how in _LEAVING.items()},
    **{f"rejoin-{name}": partial(_again_and_again, how) for name, how in _LEAVING.items()},
    "half-open-write": partial(_half_open, socket.SHUT_WR),
    "half-open-read": partial(_half_open, socket.SHUT_RD),
    "two-a-cycle": partial(_several_a_cycle, 2),
    "hundred-a-cycle": partial(_several_a_cycle, 100),
    "empty-answers": partial(_answer_with, "", 0.2),
    "nonsense-answers": partial(_answer_with, "(bogus 1))(", 0.2),
    "never-reads": _never_read,
    "reads-bytes": _read_slowly,
    "too-many": _too_many,
}


def _family(
    family: str, run: Callable[[Input, AttackContext], None], inputs: Mapping[str, Input], **traits: bool
) -> list[Attack]:
    return [
        Attack(f"{family}/{name}", f"Send {str(given)[:60]!a}", partial(run, given), **traits)
        for name, given in inputs.items()
    ]


MESSAGES: dict[str, dict[str, Input]] = {"motor": _MOTOR, "beam": _BEAM, "speech": _SPEECH, "expression": _EXPRESSIONS}
"""Messages of players, by family and name."""

NEWER_LEAGUE = (
    *_family("first", _stranger, FIRST),
    *_family("frame", _raw_stranger, _FRAMES),
    *_family("player-frame", _raw_player, _FRAMES, joins=True, silent=True),
    *(one for family, inputs in MESSAGES.items() for one in _family(family, _player, inputs, joins=True)),
    *(Attack(f"conduct/{name}", name.replace("-", " "), run, joins=True) for name, run in _CONDUCT.items()),
    Attack("conduct/silent", "Join, and never answer", _fall_silent, joins=True, silent=True),
    *_family("trainer", _trainer, ORDERS, monitor=True),
    *_family("monitor-frame", _raw_monitor, _FRAMES, monitor=True),
    Attack("monitor/deaf", "Connect monitors that never read", _monitor_deaf, monitor=True),
)
"""All attacks of this module."""
