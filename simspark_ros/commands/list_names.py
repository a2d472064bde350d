"""`simspark list`: names to choose from."""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.entry_points import PREFIX, all_points
from simspark_ros.configuration.league_models import league_files
from simspark_ros.configuration.resources import resource

FOLDERS = {"robots": "robots", "worlds": "worlds", "rules": "rules", "profiles": "profiles", "players": "players"}
"""Kind -> folder of its files in `config/`."""

KINDS = {
    "engines": "--engine",
    "presets": "--preset, of an engine",
    "worlds": "--world",
    "robots": "--robot, spawning",
    "rules": "--rules",
    "profiles": "--profile",
    "players": "of the demonstration team, simspark team --tactics",
    "plug-ins": "of other distributions",
}


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "kind", nargs="?", choices=tuple(KINDS), metavar="KIND", help=f"one kind only, of {', '.join(KINDS)} [all]"
    )


def run(options: argparse.Namespace) -> int:
    """Print names, each with the first sentence of its file."""
    width = shutil.get_terminal_size().columns
    for kind in [options.kind] if options.kind else KINDS:
        print(f"{kind} ({KINDS[kind]})")
        entries = list(_entries(kind))
        margin = max((len(name) for name, _ in entries), default=0) + 4
        for name, text in entries or [("none", "")]:
            lines = textwrap.wrap(text, max(20, width - margin)) or [""]
            print(f"  {name:{margin - 2}}{lines[0]}".rstrip())
            for line in lines[1:]:
                print(" " * margin + line)
    return 0


def _entries(kind: str) -> Iterator[tuple[str, str]]:
    if kind == "engines":
        yield from _engines()
    elif kind == "presets":
        for folder in sorted(path for path in resource("config", "physics").iterdir() if path.is_dir()):
            yield from ((f"{folder.name} {name}", text) for name, text in _files(folder))
    elif kind == "plug-ins":
        yield from _plug_ins()
    else:
        yield from _files(resource("config", FOLDERS[kind]))
        if kind == "robots":
            yield from ((name, "Of the 3D league since 2026, from rcsssmj.") for name in league_files())


def _engines() -> Iterator[tuple[str, str]]:
    from simspark_ros.physics.registry import PURPOSES, engine_names

    for name in engine_names():
        yield name, PURPOSES.get(name, "Of a plug-in.")


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.glob("*.yaml")):
        yield path.stem, _first_sentence(path)


def _first_sentence(path: Path) -> str:
    """The first sentence of the comment that a file begins with."""
    lines = []
    with path.open() as file:
        for line in file:
            if not line.startswith("#"):
                break
            lines.append(line.lstrip("# ").strip())
    text = " ".join(lines)
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _plug_ins() -> Iterator[tuple[str, str]]:
    for point in all_points():
        distribution = point.dist.name if point.dist else "an unknown distribution"
        try:
            point.load()
            trouble = ""
        # Any code may run there.
        except Exception as error:
            trouble = f"; cannot be loaded: {type(error).__name__}: {error}"
        yield f"{point.group.removeprefix(PREFIX)} {point.name}", f"{point.value} of {distribution}{trouble}"
