"""A server in lock-step with scripted agents and monitors: what they do in which cycle is the same in every run.

Time starts when all first agents have robots. From then on a cycle begins when every player has answered, so whatever a
script does between two answers (trainer commands, connections, farewells) counts for the same cycle every time, as long
as the server has read it before the last answer is sent: `Link.settle` looks that up in the kernel's table of sockets.
"""

import contextlib
import re
import select
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from behaviour.checkout import running
from behaviour.wire import DEADLINE, Link, StalledError

NAO = "rsg/agent/nao/nao_hetero.rsg"

BODY = (
    *("he1", "he2", "rae1", "rae2", "rae3", "rae4", "lae1", "lae2", "lae3", "lae4"),
    *("rle1", "rle2", "rle3", "rle4", "rle5", "rle6", "lle1", "lle2", "lle3", "lle4", "lle5", "lle6"),
)
TOES = ("rle7", "lle7")

_FIRST_MESSAGE = 2
"""Cycles from a scene command to the first message."""

_KINDS = ("agents", "monitors", "proxies")

_SHORT = 0.3
"""Longest wait for somebody who may not be read from in this cycle, s."""


@dataclass(eq=False)
class Player:
    """A scripted agent.

    Attributes:
        link: connection to the server.
        name: name of its stream in a recording.
        number: number of agents that connected before it.
        kind: its type of robot.
        draw: its own random numbers.
        playing: whether it is sent a message in every cycle and has to answer it.
        words: commands of its next answer.
        hostile: whether the server may not wait for its answers, so that they are sent before those of others.
        answered: messages that it has answered.
        due, last: cycles of its first and last message.
    """

    link: Link
    name: str
    number: int
    kind: int
    draw: Random
    playing: bool = True
    words: list[str | bytes] = field(default_factory=list)
    hostile: bool = False
    answered: int = 0
    due: int = 0
    last: int = 1 << 30

    @property
    def joints(self) -> tuple[str, ...]:
        """Words that command its joints."""
        return BODY + TOES if self.kind == 4 else BODY

    def do(self, *words: str | bytes) -> None:
        """Add commands to the next answer."""
        self.words += words

    def join(self, team: str = "", unum: int = 0) -> None:
        """Become a player: by default of two teams by turns, with the next number."""
        self.do(f"(init (unum {unum or self.number // 2 + 1})(teamname {team or 'AB'[self.number % 2]}))")

    def flail(self, strength: float = 4.0, joints: int = 5) -> None:
        """Move a few joints at chance's speed; speeds persist, so it falls soon."""
        for joint in self.draw.sample(self.joints, joints):
            self.do(f"({joint} {self.draw.uniform(-strength, strength):.4f})")


class Stage:
    """A server, its agents and monitors.

    Attributes:
        checkout: the checkout whose server runs.
        folder: folder for files.
        players: players that are or were connected.
        monitors: monitors that are or were connected.
        cycle: number of answers given so far.
        companions: stack of contexts that end after the server.
    """

    def __init__(self, checkout: Path, engine: str, folder: Path, seed: int) -> None:
        """Prepare; `serve` starts the server."""
        self.checkout, self.engine, self.folder, self._seed = checkout, engine, folder, seed
        self.players: list[Player] = []
        self.monitors: list[Link] = []
        self.cycle = 0
        self.companions = contextlib.ExitStack()
        self.agent_port = self.monitor_port = 0

    @contextlib.contextmanager
    def serve(self, *arguments: str, robots: int = 1, ros: bool = False, ros_domain: int = 0) -> Iterator[int]:
        """Run the server and connect a monitor to it; at the end it is interrupted and everything sent is read.

        Yields:
            The port of proxies, 0 if there is none.
        """
        options = ["serve", "--engine", self.engine, "--pacing", "lockstep", "--wait-for-robots", str(robots)]
        options += ["--headless", "--silent-timeout", "0", "--seed", "5"]
        options += ["--agent-port", "0", "--monitor-port", "0", *([] if ros else ["--no-ros"])]
        options += ["--hash-log", "hashes", "--events", "events", "--log", "log", *arguments]
        with (
            contextlib.ExitStack() as self.companions,
            running(self.checkout, options, self.folder, "server", ros_domain) as process,
        ):
            text = process.told(r"(?s).*Ctrl-C ends it")[0]
            self.agent_port, self.monitor_port, proxy_port = (_port(text, kind) for kind in _KINDS)
            self.watch()
            try:
                yield proxy_port
                self._collect(self.cycle)
            finally:
                process.interrupt()
                (self.folder / "status").write_text(f"{process.wait()}\n")
                for link in self._links():
                    link.pull()
                    link.close()

    def watch(self) -> Link:
        """Connect a monitor."""
        self.monitors.append(Link(self.monitor_port))
        return self.monitors[-1]

    def order(self, text: str, monitor: int = 0) -> None:
        """Send trainer commands, which count for the next cycle."""
        link = self.monitors[monitor]
        link.send(text)
        link.settle()

    def connect(self, kind: int = 0, scene: str | None = None, port: int = 0) -> Player:
        """Connect an agent and ask for its robot, which it has at once before time starts and else soon."""
        number = len(self.players)
        player = Player(Link(port or self.agent_port), f"agent-{number + 1:02}", number, kind, self._random(number))
        self.players.append(player)
        player.due = self.cycle + _FIRST_MESSAGE if self.cycle else 0
        player.link.send((f"(scene {NAO} {kind})" if scene is None else f"(scene {scene})") + "(syn)")
        player.link.settle()
        return player

    def stranger(self, port: int = 0) -> Link:
        """Connect somebody who asks for nothing; nobody waits for it."""
        number = len(self.players)
        link = Link(port or self.agent_port)
        player = Player(link, f"agent-{number + 1:02}", number, 0, self._random(number), playing=False)
        self.players.append(player)
        return link

    def leave(self, player: Player) -> None:
        """Disconnect an agent."""
        player.playing = False
        player.link.leave()

    def team(self, count: int, kinds: Sequence[int] = (0, 1, 2, 3, 4), scene: str | None = None) -> list[Player]:
        """Connect so many agents, whose types take turns within each team."""
        return [self.connect(kinds[number // 2 % len(kinds)], scene) for number in range(count)]

    def cycles(self, count: int) -> Iterator[int]:
        """Give a script the word when everybody has a message, and then answer all of them.

        Yields:
            The number of the cycle within these.

        Raises:
            StalledError: somebody gets no message.
        """
        for number in range(count):
            self._collect(self.cycle)
            yield number
            self.cycle += 1
            for player in sorted(self._active(self.cycle - 1), key=lambda player: not player.hostile):
                player.answered += 1
                words = [word.encode("latin-1") if isinstance(word, str) else word for word in [*player.words, "(syn)"]]
                player.words = []
                player.link.send(b"".join(words))
                if player.hostile:
                    player.link.settle(_SHORT)

    def streams(self) -> dict[str, bytes]:
        """What clients received, by the name of the stream."""
        found = {player.name: bytes(player.link.received) for player in self.players}
        return found | {f"monitor-{number}": bytes(link.received) for number, link in enumerate(self.monitors, 1)}

    def _random(self, number: int) -> Random:
        return Random(1000 * self._seed + number)

    def _links(self) -> list[Link]:
        return [player.link for player in self.players] + self.monitors

    def _active(self, cycle: int) -> list[Player]:
        return [player for player in self.players if player.playing and player.due <= cycle <= player.last]

    def _collect(self, cycle: int) -> None:
        """Read until every player has a message that it has not answered."""
        end = time.monotonic() + DEADLINE
        poll = select.poll()
        for link in self._links():
            if link.open:
                poll.register(link.socket, select.POLLIN)
        while True:
            for link in self._links():
                link.pull()
            active = self._active(cycle)
            if not active or all(player.link.count > player.answered for player in active):
                return
            for player in active:
                if not player.link.open and player.link.count <= player.answered:
                    raise StalledError(f"{player.name} was disconnected in cycle {cycle}")
            if time.monotonic() > end:
                names = ", ".join(player.name for player in active if player.link.count <= player.answered)
                raise StalledError(f"cycle {cycle}: no message for {names}")
            poll.poll(100)


def _port(announcement: str, kind: str) -> int:
    found = re.search(rf"{kind} +127\.0\.0\.1:(\d+)", announcement)
    return int(found[1]) if found else 0
