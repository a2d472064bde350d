"""The doors of the league since 2026: its agents, and its monitors with their trainers (RSMP)."""

from __future__ import annotations

import random
from base64 import b64encode

from simspark_stress.attacks.players import UNIFORM_NUMBERS
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.agents import JOINING
from simspark_stress.fuzz.doors.monitors import ALL_PLAYERS, draw_monitors
from simspark_stress.fuzz.doors.sockets import SocketDoor
from simspark_stress.fuzz.grammar import PAUSES, Tree, ended, message, number, sent, word, woven
from simspark_stress.fuzz.session import Door

MOTORS = tuple(f"{limb}{joint}" for limb in ("lle", "rle", "lae", "rae") for joint in (1, 2, 3, 4, 5, 6))
"""Motors of T1 and K1 except those of the head, which the good client turns."""

ROBOT = "ROBOT"
"""Word in cases that stands for the model of the robots."""


def draw_newer_agents(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one to three clients. In quiet cases no client gets a robot."""
    steps = woven(source, [_client(source, who, quiet) for who in range(source.choice((1, 1, 1, 2, 3)))])
    if not quiet:
        return steps
    return [[part.replace("init", "inot") if isinstance(part, str) else part for part in step] for step in steps]


def _client(source: random.Random, who: int, quiet: bool) -> list[Step]:
    steps: list[Step] = []
    if not quiet and source.random() < JOINING:
        steps += [["message", who, f"(init {ROBOT} Hostile {source.randint(1, 99)})"], ["read", who, 0.2]]
    for _ in range(source.randint(1, 4)):
        commands = [_command(source) for _ in range(source.randint(1, 6))]
        steps += sent(source, who, message(source, commands))
        if source.random() < 0.2:
            steps.append(["read", who, source.choice(PAUSES)])
    return steps + ended(source, who)


def _command(source: random.Random) -> Tree:
    match source.choice(("motor", "motor", "motor", "beam", "speech", "init", "syn", "classic", "odd")):
        case "motor":
            gains = [number(source, 0.0, 80.0), number(source, 0.0, 4.0)]
            return [word(source, *MOTORS), number(source, -90.0, 90.0), number(source), *gains, number(source)]
        case "beam":
            return ["beam", number(source), number(source), number(source, -400.0, 400.0)]
        case "speech":
            text = b64encode(source.randbytes(source.choice((0, 1, 5, 10, 11, 300)))).decode()
            return ["SPK", word(source, "say"), number(source, 0.0, 100.0), word(source, text)]
        case "init":
            # Only `_client` asks for robots, and rarely: no robot has this name.
            return ["init", word(source, "nobody"), word(source, "Hostile"), str(source.choice(UNIFORM_NUMBERS))]
        case "syn":
            return ["syn"]
        case "classic":
            word_of_classic, argument = source.choice(
                (("he2", "1"), ("say", "hello"), ("scene", "rsg/agent/nao/nao.rsg"))
            )
            return [word_of_classic, argument]
        case _:
            name = word(source, "he9", "hj1", "battery", "create", "killsim")
            return [name, *(number(source) for _ in range(source.randint(0, 7)))]


class _AgentDoor(SocketDoor):
    """The port of agents, on which `ROBOT` in cases stands for the model that `simspark stress` has been told."""

    def __init__(self, address: tuple[str, int], robot: str) -> None:
        super().__init__(address)
        self._robot = robot

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case."""
        filled = ([part.replace(ROBOT, self._robot) if isinstance(part, str) else part for part in s] for s in steps)
        super().play(tuple(filled))


def newer_doors(robot: str) -> list[Door]:
    """Return the doors, for agents with this model of robots."""
    return [
        Door("agents_2026", draw_newer_agents, lambda server: _AgentDoor(server.address("agent_port"), robot)),
        Door("rsmp", draw_monitors, lambda server: SocketDoor(server.address("rsmp_port")), heaviest=ALL_PLAYERS),
    ]


NEWER_SERVER = ("--league=2026", "--rsmp-port=0")
"""Options of a server with these doors."""
