"""What it would cost to split one world over two machines, and what it could bring: `python benchmarks/split.py`.

    python benchmarks/split.py [--engines mujoco ode] [--robots 2 6 12 22] [--turns 20] [--exchanges 2000]

First the exchange: two processes send each other the state of the robots that either has (pose and velocities of the
base, positions and velocities of 22 joints, doubles) over TCP on loopback, one after the other; half of the time there
and back, microseconds, median and lower tenth. Then whole cycles of worlds with all robots and with half of them, by
turns: ms of CPU. The quotient, with the exchange once a cycle, is the most that two machines could gain.
"""

from __future__ import annotations

import argparse
import socket
import statistics
import time
from multiprocessing import get_context

from parts import Stage, Variant, take_turns  # type: ignore[import-not-found]

from simspark_ros.robots.catalogue import load_robot

JOINTS = 22
STATE = 8 * (13 + 2 * JOINTS)
"""Bytes of a robot: position, quaternion and velocities of its base, and its joints."""


def receive(connection: socket.socket, size: int) -> None:
    """Read that many bytes."""
    while size:
        size -= len(connection.recv(size))


def answer(port: int, size: int, count: int) -> None:
    """Main function of the other machine."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        state = bytes(size)
        for _ in range(count):
            receive(connection, size)
            connection.sendall(state)


def exchange(robots: int, count: int) -> list[float]:
    """Times of exchanges, half of what there and back take, microseconds, in ascending order."""
    size = STATE * robots
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        other = get_context("fork").Process(target=answer, args=(port, size, count), daemon=True)
        other.start()
        connection, _ = server.accept()
    times, state = [], bytes(size)
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(count):
            started = time.perf_counter()
            connection.sendall(state)
            receive(connection, size)
            times.append(5e5 * (time.perf_counter() - started))
    other.join()
    return sorted(times)


def cycles(engine: str, counts: list[int], turns: int) -> dict[int, float]:
    """Milliseconds of a cycle by number of robots."""
    stages = {count: Stage(engine, count, Variant(load_robot("nao"))) for count in counts}
    take_turns(list(stages.values()), turns)
    return {count: stage.close() for count, stage in stages.items()}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="*", default=["mujoco", "ode"])
    parser.add_argument("--robots", type=int, nargs="+", default=[2, 6, 12, 22])
    parser.add_argument("--turns", type=int, default=20, help="of twelve cycles each [20]")
    parser.add_argument("--exchanges", type=int, default=2000)
    options = parser.parse_args()
    took: dict[int, float] = {}
    print("robots of either side   bytes   us: median   lower tenth")
    for robots in options.robots:
        times = exchange(robots // 2, options.exchanges)
        took[robots] = statistics.median(times)
        print(f"{robots // 2:21} {STATE * (robots // 2):7} {took[robots]:12.0f} {times[len(times) // 10]:13.0f}")
    print("engine   robots   ms a cycle   half of them   gain at most")
    for engine in options.engines:
        found = cycles(engine, sorted({*options.robots, *(one // 2 for one in options.robots)}), options.turns)
        for robots in options.robots:
            whole, half = found[robots], found[robots // 2]
            gain = whole / (half + took[robots] / 1000.0)
            print(f"{engine:8} {robots:6} {whole:12.2f} {half:14.2f} {gain:14.2f}", flush=True)


if __name__ == "__main__":
    main()
