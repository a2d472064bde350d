"""A robot of one's own: a URDF file, and a YAML file that says what it senses and how it drives.

python examples/own_robot.py
"""

import math
from pathlib import Path

from simspark_ros.arena import Arena

ROBOT = Path(__file__).parent / "files" / "tricycle.yaml"


def main() -> None:
    """Drive a circle of half a metre with a car of two driven wheels."""
    with Arena(f"car={ROBOT}", world="empty") as arena:
        car = arena["car"]
        for _ in range(round(2 * math.pi / arena.cycle_time)):
            car.act("wheels", 0.5, 0.0, 1.0)
            arena.step()
        turned = car.read("gyroscope")
        assert turned is not None
        print(
            f"it turns with {turned[2]:.2f} rad/s, its wheels {car.joints} with {car.joint_velocities.round(2)} rad/s"
        )
        print(f"it came to {car.position[:2].round(2)} m after {arena.time:.1f} s")


if __name__ == "__main__":
    main()
