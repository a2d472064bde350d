"""A second machine: a network namespace, and a cable to it that delays and loses packets and can be pulled out."""

import contextlib
import fcntl
import multiprocessing
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections import deque

import pytest

from test.rigs.ros_processes import Domain, Process
from test.rigs.waiting import until

_SET_INTERFACE = 0x400454CA
_TAP, _NO_INFORMATION = 0x0002, 0x1000
_LONGEST_FRAME = 2048


class SecondMachine(contextlib.AbstractContextManager["SecondMachine"]):
    """Has its own network and its own loopback; files it shares. Several of other numbers (0 to 255) may exist.

    Attributes:
        here, there: addresses of the two machines on the cable.
        prefix: words before a command that runs there.

    `delay` is each packet's delay, s, `loss` the share of packets that do not arrive. The test is skipped where the
    kernel gives no right to make networks.
    """

    def __init__(self, number: int, delay: float = 0.0, loss: float = 0.0) -> None:
        # Addresses that are kept for tests of networks (RFC 2544).
        self.here, self.there = f"198.18.{number}.1", f"198.18.{number}.2"
        # In a process of its own it does not slow down what is tested; nothing of this one is imported anew.
        fork = multiprocessing.get_context("fork")
        self._delay, self._loss = fork.RawValue("d", delay), fork.RawValue("d", loss)
        self._cut = fork.RawValue("b", False)
        self._carried, self._lost = fork.RawValue("q", 0), fork.RawValue("q", 0)
        self._name = f"simspark{os.getpid() % 10**6}"
        self.prefix = ["ip", "netns", "exec", self._name]
        self._ends: list[int] = []
        try:
            self._plug_in()
        except (OSError, subprocess.CalledProcessError):
            self._remove()
            pytest.skip("the kernel gives no right to make a network")
        self._cable = fork.Process(target=self._carry, name="cable", daemon=True)
        self._cable.start()

    @property
    def carried(self) -> int:
        """Packets that were carried so far."""
        return int(self._carried.value)

    @property
    def lost(self) -> int:
        """Packets that were lost so far."""
        return int(self._lost.value)

    def pull_out(self) -> None:
        """Pull the cable out."""
        self._cut.value = True

    def put_in(self) -> None:
        """Put it in again."""
        self._cut.value = False

    def _plug_in(self) -> None:
        near, far = f"{self._name}a"[-15:], f"{self._name}b"[-15:]
        _run(f"ip netns add {self._name}")
        self._ends = [_tap(near), _tap(far)]
        for command in (
            f"ip link set {far} netns {self._name}",
            f"ip address add {self.here}/30 dev {near}",
            f"ip link set {near} up",
            f"ip -n {self._name} address add {self.there}/30 dev {far}",
            f"ip -n {self._name} link set {far} up",
            f"ip -n {self._name} link set lo up",
            # Nothing else says where multicast goes.
            f"ip -n {self._name} route add default via {self.here}",
        ):
            _run(command)

    def _carry(self) -> None:
        """Move frames from either end to the other, for ever."""
        chance = random.Random(1)
        moving: deque[tuple[float, int, bytes]] = deque()
        while True:
            wait = max(0.0, moving[0][0] - time.monotonic()) if moving else None
            for end in select.select(self._ends, [], [], wait)[0]:
                frame = os.read(end, _LONGEST_FRAME)
                if self._cut.value or chance.random() < self._loss.value:
                    self._lost.value += 1
                    continue
                self._carried.value += 1
                moving.append((time.monotonic() + self._delay.value, self._ends[1 - self._ends.index(end)], frame))
            while moving and moving[0][0] <= time.monotonic():
                _, end, frame = moving.popleft()
                # The other machine may have been switched off.
                with contextlib.suppress(OSError):
                    os.write(end, frame)

    def __exit__(self, *error: object) -> None:
        """End the network; its processes have to have ended."""
        self._cable.kill()
        self._cable.join()
        self._remove()

    def _remove(self) -> None:
        for end in self._ends:
            os.close(end)
        subprocess.run(["ip", "netns", "delete", self._name], capture_output=True, check=False)


def _tap(name: str) -> int:
    """A new interface of Ethernet; its frames are read from and written to the file that is returned."""
    end = os.open("/dev/net/tun", os.O_RDWR)
    try:
        fcntl.ioctl(end, _SET_INTERFACE, struct.pack("16sH22x", name.encode(), _TAP | _NO_INFORMATION))
    except OSError:
        os.close(end)
        raise
    return end


def _run(command: str) -> None:
    subprocess.run(command.split(), check=True, capture_output=True)


LISTENER = """
import importlib, sys, time
import rclpy
from rclpy.qos import QoSProfile, ReliabilityPolicy, DurabilityPolicy
topic, kind, reliability, durability = sys.argv[1:]
package, name = kind.split("/")
rclpy.init()
node = rclpy.create_node("listener")
def report(message):
    header = getattr(message, "header", message)
    stamp = getattr(header, "stamp", getattr(message, "clock", None))
    at = stamp.sec + 1e-9 * stamp.nanosec if stamp else 0.0
    values = [value for status in getattr(message, "status", ()) for value in status.values]
    missed = [value.value for value in values if value.key == "cycles missed"]
    print("heard", f"{at:.3f}", len(getattr(message, "data", "")), *missed, flush=True)
kind = getattr(importlib.import_module(package + ".msg"), name)
qos = QoSProfile(depth=100, reliability=ReliabilityPolicy[reliability], durability=DurabilityPolicy[durability])
node.create_subscription(kind, topic, report, qos)
known = 0
while True:
    rclpy.spin_once(node, timeout_sec=0.1)
    if (count := node.count_publishers(topic)) != known:
        known = count
        print("publishers", count, flush=True)
"""
"""A program that says what it hears on a topic: stamp, length of `data`, and cycles missed; and who publishes there.

Fast DDS reads its settings once in a process, so a node in that of the tests may be confined to this machine.
"""


class Listener(Process):
    """Runs `LISTENER` on this machine."""

    def __init__(self, domain: Domain, topic: str, kind: str, *qos: str) -> None:
        """Start it; `qos` are RELIABLE and VOLATILE unless others are given."""
        command = [sys.executable, "-c", LISTENER, topic, kind, *(qos or ("RELIABLE", "VOLATILE"))]
        super().__init__(domain, command=command)

    @property
    def heard(self) -> list[list[str]]:
        """What it has said of each message."""
        return [line.split()[1:] for line in self.output.splitlines() if line.startswith("heard")]

    def hear(self, count: int = 1) -> list[list[str]]:
        """Wait for this number of further messages; returns what it says of them."""
        before = len(self.heard)
        until(lambda: len(self.heard) >= before + count)
        return self.heard[before:]

    @property
    def publishers(self) -> int:
        """How many there are for the topic."""
        said = [line.split()[1] for line in self.output.splitlines() if line.startswith("publishers")]
        return int(said[-1]) if said else 0
