"""The socket of one robot, and its driver."""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from simspark_ros.effectors.lola import DeviceCommand
from simspark_ros.physics.engine import Array
from simspark_ros.protocol.lola.commands import read_commands
from simspark_ros.protocol.lola.messagepack import MessageCutter
from simspark_ros.protocol.lola.sensors import SensorEncoder
from simspark_ros.server.hold_up import HoldUp
from simspark_ros.server.tcp.connection import Connection, Cutter
from simspark_ros.server.tcp.framed_server import FramedServer, ServerContext
from simspark_ros.server.tcp.ports import PortError, PortSettings, clear_socket

_UNREAD = 10
"""Messages in a row that a driver may leave unread before another driver takes its place."""


@dataclass(frozen=True)
class SocketSettings(PortSettings):
    """Limits of a driver. Few messages wait for a driver that does not read: late ones are of no use.

    Attributes:
        path: path of the socket.
        silent_timeout: time after which a driver that does not answer in lock-step is disconnected, s; so is one that
            has held up other robots by six times this time in all; None = never.
    """

    path: Path = Path()
    kind: str = "driver"
    max_clients: int = 1
    max_input: int = 4 * 1024
    send_buffer: int = 4096
    silent_timeout: float | None = 10.0


class DriverConnection(Connection):
    """A driver, and what it has commanded since the last cycle.

    Attributes:
        commands: the commands in order; a repeated command is carried out again.
        is_awaited: whether it has been sent a message that it has not answered.
        unread: messages in a row that it has not read.
        hold_up: time for which other robots have waited for it in lock-step.
    """

    def __init__(self, sock: socket.socket, number: int, settings: PortSettings, since: float) -> None:
        super().__init__(sock, number, settings, since)
        self.commands: list[DeviceCommand] = []
        self.is_awaited = False
        self.unread = 0
        self.hold_up = HoldUp()

    def _cutter(self, max_message: int) -> Cutter:
        return MessageCutter(max_message)


class RobotSocket(FramedServer[DriverConnection]):
    """Serves the one driver of a robot.

    Raises:
        PortError: the socket cannot be opened; the message names path, cause and remedy.
    """

    client_class = DriverConnection

    def __init__(self, settings: SocketSettings, encoder: SensorEncoder, context: ServerContext) -> None:
        self._settings = settings
        super().__init__(settings, context)
        self._encoder = encoder
        self._sent_at = self._clock()
        self._others = False

    @property
    def place(self) -> str:
        """The path."""
        return str(self._settings.path)

    @property
    def has_driver(self) -> bool:
        """Whether somebody is connected."""
        return bool(self._connections)

    @property
    def participants(self) -> int:
        """Number of drivers that lock-step has to wait for: drivers that know the robot's state."""
        return sum(driver.sent > 0 for driver in self._connections.values())

    @property
    def is_ready(self) -> bool:
        """Whether the driver, if there is one, has answered the last message."""
        return not any(driver.is_awaited for driver in self._connections.values())

    def take(self) -> Sequence[DeviceCommand]:
        """Return the commands received since the last call."""
        taken: list[DeviceCommand] = []
        for driver in tuple(self._connections.values()):
            taken += driver.commands
            driver.commands = []
            if driver.spent:
                self.reset_quota(driver)
        return taken

    def deliver(self, values: Array, others: bool = False) -> None:
        """Send the driver the sensors' values (161,), SI; `others`: whether further robots wait for its answer."""
        self._others = others
        for driver in tuple(self._connections.values()):
            self._sent_at = self._clock()
            if self.send(driver, self._encoder.encode(values)):
                driver.unread, driver.is_awaited = 0, True
            else:
                driver.unread += 1

    def check(self, lockstep: bool) -> None:
        """Run periodic checks; in lock-step, drop a driver that all wait for in vain."""
        self.check_timeouts()
        limit, silence = self._settings.silent_timeout, self._clock() - self._sent_at
        if not lockstep or limit is None:
            return
        for driver in [one for one in self._connections.values() if one.is_awaited]:
            why = driver.hold_up.refusal(silence if self._others else 0.0, limit)
            if silence > limit:
                why = f"has not answered for {limit:g} s"
            if why:
                text = f"{why} and is disconnected, since all others wait for it; raise lola_timeout, 0 = no limit"
                self.drop(driver, text)

    def close(self) -> None:
        """Disconnect the driver and remove the socket; repeated calls do nothing."""
        if self._listener.fileno() >= 0:
            self._settings.path.unlink(missing_ok=True)
        super().close()

    def _listen(self) -> socket.socket:
        path = self._settings.path
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            clear_socket(path)
            sock.bind(str(path))
            sock.listen(8)
        except OSError as error:
            sock.close()
            why = "it is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
            raise PortError(f"cannot open the socket {path}: {why}; choose another directory") from None
        return sock

    def _received(self, client: DriverConnection, payload: bytes) -> None:
        # A refused answer counts, too: the driver has thought, and the robot goes on as before.
        self._has_answered(client)
        commands, refused = read_commands(payload)
        for reason, text in refused:
            self.record_rejection(client, reason, text)
        client.commands += commands

    def _held_up(self, client: DriverConnection) -> None:
        self._has_answered(client)

    def _has_answered(self, client: DriverConnection) -> None:
        if client.is_awaited:
            client.hold_up.answered(self._clock() - self._sent_at if self._others else 0.0)
        client.is_awaited = False

    def _expendable(self, client: DriverConnection) -> str:
        return "does not read" if client.unread >= _UNREAD else ""
