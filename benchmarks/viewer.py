"""What the viewer delivers and costs, with a full field of trivial lock-step agents.

    python benchmarks/viewer.py [--robots 22] [--seconds 10] [--rounds 3] [--engine mujoco] [--speed 1]

One server and one viewer run all the time; a browser (a program that reads what a browser is sent, and draws nothing)
comes and goes. `alone` and `watched` are so measured in turns, on the same machine at the same time. Times are those of
the processors, which other work on the machine changes little.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import msgspec
import psutil  # type: ignore[import-untyped]
import viser
import zstandard
from agents import Agents  # type: ignore[import-not-found]
from websockets.sync.client import ClientConnection, connect

from simspark_ros.clients.classic_client import ClassicClient

CAMERA = {
    "type": "ViewerCameraMessage",
    **{"wxyz": (1.0, 0.0, 0.0, 0.0), "position": (0.0, -20.0, 10.0), "look_at": (0.0, 0.0, 0.0)},
    **{"up_direction": (0.0, 0.0, 1.0), "fov": 0.7, "near": 0.1, "far": 100.0},
    **{"image_height": 720, "image_width": 1280},
}


class Browser:
    """Counts the pictures that it is sent, by the changes of one mesh."""

    def __init__(self, url: str) -> None:
        self.pictures = self.bytes = 0
        protocol = f"viser-v{viser.__version__}"
        self._page: ClientConnection = connect(
            url.replace("http", "ws"), subprotocols=[protocol], max_size=None, compression=None
        )
        self._page.send(msgspec.msgpack.encode(CAMERA))
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for data in self._page:
            size = int.from_bytes(data[8:16], "little")
            packed = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(data[16 : 16 + size]))
            self.bytes += len(data)
            self.pictures += sum(
                message.get("name") == "/bodies/0" and "batched_positions" in message.get("updates", {})
                for message in packed["messages"]
            )

    def close(self) -> None:
        self._page.close()
        self._thread.join()


@dataclass
class Phase:
    """Figures of a few seconds."""

    factor: float
    server_ms: float
    pictures: float
    viewer_ms: float
    kilobytes: float


def started(*arguments: str, pattern: str) -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(pattern, line):
            # The process must not block on a full pipe.
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, line if not found.groups() else "".join(group or "" for group in found.groups())
    raise SystemExit(f"{arguments[0]} ended")


def cpu(process: subprocess.Popen[str]) -> float:
    times = psutil.Process(process.pid).cpu_times()
    return float(times.user + times.system)


def measure(agents: Agents, cycles: int, processes: list[subprocess.Popen[str]], browser: Browser | None) -> Phase:
    server, viewer = processes
    before = (cpu(server), cpu(viewer), browser.pictures if browser else 0, browser.bytes if browser else 0)
    wall = agents.run(cycles)
    shown = browser.pictures - before[2] if browser else 0
    return Phase(
        factor=cycles * 0.02 / wall,
        server_ms=(cpu(server) - before[0]) / cycles * 1e3,
        pictures=shown / wall,
        viewer_ms=(cpu(viewer) - before[1]) / max(shown, 1) * 1e3,
        kilobytes=(browser.bytes - before[3]) / max(shown, 1) / 1e3 if browser else 0.0,
    )


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", type=int, default=22)
    parser.add_argument("--cycles", type=int, default=500, help="of each phase")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engine", default="bullet")
    parser.add_argument("--speed", type=float, default=0.0, help="times real time, 0 = as fast as possible")
    options = parser.parse_args()
    serve = ["simspark_ros.cli", "serve", "--no-ros", "--headless", "--pacing", "lockstep", "--engine", options.engine]
    server, line = started(*serve, "--agent-port", "0", "--monitor-port", "0", "--json", pattern="monitor_port")
    ports = msgspec.json.decode(line)["ready"]
    view = ["simspark_ros.cli", "view", "--port", "0", "--monitor-port", str(ports["monitor_port"])]
    viewer, url = started(*view, pattern=r"(http://\S+)")
    agents = Agents(ports["agent_port"], options.robots)
    agents.run(100)
    trainer = ClassicClient("127.0.0.1", ports["monitor_port"])
    trainer.send(f"(speed {options.speed:g})")
    trainer.receive_some(1.0)
    trainer.leave()
    alone, watched = list[Phase](), list[Phase]()
    for _ in range(options.rounds):
        alone.append(measure(agents, options.cycles, [server, viewer], None))
        browser = Browser(url)
        agents.run(50)
        watched.append(measure(agents, options.cycles, [server, viewer], browser))
        browser.close()
        time.sleep(0.5)
    print(f"{options.robots} robots, {options.engine}, median of {options.rounds} turns of {options.cycles} cycles")
    for name, phases in (("alone", alone), ("watched", watched)):
        median = [statistics.median(getattr(phase, field) for phase in phases) for field in Phase.__annotations__]
        print(
            f"{name:8}  {median[0]:5.2f} times real time, server {median[1]:5.2f} ms a cycle"
            + (
                f", {median[2]:4.1f} pictures/s, viewer {median[3]:4.1f} ms and {median[4]:.0f} kB each"
                * (name != "alone")
            )
        )
    agents.close()
    for process in (viewer, server):
        process.terminate()
        process.wait()


if __name__ == "__main__":
    main()
