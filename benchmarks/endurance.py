"""A whole match, twice: does it keep real time, does any process grow, is every cycle the same?

    python benchmarks/endurance.py --output DIR [--half-time 300] [--speed 1] [--engine mujoco] [--rate 5]

The demonstration team plays itself, in lock-step, with a page that a browser watches and two cameras of 320x240 that
draw `--rate` pictures a second of real time each, without shadows, of what the monitor port sends; `--no-page` leaves
page and browser out (they need viser). The browser reads all that one is sent, and draws nothing.
With `--robot-cameras` the cameras are those of two robots beside the field, `--rate` a simulated second each, and the
server has ROS 2: a camera process draws for topics, from which a program takes all pictures. `ROS_DOMAIN_ID` is theirs.
Memory is the resident one of all processes of a kind, MiB, once in `--period` seconds: `usage.csv` of either run, with
the seconds of processor that they have used. What all use for each simulated second must be less than there are cores.
`--speed 0` is as fast as possible. The exit status is 1 if a cycle's hash differs, or if memory grew by more than
`--growth` percent from a fifth of the match to its end.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import multiprocessing
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from multiprocessing.context import SpawnProcess as Process
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.server.viewer_settings import FREE
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_watching.broadcast.scene_recognition import SceneObjects
from simspark_watching.video.painter import Painter
from simspark_watching.video.settings import VideoSettings
from simspark_watching.video.shots import Filming, Shot, TimedFrame

KINDS = {
    "serve": "server",
    "view": "page",
    "guard.py": "guard",
    "team": "teams",
    "match": "match",
    "simspark_ros.ros.camera.node": "cameras",
}
"""Words of command lines, and what such processes are."""

WIDTH, HEIGHT = 320, 240
START = 60.0
"""Longest wait for the page, s."""

DISTANCES = (2.0, 8.0, 25.0)
"""A robot is drawn in another detail at each, m."""

WATCHER = """based_on: differential
frames:
  - {{name: eye, link: base_link, position: [0.0, 0.0, 1.0], rpy_deg: [0.0, 8.0, 0.0]}}
more_perceptors:
  - {{kind: camera, link: eye,
     parameters: {{width: {width}, height: {height}, rate_hz: {rate}, horizontal_fov_deg: 70.0}}}}
"""
WATCHERS = """based_on: soccer
robots:
  west: {robot: watcher.yaml, position: [-4.0, -11.5, 0.0], heading_deg: 70.0}
  east: {robot: watcher.yaml, position: [4.0, -11.5, 0.0], heading_deg: 110.0}
"""
"""Two robots beside the field."""

BEGUN = 0.2
"""Memory is first compared after this part of a match: by then all code has run once."""


def film(
    port: int, rate: float, robots: int, pictures: multiprocessing.sharedctypes.Synchronized[int], follow: str
) -> None:
    """Main function of a camera: draws until the server ends.

    First it looks at all robots from near and far, as it will during a match: what it makes for that stays.
    """
    settings = VideoSettings(
        Path("none.gif"), WIDTH, HEIGHT, rate, follow=follow, shadows=False, labels=False, replays=False
    )
    painter, filming = Painter(settings), Filming(settings, load_soccer_settings().field.length)
    client = ClassicClient("127.0.0.1", port)
    client.send(f"(frameRate {rate:g})")

    def frames() -> Iterator[TimedFrame]:
        last = time.monotonic()
        try:
            while True:
                # More than asked for: monitors get what the one that asks for most gets.
                for frame in client.receive_some():
                    now = time.monotonic()
                    # What it has no time for is left out, so that it does not fall behind.
                    yield min(now - last, 1.0 / rate), frame
                    last = now
        except ConnectionLostError:
            return

    seen = SceneObjects()
    for shot in filming.shots(frames()):
        if shot.objects != seen and len(shot.objects.robots) == robots:
            seen = shot.objects
            look_at_all(painter, shot)
        painter.paint(shot)
        pictures.value += 1


def take(robot: str, pictures: multiprocessing.sharedctypes.Synchronized[int]) -> None:
    """Main function of a program that takes the pictures of a robot's camera until it is ended."""
    import rclpy
    from rclpy.qos import qos_profile_sensor_data
    from sensor_msgs.msg import Image

    def count(image: Image) -> None:
        assert (image.width, image.height) == (WIDTH, HEIGHT)
        pictures.value += 1

    rclpy.init()
    node = rclpy.create_node(f"takes_{robot}")
    node.create_subscription(Image, f"/{robot}/camera/image_raw", count, qos_profile_sensor_data)
    rclpy.spin(node)


def place_watchers(folder: Path, rate: float) -> Path:
    """Write a world with two robots that have cameras; returns its file."""
    (folder / "watcher.yaml").write_text(WATCHER.format(width=WIDTH, height=HEIGHT, rate=rate))
    world = folder / "world.yaml"
    world.write_text(WATCHERS)
    return world


def look_at_all(painter: Painter, shot: Shot) -> None:
    """Draw each robot of a shot in all details."""
    for place in shot.poses.positions[shot.bodies.torsos]:
        for distance in DISTANCES:
            painter.paint(replace(shot, eye=place + np.array((distance, 0.0, 0.3)), target=place))


@dataclass
class Run:
    """Measurements of a match.

    Attributes:
        seconds: real time of the match, s.
        usage: seconds since its begin, MiB, and seconds of processor, by kind of process.
        spent: seconds of processor, by process with its kind; of those that have ended, too.
        digest: digest of all state hashes.
    """

    usage: dict[str, list[tuple[float, float, float]]] = field(default_factory=lambda: defaultdict(list))
    spent: dict[tuple[int, str], float] = field(default_factory=dict)
    pictures: list[int] = field(default_factory=list)
    browser: int = 0
    factor: float = 0.0
    seconds: float = 0.0
    cycles: int = 0
    digest: str = ""

    def growth(self, kind: str) -> tuple[float, float, float]:
        """MiB at `BEGUN`, at the end, and at most."""
        values = [mib for _, mib, _ in self.usage[kind]]
        return values[int(BEGUN * len(values))], values[-1], max(values)

    def load(self, kind: str) -> float:
        """Seconds of processor for each simulated second, from `BEGUN` on."""
        rows = self.usage[kind]
        (begin, _, before), (end, _, after) = rows[int(BEGUN * len(rows))], rows[-1]
        return (after - before) / max(end - begin, 1e-9) / self.factor


def kind_of(process: psutil.Process, watchers: Mapping[int, str]) -> str:
    """Kind of a process of a match. watchers: watching processes that this process has started, by id."""
    if process.pid in watchers:
        return watchers[process.pid]
    if process == psutil.Process():
        return "browser"
    words = process.cmdline()
    return next((kind for word, kind in KINDS.items() if any(text.rpartition("/")[2] == word for text in words)), "")


def sample(run: Run, began: float, match: psutil.Process, watchers: Mapping[int, str]) -> None:
    """Note memory and time of all kinds of processes now."""
    sums: dict[str, float] = defaultdict(float)
    for process in [psutil.Process(), match, *match.children(recursive=True), *map(psutil.Process, watchers)]:
        try:
            kind, times = kind_of(process, watchers), process.cpu_times()
            run.spent[process.pid, kind] = times.user + times.system
            sums[kind] += process.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            continue
    for kind, mib in sums.items():
        if kind:
            seconds = sum(spent for (_, owner), spent in run.spent.items() if owner == kind)
            run.usage[kind].append((time.monotonic() - began, mib, seconds))


def watch(url: str) -> Any:
    """A browser on the page, which is announced a little before it listens."""
    from browser import Browser  # type: ignore[import-not-found]

    for left in reversed(range(int(START / 0.2))):
        try:
            return Browser(url)
        except ConnectionRefusedError:
            if not left:
                raise
            time.sleep(0.2)


def command(options: argparse.Namespace, folder: Path) -> list[str]:
    """What plays a match."""
    words = [sys.executable, "-m", "simspark_ros.cli", "match", "--left", "demo", "--right", "demo", "--hash-log"]
    words += [f"--{name}={getattr(options, name)}" for name in ("players", "engine", "seed", "speed")]
    words += [f"--half-time={options.half_time}", f"--log={folder}", *([] if options.no_page else ["--viewer=0"])]
    if options.robot_cameras:
        words += ["--ros", f"--world={place_watchers(options.output, options.rate)}"]
    return words


def start_watchers(
    options: argparse.Namespace, monitor_port: int
) -> list[tuple[Process, multiprocessing.sharedctypes.Synchronized[int]]]:
    """Start what draws, or takes, the pictures of two cameras, each with how many it has."""
    context, watchers = multiprocessing.get_context("spawn"), []
    for follow, robot in ((FREE, "west"), ("ball", "east")):
        count = context.Value("i", 0)
        filmed = monitor_port, options.rate, 2 * options.players, count, follow
        target, arguments = (take, (robot, count)) if options.robot_cameras else (film, filmed)
        process = context.Process(target=target, args=arguments, daemon=True)
        process.start()
        watchers.append((process, count))
    return watchers


def play(options: argparse.Namespace, folder: Path) -> Run:
    """Play a match."""
    run = Run()
    with subprocess.Popen(command(options, folder), stdout=subprocess.PIPE, text=True) as match:
        patterns = {"monitor": r"monitors on port (\d+)", **({} if options.no_page else {"page": r"viewer: (http\S+)"})}
        found: dict[str, str] = {}
        assert match.stdout is not None
        # Before the players come: who watches shall see all of it.
        while len(found) < len(patterns) and (line := match.stdout.readline()):
            for name, pattern in patterns.items():
                if one := re.search(pattern, line):
                    found[name] = one[1]
        if len(found) < len(patterns):
            raise SystemExit(f"the match has not begun; see {folder}")
        watchers = start_watchers(options, int(found["monitor"]))
        browser = watch(found["page"]) if "page" in found else None
        began, process = time.monotonic(), psutil.Process(match.pid)
        kind = "programs" if options.robot_cameras else "cameras"
        kinds = {watcher.pid: kind for watcher, _ in watchers if watcher.pid}
        while True:
            try:
                # What it prints on goes nowhere.
                match.communicate(timeout=options.period)
                break
            except subprocess.TimeoutExpired:
                sample(run, began, process, {pid: kind for pid, kind in kinds.items() if psutil.pid_exists(pid)})
    run.seconds = time.monotonic() - began
    for watcher, _ in watchers:
        watcher.join(0.0 if options.robot_cameras else 10.0)
        watcher.kill()
    run.pictures = [count.value for _, count in watchers]
    run.browser = browser.pictures if browser else 0
    result = json.loads((folder / "result.json").read_text())
    if result["outcome"] != "played":
        raise SystemExit(f"{folder}: {result['outcome']}: {result['reason']}")
    run.factor = result["duration"]["real_time_factor"]
    hashes = (folder / "hashes.txt").read_bytes()
    run.cycles, run.digest = hashes.count(b"\n"), hashlib.sha256(hashes).hexdigest()
    with (folder / "usage.csv").open("w", newline="") as file:
        csv.writer(file).writerows(
            (kind, *(f"{value:.1f}" for value in row)) for kind, rows in run.usage.items() for row in rows
        )
    return run


def main() -> int:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="must not exist")
    parser.add_argument("--half-time", type=float, default=300.0, metavar="S")
    parser.add_argument("--speed", type=float, default=1.0, help="times real time at most, 0 = no limit")
    parser.add_argument("--players", type=int, default=11)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=5.0, help="of each camera, pictures per second at most")
    parser.add_argument("--period", type=float, default=5.0, help="of memory, s")
    parser.add_argument("--growth", type=float, default=5.0, help="of memory that is borne, percent")
    parser.add_argument("--runs", type=int, default=2, help="equal hashes need two")
    parser.add_argument("--no-page", action="store_true")
    parser.add_argument("--robot-cameras", action="store_true")
    options = parser.parse_args()
    options.output.mkdir(parents=True)
    runs, grown = [], []
    for number in range(1, options.runs + 1):
        run = play(options, options.output / str(number))
        runs.append(run)
        print(f"run {number}: {run.factor:.2f} times real time, {run.cycles} cycles, {run.digest[:16]}", flush=True)
        print(f"  pictures of the cameras {run.pictures} in {run.seconds:.0f} s, of the page {run.browser}")
        for kind in run.usage:
            before, after, most = run.growth(kind)
            print(f"  {kind:8} {run.load(kind):.3f} s of processor a simulated second, ", end="")
            print(f"{before:7.1f} to {after:7.1f} MiB, at most {most:.1f}", flush=True)
            grown += [kind] if after > before * (1.0 + options.growth / 100.0) else []
        print(f"  all      {sum(map(run.load, run.usage)):.3f} s of processor a simulated second")
    equal = len({run.digest for run in runs}) == 1
    print(f"hashes are {'equal' if equal else 'NOT equal'}; memory has grown: {', '.join(grown) or 'none'}")
    return 0 if equal and not grown else 1


if __name__ == "__main__":
    sys.exit(main())
