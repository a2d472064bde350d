"""Is a match of the demonstration team worth watching? Goals, first touches, falls and self collisions, by engine.

    python benchmarks/match_bars.py --out build/bars                            # 3 a side, ten seeds an engine
    python benchmarks/match_bars.py --out build/bars --players 11 --engines mujoco --processes 2
    python benchmarks/match_bars.py --out build/bars3 --players 11 --seconds 600 --goals 3    # is the median 3 or more?
    python benchmarks/match_bars.py --out build/msl --league demo-msl --players 5 --engines mujoco
    python benchmarks/match_bars.py --out build/bars --wall 0                   # the table of what was played

Matches against itself, without sockets. Each is played up to `--seconds` of the game and written into a file of its own
every ten seconds; those that are there are not played again, so that a run may be broken off and goes on when it is
called again. `--wall` ends it after that time, with the matches as far as they came.
"""

import argparse
import json
import statistics
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from simspark_matches.team_commands import LEAGUES, LEAGUES_PROFILE
from simspark_ros.arena import Arena, play_match
from simspark_ros.motion.interface import Activity
from simspark_ros.players.player import PlayerAgent
from simspark_ros.players.team import ROBOT, team_player, usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.ball_record import Touch

FIRST_GOAL = 180.0
"""Time by which a match should have had its first goal, s."""

EVERY = 500
"""Cycles from one writing of a result to the next."""

HEADS = ("engine", "players", "matches", "first goal s", "in 3 min", "goals", "goals/300 s", "first touch s")
MORE_HEADS = ("falls/min", "alone", "again", "dives", "self collisions", "while", "double touches", "passes/min")


UP = 1.0
"""Time for which a player stands before a fall is a new one and no failed try to get up, s."""

ROLLED = 0.3
"""Time without a touch after which the ball was passed, and not touched by two at once, s."""

NEAR = 1.0
"""Distance within which a robot may have pushed one that falls, m."""


class _Over(Exception):  # noqa: N818
    """The match was watched for long enough."""


@dataclass
class Watched:
    """A match, or as much of it as was played.

    Attributes:
        seconds: length of the game, s.
        goals: times of goals, s.
        touches: times from kick-offs to the first touch, s.
        falls, alone, again: number of falls, of those with no other robot near, and of those right after getting up.
        dives: number of goalkeepers' dives, which are no falls.
        doing: activities of players when they were punished for a self collision.
        double: number of double touches of a set play's taker.
        passes: number of balls in play that went from one player to a team mate.
        complete: whether it was played to the end.
    """

    engine: str
    players: int
    seed: int
    seconds: float = 0.0
    goals: list[float] = field(default_factory=list)
    touches: list[float] = field(default_factory=list)
    falls: int = 0
    alone: int = 0
    again: int = 0
    dives: int = 0
    doing: list[str] = field(default_factory=list)
    double: int = 0
    passes: int = 0
    complete: bool = False

    def write(self, path: Path) -> None:
        """Keep it in a file."""
        path.write_text(json.dumps(asdict(self)))


class Watch:
    """Watches a match, cycle by cycle."""

    def __init__(self, match: Watched, path: Path, seconds: float, goals: int, deadline: float, league: str) -> None:
        self._match, self._path, self._seconds, self._deadline = match, path, seconds, deadline
        self._robot, self._world = LEAGUES.get(league, (ROBOT, ""))
        self._goals = goals
        self._agents: dict[tuple[str, int], PlayerAgent] = {}
        self._fallen: set[tuple[str, int]] = set()
        self._down: dict[tuple[str, int], float] = {}
        self._kick_off = 0.0
        self._decided = 0
        self._cycle = 0
        self._touch: Touch | None = None

    def make(self, team: str, unum: int) -> PlayerAgent:
        """A player of the demonstration team that is watched."""
        tactics = load_team_settings(usual_tactics(self._world, self._robot))
        agent = team_player(team, unum, tactics, robot=self._robot, world=self._world)
        self._agents[team, unum] = agent
        return agent

    def __call__(self, arena: Arena) -> None:
        """Take up what a cycle has brought."""
        match = self._match
        match.seconds = arena.game.time
        decisions = arena.decisions
        for decision in decisions[self._decided :]:
            self._judge(
                decision.kind, decision.rule, decision.time, str(decision.side and decision.side.value), decision.unum
            )
        self._decided = len(decisions)
        fallen = {key for key, agent in self._agents.items() if agent.world.fallen}
        new = fallen - self._fallen
        diving = {key for key in new if self._agents[key].world.status.activity is Activity.DIVING}
        match.dives += len(diving)
        new -= diving
        match.falls += len(new)
        match.alone += sum(_is_alone(self._agents[key]) for key in new)
        match.again += sum(arena.time - self._down.get(key, -UP) < UP for key in new)
        self._fallen = fallen
        self._down |= dict.fromkeys(fallen, arena.time)
        self._count_passes(arena)
        self._cycle += 1
        match.complete = match.seconds >= self._seconds or len(match.goals) >= self._goals
        late = time.time() > self._deadline
        if match.complete or late or self._cycle % EVERY == 0:
            match.write(self._path)
        if match.complete or late:
            raise _Over

    def _count_passes(self, arena: Arena) -> None:
        referee = arena.simulation.node(Referee)
        touch = referee.match.ball.last_touch if referee else None
        # A touch before a goal or a set play passes nothing to the player that touches the ball after it.
        is_play = arena.game.play_mode is PlayMode.PLAY_ON
        last, self._touch = self._touch, touch if is_play else None
        if touch and last and is_play and touch.time - last.time > ROLLED:
            self._match.passes += touch.side is last.side and touch.unum != last.unum

    def _judge(self, kind: str, rule: str, when: float, side: str, unum: int) -> None:
        match = self._match
        if kind == "kick_off":
            self._kick_off = when
        elif kind == "play_on" and rule == "kick_off":
            match.touches.append(when - self._kick_off)
        elif kind == "goal":
            match.goals.append(when)
        elif kind == "double_touch":
            match.double += 1
        elif kind == "self_collision":
            team = "Lions" if side == "left" else "Dragons"
            match.doing.append(self._agents[team, unum].world.status.activity.value)


def _is_alone(agent: PlayerAgent) -> bool:
    world = agent.world
    pose = world.pose
    return pose is not None and all(pose.point.to(other.place).range > NEAR for other in world.others())


def play(
    job: tuple[str, int, int], out: Path, seconds: float, goals: int, half: float, deadline: float, league: str = ""
) -> None:
    """Play a match that was not played yet."""
    engine, players, seed = job
    path = out / f"{engine.replace(':', '_')}_{players}_{seed}.json"
    if time.time() > deadline or (path.exists() and json.loads(path.read_text())["complete"]):
        return
    watched = Watched(engine, players, seed)
    watch = Watch(watched, path, seconds, goals, deadline, league)
    name, _, preset = engine.partition(":")
    chosen: dict[str, Any] = {"engine": name, "seed": seed, "preset": preset}
    if league:
        robot, world = LEAGUES[league]
        chosen |= {"robot": robot, "world": world, "profile": LEAGUES_PROFILE}
    try:
        play_match(watch.make, watch.make, players=players, half_time=half, on_cycle=watch, **chosen)
    except _Over:
        return
    # It was over before: clocks of matches that are played to the end stand still.
    watched.complete = True
    watched.write(path)


def row(engine: str, players: int, matches: list[Watched]) -> tuple[str, ...]:
    """The figures of an engine."""
    seconds = sum(match.seconds for match in matches)
    firsts = [match.goals[0] for match in matches if match.goals]
    good = sum(first <= FIRST_GOAL for first in firsts)
    judged = sum(bool(match.goals) or match.seconds >= FIRST_GOAL for match in matches)
    goals = [len(match.goals) for match in matches]
    touches = [touch for match in matches for touch in match.touches]
    doing = Counter(activity for match in matches for activity in match.doing)
    return (
        engine,
        str(players),
        str(len(matches)),
        f"{statistics.median(firsts):.0f}" if firsts else "-",
        f"{good} of {judged}",
        f"{statistics.median(goals):g}",
        f"{300.0 * sum(goals) / seconds:.1f}",
        f"{statistics.median(touches):.1f}" if touches else "-",
        f"{60.0 * sum(match.falls for match in matches) / seconds:.2f}",
        f"{60.0 * sum(match.alone for match in matches) / seconds:.2f}",
        f"{60.0 * sum(match.again for match in matches) / seconds:.2f}",
        f"{60.0 * sum(match.dives for match in matches) / seconds:.2f}",
        str(doing.total()),
        ", ".join(f"{count} {activity}" for activity, count in doing.most_common()) or "-",
        str(sum(match.double for match in matches)),
        f"{60.0 * sum(match.passes for match in matches) / seconds:.2f}",
    )


def table(out: Path) -> None:
    """Print what was played."""
    matches = [Watched(**json.loads(path.read_text())) for path in sorted(out.glob("*.json"))]
    print("| " + " | ".join(HEADS + MORE_HEADS) + " |")
    print("|---" * len(HEADS + MORE_HEADS) + "|")
    for engine, players in sorted({(match.engine, match.players) for match in matches}):
        same = [match for match in matches if (match.engine, match.players) == (engine, players) and match.seconds]
        if same:
            print("| " + " | ".join(row(engine, players, same)) + " |")


def main() -> None:
    """Play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the results")
    parser.add_argument("--engines", nargs="+", default=["bullet", "ode", "mujoco"], help="ENGINE or ENGINE:PRESET")
    parser.add_argument("--league", choices=LEAGUES, default="", help="team of another league (default: demo)")
    parser.add_argument("--players", type=int, default=3, help="in each team (default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 11)), help="(default: 1 to 10)")
    parser.add_argument("--seconds", type=float, default=180.0, help="of each match (default: %(default)s)")
    parser.add_argument("--goals", type=int, default=1000, help="that end a match (default: as many as there are)")
    parser.add_argument("--half", type=float, default=300.0, help="length of a half, s (default: %(default)s)")
    parser.add_argument("--processes", type=int, default=1, help="at a time (default: %(default)s)")
    parser.add_argument("--wall", type=float, default=1e9, help="seconds after which it ends (default: none)")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = [(engine, options.players, seed) for seed in options.seeds for engine in options.engines]
    ends = {"seconds": options.seconds, "goals": options.goals, "half": options.half, "league": options.league}
    one = partial(play, out=options.out, deadline=time.time() + options.wall, **ends)
    with ProcessPoolExecutor(options.processes) as pool:
        for _ in pool.map(one, jobs):
            pass
    table(options.out)


if __name__ == "__main__":
    main()
