"""A short film of a ball that rolls past a robot, from a camera that follows it: pictures of an arena as a GIF.

python examples/video.py -o ball.gif

A match's log becomes a film with scores and goals again in slow motion by `simspark video LOG -o match.mp4`.
"""

import argparse
from pathlib import Path

from PIL import Image

from simspark_ros.arena import Arena

RATE = 12.5
"""Pictures of a simulated second."""


def main() -> None:
    """Roll the ball past a robot, and film it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("ball.gif"))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--width", type=int, default=480)
    options = parser.parse_args()
    pictures = []
    with Arena("nao", engine="bullet", referee=False) as arena:
        arena.place_ball(-1.0, 0.6, (3.0, 0.0, 0.0))
        for _ in range(round(RATE * options.seconds)):
            x, y, z = arena.ball.position
            size = {"width": options.width, "height": options.width * 9 // 16}
            picture = arena.render((x - 2.0, y - 3.0, 1.5), (x, y, z), **size)
            pictures.append(Image.fromarray(picture))
            arena.step(round(50 / RATE))
    first, *others = pictures
    first.save(options.output, save_all=True, append_images=others, duration=round(1000 / RATE), loop=0)
    print(f"{options.output}: {len(pictures)} pictures; the ball has come to x = {x:.1f} m")


if __name__ == "__main__":
    main()
