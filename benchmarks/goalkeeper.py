"""How many shots each policy of the goalkeeper saves: a benchmark for players that learn to score, as the paper's."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace

import numpy as np

from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.soccer.world import SoccerWorld

POLICIES = ("random", "pattern", "block", "intercept", "mixed")
FAR = (3.0, 5.0)
"""Least and greatest distance of shots from the goal, m."""
WIDE = math.radians(50.0)
"""Largest angle of shots to either side of the line before the goal, rad."""
INSIDE = 0.9
"""Share of the goal's width that shots aim at."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shots", type=int, default=100)
    parser.add_argument("--speeds", type=float, nargs="+", default=[3.0, 4.0, 5.0], help="of the ball, m/s")
    parser.add_argument("--engine", default="planar")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--seeds", type=int, default=1, help="shots of so many, and their spread")
    options = parser.parse_args()
    print("| policy | " + " | ".join(f"{speed:g} m/s" for speed in options.speeds) + " |")
    print("|---" * (1 + len(options.speeds)) + "|")
    for policy in POLICIES:
        cells = [cell(policy, speed, options) for speed in options.speeds]
        print(f"| {policy} | " + " | ".join(cells) + " |", flush=True)


def cell(policy: str, speed: float, options: argparse.Namespace) -> str:
    """The share of shots saved, and its standard deviation over seeds."""
    seeds = range(options.seed, options.seed + options.seeds)
    shares = [100.0 * saves(policy, speed, seed, options) / options.shots for seed in seeds]
    spread = f" ± {np.std(shares, ddof=1):.0f}" if len(shares) > 1 else ""
    return f"{np.mean(shares):.0f}{spread} %"


def saves(policy: str, speed: float, seed: int, options: argparse.Namespace) -> int:
    """How many shots are saved; all policies get the same ones of a seed."""
    settings = replace(
        load_simulation_settings(),
        pacing="fast",
        engine=options.engine,
        world="msl",
        referee=False,
        seed=seed,
        players=(f"keeper=goalkeeper?policy={policy}&speed=2.0&x=-8.6",),
    )
    simulation, _ = build_simulation(settings, [], lambda: 0.0, lambda seconds: None)
    random = np.random.default_rng(seed)
    saved = sum(not scores(simulation, speed, random) for _ in range(options.shots))
    simulation.world.engine.close()
    return saved


def scores(simulation: Simulation, speed: float, random: np.random.Generator) -> bool:
    """Shoot at the left goal from anywhere before it."""
    world, field = simulation.world, simulation.world.settings.field
    goal = np.array([-field.length / 2.0, INSIDE * random.uniform(-0.5, 0.5) * field.goal_width])
    distance, angle = random.uniform(*FAR), random.uniform(-WIDE, WIDE)
    place = np.array([-field.length / 2.0, 0.0]) + distance * np.array([math.cos(angle), math.sin(angle)])
    away = goal - place
    x, y = place.tolist()
    vx, vy = (speed * away / np.linalg.norm(away)).tolist()
    world.place_ball((x, y), (vx, vy, 0.0))
    for _ in range(round(3.0 * distance / speed / world.engine.cycle_time)):
        simulation.run_cycle()
        if is_in_goal(world):
            return True
        if world.engine.state.ball_velocity[0] > -0.1 * speed:
            return False
    return False


def is_in_goal(world: SoccerWorld) -> bool:
    """Whether the whole ball is behind the line, between the posts."""
    x, y, _ = world.engine.state.ball_position.tolist()
    field = world.settings.field
    return bool(x < -field.length / 2.0 - world.settings.ball.radius and abs(y) < field.goal_width / 2.0)


if __name__ == "__main__":
    main()
