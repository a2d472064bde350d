"""Where the ball was in a match, as a picture, from the log of its frames (pip install 'simspark_ros[plots]').

simspark match --left demo --right demo --half-time 60 --log match
python examples/log_analysis.py match/match.log.gz -o ball.png
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.protocol.monitor.reader import MonitorReader


def ball_track(log: Path) -> Iterator[tuple[float, float, float]]:
    """Game time, s, and place of the ball, m, in each frame of a match log in which time runs."""
    reader, last = MonitorReader(), -1.0
    for frame in read_frames(log):
        reader.show(frame)
        balls = [number for number, node in enumerate(reader.nodes) if "ball" in node.load]
        if balls and reader.time > last:
            last = reader.time
            x, y = reader.world()[balls[0], :2, 3].tolist()
            yield reader.time, x, y


def main() -> None:
    """Draw the track, and print how the ball has moved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("ball.png"))
    options = parser.parse_args()
    time, x, y = np.array(list(ball_track(options.log))).T
    way = float(np.hypot(np.diff(x), np.diff(y)).sum())
    print(f"{time[-1]:.1f} s: the ball has moved {way:.1f} m, {(x > 0).mean():.0%} of the time in the right half")
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots()
    points = axes.scatter(x, y, c=time, s=4)
    figure.colorbar(points, label="game time, s")
    axes.set(xlabel="x, m", ylabel="y, m", title=options.log.name, aspect="equal")
    figure.savefig(options.output)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
