"""A small server of the classic protocol in a thread, with faults to be found: it shares no code with the real one."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import selectors
import signal
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

CYCLE = 0.02
"""Simulated time of a cycle, s."""

PACE = 0.005
"""Wall time of a cycle, s: four times real time, for short tests."""

HINGE = re.compile(rb"\(([a-z]+\d+) (-?\d+(?:\.\d+)?)\)")
LONGEST = 1 << 16


@dataclass(eq=False)
class Player:
    socket: socket.socket
    data: bytes = b""
    has_robot: bool = False
    announce: bool = False
    angle: float = 0.0
    speed: float = 0.0


class FakeServer:
    """Does not wait for agents; every player has one joint, the neck.

    Faults: `dies on unknown joint`, `stalls on announced size`, `sends nan`, `obeys the latest`, `loses messages`,
    `lets strangers change the world`.
    """

    def __init__(self, fault: str = "", port: int = 0, hash_log: TextIO | None = None) -> None:
        self._fault = fault
        self._hash_log, self._cycles = hash_log, 0
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port = int(self._listener.getsockname()[1])
        self._players: list[Player] = []
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._end = threading.Event()
        self._now, self._poisoned, self._at_once = 0.0, False, 1
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> FakeServer:
        return self

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._thread.join()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def hurry(self, cycles: int) -> None:
        """Send the next cycles at once, without hearing answers in between."""
        self._at_once = cycles

    def _run(self) -> None:
        due = time.monotonic()
        while not self._end.is_set():
            for key, _ in self._selector.select(max(0.0, due - time.monotonic())):
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    self._receive(key.data)
            if time.monotonic() >= due:
                due += PACE
                self._cycle()
        self._listener.close()
        for player in self._players:
            player.socket.close()
        self._selector.close()

    def _accept(self) -> None:
        sock, _ = self._listener.accept()
        sock.setblocking(False)
        player = Player(sock)
        self._players.append(player)
        self._selector.register(sock, selectors.EVENT_READ, player)

    def _receive(self, player: Player) -> None:
        try:
            chunk = player.socket.recv(LONGEST)
        except OSError:
            chunk = b""
        player.data += chunk
        while len(player.data) >= 4:
            length = int.from_bytes(player.data[:4], "big")
            if length > LONGEST:
                chunk = b""
                if self._fault == "stalls on announced size":
                    self._end.wait()
                break
            if len(player.data) < 4 + length:
                break
            self._understand(player, player.data[4 : 4 + length])
            player.data = player.data[4 + length :]
        if not chunk:
            self._drop(player)

    def _drop(self, player: Player) -> None:
        if player in self._players:
            self._players.remove(player)
            self._selector.unregister(player.socket)
            player.socket.close()

    def _understand(self, player: Player, payload: bytes) -> None:
        if payload == b"(reqfullstate)":
            with contextlib.suppress(OSError):
                player.socket.send(b"\0\0\0\2()")
        player.has_robot |= payload.startswith(b"(scene rsg/")
        player.announce |= b"(init (unum 0)" in payload
        for joint, speed in HINGE.findall(payload):
            if joint == b"he1":
                player.speed = float(speed)
            elif joint == b"he3" and self._fault == "dies on unknown joint":
                self._end.set()
        self._poisoned |= b"nan" in payload

    def _cycle(self) -> None:
        count, self._at_once = self._at_once, 1
        if self._hash_log:
            self._cycles += 1
            poison = "poisoned" if self._poisoned and self._fault == "lets strangers change the world" else ""
            self._hash_log.write(f"{self._cycles} {poison}\n")
        if self._fault == "loses messages" and len(self._players) > 1:
            self._now += CYCLE
        for player in self._players[:]:
            if not player.has_robot:
                continue
            texts = [self._text(player, self._now + CYCLE * (1 + number)) for number in range(count)]
            try:
                player.socket.send(b"".join(len(text).to_bytes(4, "big") + text for text in texts))
            except BlockingIOError:
                pass
            except OSError:
                self._drop(player)
        self._now += CYCLE * count

    def _text(self, player: Player, now: float) -> bytes:
        owner = self._players[-1] if self._fault == "obeys the latest" else player
        player.angle += owner.speed * CYCLE * 57.2958
        angle = "nan" if self._poisoned and self._fault == "sends nan" else f"{player.angle:.2f}"
        you = "(unum 1) (team left) " if player.announce else ""
        player.announce = False
        return f"(time (now {now:.2f}))(GS {you}(t 0.00) (pm BeforeKickOff))(HJ (n hj1) (ax {angle}))".encode()


def main() -> None:
    """Stand in for `simspark serve` with `--fault NAME`; the hashes of its cycles change for ever after a `nan`."""
    options = argparse.ArgumentParser()
    options.add_argument("--fault", default="")
    options.add_argument("--hash-log")
    given, _ = options.parse_known_args()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda number, frame: ended.set())
    log = Path(given.hash_log or os.devnull)
    with log.open("w", buffering=1) as hashes, FakeServer(given.fault, hash_log=hashes) as server:
        ports = {"host": "127.0.0.1", "agent_port": server.port, "monitor_port": server.port}
        print(json.dumps({"ready": ports}), flush=True)
        while not ended.wait(0.01) and server.alive:
            pass
    os._exit(0 if ended.is_set() else 1)


if __name__ == "__main__":
    main()
