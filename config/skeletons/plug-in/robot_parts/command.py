"""A sub-command: `simspark hop` joins a server as an agent, hops, and prints how high it came."""

import argparse
import re
from typing import Any


def register(commands: Any) -> None:
    """Add the sub-command to those of `simspark`."""
    parser = commands.add_parser("hop", help="an agent that hops once")
    parser.add_argument("--port", type=int, default=3100, help="of agents [3100]")
    parser.add_argument("--speed", type=float, default=3.0, help="m/s [3]")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Hop; returns the exit status."""
    # Here, so that `simspark --help` does not wait for it.
    from simspark_ros.plugins import ClassicClient

    with ClassicClient("127.0.0.1", options.port) as client:
        client.send("(scene hopper.rsg)(syn)")
        client.receive()
        heights: list[float] = []
        # The robot is created above the ground: it falls for some cycles.
        for cycle in range(120):
            client.send(f"(hop {options.speed})(syn)" if cycle == 80 else "(syn)")
            heights += map(float, re.findall(rb"\(ALT \(n belly\) \(h ([-0-9.]+)\)\)", client.receive()))
    print(f"hopped {max(heights[80:]) - heights[80]:.2f} m")
    return 0
