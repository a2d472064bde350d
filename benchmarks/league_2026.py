"""Plays an agent of the 3D league since 2026 on any server, records its session, and compares sessions.

    python benchmarks/league_2026.py record OUT.jsonl --server '... {agents} {monitors}' --agent '... {port}'
    python benchmarks/league_2026.py table RECORDING...
    python benchmarks/league_2026.py compare ONE OTHER

Servers and agents are programs of their own, given as commands: rcssservermj with `--sync --no-realtime --no-render
--aport {agents} --mport {monitors}`, or `simspark serve --league 2026 --pacing lockstep --no-ros --agent-port {agents}
--monitor-port 0 --rsmp-port {monitors}`. `record` gives the kick-off to the left team four seconds after the agent has
joined. `table` ends with the median and the range of each column.
"""

import argparse
import contextlib
import itertools
import json
import math
import os
import re
import shlex
import signal
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from behaviour.other_server import free_ports
from newer_league.rsmp import Screen

from simspark_ros.protocol.framing import FrameDecoder, frame

KICK_OFF = 4.0
"""Simulated time from joining to the kick-off, s."""

FALLEN, UPRIGHT = 0.4, 0.9
"""Cosine of the torso's tilt below which a robot has fallen, and above which it stands again."""

MEASURED = 20.0
"""Simulated time from the kick-off that speed is measured in, s."""

TOUCHED, PLACED = 0.05, 1.0
"""Way of the ball from which it counts as touched, and step of ball or robot that a referee or trainer makes, m."""

COLUMNS = ("falls", "torso lowest m", "speed m/s", "kick-off to ball s", "ball's way m", "ball's distance m")

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?(?=[\s)])")


def frames(sock: socket.socket) -> Iterator[bytes]:
    """Messages of a connection until it ends."""
    decoder = FrameDecoder(1 << 24)
    with contextlib.suppress(OSError):
        while part := sock.recv(65536):
            yield from decoder.feed(part)


def connect(port: int) -> socket.socket:
    """Connect to a server that is about to start."""
    for _ in range(600):
        try:
            sock = socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise SystemExit(f"no server on port {port}")


def record(options: argparse.Namespace) -> None:
    """Play one session, and write it as JSON lines.

    `["s" or "a", message]` is a message of the server or of the agent, `["b", [time, x, y]]` the ball that a monitor
    was shown, in s and m.
    """
    ports = dict(zip(("agents", "monitors"), free_ports(2), strict=True))
    with open(f"{options.out}.log", "w") as log:
        _record(options, ports, log)


def _record(options: argparse.Namespace, ports: dict[str, int], log: IO[str]) -> None:
    server = subprocess.Popen(
        shlex.split(options.server.format(**ports)), stdout=log, stderr=log, start_new_session=True
    )
    listener = socket.create_server(("127.0.0.1", 0))
    upstream, monitor = connect(ports["agents"]), connect(ports["monitors"])
    command = shlex.split(options.agent.format(port=listener.getsockname()[1]))
    agent = subprocess.Popen(command, cwd=options.agent_folder, stdout=log, stderr=log, start_new_session=True)
    downstream, _ = listener.accept()
    downstream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        # Threads write, each line as a whole: no buffer.
        with open(options.out, "wb", buffering=0) as out:

            def write(entry: object) -> None:
                with contextlib.suppress(ValueError):  # the recording has ended
                    out.write(json.dumps(entry).encode() + b"\n")

            threading.Thread(target=_watch, args=(monitor, write), daemon=True).start()
            _relay(upstream, downstream, monitor, write, options.seconds)
    finally:
        for process in (agent, server):
            os.killpg(process.pid, signal.SIGKILL)


def _watch(monitor: socket.socket, write: Callable[[object], None]) -> None:
    screen = Screen()
    for picture in frames(monitor):
        screen.show(picture)
        if (ball := screen.poses().get(("ball",))) is not None:
            write(["b", [screen.time, *ball[:2, 3].round(4).tolist()]])


def _relay(
    upstream: socket.socket,
    downstream: socket.socket,
    monitor: socket.socket,
    write: Callable[[object], None],
    seconds: float,
) -> None:
    def up() -> None:
        for message in frames(downstream):
            write(["a", message.decode("latin-1")])
            try:
                upstream.sendall(frame(message))
            except OSError:
                return

    threading.Thread(target=up, daemon=True).start()
    begun, kicked = None, False
    for message in frames(upstream):
        write(["s", message.decode("latin-1")])
        now = float(re.search(rb"now ([-0-9.]+)", message)[1])
        begun = now if begun is None else begun
        if not kicked and now - begun >= KICK_OFF:
            monitor.sendall(frame(b"(kickOff Left)"))
            kicked = True
        if now - begun >= seconds:
            return
        downstream.sendall(frame(message))


def told(path: Path) -> list[str]:
    """The server's messages of a recording."""
    return [message for who, message in map(json.loads, path.read_text().splitlines()) if who == "s"]


def row(path: Path) -> list[float]:
    """What `COLUMNS` name: of the speed what happens in `MEASURED` seconds from the kick-off, of the ball all since."""
    times, places, tilts, kick_off = [], [], [], math.inf
    for message in told(path):
        times.append(float(re.search(r"now ([-0-9.]+)", message)[1]))
        places.append(tuple(map(float, re.search(r"\(p ([^)]*)\)", message)[1].split())))
        _, x, y, _ = map(float, re.search(r"\(q ([^)]*)\)", message)[1].split())
        tilts.append(1.0 - 2.0 * (x * x + y * y))
        if "(pm KickOff" in message:
            kick_off = min(kick_off, times[-1])
    falls, stands = 0, True
    for tilt in tilts:
        falls += stands and tilt < FALLEN
        stands = tilt >= FALLEN if stands else tilt > UPRIGHT
    measured = [place for now, place in zip(times, places, strict=True) if kick_off <= now < kick_off + MEASURED]
    steps = [place[:2] for place in measured[::25]]
    ways = map(math.dist, steps, steps[1:])
    speed = sum(way for way in ways if way < PLACED) / MEASURED
    return [falls, min(z for _, _, z in measured), speed, *_ball(path, kick_off)]


def _ball(path: Path, kick_off: float) -> tuple[float, float, float]:
    """Time to its first touch, its way, and its greatest distance from where it lay."""
    seen = [shown for who, shown in map(json.loads, path.read_text().splitlines()) if who == "b"]
    seen = [shown for shown in seen if kick_off <= shown[0]]
    lay = seen[0][1:]
    touch = next((now - kick_off for now, *place in seen if math.dist(place, lay) > TOUCHED), math.nan)
    ways = [math.dist(one[1:], other[1:]) for one, other in itertools.pairwise(seen)]
    return touch, sum(way for way in ways if way < PLACED), max(math.dist(shown[1:], lay) for shown in seen)


def table(options: argparse.Namespace) -> None:
    """Print a row for each recording, then medians and ranges of what was measured in each column."""
    print(f"| recording | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    rows = [row(path) for path in options.recordings]
    for path, values in zip(options.recordings, rows, strict=True):
        print(f"| {path.stem} | {' | '.join(f'{value:.2f}' for value in values)} |")
    there = [[value for value in column if not math.isnan(value)] for column in zip(*rows, strict=True)]
    ranges = [f"{statistics.median(c):.2f} ({min(c):.2f} to {max(c):.2f}; {len(c)})" if c else "-" for c in there]
    print(f"| median (range; runs) | {' | '.join(ranges)} |")


def form(message: str) -> tuple[str, set[str]]:
    """A message without its numbers and without what is seen, and the forms of what is seen."""
    head, _, sight = _NUMBER.sub("#", message).partition("(See ")
    seen = re.findall(r"\((\w+ \(pol # # #\))\)", sight)
    return head + ("(See ...)" if sight else ""), set(seen)


def digits(message: str) -> set[int]:
    """How many digits the numbers of a message have behind the point."""
    return {len(number.partition(".")[2]) for number in _NUMBER.findall(message)}


def compare(options: argparse.Namespace) -> None:
    """Print what two recordings do not have in common: forms of messages, things seen, digits."""
    both = [[form(message) for message in told(path)] for path in (options.one, options.other)]
    kinds = {
        "messages": [{head for head, _ in forms} for forms in both],
        "seen": [set().union(*(seen for _, seen in forms)) for forms in both],
        "digits": [set().union(*map(digits, told(path))) for path in (options.one, options.other)],
    }
    for kind, (one, other) in kinds.items():
        print(f"{kind}: {len(one & other)} in common")
        for path, only in ((options.one, one - other), (options.other, other - one)):
            for text in sorted(map(str, only)):
                print(f"  only {path.name}: {text}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recorder = commands.add_parser("record")
    recorder.add_argument("out", type=Path)
    recorder.add_argument("--server", required=True)
    recorder.add_argument("--agent", required=True)
    recorder.add_argument("--agent-folder", type=Path)
    recorder.add_argument("--seconds", type=float, default=44.0)
    recorder.set_defaults(run=record)
    tabular = commands.add_parser("table")
    tabular.add_argument("recordings", type=Path, nargs="+")
    tabular.set_defaults(run=table)
    comparer = commands.add_parser("compare")
    comparer.add_argument("one", type=Path)
    comparer.add_argument("other", type=Path)
    comparer.set_defaults(run=compare)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
