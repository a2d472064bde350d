"""The door of the GameController: datagrams of robots and strangers at its UDP ports, and robots that do not read."""

from __future__ import annotations

import contextlib
import random
import socket
import time
from typing import Any

from simspark_ros.protocol.game_controller.messages import HEADER, RETURN_HEADER, SPL_ANSWER
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.sockets import PATIENCE, bounded
from simspark_stress.fuzz.grammar import PAUSES, damaged_bytes, number
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import UDP_PORT, Door

_OPTION = "--game-controller-port="

_MOST = 2000
"""Most datagrams of one step; the socket's buffer holds fewer."""

_LONGEST = 65507
"""Length of the longest datagram, bytes."""


class GameControllerDoor:
    """Both ports of the GameController.

    Verbs: `answer TEXT [COUNT]` sends datagrams to the port for answers; `ignore SECONDS` opens a robot's socket
    that does not read; `wait SECONDS` pauses.
    """

    def __init__(self, server: Server) -> None:
        self._answers = server.address("game_controller_port")
        given = next(option for option in server.options if option.startswith(_OPTION))
        self._data = self._answers[0], int(given.removeprefix(_OPTION))

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case."""
        with _udp() as robot:
            for verb, *arguments in steps:
                with contextlib.suppress(TypeError, ValueError, IndexError, OSError):
                    self._play(robot, verb, arguments)

    def fault(self) -> str:
        """Return the fault of the GameController; empty if robots hear the state of the game."""
        try:
            with _listener(self._data) as robot:
                robot.settimeout(PATIENCE)
                heard = robot.recv(_LONGEST)
        except OSError as error:
            return f"robots do not get the state of the game: {error}"
        return "" if heard.startswith(HEADER) else f"robots get wrong bytes: {heard[:8]!r}"

    def tidy(self) -> None:
        """Do nothing: no case leaves anything behind."""

    def close(self) -> None:
        """Do nothing: the door holds no connections."""

    def _play(self, robot: socket.socket, verb: str, arguments: list[Any]) -> None:
        if verb == "answer":
            data = str(arguments[0]).encode("latin-1", "replace")
            for _ in range(min(int(arguments[1]), _MOST) if len(arguments) > 1 else 1):
                robot.sendto(data, self._answers)
        elif verb == "ignore":
            with _listener(self._data):
                time.sleep(bounded(arguments[0]))
        elif verb == "wait":
            time.sleep(bounded(arguments[0]))


def _udp() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _listener(address: tuple[str, int]) -> socket.socket:
    """Open a robot's socket; if there are several, the last one hears the data."""
    robot = _udp()
    robot.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    robot.bind(address)
    return robot


def draw_game_controller(source: random.Random, quiet: bool) -> list[Step]:
    """Draw valid and invalid answers; none changes the game, so all are quiet."""
    steps: list[Step] = []
    for _ in range(source.randint(1, 6)):
        step: Step = ["answer", _datagram(source).decode("latin-1")]
        if source.random() < 0.1:
            step.append(source.choice((10, 300, _MOST)))
        steps.append(step)
        if source.random() < 0.3:
            steps.append([source.choice(("wait", "ignore")), source.choice(PAUSES)])
    return steps


def _datagram(source: random.Random) -> bytes:
    if source.random() < 0.15:
        return source.randbytes(source.choice((0, 1, 8, SPL_ANSWER.size, 2048, 2049, _LONGEST)))
    header = source.choice((*[RETURN_HEADER] * 6, HEADER, b"\0\0\0\0"))
    version = source.choice((4, 4, 4, 4, 2, 0, 255))
    player, team = source.choice((1, 2, 7, 20, 0, 21, 255)), source.choice((1, 1, 2, 2, 0, 255))
    draw = _float if source.random() < 0.3 else random.Random.random
    data = SPL_ANSWER.pack(
        header, version, player, team, source.choice((0, 0, 1, 2)), *(draw(source) for _ in range(6))
    )
    return damaged_bytes(data, source) if source.random() < 0.2 else data


def _float(source: random.Random) -> float:
    """Draw a float of 32 bits; too large numbers become infinite, and texts that are no numbers NaN."""
    try:
        value = float(number(source, -5000.0, 5000.0))
    except ValueError:
        return float("nan")
    return value if abs(value) < 3e38 else float("inf")


GAME_CONTROLLER = Door(
    "game_controller",
    draw_game_controller,
    GameControllerDoor,
    ("--game-controller=spl", f"{_OPTION}{UDP_PORT}", "--game-controller-return-port=0"),
    share=0.3,
)
