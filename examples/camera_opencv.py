"""A robot's camera and OpenCV: find the orange ball in the picture (pip install opencv-python).

python examples/camera_opencv.py --output found.png
"""

import argparse

import cv2
import numpy as np
from numpy.typing import NDArray

from simspark_ros.arena import Arena


def find_ball(picture: NDArray[np.uint8]) -> tuple[float, float, float] | None:
    """Column, row and radius of the largest orange thing in a picture (height, width, 3), or None."""
    hue = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
    mask = cv2.inRange(hue, np.array([3, 120, 60]), np.array([20, 255, 255]))
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return None
    (column, row), radius = cv2.minEnclosingCircle(max(outlines, key=cv2.contourArea))
    return float(column), float(row), float(radius)


def main() -> None:
    """Put the ball before a robot and look for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", default="", help="file for the picture")
    options = parser.parse_args()
    with Arena(world="soccer") as arena:
        robot = arena.add("nao_sensors", position=(-2.0, 0.0))
        arena.place_ball(-0.8, 0.1)
        robot.set_positions({"hj2": -0.2})
        arena.step(25)
        picture = robot.picture()
        found = find_ball(picture)
        if found is None:
            print("no ball in the picture")
            return
        column, row, radius = found
        print(f"ball at column {column:.0f}, row {row:.0f}, radius {radius:.1f} pixels")
        if options.output:
            marked = cv2.circle(picture.copy(), (round(column), round(row)), round(radius) + 3, (255, 255, 0), 1)
            cv2.imwrite(options.output, cv2.cvtColor(marked, cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
