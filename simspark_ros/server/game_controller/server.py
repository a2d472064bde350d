"""Sends the state of the game twice a second, and takes robots' answers."""

from __future__ import annotations

import math
import socket
from collections.abc import Callable
from contextlib import ExitStack

from simspark_ros.protocol.game_controller.messages import LEAGUES, RobotAnswer
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.game_controller.state import game_control
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.teams import Side

INTERVAL = 0.5
"""Simulated seconds between two messages; GameControllers send as often."""

_ROUNDING = 1e-6
"""Allowed error of a sum of cycle times, s."""

MAX_ANSWERS = 256
"""Most datagrams read in a cycle; the system drops datagrams beyond its buffer."""


class GameController(ControlNode):
    """The GameController of a league, for the game that the referee leads: it reports the state and decides nothing.

    Args:
        options: options that name a league.
        log: function that takes lines for people.

    Attributes:
        answers: the last answer of each player, by numbers of team and player.
        malformed: number of datagrams that were no answers.

    Raises:
        PortError: the addresses cannot be used.
    """

    def __init__(self, options: GameControllerOptions, log: Callable[[str], object]) -> None:
        self.answers: dict[tuple[int, int], RobotAnswer] = {}
        self.malformed = 0
        self._league = LEAGUES[options.game_controller]
        self._target = (options.game_controller_host, options.game_controller_port)
        self._numbers = {Side.LEFT: options.left_number, Side.RIGHT: options.right_number}
        self._log = log
        self._packet = 0
        self._sent = -math.inf
        self._is_failing = False
        self._socket = _open(options)

    @property
    def return_port(self) -> int:
        """The port on which answers arrive."""
        port: int = self._socket.getsockname()[1]
        return port

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """See `Attachment`."""
        stack.callback(self.close)
        simulation.add_node(self)

    def end_cycle(self, simulation: Simulation) -> None:
        """Send the state when it is time to, and take answers."""
        if simulation.is_past:
            return
        if simulation.time - self._sent > INTERVAL - _ROUNDING:
            self._sent = simulation.time
            self._send(self._league.encode(game_control(simulation.world, self._packet, self._numbers)))
            self._packet += 1
        self._receive()

    def reset(self) -> None:
        """A new game begins: send its state at once."""
        self._sent = -math.inf

    def close(self) -> None:
        """Close the socket; repeated calls do nothing."""
        self._socket.close()

    def _send(self, message: bytes) -> None:
        try:
            self._socket.sendto(message, self._target)
            self._is_failing = False
        except OSError as error:
            if not self._is_failing:
                self._log(f"GameController: cannot send to {self._target[0]}: {error.strerror}")
            self._is_failing = True

    def _receive(self) -> None:
        for _ in range(MAX_ANSWERS):
            try:
                data, (address, _port) = self._socket.recvfrom(2048)
            except OSError:
                return
            try:
                self._take(self._league.decode(data), address)
            except ValueError as error:
                self.malformed += 1
                if self.malformed == 1:
                    self._log(f"GameController: ignores a message of {address}: {error}; further ones are only counted")

    def _take(self, answer: RobotAnswer, address: str) -> None:
        key = answer.team, answer.player
        if answer.team not in self._numbers.values() or not 1 <= answer.player <= 20:
            raise ValueError(f"there is no player {answer.player} of team {answer.team}")
        if key not in self.answers:
            self._log(f"GameController: player {answer.player} of team {answer.team} answers from {address}")
        self.answers[key] = answer


def _open(options: GameControllerOptions) -> socket.socket:
    host, port = options.game_controller_host, options.game_controller_return_port
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        opened.setblocking(False)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        # Messages that stay on this machine get answers from this machine only.
        is_local = socket.gethostbyname(host).startswith("127.")
        opened.bind(("127.0.0.1" if is_local else "0.0.0.0", port))
    except OSError as error:
        opened.close()
        remedy = "choose others with --game-controller-host and --game-controller-return-port"
        raise PortError(f"GameController: cannot use {host} and UDP port {port}: {error.strerror}; {remedy}") from None
    return opened
