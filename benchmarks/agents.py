"""Simulated seconds per wall second with 1 to 22 trivial lock-step agents, and where a cycle's time goes.

    python benchmarks/agents.py [--robots 1 22] [--cycles 1500] [--modes physics sensed composed dds]
    python benchmarks/agents.py --engines bullet bullet:legacy ode mujoco

Modes: `physics` steps the engine alone; `sensed` adds all perceptors; `composed` is `simspark serve` with agents in a
process of their own; `dds` is simulator and bridge in two processes. Every agent sends nine joint commands and a
(syn) in answer to every message, as in the measurements of the reference server (rcssserver3d 0.7.3: 34.1 with one
agent, 16.9 with 2, 6.6 with 6, 3.8 with 11, 1.26 with 22 on a machine of two cores). All rows of one run are
comparable with one another; absolute figures depend on the machine and on what else it does.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import select
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings

REFERENCE = {1: 34.1, 2: 16.9, 6: 6.6, 11: 3.8, 22: 1.26}
JOINTS = ("he1", "he2", "lae1", "rae1", "lle3", "rle3", "lle4", "rle4", "lle5")
CYCLE = 0.02
WARM_UP = 100
DEADLINE = 120.0


def in_process(robots: int, cycles: int, sensed: bool) -> float:
    """Seconds simulated per wall second without any client."""
    settings = load_simulation_settings().with_classic_agents()
    simulation, _ = build_simulation(settings, [], time.monotonic, time.sleep)
    world = simulation.world
    for number in range(robots):
        robot = load_robot("nao", number % 4)
        x, y = -1.5 - 1.2 * (number % 4), -6 + 1.1 * (number // 2)
        world.add_robot(robot, (x * (1 if number % 2 else -1), y, robot.spawn_height), 0.0)

    def run(count: int) -> None:
        for cycle in range(count):
            world.motors.target[:] = np.sin(0.2 * cycle + np.arange(len(world.motors.target)))
            _cycle(simulation, sensed)

    run(WARM_UP)
    started = time.perf_counter()
    run(cycles)
    return cycles * CYCLE / (time.perf_counter() - started)


def _cycle(simulation: Simulation, sensed: bool) -> None:
    if sensed:
        simulation.run_cycle()
    else:
        simulation.world.step()


class Agents:
    """Trivial agents on one epoll; the first `types` types of robots take turns in either team."""

    types = 4

    def __init__(self, port: int, count: int) -> None:
        self._sockets: list[socket.socket] = []
        self._frames: list[FrameDecoder] = []
        self._poll = select.epoll()
        self._by_fd: dict[int, int] = {}
        for number in range(count):
            self._join(port, number)

    def _join(self, port: int, number: int) -> None:
        connection = socket.create_connection(("127.0.0.1", port), DEADLINE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sockets.append(connection)
        self._frames.append(FrameDecoder(1 << 20))
        self._by_fd[connection.fileno()] = number
        self._poll.register(connection.fileno(), select.EPOLLIN)
        x, y = -1.5 - 1.2 * (number // 2 % 4), -6 + 1.1 * (number // 2)
        connection.sendall(frame(f"(scene rsg/agent/nao/nao_hetero.rsg {number // 2 % self.types})(syn)".encode()))
        team = "AB"[number % 2]
        init = f"(init (unum {number // 2 + 1})(teamname {team}))(syn)"
        for answer in (init, f"(beam {x:.2f} {y:.2f} 0)(syn)", "(syn)"):
            self._pump_until(number, answer)

    def _pump_until(self, newest: int, answer: str) -> None:
        """Answer all agents with (syn) until the newest has a message, and that one with the answer."""
        while True:
            for fd, _ in self._poll.poll(DEADLINE):
                number = self._by_fd[fd]
                messages = self._frames[number].feed(self._sockets[number].recv(1 << 16))
                for _ in messages:
                    text = answer if number == newest else "(syn)"
                    self._sockets[number].sendall(frame(text.encode()))
                if messages and number == newest:
                    return

    def run(self, cycles: int) -> float:
        """Answer that many messages of every agent; return the wall time, s."""
        done = [0] * len(self._sockets)
        left = cycles * len(done)
        answers = [self._answer(cycle) for cycle in range(64)]
        started = time.perf_counter()
        while left > 0:
            for fd, _ in self._poll.poll(DEADLINE):
                number = self._by_fd[fd]
                for message in self._frames[number].feed(self._sockets[number].recv(1 << 16)):
                    self.heard(number, message)
                    done[number] += 1
                    left -= 1
                    self._sockets[number].send(answers[done[number] % 64])
        return time.perf_counter() - started

    def heard(self, number: int, message: bytes) -> None:
        """For those who listen to what an agent is sent while it runs."""

    @staticmethod
    def _answer(cycle: int) -> bytes:
        commands = "".join(f"({name} {np.sin(0.2 * cycle + i):.2f})" for i, name in enumerate(JOINTS))
        return frame(f"{commands}(syn)".encode())

    def close(self) -> None:
        for connection in self._sockets:
            connection.close()


@contextlib.contextmanager
def server(mode: str, ros: bool, engine: str = "bullet") -> Iterator[int]:
    """A server with lock-step agents; yields the port of agents."""
    environment = os.environ | {
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_DOMAIN_ID": str(40 + os.getpid() % 60),
        "PYTHONUNBUFFERED": "1",
    }
    python = [sys.executable, "-m"]
    if mode == "composed":
        extra = [] if ros else ["--no-ros"]
        ports = ["--agent-port", "0", "--monitor-port", "0"]
        name, _, preset = engine.partition(":")
        physics = ["--engine", name, *(["--preset", preset] if preset else [])]
        serve = ["serve", "--pacing", "lockstep", "--headless"]
        commands = [[*python, "simspark_ros.cli", *serve, *physics, *ports, *extra]]
    else:
        ros_args = ["--ros-args", "-p"]
        commands = [
            [*python, "simspark_ros.ros.simulator_node", *ros_args, "pacing:=lockstep", "-p", "bridge:=true"],
            [*python, "simspark_ros.ros.bridge.node", *ros_args, "agent_port:=0", "-p", "monitor_port:=0"],
        ]
    processes = [
        subprocess.Popen(c, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for c in commands
    ]
    try:
        yield _port(processes[-1])
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=10)
            process.kill()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"agent port (\d+)|agents +127\.0\.0\.1:(\d+)", line):
            return int(found[1] or found[2])
    raise SystemExit("the server ended before it printed its port")


def with_agents(mode: str, robots: int, cycles: int, ros: bool = True, engine: str = "bullet") -> float:
    """Seconds simulated per wall second with agents."""
    with server(mode, ros, engine) as port:
        agents = Agents(port, robots)
        agents.run(WARM_UP)
        rate = cycles * CYCLE / agents.run(cycles)
        agents.close()
        return rate


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, nargs="+", default=[1, 2, 6, 11, 22])
    parser.add_argument("--cycles", type=int, default=1500)
    parser.add_argument("--repeat", type=int, default=3)
    modes = ["physics", "sensed", "composed-no-ros", "composed", "dds"]
    parser.add_argument("--modes", nargs="+", choices=modes, default=modes)
    parser.add_argument("--engines", nargs="+", metavar="ENGINE[:PRESET]", help="compare engines, composed, instead")
    options = parser.parse_args()
    columns = options.engines or options.modes
    measure = _measure_engine if options.engines else _measure
    rates: dict[tuple[int, str], list[float]] = {}
    # Round by round: an hour in which the machine is slow then slows every cell.
    for count in range(1, options.repeat + 1):
        for robots in options.robots:
            for column in columns:
                rates.setdefault((robots, column), []).append(measure(column, robots, options.cycles))
        print(f"simulated seconds per wall second, median of {count} (and best), {options.cycles} cycles each")
        print("robots  " + "".join(f"{column:>17}" for column in columns) + f"{'rcssserver3d':>15}")
        for robots in options.robots:
            cells = (rates[robots, column] for column in columns)
            texts = (f"{statistics.median(cell):.2f} ({max(cell):.2f})" for cell in cells)
            print(
                f"{robots:6}  " + "".join(f"{text:>17}" for text in texts) + f"{REFERENCE.get(robots, 0):15.2f}",
                flush=True,
            )


def _measure(mode: str, robots: int, cycles: int) -> float:
    if mode in ("physics", "sensed"):
        return in_process(robots, cycles, mode == "sensed")
    return with_agents(mode.removesuffix("-no-ros"), robots, cycles, ros=not mode.endswith("-no-ros"))


def _measure_engine(engine: str, robots: int, cycles: int) -> float:
    return with_agents("composed", robots, cycles, engine=engine)


if __name__ == "__main__":
    main()
