"""How the demonstration team's robots move: speeds and falls, kicks and getting up, by engine and type.

    python benchmarks/motions.py                                   # type 0 on all engines
    python benchmarks/motions.py --engines mujoco bullet:legacy --types 0 1 2 3 4 --trials 3
    python benchmarks/motions.py --robots nao_v6 kidsize --trials 10

A robot is alone on the field and gets readings as late as an agent's. Forward: a slow bend at full speed. Commands:
random ones, changed every one to three seconds. Up again: pushed over while walking; in how many of the trials it stood
at the first try (which takes two sequences from the back and up to three from a side, as it rolls over first), and the
mean time.
"""

import argparse
import itertools
import math
import statistics
from collections.abc import Callable

import numpy as np
from rehearsal import Rehearsal, WholeBodyMotion  # type: ignore[import-not-found]

from simspark_ros.motion.interface import Activity, Command, Foot, Kick, Stand, Walk
from simspark_ros.motion.nao import NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot

Body = tuple[str, int]
"""A robot's name and its type."""

FAST = 9.0
"""A wish beyond every limit."""

PATIENCE = 15.0
"""Seconds after which a robot that still lies counts as lost."""


def main() -> None:
    arguments = parse_arguments()
    which = ("engine", "robot", "type")
    rising = ("from chest", "from back", "from side")
    head = (*which, "forward", "falls", "back", "side", "turn", "falls/", "kick", *rising)
    unit = ("", "", "", "m/s", f"/{arguments.seconds:.0f} s", "m/s", "m/s", "deg/s", "minute", "m", "", "", "")
    for row in (head, unit):
        print("".join(f"{text:>13}" for text in row))
    for engine in arguments.engines:
        for body in itertools.product(arguments.robots, arguments.types):
            print("".join(f"{text:>13}" for text in (engine, *body, *measure(engine, body, arguments))), flush=True)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--engines", nargs="+", default=list(engine_names()), help="ENGINE or ENGINE:PRESET (default: all engines)"
    )
    parser.add_argument("--robots", nargs="+", default=["nao"], help="with the Nao's body (default: nao)")
    parser.add_argument("--types", type=int, nargs="+", default=[0], help="of each robot (default: 0)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of walking forward (default: %(default)s)")
    parser.add_argument("--trials", type=int, default=5, help="falls each way (default: %(default)s)")
    return parser.parse_args()


def measure(engine: str, body: Body, arguments: argparse.Namespace) -> list[str]:
    """The figures of a row."""

    def course(wish: Callable[[float], Command], seconds: float) -> tuple[float, float, float, int]:
        return walk(engine, body, wish, seconds)

    forward = course(lambda now: Walk(forward=FAST, turn=0.15), arguments.seconds)
    back = course(lambda now: Walk(forward=-FAST), 8.0)
    side = course(lambda now: Walk(left=FAST), 8.0)
    turn = course(lambda now: Walk(turn=FAST), 8.0)
    wishes = random_commands(np.random.default_rng(1), 60.0)
    return [
        f"{forward[0]:.2f}",
        f"{forward[3]}",
        f"{-back[0]:.2f}",
        f"{side[1]:.2f}",
        f"{math.degrees(turn[2]):.0f}",
        f"{course(wishes, 60.0)[3]}",
        f"{kick(engine, body):.1f}",
        ups(engine, body, 0.0, 1, arguments.trials),
        ups(engine, body, math.pi, 2, arguments.trials),
        ups(engine, body, math.pi / 2.0, 3, arguments.trials),
    ]


def walk(engine: str, body: Body, wish: Callable[[float], Command], seconds: float) -> tuple[float, float, float, int]:
    """Mean speeds forward and to the left (m/s), turn (rad/s), and the number of falls."""
    rehearsal, motion = start(engine, body)
    before = rehearsal.standing
    forward = left = turn = 0.0
    falls, lying = 0, False
    for cycle in range(round(seconds / rehearsal.world.engine.cycle_time)):
        rehearsal.cycle(motion, wish(cycle * rehearsal.world.engine.cycle_time))
        now = rehearsal.standing
        dx, dy = now.x - before.x, now.y - before.y
        forward += math.cos(before.heading) * dx + math.sin(before.heading) * dy
        left += math.cos(before.heading) * dy - math.sin(before.heading) * dx
        turn += math.remainder(now.heading - before.heading, 2.0 * math.pi)
        falls += motion.status.fallen and not lying
        before, lying = now, motion.status.fallen
    rehearsal.close()
    return forward / seconds, left / seconds, turn / seconds, falls


def random_commands(random: np.random.Generator, seconds: float) -> Callable[[float], Command]:
    """A command for each time: full speeds, bends, turns, steps to the side, stops."""
    ends: list[float] = [0.0]
    commands: list[Command] = []
    while ends[-1] < seconds:
        ends.append(ends[-1] + float(random.uniform(1.0, 3.0)))
        x, y, z = random.uniform(-1.0, 1.0, 3).tolist()
        choices = (Walk(FAST), Walk(abs(x) / 2, 0.0, 2 * z), Walk(x / 4, y / 4, z), Walk(0, y / 2, 0), Stand())
        commands.append(choices[random.integers(len(choices))])
    return lambda now: commands[int(np.searchsorted(ends, now, "right")) - 1]


def kick(engine: str, body: Body) -> float:
    """How far a full kick moves the ball, m."""
    rehearsal, motion = start(engine, body)
    rehearsal.run(motion, Stand(), 1.0)
    forward, left = motion.kick_spot(Foot.RIGHT)
    spot = (rehearsal.standing.x + forward, rehearsal.standing.y + left)
    rehearsal.world.place_ball(spot)
    rehearsal.run(motion, Kick(Foot.RIGHT), 6.0)
    x, y = rehearsal.world.engine.state.ball_position[:2].tolist()
    rehearsal.close()
    return math.hypot(x - spot[0], y - spot[1])


def ups(engine: str, body: Body, direction: float, tries: int, trials: int) -> str:
    """Number of trials in which the robot stood again within a number of sequences, and the mean time."""
    outcomes = [get_up(engine, body, direction, seed) for seed in range(trials)]
    good = sum(used <= tries for _, used in outcomes)
    return f"{good}/{trials} {statistics.fmean(seconds for seconds, _ in outcomes):.1f}s"


def get_up(engine: str, body: Body, direction: float, seed: int) -> tuple[float, int]:
    """Push a walking robot over (direction: 0 = forward, rad); seconds and sequences until it stands."""
    random = np.random.default_rng(seed)
    rehearsal, motion = start(engine, body)
    rehearsal.run(motion, Walk(0.2, 0.0, random.uniform(-1.0, 1.0)), random.uniform(1.5, 2.5))
    heading = rehearsal.standing.heading + direction + random.uniform(-0.3, 0.3)
    x, y = math.cos(heading), math.sin(heading)
    for _ in range(8):
        rehearsal.world.engine.set_velocity(rehearsal.robot.handle, (3 * x, 3 * y, 0.3), (-4 * y, 4 * x, 0.0))
        rehearsal.cycle(motion, Stand())
    standing, cycles, most = 0, 0, 0
    while standing < 25 and cycles * rehearsal.world.engine.cycle_time < PATIENCE:
        rehearsal.cycle(motion, Stand())
        cycles += 1
        most = max(most, motion.tries)
        upright = motion.status.activity is Activity.STANDING and not rehearsal.fallen
        standing = standing + 1 if upright else 0
    rehearsal.close()
    lost = standing < 25
    return cycles * rehearsal.world.engine.cycle_time, 99 if lost else most


def start(engine: str, body: Body) -> tuple[Rehearsal, NaoMotion | WholeBodyMotion]:
    robot, variant = body
    name, _, preset = engine.partition(":")
    rehearsal = Rehearsal(name, preset or None, variant, robot=robot)
    cycle = rehearsal.world.engine.cycle_time
    if robot == "nao":
        return rehearsal, NaoMotion(load_robot(robot, variant), load_motion_settings(), cycle)
    return rehearsal, WholeBodyMotion(robot, cycle)


if __name__ == "__main__":
    main()
