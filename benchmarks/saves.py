"""How many shots the demonstration team's goalkeeper saves, by engine and speed of the shot.

    python benchmarks/saves.py --engines mujoco ode --speeds 4 6 8 --shots 20

Shots come from 2 to 5 m away, from up to 45 degrees to either side, at any point between the posts; the speed is the
first. Those that would not score at an empty goal are left out.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from simspark_ros.arena import Arena
from simspark_ros.physics.registry import engine_names
from simspark_ros.players.team import ROBOT, team_player
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.simulation.settings import CLASSIC_PROFILE

FAR, WIDE = (2.0, 5.0), math.radians(45.0)
"""Distances of shots from the goal's middle (m), and how far from straight before it (rad)."""

INSIDE = 0.9
"""Part of the goal's width that is aimed at."""

READY, FLIGHT = 2.0, 5.0
"""Time to get to the place before a shot, with the ball at rest, and time for the shot, s."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=list(engine_names()), help="(default: all)")
    parser.add_argument("--speeds", type=float, nargs="+", default=[4.0, 6.0, 8.0], help="m/s (default: 4 6 8)")
    parser.add_argument("--shots", type=int, default=20, help="at each speed (default: %(default)s)")
    options = parser.parse_args()
    print("| engine | speed m/s | on goal | saved | dives |\n|---|---|---|---|---|")
    for engine in options.engines:
        for speed in options.speeds:
            dangerous = [seed for seed in range(options.shots) if shoot(engine, speed, seed, keeper=False)[0]]
            shots = [shoot(engine, speed, seed, keeper=True) for seed in dangerous]
            saves, dives = sum(not goal for goal, _ in shots), sum(dived for _, dived in shots)
            print(f"| {engine} | {speed:g} | {len(shots)} | {saves} | {dives} |", flush=True)


def shoot(engine: str, speed: float, seed: int, *, keeper: bool) -> tuple[bool, bool]:
    """Whether a shot scores, and whether the goalkeeper has dived."""
    random = np.random.default_rng(seed)
    with Arena(profile=CLASSIC_PROFILE, engine=engine, seed=seed) as arena:
        line = arena.world.settings.field.length / 2.0
        mouth = INSIDE * float(random.uniform(-0.5, 0.5)) * arena.world.settings.field.goal_width
        distance, angle = float(random.uniform(*FAR)), float(random.uniform(-WIDE, WIDE))
        x, y = distance * math.cos(angle) - line, distance * math.sin(angle)
        player = team_player("Lions", 1, tactics=load_team_settings())
        if keeper:
            arena.add(ROBOT, team="Lions", unum=1, agent=lambda: player, position=(0.5 - line, 0.0))
        arena.set_play_mode("PlayOn")
        arena.place_ball(x, y)
        arena.step(round(READY / arena.cycle_time) if keeper else 1)
        way = math.atan2(mouth - y, -line - x)
        arena.place_ball(x, y, (speed * math.cos(way), speed * math.sin(way), 0.0))
        dived = False
        for _ in range(round(FLIGHT / arena.cycle_time)):
            arena.step()
            dived = dived or player.world.fallen
            if arena.game.score_right:
                return True, dived
            if arena.game.play_mode.value != "PlayOn":
                break
        return False, dived


if __name__ == "__main__":
    main()
