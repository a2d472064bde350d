"""The rules of the league since 2026 beside rcssservermj: the same scenarios on both servers, by a trainer's commands.

    python benchmarks/rules_2026.py --original 'rcssservermj' [--ours 'python -m simspark_ros.cli'] [--only TEXT ...]

Compared are the play modes and their times, the place of the ball when the mode changes, players that the referee
moves, and the score. Exit status 1: a scenario differs. The two servers are given robots that stand by themselves: the
ant there, the Nao here. The original is a black box, known by its command.
"""

import argparse
import json
import math
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import yaml
from newer_league.stage import CLASSIC_NAO, ORIGINAL_ANT, Stage, original, ours

HERE = ("--rules", "fifa", "--world", "fifa7vs7", "--set", "teams.size=11", "--set", "rules.order.hand_ball=false")
"""Options of this server. The ant has no hands, and the Nao holds its hands where touches put the ball."""

PLAYERS = [("left", number) for number in (1, 2, 3, 4)] + [("right", number) for number in (1, 2, 3, 4)]
TEAMS = {"left": "A", "right": "B"}

TIME, PLACE, BALL = 0.2, 0.3, 0.6
"""Differences that count as none: s, for frames every 0.04 s and commands that wait for the next cycle; m, as robots
move while they fall into place; m of a ball that goes on rolling until the next frame."""

SETTLED = 0.05
"""Time in which a server has carried out the commands that begin a scenario, s."""

MOVED = 1.5
"""Distance in m of one frame from which on a player was moved by the referee."""


@dataclass
class Seen:
    """What happened in a scenario."""

    modes: list[tuple[float, str, tuple[float, float]]] = field(default_factory=list)
    moved: dict[str, tuple[float, float]] = field(default_factory=dict)
    score: tuple[int, int] = (0, 0)


def play(stage: Stage, scenario: dict[str, Any]) -> Seen:
    """Play one scenario."""
    height = stage.kind.height
    # A ball that nobody has touched and that is off the field ends what restarts of play have left.
    stage.order("(dropBall)")
    _run(stage, 0.1)
    stage.order("(ball (pos 0 19 0.11))")
    _run(stage, 0.1)
    places = {f"{side} {number}": _waiting(side, number) for side, number in PLAYERS}
    places |= {name: tuple(place) for name, place in scenario.get("players", {}).items()}
    stage.order(*(_put(name, place, height) for name, place in places.items()))
    _run(stage, 0.1)
    start = scenario.get("start", "play_on")
    stage.order("(ball (pos 0 0 0.11))", "(dropBall)" if start == "play_on" else f"(kickOff {start.capitalize()})")
    began, goals = stage.now, stage.screen.score
    seen, due = Seen(), sorted(scenario.get("events", ()), key=lambda event: event["at"])
    last = {name: tuple(place) for name, place in places.items()}
    while stage.now - began < scenario["lasts"]:
        while due and stage.now - began >= due[0]["at"]:
            event = due.pop(0)
            _happen(stage, event, last)
        for screen in stage.cycle():
            poses = screen.poses()
            x, y = (float(value) for value in poses["ball",][:2, 3])
            now = screen.time - began
            if now < SETTLED:
                continue
            if not seen.modes or seen.modes[-1][1] != screen.play_mode:
                seen.modes.append((now, screen.play_mode, (x, y)))
            for side, number in PLAYERS:
                name, pose = f"{side} {number}", poses.get(("agent", TEAMS[side], str(number)))
                if pose is None:
                    continue
                place = (float(pose[0, 3]), float(pose[1, 3]))
                if math.dist(place, last[name]) > MOVED:
                    seen.moved[name] = place
                last[name] = place
    left, right = stage.screen.score
    seen.score = (left - goals[0], right - goals[1])
    return seen


def _run(stage: Stage, seconds: float) -> None:
    until = stage.now + seconds
    while stage.now < until:
        stage.cycle()


def _waiting(side: str, number: int) -> tuple[float, float]:
    """The place of a player that has no part in a scenario."""
    return (-10.0 - 2 * number if side == "left" else 10.0 + 2 * number), -24.0


def _put(name: str, place: tuple[float, float], height: float) -> str:
    side, number = name.split()
    return f"(agent (unum {number})(team {side.capitalize()})(pos {place[0]} {place[1]} {height}))"


def _happen(stage: Stage, event: dict[str, Any], last: dict[str, tuple[float, ...]]) -> None:
    if "ball" in event:
        x, y, vx, vy = (*event["ball"], 0.0, 0.0)[:4]
        stage.order(f"(ball (pos {x} {y} {event.get('height', 0.11)})(vel {vx} {vy} 0))")
    if "touch" in event:
        side, number = event["touch"].split()
        x, y, z = stage.screen.poses()["agent", TEAMS[side], number][:3, 3]
        reach = stage.kind.reach
        stage.order(f"(ball (pos {x + reach:.3f} {y:.3f} {z:.3f})(vel -2 0 0))")
    for name, place in event.get("place", {}).items():
        stage.order(_put(name, place, stage.kind.height))
        last[name] = tuple(place)
    if "kick_off" in event:
        stage.order(f"(kickOff {event['kick_off'].capitalize()})")
    if event.get("drop"):
        stage.order("(dropBall)")


def difference(there: Seen, here: Seen) -> str:
    """The first difference of two runs; empty if there is none."""
    if [mode for _, mode, _ in there.modes] != [mode for _, mode, _ in here.modes]:
        return f"modes {_modes(there)} there, {_modes(here)} here"
    for change, ((then, mode, spot), (now, _, place)) in enumerate(zip(there.modes, here.modes, strict=True)):
        if abs(then - now) > TIME:
            return f"{mode} after {then:.2f} s there, {now:.2f} s here"
        if change and math.dist(spot, place) > BALL:
            return f"{mode} with the ball at {_place(spot)} there, {_place(place)} here"
    if tuple(there.score) != tuple(here.score):
        return f"score {there.score} there, {here.score} here"
    if there.moved.keys() != here.moved.keys():
        return f"moved {sorted(there.moved)} there, {sorted(here.moved)} here"
    # Players of a team take their places in the order in which they have joined.
    for side in TEAMS:
        spots, places = (sorted(spot for name, spot in seen.moved.items() if side in name) for seen in (there, here))
        for spot, place in zip(spots, places, strict=True):
            if math.dist(spot, place) > PLACE:
                return f"{side} at {_place(spot)} there, {_place(place)} here"
    return ""


def _modes(seen: Seen) -> str:
    return " ".join(f"{mode}@{time:.1f}" for time, mode, _ in seen.modes)


def _place(spot: tuple[float, float]) -> str:
    return f"({spot[0]:.2f}, {spot[1]:.2f})"


def mirrored(value: Any) -> Any:
    """A scenario for the other side: x and vx the other way round, left and right exchanged."""
    if isinstance(value, str):
        swap = {"left": "right", "right": "left"}
        return " ".join(swap.get(word, word) for word in value.split(" "))
    if isinstance(value, dict):
        return {mirrored(key): value[key] if key == "name" else mirrored(value[key]) for key in value}
    if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value):
        return [-item if place % 2 == 0 else item for place, item in enumerate(value)]
    return [mirrored(item) for item in value] if isinstance(value, list) else value


def scenarios() -> list[dict[str, Any]]:
    """All scenarios, for either side."""
    path = Path(__file__).with_name("newer_league") / "scenarios.yaml"
    found = []
    for scenario in yaml.safe_load(path.read_text(encoding="utf-8")):
        found += [scenario, {**mirrored(scenario), "name": f"{scenario['name']}, mirrored"}]
    return found


def _all(stage: Stage, chosen: list[dict[str, Any]]) -> list[Seen]:
    for side, number in PLAYERS:
        stage.join(TEAMS[side], number)
    found = []
    for scenario in chosen:
        found.append(play(stage, scenario))
        print(f"{len(found):4d} of {len(chosen)}", end="\r", file=sys.stderr, flush=True)
    return found


def main() -> int:
    """Play all scenarios, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original", required=True, help="command of rcssservermj")
    parser.add_argument("--ours", default=f"{sys.executable} -m simspark_ros.cli", help="command of this server")
    parser.add_argument("--only", nargs="*", default=(), help="scenarios whose name has one of these texts")
    parser.add_argument("--keep", type=Path, help="file for the original's results; if it exists they are not played")
    parser.add_argument("--all", action="store_true", help="print what happened in every scenario")
    options = parser.parse_args()
    chosen = [s for s in scenarios() if not options.only or any(text in s["name"] for text in options.only)]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        kept = options.keep
        if kept and kept.exists():
            known = {name: Seen(**seen) for name, seen in json.loads(kept.read_text(encoding="utf-8")).items()}
            there = [known[scenario["name"]] for scenario in chosen]
        else:
            # One after the other: the original drops agents that wait for another server.
            with original(options.original, ORIGINAL_ANT, place, "--rules", "fifa", "--field", "fifa7vs7") as stage:
                there = _all(stage, chosen)
            if kept:
                names = [scenario["name"] for scenario in chosen]
                text = json.dumps(dict(zip(names, map(asdict, there), strict=True)))
                kept.write_text(text, encoding="utf-8")
        with ours(options.ours, CLASSIC_NAO, place, *HERE) as stage:
            here = _all(stage, chosen)
    different = 0
    for scenario, *results in zip(chosen, there, here, strict=True):
        found = difference(*results)
        different += bool(found)
        print(f"{'DIFFERS' if found else 'same   '}  {scenario['name']}{': ' if found else ''}{found}")
        for result in results if options.all else ():
            moved = {name: _place(spot) for name, spot in result.moved.items()}
            print(f"         {_modes(result)} {result.score} {moved}")
    print(f"{len(chosen)} scenarios, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
