"""What every engine's golden tests share: the cases, the reference's values, and how a case is set up.

Tolerances are in `tolerances.py`, each with its reason. The recordings themselves lie in
`test/data/golden`; the values below were computed with the reference's constants (ODE) where no recording shows them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from test.physics.conftest import Lab

STEP = 0.02
DRAG = 0.01 / 0.026
GRAVITY = np.array([0.0, 0.0, -9.81])

# Height of the torso of a standing Nao by type, settled, m.
REST_HEIGHT = {0: 0.38387, 1: 0.42051, 2: 0.38387, 3: 0.43961, 4: 0.38387}
# Types with recorded feet.
FEET = (1, 2, 3)
# Recorded commands: entry, joint, rad/s.
TURNS = (("joint_lae1_1rad", "laj1", 1.0), ("joint_lae1_100rad", "laj1", 100.0), ("joint_he1_2", "hj1", 2.0))
# Joints driven into a stop: joint, rad/s, where the stop is, degrees.
STOPS = (("hj1", 5.0, 120.0), ("hj1", -5.0, -120.0), ("llj4", 5.0, 1.0))
# Largest speeds of type 2, rad/s: an ordinary joint, its quick ankle, its slow one.
LARGEST_SPEEDS = {"laj1": 6.13955, "llj5": 8.80667, "llj6": 3.47234}
# How far a ball rolls, m, by the speed it was given, m/s.
ROLLS = {0.5: 0.3382, 1: 0.6768, 2: 1.3539, 4: 2.7081, 8: 5.4165}
# How high a ball rises again, m, by the height it was let go at. The reference turns a ball where a step finds it, up
# to 8 cm deep, and from there it rises equally far: 0.414 m; from 1.07 m on it falls one step longer: 0.445 m.
REBOUNDS = {1.0: 0.3898, 1.03: 0.4198, 1.06: 0.4498, 1.07: 0.4048, 1.1: 0.4348}
# The top of a lob and of its first rebound, m; the recording has every second cycle only.
LOB_TOPS = (0.7386, 0.3180)
# Obstacles a flying ball was shot at.
OBSTACLES = ("post", "bar", "net")
# Where the centre of a resting ball is, m.
BALL_AT_REST = 0.0403

Golden = Callable[[str], Any]


def stand(lab: Lab, variant: int = 0) -> None:
    """Let a Nao down on its feet and wait until it rests."""
    lab.nao(variant, z=REST_HEIGHT[variant] + 0.015)
    lab.run(150)


def acceleration(lab: Lab) -> np.ndarray:
    """What an accelerometer feels in the next cycle, along the axes of the world, m/s2."""
    before = lab.state.linear_velocity[0].copy()
    lab.run(1)
    return np.array((lab.state.linear_velocity[0] - before) / STEP - GRAVITY)


def drag_in_fall(lab: Lab) -> np.ndarray:
    """What drag alone does to the torso of a robot at its present speed, m/s2: 0.01 v on each body."""
    model = lab.state.models[0]
    return np.array(-0.01 * len(model.links) * lab.state.linear_velocity[0] / model.mass)


def recorded_feet(golden: Golden, variant: int) -> tuple[np.ndarray, np.ndarray]:
    """(2, 3) contact points and forces of the right and the left foot, forward, left, up."""
    feet = golden("rest")[f"type{variant}"]["feet"]
    rows = np.array([feet["rf"], feet["lf"]]).reshape(2, 2, 3)[:, :, [1, 0, 2]] * [1.0, -1.0, 1.0]
    return rows[:, 0], rows[:, 1]


def turn(lab: Lab, golden: Golden, entry: str, joint: str, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Angles in the cycles of a recorded command and in three after it; ours and theirs, degrees."""
    recorded = golden("joints")[entry]
    angles = [*lab.turn(joint, speed, 12), *lab.turn(joint, 0.0, 3)]
    return np.array(angles), np.array([*recorded["angle_deg_after_k_cycles"][1:], *recorded["then_zero"]])


def largest_speeds(lab: Lab) -> dict[str, float]:
    """The speed each joint of LARGEST_SPEEDS reaches when commanded to be far faster, rad/s."""
    stand(lab, 2)
    return {name: float(np.radians(np.diff(lab.turn(name, 99.0, 4))[-1]) / STEP) for name in LARGEST_SPEEDS}


def apexes(heights: np.ndarray) -> list[float]:
    """Local maxima."""
    inner = heights[1:-1]
    return list(inner[(inner >= heights[:-2]) & (inner > heights[2:])])


def steps_of(times: np.ndarray) -> np.ndarray:
    """Index into a path for each recorded time; the first row is two cycles after the start."""
    return np.round(np.asarray(times) / STEP).astype(int) + 2


def roll(lab: Lab, speed: float) -> np.ndarray:
    """Where a ball that rolls to its end is after each cycle, from where it started, with its height."""
    start = np.array([-9.0, 5.0, 0.0])
    lab.engine.place_ball((-9.0, 5.0, 0.0418), (float(speed), 0.0, 0.0))
    return np.array(lab.ball_path(600) - start)


def drop(lab: Lab, height: float = 1.0, cycles: int = 200) -> np.ndarray:
    """Heights of a ball that is let go."""
    lab.engine.place_ball((-9.0, 5.0, float(height)))
    return np.array(lab.ball_path(cycles)[:, 2])


def rebounds(lab: Lab) -> list[float]:
    """How high the ball rises again from each height of REBOUNDS."""
    return [max(drop(lab, height, 75)[30:]) for height in REBOUNDS]


def shoot(lab: Lab, recorded: np.ndarray) -> np.ndarray:
    """Fly from the first recorded row on, with the velocity the next row implies; a row every second cycle.

    0.1 mm to the left: in the very middle of the post rounding says on which side the ball leaves. Rows are printed
    to 1 mm, which makes the velocity uncertain by 2.5 cm/s, 1 mm a row.
    """
    keep = 1 - DRAG * STEP
    change = (recorded[1] - recorded[0]) / STEP
    velocity = (change - GRAVITY * STEP * (2 + keep)) / (keep + keep**2)
    lab.engine.place_ball(tuple(recorded[0] + [0.0, 1e-4, 0.0]), tuple(velocity))
    return np.array(lab.ball_path(2 * (len(recorded) - 1))[::2])


def roll_into_goal(lab: Lab, golden: Golden) -> tuple[np.ndarray, np.ndarray]:
    """x of a ball that rolls into the goal's net, 22 rows, the first seven before it; ours and theirs.

    The recorded ball rolls already; one that is given a speed keeps 5/7 of it when it begins to roll.
    """
    recorded = np.array(golden("obstacles")["goal"])[3:25, 0]
    speed = (recorded[1] - recorded[0]) / (2 * STEP) * 7 / 5 * (1 + 1.05 * 1.5 * STEP)
    lab.engine.place_ball((recorded[0], 0.0, BALL_AT_REST), (speed, 0.0, 0.0))
    return lab.ball_path(2 * (len(recorded) - 1))[::2, 0], recorded


def after_the_net(lab: Lab, speed: float) -> float:
    """Velocity along x of a ball that was shot into the net with a speed and has touched it."""
    lab.engine.place_ball((15.4, 0.0, 0.3), (speed, 0.0, 0.0))
    lab.run(8)
    return float(lab.state.ball_velocity[0])
