"""Whether two checkouts behave the same: bit by bit, in named situations, seen from outside.

    python benchmarks/same_behaviour.py --record FOLDER --before DIR [--engines bullet ode mujoco] [--only NAME ...]
    python benchmarks/same_behaviour.py --against FOLDER --after DIR [--quick] [--jobs 2]
    python benchmarks/same_behaviour.py --before DIR --after DIR [--keep FOLDER]

Each situation starts `simspark serve` of a checkout (with DIR/.venv if there is one, else with this interpreter) in
lock-step, plays a seeded script over TCP, and keeps the state hash of every cycle, the events, the monitor log, all
bytes that every agent and every monitor was sent, the exit status and what the server wrote to its log. Nothing is
imported from the package. A recording is good for any number of comparisons by the same scripts.
Exit status 1: something differs, or did not work.

Left out, because it depends on the wall clock: real-time pacing, agents that do not use (syn), clients that do not read
or are dropped for silence, proxies whose time runs out, lines of the log beyond the first forty and its timestamps, and
status lines. What starts two processes that race for the server (`serve --demo`) is replaced by `simspark match`, which
starts players one after the other. On a machine so busy that a client of a script gets no processor for a second, a
server may go on without it: what differs is therefore played again, and has to differ `--tries` times.
"""

import argparse
import hashlib
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from behaviour.moving import MOVING
from behaviour.others import OTHERS
from behaviour.recording import first_difference, load, save
from behaviour.rules import RULES
from behaviour.situation import ENGINES, TROUBLE, Situation, play

SITUATIONS = [*MOVING, *RULES, *OTHERS]

QUICK = (
    *("type_0", "type_4", "six_fall", "heap", "manual2010", "sphere2006", "all_around", "world_msl", "play_modes"),
    *("ball_out", "overrule", "trainer_commands", "say_and_hear", "beams", "come_and_go", "malformed", "proxy"),
)
"""A selection for in between, in a third of the time."""


def chosen(options: argparse.Namespace) -> Iterator[tuple[Situation, str]]:
    """The situations to play, engine by engine."""
    for engine in options.engines:
        for situation in SITUATIONS:
            named = not options.only or any(name in situation.name for name in options.only)
            if engine in situation.engines and named and (situation.name in QUICK or not options.quick):
                yield situation, engine


def judge(situation: Situation, engine: str, options: argparse.Namespace) -> tuple[bool, str]:
    """Play a situation as often as need be; returns whether all is well, and a line or more about it."""
    began = time.monotonic()
    place = Path(engine) / situation.name
    before = load(options.against / place) if options.against else play(situation, engine, options.before)
    if options.record:
        save(options.record / place, before)
    elif options.keep and not options.against:
        save(options.keep / "before" / place, before)
    well, result = compare(situation, engine, before, options) if options.after else (bool(before), "recorded")
    if TROUBLE in before:
        well, result = False, f"{result}; trouble before: {before[TROUBLE].decode().strip()}"
    cycles = before.get("hashes", b"").count(b"\n")
    size = sum(map(len, before.values())) / 1e6
    taken = time.monotonic() - began
    return well, f"{situation.name:20} {engine:7} {cycles:6} {len(before):7} {size:6.2f} {taken:5.1f}  {result}"


def compare(
    situation: Situation, engine: str, before: dict[str, bytes], options: argparse.Namespace
) -> tuple[bool, str]:
    """Play a situation against the checkout after; returns whether it is the same, and words about it."""
    if not before:
        return False, "not recorded"
    difference = None
    for number in range(1, options.tries + 1):
        after = play(situation, engine, options.after)
        if options.keep:
            save(options.keep / "after" / engine / situation.name, after)
        difference = first_difference(before, after)
        if difference is None:
            return True, "equal" if number == 1 else f"equal at try {number}"
    return False, f"DIFFERENT: {difference}"


def scripts() -> str:
    """A fingerprint of all scripts: recordings by others cannot be compared."""
    folder = Path(__file__).parent / "behaviour"
    texts = [(folder / f"{name}.py").read_bytes() for name in ("stage", "moving", "rules", "others")]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]


def check_scripts(options: argparse.Namespace) -> None:
    """Note by which scripts a recording is made, and say so if it was by others."""
    if options.record:
        options.record.mkdir(parents=True, exist_ok=True)
        (options.record / "scripts").write_text(scripts())
    if options.against:
        note = options.against / "scripts"
        if not note.exists() or note.read_text() != scripts():
            print("the recording was made by other scripts than these: differences may come from that", flush=True)


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, metavar="DIR", help="a checkout")
    parser.add_argument("--after", type=Path, metavar="DIR", help="the other checkout")
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="keep what --before does, to compare it later")
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="such a recording, instead of --before")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="parts of the names of situations")
    parser.add_argument("--quick", action="store_true", help="a selection, in a third of the time")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep all streams of this comparison")
    parser.add_argument("--tries", type=int, default=2, help="something has to differ so often [2]")
    parser.add_argument("--jobs", type=int, default=1, help="situations at a time [1]")
    parser.add_argument("--list", action="store_true", help="print the names of all situations")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{situation.name:20} {' '.join(situation.engines)}" for situation in SITUATIONS))
        return 0
    if bool(options.before) == bool(options.against) or not (options.after or options.record):
        parser.error("give --before or --against, and --after, or --before and --record")
    check_scripts(options)
    print(f"{'situation':20} {'engine':7} {'cycles':>6} {'streams':>7} {'MB':>6} {'s':>5}  result", flush=True)
    good, count = 0, 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for well, line in pool.map(lambda case: judge(case[0], case[1], options), chosen(options)):
            print(line, flush=True)
            good, count = good + well, count + 1
    print(
        f"{count} situations, {count - good} not as they should be" if good < count else f"{count} situations, all well"
    )
    return int(good < count)


if __name__ == "__main__":
    sys.exit(main())
