"""What topics cost: CPU of the simulator, of its cameras and of a listener while one kind of topic is subscribed once.

    python benchmarks/topics.py [--engine mujoco] [--robots 22] [--model nao_sensors] [--cameras] [--seconds 3]

A server with robots that stand runs in real time, or as near to it as it can. Kinds of topics (`imu/data` of all
robots, say) take turns, each after a window without them; a row is the median of what a kind adds in its windows.
`--cameras` starts the camera process. The last row subscribes to everything at a time, and takes nothing.

CPU is that of a simulated second, in percent of a core, and messages are those of a simulated second: a busy machine
makes `pace`, simulated seconds per second, smaller and leaves these much as they are. Above 100 % there is no real
time on such a machine, however quiet.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

import psutil  # type: ignore[import-untyped]
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rosgraph_msgs.msg import Clock

from simspark_ros.ros.topics.publisher import message_type
from simspark_stress.own_domain import use_own_domain

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
use_own_domain()

SERVE = (sys.executable, "-m", "simspark_ros.cli", "serve", "--agent-port=0", "--monitor-port=0")

START = 60.0
"""Longest wait for topics and for their first messages, s."""

DISCOVERY = 1.0
"""When no new topic has appeared for so long there are all, s."""

SILENT = 3.0
"""A topic on which nothing has come for so long sends only on events, s."""

SETTLE = 0.5
"""Seconds between a change of subscriptions and a window."""

MANY_SETTLE = 15.0
"""The same for hundreds of subscriptions."""

QOS = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


@dataclass(frozen=True)
class Window:
    """What a window showed: CPU in s, messages and bytes, each of a simulated s; simulated s per s."""

    simulator: float
    cameras: float
    listener: float
    pace: float
    messages: float
    bytes: float


class Listener:
    """A process's subscriptions to serialized messages; it counts them."""

    def __init__(self) -> None:
        rclpy.init()
        self._node = Node("listener", enable_rosout=False, start_parameter_services=False)
        self._time_keeper = Node("time_keeper", enable_rosout=False, start_parameter_services=False)
        self._executor, self._clock = SingleThreadedExecutor(), SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._clock.add_node(self._time_keeper)
        for node in (self._node, self._time_keeper):
            node.create_subscription(Clock, "/clock", self._tick, QOS, raw=True)
        self._subscriptions: list[object] = []
        self._messages = self._bytes = 0
        self._time = 0.0

    def topics(self, robots: int, cameras: bool) -> dict[str, str]:
        """Types of what publishers offer below robots' namespaces by name, when no more of them appear."""
        end = time.monotonic() + START
        found: dict[str, str] = {}
        while time.monotonic() < end:
            self.wait(DISCOVERY)
            before, known = found, self._node.get_topic_names_and_types()
            found = {name: kinds[0] for name, kinds in known if "/_" not in name and self._node.count_publishers(name)}
            last = "/camera_info" if cameras else "/joint_states"
            if found == before and sum(name.endswith(last) for name in found) >= robots:
                return {name: kind for name, kind in found.items() if name.startswith("/r") and name.count("/") > 1}
        raise SystemExit("the simulator's topics do not appear")

    def listen(self, topics: dict[str, str]) -> bool:
        """Subscribe to these instead of others; False if nothing comes."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        make = self._node.create_subscription
        self._subscriptions = [
            make(message_type(kind), name, self._count, QOS, raw=True) for name, kind in topics.items()
        ]
        self._messages = 0
        end = time.monotonic() + SILENT
        while topics and not self._messages and time.monotonic() < end:
            self._executor.spin_once(timeout_sec=0.1)
        return bool(self._messages)

    def wait(self, seconds: float, clock_only: bool = False) -> None:
        """Receive for some s."""
        executor = self._clock if clock_only else self._executor
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            executor.spin_once(timeout_sec=left)

    def count(self, seconds: float, clock_only: bool = False) -> tuple[float, int, int]:
        """Receive for some simulated s; how many have passed, messages and bytes.

        With hundreds of subscriptions rclpy's executor takes all of a core. `clock_only`: the others are there, and
        what arrives is not taken.
        """
        executor = self._clock if clock_only else self._executor
        executor.spin_once(timeout_sec=0.1)
        start = self._time
        self._messages = self._bytes = 0
        while self._time < start + seconds:
            executor.spin_once(timeout_sec=1.0)
        return self._time - start, self._messages, self._bytes

    def _count(self, message: bytes) -> None:
        self._messages += 1
        self._bytes += len(message)

    def _tick(self, message: bytes) -> None:
        stamp = deserialize_message(message, Clock).clock
        self._time = stamp.sec + 1e-9 * stamp.nanosec


def serve_listener(pipe: Connection) -> None:
    """Be the process of a `Listener`: calls come through the pipe, and results go back."""
    listener = Listener()
    while True:
        name, *arguments = pipe.recv()
        pipe.send(getattr(listener, name)(*arguments))


class Bench:
    """A server and a listener, each in a process of its own."""

    def __init__(self, server: int, seconds: float) -> None:
        self._server, self._seconds = server, seconds
        spawn = multiprocessing.get_context("spawn")
        self._pipe, end = spawn.Pipe()
        self._listener = spawn.Process(target=serve_listener, args=(end,), daemon=True)
        self._listener.start()

    def close(self) -> None:
        """End the listener."""
        self._listener.kill()

    def ask(self, name: str, *arguments: object) -> object:
        """Call a method of the listener."""
        self._pipe.send((name, *arguments))
        return self._pipe.recv()

    def window(self, settle: float = SETTLE, clock_only: bool = False) -> Window:
        """Measure with the subscriptions that there are, some s after they were made; see `Listener.count`."""
        self.ask("wait", settle, clock_only)
        assert self._listener.pid is not None
        before, start = self._used(), time.monotonic()
        simulated, messages, size = self.ask("count", self._seconds, clock_only)  # type: ignore[misc]
        pace = simulated / (time.monotonic() - start)
        used = [(now - then) / simulated for now, then in zip(self._used(), before, strict=True)]
        return Window(*used, pace, messages / simulated, size / simulated)

    def _used(self) -> tuple[float, float, float]:
        """CPU time of simulator, its children and listener, s."""
        assert self._listener.pid is not None
        server = psutil.Process(self._server)
        children = sum(map(cpu_time, server.children(recursive=True)))
        return cpu_time(server), children, cpu_time(psutil.Process(self._listener.pid))


def cpu_time(process: psutil.Process) -> float:
    """Of a process so far, s."""
    times = process.cpu_times()
    return float(times.user + times.system)


def measure(bench: Bench, kinds: dict[str, dict[str, str]], rounds: int) -> None:
    """Print a row for each kind, and one for all."""
    silent = [kind for kind, topics in kinds.items() if not bench.ask("listen", topics)]
    added: dict[str, list[Window]] = {kind: [] for kind in kinds if kind not in silent}
    for _ in range(rounds):
        for kind, windows in added.items():
            bench.ask("listen", {})
            without = bench.window()
            bench.ask("listen", kinds[kind])
            windows.append(difference(bench.window(), without))
    bench.ask("listen", {})
    nothing = bench.window()
    print(f"{'topic':<34} {'messages/s':>10} {'MB/s':>7} {'simulator':>9} {'cameras':>8} {'listener':>8} {'pace':>6}")
    print(row("(nothing but /clock)", nothing))
    for kind, windows in sorted(added.items()) if rounds else ():
        print(row(kind, median(windows)))
    bench.ask("listen", {name: kind for topics in kinds.values() for name, kind in topics.items()})
    print(row("everything at a time", bench.window(MANY_SETTLE, clock_only=True)))
    if silent:
        print("nothing came on:", ", ".join(silent))


def difference(one: Window, other: Window) -> Window:
    """What one has more than the other, but for what is counted."""
    return Window(
        one.simulator - other.simulator,
        one.cameras - other.cameras,
        one.listener - other.listener,
        one.pace,
        one.messages,
        one.bytes,
    )


def median(windows: Sequence[Window]) -> Window:
    """Of each figure."""
    return Window(*(statistics.median(getattr(window, name) for window in windows) for name in Window.__annotations__))


def row(name: str, window: Window) -> str:
    """A line of the table."""
    used = f"{100 * window.simulator:>8.1f}% {100 * window.cameras:>7.1f}% {100 * window.listener:>7.1f}%"
    return f"{name:<34} {window.messages:>10.0f} {window.bytes / 1e6:>7.2f} {used} {window.pace:>6.2f}"


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--robots", type=int, default=22)
    parser.add_argument("--model", default="nao_sensors")
    parser.add_argument("--cameras", action="store_true")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    robots = [f"--robot=r{number}={options.model}" for number in range(options.robots)]
    words = ["--engine", options.engine, *robots, *([] if options.cameras else ["--headless"])]
    with subprocess.Popen([*SERVE, *words], stdout=subprocess.DEVNULL) as server:
        bench = Bench(server.pid, options.seconds)
        try:
            kinds: dict[str, dict[str, str]] = {}
            topics = bench.ask("topics", options.robots, options.cameras)
            assert isinstance(topics, dict)
            for name, kind in topics.items():
                kinds.setdefault(name.split("/", 2)[2], {})[name] = kind
            measure(bench, kinds, options.rounds)
        finally:
            bench.close()
            server.terminate()


if __name__ == "__main__":
    main()
