"""Two doors: the server's port for proxies, and the port for agents of a proxy."""

from __future__ import annotations

import random
import sys

import numpy as np

from simspark_ros.exchange import Action, Argument, Commands
from simspark_ros.protocol.framing import frame
from simspark_ros.server.remote.codec import CommandsMessage, Hello, Message, Refusal, Welcome, encode
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.agents import draw_agents
from simspark_stress.fuzz.doors.sockets import SocketDoor
from simspark_stress.fuzz.grammar import PAUSES, WORDS, damaged_bytes, ended, number, sent, woven
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import Door

_CLIENTS = ("agent-1", "agent-2", "monitor-1", "", "a/b", "x" * 300)

_KINDS = ("init", "beam", "say", "pass", "hinge", "leave", "kill", "play_mode", "ball_position", "kick", "none")

_JOINING = 0.1
"""Fraction of the actions that ask for a robot."""


def draw_proxies(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one or two proxies, real or would-be. In quiet cases their clients ask for nothing."""
    return woven(source, [_proxy(source, who, quiet) for who in range(source.choice((1, 1, 2)))])


def draw_commands(source: random.Random, quiet: bool, name: str = "") -> CommandsMessage:
    """Draw commands as clients of a proxy or bridge might send them."""
    count = source.choice((0, 0, 1, 3, 50))
    integers = np.array([source.choice((0, 1, 2, 21, 22, 1000, 2**62, -1)) for _ in range(2 * count)], np.int64)
    velocities = np.array([_float(source) for _ in range(count)])
    actions = () if quiet else tuple(_action(source) for _ in range(source.choice((0, 1, 2, 9))))
    rejected = {source.choice(WORDS): source.choice((0, 1, 2**40))} if source.random() < 0.2 else {}
    commands = Commands(
        answers=source.choice((0, 1, 10**6, 2**62)),
        participants=source.choice((0, 1, 2, 64, 2**40)),
        handles=integers[:count],
        joints=integers[count:],
        velocities=velocities,
        actions=actions,
        wants_poses=source.random() < 0.2,
        rejected=rejected,
    )
    return CommandsMessage(commands, received=source.choice((0, 1, 10**6, 2**62)), name=name)


def _proxy(source: random.Random, who: int, quiet: bool) -> list[Step]:
    steps: list[Step] = []
    if source.random() < 0.85:
        hello = Hello(source.choice(("east", "west", "", "a/b", "x" * 65, "\u20ac\n")), abs(_float(source)))
        steps += [*_sent(source, who, hello, 0.1), ["read", who, 0.1]]
    for _ in range(source.randint(1, 4)):
        message: Message = draw_commands(source, quiet)
        if source.random() < 0.05:
            message = source.choice((Hello("again", 0.02), Welcome(1.0), Refusal("no")))
        steps += _sent(source, who, message, 0.3)
        if source.random() < 0.2:
            steps.append(["read", who, source.choice(PAUSES)])
    return steps + ended(source, who)


def _sent(source: random.Random, who: int, message: Message, broken: float) -> list[Step]:
    data = encode(message)
    if source.random() < broken:
        data = damaged_bytes(data, source)
    return sent(source, who, data.decode("latin-1"))


def _action(source: random.Random) -> Action:
    client = source.choice(_CLIENTS)
    if source.random() < _JOINING:
        return Action(client, "create", ("nao", source.randrange(5)))
    arguments: list[Argument] = [
        source.choice((_float(source), source.choice(WORDS), 2**62, 3, True)) for _ in range(source.randint(0, 4))
    ]
    return Action(client, source.choice(_KINDS), tuple(arguments))


def _float(source: random.Random) -> float:
    try:
        return float(number(source))
    except ValueError:
        return float("nan")


def _open(server: Server) -> SocketDoor:
    return SocketDoor(server.address("proxy_port"), frame(encode(Hello("watcher", 0.02))))


def _open_proxy(server: Server) -> SocketDoor:
    host, port = server.address("proxy_port")
    words = (sys.executable, "-m", "simspark_ros.cli", "proxy", f"--server={host}:{port}", "--agent-port=0")
    ready = server.start("proxy", words, r" agents +(\S+):(\d+) ")
    server.agents["proxy"] = ready[1], int(ready[2])
    return SocketDoor(server.agents["proxy"])


_OPTIONS = ("--proxy-port=0",)

PROXIES = Door("proxies", draw_proxies, _open, _OPTIONS)

PROXY = Door("proxy", draw_agents, _open_proxy, _OPTIONS, quiet=False)
