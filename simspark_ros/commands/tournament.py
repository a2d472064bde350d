"""`simspark tournament`: options, progress, exit status."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from simspark_ros.clients.match.progress import Progress
from simspark_ros.clients.match.result import Outcome, Result
from simspark_ros.clients.match.runner import InterruptedMatchError, play_match
from simspark_ros.clients.match.table import as_text
from simspark_ros.clients.match.tournament import Fixture, Tournament, load_tournament
from simspark_ros.commands.match import STATUS, stop_signals, summary, unwritten

DESCRIPTION = """Play a round robin that a YAML file describes, and write a table. Matches that have a result in the
directory are not played again. Exit status: 0 all matches have a result, 2 wrong file or argument, 4 a match was
aborted, 128 + N ended by signal N."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.description = DESCRIPTION
    parser.add_argument("file", type=Path, metavar="FILE", help="describes teams, rounds and game; see docs/matches.md")
    parser.add_argument("--log", type=Path, metavar="DIR", help="directory for everything written [FILE without .yaml]")
    parser.add_argument(
        "--viewer", type=int, nargs="?", const=8080, metavar="PORT", help="show every match in browsers [8080]"
    )
    parser.add_argument("--table", action="store_true", help="print the table of what has been played, and end")


def tournament(options: argparse.Namespace) -> int:
    """Play what is missing; returns the exit status.

    Raises:
        ConfigurationError: the file or the directory makes no tournament.
    """
    directory = (options.log or options.file.with_suffix("")).absolute()
    played = Tournament(load_tournament(options.file), directory)
    total = len(played.fixtures)
    if not options.table:
        print(f"{total} matches, {total - len(played.missing)} have been played; results in {directory}", flush=True)
        status = _play(played, total, options.viewer)
        if status:
            return status
    print(as_text(played.table))
    return STATUS[Outcome.ABORTED] if played.missing and not options.table else 0


def _play(played: Tournament, total: int, viewer: int | None) -> int:
    """Play; returns the exit status of an end by signal, else 0."""
    with stop_signals() as stopped:

        def play(fixture: Fixture, folder: Path) -> Result:
            number = played.fixtures.index(fixture) + 1
            progress = Progress(f"match {number} of {total}")
            progress.tell(f"match {number} of {total}: {' - '.join(fixture.teams)}")
            try:
                settings = replace(fixture.settings, viewer=viewer)
                result = play_match(settings, folder, progress, lambda: bool(stopped))
            finally:
                progress.finish()
            print(summary(result, folder), flush=True)
            return result

        try:
            played.play(play)
            played.write()
        except OSError as error:
            raise unwritten(error) from None
        except InterruptedMatchError:
            print("simspark tournament: broken off; the same command goes on from here", file=sys.stderr)
            return 128 + stopped[0]
    return 0
