"""A whole match, twice: does it keep real time, does any process grow, is every cycle the same?

    python benchmarks/endurance.py --output DIR [--half-time 300] [--speed 1] [--engine mujoco] [--rate 5]

The demonstration team plays itself, in lock-step, with a page that a browser watches and two cameras of 320x240 that
draw `--rate` pictures a second of real time each, without shadows, of what the monitor port sends; `--no-page` leaves
page and browser out (they need viser). The browser reads all that one is sent, and draws nothing.
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
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from simspark_ros.clients.broadcast.scene_recognition import SceneObjects
from simspark_ros.clients.broadcast.targets import FREE
from simspark_ros.clients.classic_client import ClassicClient, ConnectionLostError
from simspark_ros.clients.video.painter import Painter
from simspark_ros.clients.video.settings import VideoSettings
from simspark_ros.clients.video.shots import Filming, Shot, TimedFrame
from simspark_ros.soccer.settings import load_soccer_settings

KINDS = {"serve": "server", "view": "page", "guard.py": "guard", "team": "teams", "match": "match"}
"""Words of command lines, and what such processes are."""

WIDTH, HEIGHT = 320, 240
START = 60.0
"""Longest wait for the page, s."""

DISTANCES = (2.0, 8.0, 25.0)
"""A robot is drawn in another detail at each, m."""

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


def look_at_all(painter: Painter, shot: Shot) -> None:
    """Draw each robot of a shot in all details."""
    for place in shot.poses.positions[shot.bodies.torsos]:
        for distance in DISTANCES:
            painter.paint(replace(shot, eye=place + np.array((distance, 0.0, 0.3)), target=place))


@dataclass
class Run:
    """What a match showed.

    Attributes:
        seconds: of real time.
        usage: seconds since its begin, MiB, and seconds of processor, by kind of process.
        spent: seconds of processor, by process with its kind; of those that have ended, too.
        digest: of all state hashes.
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


def kind_of(process: psutil.Process, cameras: set[int]) -> str:
    """What a process of a match is."""
    if process.pid in cameras:
        return "cameras"
    if process == psutil.Process():
        return "browser"
    words = process.cmdline()
    return next((kind for word, kind in KINDS.items() if any(text.rpartition("/")[2] == word for text in words)), "")


def sample(run: Run, began: float, match: psutil.Process, cameras: set[int]) -> None:
    """Note memory and time of all kinds of processes now."""
    sums: dict[str, float] = defaultdict(float)
    for process in [psutil.Process(), match, *match.children(recursive=True), *map(psutil.Process, cameras)]:
        try:
            kind, times = kind_of(process, cameras), process.cpu_times()
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
    from viewer import Browser  # type: ignore[import-not-found]

    for left in reversed(range(int(START / 0.2))):
        try:
            return Browser(url)
        except ConnectionRefusedError:
            if not left:
                raise
            time.sleep(0.2)


def play(options: argparse.Namespace, folder: Path) -> Run:
    """Play a match."""
    words = [sys.executable, "-m", "simspark_ros.cli", "match", "--left", "demo", "--right", "demo", "--hash-log"]
    words += [f"--{name}={getattr(options, name)}" for name in ("players", "engine", "seed", "speed")]
    words += [f"--half-time={options.half_time}", f"--log={folder}", *([] if options.no_page else ["--viewer=0"])]
    run, context = Run(), multiprocessing.get_context("spawn")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as match:
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
        counts = [context.Value("i", 0) for _ in range(2)]
        filmed = int(found["monitor"]), options.rate, 2 * options.players
        cameras = [
            context.Process(target=film, args=(*filmed, count, follow), daemon=True)
            for count, follow in zip(counts, (FREE, "ball"), strict=True)
        ]
        for camera in cameras:
            camera.start()
        browser = watch(found["page"]) if "page" in found else None
        began, process = time.monotonic(), psutil.Process(match.pid)
        pids = {camera.pid for camera in cameras if camera.pid}
        while True:
            try:
                # What it prints on goes nowhere.
                match.communicate(timeout=options.period)
                break
            except subprocess.TimeoutExpired:
                sample(run, began, process, {pid for pid in pids if psutil.pid_exists(pid)})
    run.seconds = time.monotonic() - began
    for camera in cameras:
        camera.join(10.0)
    run.pictures = [count.value for count in counts]
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
