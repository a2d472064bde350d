"""A match of the middle-size league in this process: goals, shots, passes, and how fast it was.

python benchmarks/msl_match.py --engine mujoco --half-time 150
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from functools import partial

from simspark_ros.arena import Agent, Arena
from simspark_ros.players.answer import Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.players.team import WHEELED, team_player
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.soccer.game_state import PlayMode

PICTURES_EVERY = 10.0
"""s between two pictures of an omni-directional camera, whose cost is counted by itself."""


class Watched:
    """A player whose kicks are counted: `passes` are slower than `shots`."""

    def __init__(self, name: str, unum: int, kicks: Counter[tuple[str, str]]) -> None:
        tactics = load_team_settings(WHEELED)
        self._agent: Agent = team_player(name, unum, tactics, robot=WHEELED, world="msl")
        self._name, self._kicks = name, kicks
        self._shot_speed = tactics.dribble.shot_speed if tactics.dribble else 0.0

    def act(self, percept: Percept) -> Answer:
        """Answer a percept."""
        answer = self._agent.act(percept)
        if answer.shot is not None:
            self._kicks[self._name, "shots" if answer.shot[0] >= self._shot_speed else "passes"] += 1
        return answer


def main() -> None:
    """Play a match."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--half-time", type=float, default=150.0, help="s")
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    changes = ("automatic_kick_off=true", "wait_before_kick_off=1", f"half_time={options.half_time}")
    settings = {"engine": options.engine, "seed": options.seed, "world": "msl", "profile": "leagues"}
    kicks: Counter[tuple[str, str]] = Counter()
    with Arena(**settings, changes=tuple(f"rules.game.{change}" for change in changes)) as arena:
        for name in ("Left", "Right"):
            for unum in range(1, options.players + 1):
                arena.add(WHEELED, team=name, unum=unum, agent=partial(Watched, name, unum, kicks))
        told = drawn = 0
        drawing, began = 0.0, time.process_time()
        while arena.game.play_mode is not PlayMode.GAME_OVER:
            arena.step()
            for decision in arena.decisions[told:]:
                if decision.kind in ("goal", "half_time", "game_over"):
                    print(f"{decision.time:6.1f} s  {decision.text}", flush=True)
            told = len(arena.decisions)
            if arena.time >= PICTURES_EVERY * (drawn + 1):
                start = time.process_time()
                arena.robots[drawn % len(arena.robots)].picture("omni_camera")
                drawing, drawn = drawing + time.process_time() - start, drawn + 1
        passed = time.process_time() - began - drawing
        cycles = round(arena.time / arena.cycle_time)
        print(", ".join(f"{name} {count} {what}" for (name, what), count in sorted(kicks.items())))
        print(
            f"{1000 * passed / cycles:.1f} ms a cycle, {arena.time / passed:.1f} times real time on one core", end="; "
        )
        print(f"a picture of an omni-directional camera {1000 * drawing / max(drawn, 1):.0f} ms")


if __name__ == "__main__":
    main()
