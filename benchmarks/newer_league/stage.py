"""A server of either kind, with agents that only answer and one trainer, advanced cycle by cycle."""

import json
import re
import select
import shlex
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from behaviour.other_server import free_ports
from newer_league.rsmp import Screen

from simspark_ros.protocol.framing import FrameDecoder, frame

PATIENCE = 20.0
"""Longest wait for a server's message, s."""

_NOW = re.compile(rb"\(now ([0-9.]+)\)")


class Line:
    """A connection with messages behind their length."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._frames = FrameDecoder(1 << 24)

    def send(self, text: str) -> None:
        """Send a message."""
        self._socket.setblocking(True)
        self._socket.sendall(frame(text.encode()))

    def fileno(self) -> int:
        """File descriptor, for `select`."""
        return self._socket.fileno()

    def arrived(self) -> list[bytes]:
        """All messages that are there."""
        messages: list[bytes] = []
        self._socket.setblocking(False)
        with suppress(BlockingIOError):
            while data := self._socket.recv(1 << 20):
                messages += self._frames.feed(data)
            raise ConnectionError("the server closed a connection")
        return messages

    def close(self) -> None:
        """Leave."""
        self._socket.close()


@dataclass(frozen=True)
class Kind:
    """What one kind of server is told by agents.

    Attributes:
        init: messages with which an agent joins, with {team} and {unum}.
        answer: an agent's message of each cycle.
        height: height of a standing torso, m.
        reach: distance of the ball's centre in front of the torso's at which it touches, m.
    """

    init: tuple[str, ...]
    answer: str
    height: float
    reach: float


ORIGINAL_ANT = Kind(("(init ant {team} {unum})",), "(l4e1 0 0 0 0 0)", 0.5, 0.33)
CLASSIC_NAO = Kind(
    ("(scene rsg/agent/nao/nao.rsg)(syn)", "(init (unum {unum})(teamname {team}))(syn)"), "(syn)", 0.39, 0.15
)


class Stage:
    """A running server with agents; `now` is the simulated time of the last message to the first agent, s."""

    def __init__(self, kind: Kind, agent_port: int, monitor_port: int) -> None:
        self.kind, self._ports = kind, (agent_port, monitor_port)
        self.screen = Screen()
        self.now = 0.0
        self.agents: list[Line] = []
        self.trainer = Line(monitor_port)

    def join(self, team: str, unum: int) -> None:
        """Add a player."""
        line = Line(self._ports[0])
        first, *others = self.kind.init
        line.send(first.format(team=team, unum=unum))
        while others:
            if self.agents:
                self.cycle()
            for _ in line.arrived():
                line.send(others.pop(0).format(team=team, unum=unum) if others else self.kind.answer)
        self.agents.append(line)

    def order(self, *commands: str) -> None:
        """Have the trainer send commands, each a message of its own, and let the server read them."""
        for command in commands:
            self.trainer.send(command)
        time.sleep(0.01)

    def cycle(self) -> list[Screen]:
        """Answer all agents until each has had a message; returns the screen once for each frame that has come.

        Whoever has a message is answered at once: a server may wait for one agent before another gets its first one.
        """
        silent = set(range(len(self.agents)))
        until = time.monotonic() + PATIENCE
        while silent:
            there, _, _ = select.select(self.agents, (), (), max(until - time.monotonic(), 0.0))
            if not there:
                raise ConnectionError(f"the server has sent nothing to agents {sorted(silent)}")
            for line in there:
                number = self.agents.index(line)
                for message in line.arrived():
                    silent.discard(number)
                    if number == 0 and (found := _NOW.search(message)):
                        self.now = float(found[1])
                    line.send(self.kind.answer)
        shown = []
        for picture in self.trainer.arrived():
            self.screen.show(picture)
            shown.append(self.screen)
        return shown


@contextmanager
def original(command: str, kind: Kind, folder: Path, *options: str) -> Iterator[Stage]:
    """rcssservermj by the command that starts it."""
    agents, monitors = free_ports(2)
    words = [*shlex.split(command), "--no-render", "--sync", "--no-realtime"]
    words += ["--aport", str(agents), "--mport", str(monitors), *options]
    with _process(words, folder) as process:
        yield from _connected(process, kind, agents, monitors)


@contextmanager
def ours(command: str, kind: Kind, folder: Path, *options: str) -> Iterator[Stage]:
    """`simspark serve` by the command that starts it."""
    words = [*shlex.split(command), "serve", "--no-ros", "--headless", "--json", "--pacing", "lockstep"]
    words += ["--agent-port", "0", "--monitor-port", "0", "--rsmp-port", "0", *options]
    with _process(words, folder) as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())["ready"]
        yield from _connected(process, kind, ready["agent_port"], ready["rsmp_port"])


@contextmanager
def _process(words: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=log)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _connected(process: subprocess.Popen[bytes], kind: Kind, agents: int, monitors: int) -> Iterator[Stage]:
    began = time.monotonic()
    while True:
        try:
            stage = Stage(kind, agents, monitors)
            break
        except OSError:
            if process.poll() is not None or time.monotonic() - began > PATIENCE:
                raise
            time.sleep(0.05)
    with ExitStack() as stack:
        stack.callback(stage.trainer.close)
        stack.callback(lambda: [line.close() for line in stage.agents])
        yield stage
