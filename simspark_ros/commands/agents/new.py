"""`simspark new`: writes a working beginning of an agent, a team, a robot or a package of plug-ins."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError, reason
from simspark_ros.configuration.resources import resource

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}", re.ASCII)


@dataclass(frozen=True)
class Skeleton:
    """A folder in `config/skeletons`.

    Attributes:
        text: description for `--help`.
        stands_for_name: word that the name replaces in names and texts of files.
        next: commands to go on with, with `{name}`.
    """

    text: str
    stands_for_name: str
    next: tuple[str, ...]


_MATCH = (
    "simspark match --left 'python {name}/{name}.py {{port}} {{%s}} --team {{team}}' --left-name {name} --right demo"
    " --players %d"
)

SKELETONS = {
    "agent": Skeleton(
        "a player in Python", "tigers", ("simspark serve --viewer", "python {name}/{name}.py", _MATCH % ("unum", 3))
    ),
    "team": Skeleton("a team in one process", "tigers", (_MATCH % ("players", 4) + " --viewer",)),
    "robot": Skeleton(
        "a robot on wheels with a laser range finder and a camera: URDF and YAML",
        "rover",
        (
            "simspark robot inspect {name}/{name}.yaml --picture {name}.png",
            "simspark serve --world obstacles --robot {name}/{name}.yaml --viewer",
        ),
    ),
    "plug-in": Skeleton(
        "a package with a sensor, an actuator, a rule, a control node, a command and an engine",
        "robot_parts",
        ("cd {name} && pip install --no-build-isolation --editable .", "simspark list plug-ins"),
    ),
}


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    kinds = parser.add_subparsers(required=True, metavar="KIND", dest="kind")
    for kind, skeleton in SKELETONS.items():
        each = kinds.add_parser(kind, help=skeleton.text)
        each.set_defaults(run=run)
        each.add_argument(
            "name", metavar="NAME", help="small letters, digits and '_'; a folder of that name is made here"
        )


def run(options: argparse.Namespace) -> int:
    """Write the files and say how to go on.

    Raises:
        UserError: the name cannot be used, is taken, or files cannot be written.
    """
    skeleton, name = SKELETONS[options.kind], options.name
    if not _NAME.fullmatch(name):
        raise UserError(f"name '{name}': small letters, digits and '_', a letter first, at most 31")
    folder = Path(name)
    if folder.exists():
        raise UserError(f"{folder} already exists; choose another name, or remove it")
    try:
        written = _write(resource("config", "skeletons", options.kind), folder, skeleton.stands_for_name)
    except OSError as error:
        raise UserError(f"{folder}: cannot be written: {reason(error)}") from None
    print("\n".join(map(str, written)))
    print("\nNext:")
    for line in skeleton.next:
        print(f"  {line.format(name=name)}")
    return 0


def _write(source: Path, folder: Path, stands_for_name: str) -> list[Path]:
    """Copy a skeleton to a folder whose name is the new one; returns the paths of the files."""
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    # Names of distributions have hyphens. All at once: the new name may have the old one in it.
    names = {stands_for_name.replace("_", "-"): folder.name.replace("_", "-"), stands_for_name: folder.name}
    old = re.compile("|".join(names))
    written = []
    for path in files:
        place = folder / str(path.relative_to(source)).replace(stands_for_name, folder.name)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8")
        place.write_text(old.sub(lambda found: names[found[0]], text), encoding="utf-8")
        written.append(place)
    return written
