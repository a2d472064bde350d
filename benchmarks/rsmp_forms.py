"""The form of the monitor stream RSMP of rcssservermj and of this server, side by side, read by one strict reader.

    python benchmarks/rsmp_forms.py --original 'rcssservermj' [--ours 'python -m simspark_ros.cli']

Printed are names that only one of them sends: of the environment, of the state of the game, of play modes, of
descriptions and of the operations of nodes; and the numbers of the environment that differ. Exit status 1: this server
lacks a name that the original sends.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from newer_league.rsmp import Screen
from newer_league.stage import CLASSIC_NAO, ORIGINAL_ANT, Stage, original, ours

MISSPELT = {"CorderAreaRadius"}
"""Names of the environment that need not be sent: the radius of corner arcs, which are not modelled, is misspelt."""


@dataclass
class Form:
    """The names that a stream has, by kind, and the numbers of its environment."""

    names: dict[str, set[str]] = field(default_factory=dict)
    numbers: dict[str, list[str]] = field(default_factory=dict)
    frames: int = 0
    full: int = 0


def form_of(stage: Stage) -> Form:
    """The form of the frames of some seconds with a player, a kick-off and a moving ball."""
    found = Form()
    stage.join("A", 1)
    for cycle in range(300):
        if cycle == 20:
            stage.order("(kickOff Left)")
        if cycle == 60:
            stage.order("(ball (pos 3 1 0.11)(vel 3 0 0))")
        for screen in stage.cycle():
            found.frames += 1
            found.full += screen.full
            _add(found, screen)
    return found


def _add(found: Form, screen: Screen) -> None:
    names, scene = found.names, screen.scene
    found.numbers = {name: values for name, values in screen.environment.items() if name != "play_modes"}
    names.setdefault("environment", set()).update(screen.environment)
    names.setdefault("game", set()).update(screen.game)
    names.setdefault("play mode", set()).update(screen.environment.get("play_modes", ()))
    for node in () if scene is None else scene.all():
        kind = "description" if node.kind == "DSC" else "operation"
        names.setdefault(kind, set()).update(node.facts)
    names.setdefault("description", set())


def main() -> int:
    """Compare both streams."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original", required=True, help="command of rcssservermj")
    parser.add_argument("--ours", default=f"{sys.executable} -m simspark_ros.cli", help="command of this server")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with original(options.original, ORIGINAL_ANT, place) as stage:
            there = form_of(stage)
        with ours(options.ours, CLASSIC_NAO, place, "--world", "fifa7vs7") as stage:
            here = form_of(stage)
    lacking = 0
    print(f"frames (full): {there.frames} ({there.full}) there, {here.frames} ({here.full}) here")
    for kind in there.names:
        missing, more = there.names[kind] - here.names[kind], here.names[kind] - there.names[kind]
        lacking += len(missing - MISSPELT)
        print(f"{kind}: only there {sorted(missing) or 'nothing'}, only here {sorted(more) or 'nothing'}")
    for name in there.numbers.keys() & here.numbers.keys():
        if there.numbers[name] != here.numbers[name]:
            print(f"{name}: {' '.join(there.numbers[name])} there, {' '.join(here.numbers[name])} here")
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
