"""A match of the middle-size league in this process: goals, shots, passes, and how fast it was.

    python benchmarks/msl_match.py --engine mujoco --half-time 150
    python benchmarks/msl_match.py --seconds 0.8 --levels percepts detections pictures

With several levels of abstraction of the omni-directional cameras there are as many matches, which work by turns:
`percepts` is what players get, `detections` adds 2-D, 3-D and model of each camera, `pictures` draws each one instead,
both ten times a second. Players know percepts alone. Times are of this process, pictures and all.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from functools import partial

from parts import take_turns  # type: ignore[import-not-found]

from simspark_ros.arena import Agent, Arena
from simspark_ros.players.answer import Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.players.team import WHEELED, team_player
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.soccer.game_state import PlayMode

CAMERA = "omni_camera"

INTERVAL = 5
"""Cycles between two pictures of a camera, or two detections: 0.1 s."""

LEVELS = ("percepts", "detections", "pictures")


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


class Match:
    """A match whose cameras are on one level; it is over after `seconds`, s, if that is not 0."""

    def __init__(self, options: argparse.Namespace, level: str) -> None:
        changes = ("automatic_kick_off=true", "wait_before_kick_off=0.2", f"half_time={options.half_time}")
        settings = {"engine": options.engine, "seed": options.seed, "world": "msl", "profile": "leagues"}
        self.level, self._seconds, self._told = level, options.seconds, 0
        self._kicks: Counter[tuple[str, str]] = Counter()
        self._passed = self._drawing = 0.0
        self._drawn = 0
        robot = load_robot(WHEELED)
        if level == "detections":
            parameters = {"camera": CAMERA, "interval": INTERVAL}
            spec = PerceptorSpec("detections", "omni_detections", link=CAMERA, parameters=parameters)
            robot = replace(robot, perceptors=(*robot.perceptors, spec))
        self._arena = Arena(**settings, changes=tuple(f"rules.game.{change}" for change in changes))
        for name in ("Left", "Right"):
            for unum in range(1, options.players + 1):
                self._arena.add(robot, team=name, unum=unum, agent=partial(Watched, name, unum, self._kicks))

    @property
    def is_over(self) -> bool:
        """Whether there is nothing left to play."""
        arena = self._arena
        return arena.game.play_mode is PlayMode.GAME_OVER or 0.0 < self._seconds <= arena.time

    def turn(self) -> None:
        """Play some cycles, timed."""
        if self.is_over:
            return
        arena, began = self._arena, time.process_time()
        arena.step(INTERVAL)
        played = time.process_time()
        if self.level == "pictures":
            for robot in arena.robots:
                robot.picture(CAMERA)
            self._drawn += len(arena.robots)
        now = time.process_time()
        self._passed, self._drawing = self._passed + now - began, self._drawing + now - played
        for decision in arena.decisions[self._told :]:
            if decision.kind in ("goal", "half_time", "game_over"):
                print(f"{decision.time:6.1f} s  {decision.text}", flush=True)
        self._told = len(arena.decisions)

    def close(self) -> None:
        """Tell how it was."""
        arena, passed = self._arena, self._passed
        cycles = round(arena.time / arena.cycle_time)
        print(", ".join(f"{name} {count} {what}" for (name, what), count in sorted(self._kicks.items())))
        speed = f"{1000 * passed / cycles:.1f} ms a cycle, {arena.time / passed:.2f} times real time on one core"
        picture = f"; a picture {1000 * self._drawing / self._drawn:.0f} ms" if self._drawn else ""
        print(f"{self.level}: {speed}{picture}")
        arena.close()


def main() -> None:
    """Play matches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="mujoco")
    parser.add_argument("--half-time", type=float, default=150.0, help="s")
    parser.add_argument("--seconds", type=float, default=0.0, help="after which it is over, s; 0 = the whole match")
    parser.add_argument("--players", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--levels", nargs="+", default=["percepts"], choices=LEVELS)
    options = parser.parse_args()
    matches = [Match(options, level) for level in options.levels]
    while not all(match.is_over for match in matches):
        take_turns(matches, 1)
    for match in matches:
        match.close()


if __name__ == "__main__":
    main()
