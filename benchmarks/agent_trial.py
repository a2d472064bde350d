"""A real agent alone in PlayOn for a minute: the measure of legacy play.

    python benchmarks/agent_trial.py [--runs 5] [--engine bullet] [--preset J1] [--start -14 0] -- COMMAND

COMMAND starts one player and may contain {host} and {port}. The player is put on the start point after it has joined,
two seconds later the mode becomes PlayOn, and 60 simulated seconds are watched in lock-step. On rcssserver3d 0.7.3 one
Python team's number 1 moves the ball first after 18.1 and 19.6 s, walks 0.88 m/s (best mean of two seconds), kicks with
5.1 and 5.3 m/s and falls 7 and 5 times. With `--record DIR` every cycle is written to DIR/runN.npz for `replays.py`.
With `--motors realistic` each run also tells how hot its motors got; `--seconds` watches longer.

    python benchmarks/agent_trial.py --against-command "./server {agent_port} {monitor_port}" -- COMMAND

measures the same on another server of the classic protocol, seen through its monitor port alone. The shell starts it
once a run; it has to be in lock-step. {seed} is the number of the run. Compare servers through the same eyes: a monitor
sees every second cycle only, and counts fewer falls.
"""

import argparse
import contextlib
import logging
import os
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from behaviour.other_server import started_by
from behaviour.wire import HOST
from recordings import Recorder  # type: ignore[import-not-found]

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.physics.engine import Array
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.robots.motors.realistic import SHUT_DOWN
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.classic_server import ClassicServer, ClassicServerSettings
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.robot import Robot
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRecognizer

SETTLE, WATCH = 2.0, 60.0
"""Seconds between placing and PlayOn, and of play."""

STRIDE = 1.0
"""The way is the sum of distances over this time, s: over cycles it would be that of the torso's swaying."""

HOTTEST = 4
"""Joints that are told."""

MOVED, FALLEN = 0.05, 0.25
"""The ball has moved so far (m); a torso below this height has fallen (m), as in the measurements of the reference."""

JUMP = 0.5
"""No player moves this far in a cycle, m: the referee has moved it, as it does with players that lie for long."""

MONITOR_STEP = 0.04
"""Seconds between two frames of a monitor."""

BALL_JUMP = 1.0
"""A kick does not carry the ball this far between two frames, m: the server has moved it."""


@dataclass(frozen=True)
class Row:
    """One cycle: game time, torso and ball."""

    time: float
    torso: tuple[float, float, float]
    ball: tuple[float, float, float]
    ball_speed: float


class Heat:
    """How hot the motors of a robot get."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._peak: Array = np.zeros(0)
        self._shutdowns: dict[str, float] = {}
        self._charge = 100.0

    def note(self, world: SoccerWorld, robot: Robot) -> None:
        """Take one cycle."""
        reading = world.power.reading(robot)
        if reading is None:
            return
        self._names = [joint.name for joint in robot.description.model.joints]
        self._peak = np.maximum(self._peak, reading.temperature) if len(self._peak) else reading.temperature
        for joint in np.flatnonzero(reading.status == SHUT_DOWN).tolist():
            self._shutdowns.setdefault(self._names[joint], world.game.time)
        self._charge = robot.battery

    def __str__(self) -> str:
        """Highest temperatures, first shutdowns and the charge; empty with ideal motors."""
        if not self._names:
            return ""
        hottest = ", ".join(f"{self._names[i]} {self._peak[i]:.0f}" for i in np.argsort(-self._peak)[:HOTTEST])
        shut = ", ".join(f"{name} {time:.0f} s" for name, time in self._shutdowns.items())
        return f"  hottest: {hottest}; shut down: {shut or 'none'}; battery {self._charge:.1f} %"


class Watch(ControlNode):
    """Places the player, starts play, records."""

    def __init__(self, start: tuple[float, float], record: Path | None, seconds: float) -> None:
        self.rows: list[Row] = []
        self.heat = Heat()
        self._seconds = seconds
        self._start = start
        self._file = record
        self._recorder: Recorder | None = None
        self._joined: int | None = None

    def end_cycle(self, simulation: Simulation) -> None:
        world = simulation.world
        player = next((robot for robot in world.robots.values() if robot.unum), None)
        if player is None:
            return
        if self._joined is None:
            self._joined = world.cycle
        since = (world.cycle - self._joined) * world.engine.cycle_time
        if abs(since - 1.0) < 0.5 * world.engine.cycle_time:
            world.place(player, *self._start, 0.4, 0.0)
        if since >= 1.0 + SETTLE:
            world.game.set_play_mode(PlayMode.PLAY_ON)
            if self._file and not self._recorder:
                self._recorder = Recorder(world.engine)
            self._record(simulation)
            self.heat.note(world, player)

    def _record(self, simulation: Simulation) -> None:
        world, state = simulation.world, simulation.world.engine.state
        speed = float(np.linalg.norm(state.ball_velocity))
        x, y, z = state.position[0].tolist()
        bx, by, bz = state.ball_position.tolist()
        self.rows.append(Row(world.game.time, (x, y, z), (bx, by, bz), speed))
        if world.game.time >= self._seconds:
            simulation.stop()
            if self._recorder and self._file:
                self._recorder.save(self._file)


def trial(
    command: str,
    settings: SimulationSettings,
    start: tuple[float, float],
    record: Path | None = None,
    seconds: float = WATCH,
) -> Watch:
    """Watch one run. record: file for every cycle."""
    core = ClassicServer(ClassicServerSettings(AgentServerSettings(port=0), None), log=logging.getLogger("trial"))
    core.lockstep = True
    simulation, _ = build_simulation(settings, [core], time.monotonic, time.sleep)
    watch = Watch(start, record, seconds)
    simulation.add_node(watch)
    with _agent(command, core.agents.port) as agent:

        def stop_with_agent() -> None:
            agent.wait()
            simulation.stop()

        threading.Thread(target=stop_with_agent, daemon=True).start()
        simulation.run()
    return watch


class MonitorWatch:
    """Places the player of another server, starts play and records, all through the monitor port.

    Positions are those of the frames (every 0.04 s on rcssserver3d), the ball's speed is the mean between two frames.
    """

    def __init__(self, client: ClassicClient, start: tuple[float, float]) -> None:
        self.rows: list[Row] = []
        self._client = client
        self._start = start
        self._reader = MonitorReader()
        self._recognizer = SceneRecognizer(load_look())
        self._objects = SceneObjects()

    def run(self) -> None:
        """Watch until the minute is over or the player is gone."""
        while not self._player():
            self._next_frame()
        self._wait(1.0)
        x, y = self._start
        self._client.send(f"(agent (unum {self._player()})(team Left)(move {x} {y} 0.4 -90))")
        self._wait(SETTLE)
        while self._player() and self._reader.time < WATCH:
            if self._reader.play_mode != "PlayOn":
                self._client.send("(playMode PlayOn)")
            self._next_frame()
            if self._reader.time > (self.rows[-1].time if self.rows else 0.0):
                self._record()

    def _player(self) -> int:
        """The uniform number of the only player, 0 before it has joined."""
        robots = self._objects.robots
        return robots[0].unum if robots else 0

    def _wait(self, seconds: float) -> None:
        for _ in range(round(seconds / MONITOR_STEP)):
            self._next_frame()

    def _next_frame(self) -> None:
        scene = self._reader.nodes
        self._reader.show(self._client.receive())
        if self._reader.nodes is not scene:
            self._objects = self._recognizer.find(self._reader.nodes)

    def _record(self) -> None:
        if not self._objects.robots or self._objects.ball is None:
            return
        world = self._reader.world()
        x, y, z = world[dict(self._objects.robots[0].links)["torso"], :3, 3].tolist()
        bx, by, bz = world[self._objects.ball, :3, 3].tolist()
        last = self.rows[-1] if self.rows else Row(0.0, (x, y, z), (bx, by, bz), 0.0)
        way = float(np.linalg.norm(np.subtract((bx, by, bz), last.ball)))
        speed = way / (self._reader.time - last.time) if way < BALL_JUMP else 0.0
        self.rows.append(Row(self._reader.time, (x, y, z), (bx, by, bz), speed))


def trial_elsewhere(command: str, server: str, seed: int, start: tuple[float, float]) -> list[Row]:
    """Watch one run on a server that another command starts."""
    server = server.replace("{seed}", str(seed))
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        port, monitor_port, _ = stack.enter_context(started_by(server, Path(folder)))
        watch = MonitorWatch(stack.enter_context(ClassicClient(HOST, monitor_port, timeout=60.0)), start)
        with _agent(command, port), contextlib.suppress(ConnectionLostError):
            watch.run()
    return watch.rows


@contextlib.contextmanager
def _agent(command: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The player's process; ended at the end."""
    words = shlex.split(command.format(host=HOST, port=port))
    agent = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ)
    try:
        yield agent
    finally:
        agent.terminate()
        agent.wait(10)


def summary(rows: list[Row]) -> str:
    """The figures of one run."""
    times = np.array([row.time for row in rows])
    torso = np.array([row.torso for row in rows])
    ball = np.array([row.ball for row in rows])
    speeds = np.array([row.ball_speed for row in rows])
    moved = np.flatnonzero(np.linalg.norm(ball - ball[0], axis=1) > MOVED)
    jumps = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(torso[:, :2], axis=0), axis=1) > JUMP)])
    # By time and not by rows: a monitor's frames come at uneven times.
    end = np.searchsorted(times, times + 2.0 - 1e-6)
    start = np.flatnonzero(end < len(times))
    end = end[start]
    walked = np.linalg.norm(torso[end, :2] - torso[start, :2], axis=1) / (times[end] - times[start])
    walked = walked[jumps[end] == jumps[start]]
    low = torso[:, 2] < FALLEN
    falls = int((low[1:] & ~low[:-1]).sum())
    stops = np.searchsorted(times, np.arange(times[0], times[-1], STRIDE))
    strides, put = np.linalg.norm(np.diff(torso[stops, :2], axis=0), axis=1), np.diff(jumps[stops]) > 0
    way = strides[~put].sum()
    goal = np.flatnonzero((np.abs(ball[:, 0]) > 15.0) & (np.abs(ball[:, 1]) < 1.05))
    first = f"{times[moved[0]]:.1f} s" if len(moved) else "never"
    scored = f"{times[goal[0]]:.1f} s" if len(goal) else "none"
    return f"{first:>10} {walked.max():>10.2f} {way:>6.1f} {speeds.max():>12.2f} {falls:>6} {jumps[-1]:>8} {scored:>10}"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--engine", default="bullet")
    parser.add_argument("--preset", default="")
    parser.add_argument("--start", type=float, nargs=2, default=(-14.0, 0.0), metavar=("X", "Y"))
    parser.add_argument("--record", type=Path, metavar="DIR", help="write every cycle of each run there")
    parser.add_argument("--against-command", metavar="SERVER", help="starts another server to measure instead")
    parser.add_argument("--motors", choices=("ideal", "realistic"), default="ideal")
    parser.add_argument("--seconds", type=float, default=WATCH, help="of play (default: %(default)g)")
    parser.add_argument("command", nargs="+", help="starts one player, with {host} and {port}")
    options = parser.parse_args()
    if options.record:
        options.record.mkdir(parents=True, exist_ok=True)
    print("  run  ball moved   best 2 s    way  fastest ball  falls put back       goal")
    for seed in range(1, options.runs + 1):
        command, start = shlex.join(options.command), tuple(options.start)
        if options.against_command:
            rows, heat, seconds = trial_elsewhere(command, options.against_command, seed, start), "", WATCH
        else:
            file = options.record and options.record / f"run{seed}.npz"
            classic = load_simulation_settings().with_classic_agents()
            engine = replace(classic, engine=options.engine, preset=options.preset, motors=options.motors)
            settings = replace(engine, pacing="lockstep", seed=seed)
            watch = trial(command, settings, start, file, options.seconds)
            rows, heat, seconds = watch.rows, str(watch.heat), options.seconds
        text = summary(rows) + heat if rows and rows[-1].time >= seconds else "the agent ended too early"
        print(f"{seed:5}  {text}", flush=True)


if __name__ == "__main__":
    main()
