"""A square of 1 m by every drive, on every engine: how far odometry and truth are apart.

    python benchmarks/square_drives.py [--engines planar bullet ode:fine] [--robots pioneer learned]

Sides are driven at 0.5 m/s, with a stop at each corner; robots that cannot go sideways turn there. A cell has the
largest distance of odometry and truth at a corner, mm, and how far the headings are apart at the end, degrees.

`learned` is a `scout` that moves by a neural motion model, which a minute of random driving of a `scout` on PyBullet
has taught. How far corners of the two are apart is told, too.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from simspark_ros.arena import Arena
from simspark_ros.motion.models.learned_robot import robot_file
from simspark_ros.motion.models.neural import train
from simspark_ros.motion.wheel_drive import WheelOdometer
from simspark_ros.physics.engine import Array
from simspark_ros.simulation.velocity.recorded_drive import record_drive

QUARTER = math.pi / 2.0
ENGINES = ["planar", "bullet", "ode", "ode:fine", "mujoco"]

# One side is driven, then the robot turns; side and turn take 2 s each.
TURNING = [(0.5, 0.0, 0.0), (0.0, 0.0, QUARTER / 2.0)] * 4
SIDEWAYS = [(0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (-0.5, 0.0, 0.0), (0.0, -0.5, 0.0)]
TAUGHT, TEACHER = "scout", "bullet"
LEARNED = "learned"
SQUARES = {
    **dict.fromkeys(("differential", "pioneer", "scout", "b21", LEARNED), TURNING),
    **dict.fromkeys(("omni", "msl"), SIDEWAYS),
}
"""Velocities, m/s and rad/s, each for 2 s."""

REST = {"pioneer": 2.0, LEARNED: 2.0}
"""Time after which robots stand that slow down gently, s; others take less than 1 s."""


class Driven:
    """A robot on wheels in an arena, and its odometer."""

    def __init__(self, arena: Arena, name: str, file: str = "") -> None:
        self.name, self.engine = name, arena.world.engine
        self._arena = arena
        # It comes down to the ground first, away from the ball.
        self.robot = arena.add(file or name, name=name, position=(0.0, 3.0))
        self.odometer = WheelOdometer(self.robot.description)
        self.start = np.zeros(3)
        self.wait(0.5)
        self.start = self.place()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        cycle = self.engine.cycle_time
        for _ in range(round(seconds / cycle)):
            self._arena.step()
            self.odometer.update(self.engine.state.joint_position, cycle)

    def drive(self, forward: float, left: float, turn: float, seconds: float) -> None:
        """Drive for a time, and come to a stand."""
        self.robot.act("wheels", forward, left, turn)
        self.wait(seconds)
        self.robot.act("wheels", 0.0, 0.0, 0.0)
        self.wait(REST.get(self.name, 1.0))

    def place(self) -> Array:
        """How far the base link's frame has come in the plane, m, and its heading, rad."""
        rotation = self.robot.rotation
        x, y, _ = self.robot.position - rotation @ np.array(self.robot.description.model.base.centre)
        return np.array([x, y, math.atan2(rotation[1, 0], rotation[0, 0])]) - self.start

    def felt(self) -> Array:
        """The same by odometry."""
        pose = self.odometer.pose
        return np.array([*pose.position[:2], math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])])

    def square(self) -> tuple[Array, Array]:
        """Places and odometry, (N, 3) each, after each of N velocities."""
        places, felt = [], []
        for velocity in SQUARES[self.name]:
            self.drive(*velocity, seconds=2.0)
            places.append(self.place())
            felt.append(self.felt())
        return np.array(places), np.array(felt)


def arena(engine: str) -> Arena:
    """A world in which a velocity holds until the next one. engine: ENGINE or ENGINE:PRESET."""
    engine, _, preset = engine.partition(":")
    return Arena(engine=engine, preset=preset, referee=False, velocity_timeout=0.0)


def square(engine: str, name: str, file: str = "") -> tuple[Array, Array]:
    """As `Driven.square`, in a new world."""
    with arena(engine) as world:
        return Driven(world, name, file).square()


def teach(folder: Path) -> str:
    """The file of the robot that moves by a learned model."""
    log = record_drive(TAUGHT, TEACHER, 60.0, 0.8, 2.0, 1)
    file = folder / "learned.yaml"
    file.write_text(robot_file(TAUGHT, train(log.part(0.0, 0.8)).parameters), encoding="utf-8")
    return str(file)


def apart(some: Array, others: Array) -> float:
    """Largest distance of places (N, 3), mm."""
    return 1000.0 * float(np.hypot(*(some - others)[:, :2].T).max())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=ENGINES, help="ENGINE or ENGINE:PRESET")
    parser.add_argument("--robots", nargs="+", default=list(SQUARES), choices=SQUARES)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        files = {LEARNED: teach(Path(folder))} if LEARNED in options.robots else {}
        original = square(TEACHER, TAUGHT)[0] if files else np.zeros(0)
        print("| engine | " + " | ".join(f"`{robot}`" for robot in options.robots) + " |")
        print("|---" * (len(options.robots) + 1) + "|")
        for engine in options.engines:
            cells = []
            for robot in options.robots:
                places, felt = square(engine, robot, files.get(robot, ""))
                turned = math.remainder(places[-1, 2] - felt[-1, 2], 2.0 * math.pi)
                cells.append(f"{apart(places, felt):.1f} mm, {abs(math.degrees(turned)):.1f} degrees")
                if robot == LEARNED:
                    cells[-1] += f" ({apart(places, original):.0f} mm from {TAUGHT} on {TEACHER})"
            print(f"| {engine} | " + " | ".join(cells) + " |", flush=True)
        if files and "planar" in options.engines:
            at_once = apart(square("planar", TAUGHT)[0], original)
            print(f"{TAUGHT}, which follows at once, on planar: {at_once:.0f} mm from {TAUGHT} on {TEACHER}")


if __name__ == "__main__":
    main()
