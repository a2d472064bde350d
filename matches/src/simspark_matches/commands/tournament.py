"""`simspark tournament`: plays a round robin and writes a table."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_matches.cluster import Cluster
from simspark_matches.commands.match import STATUS, signal_in_words, stop_signals, unwritten, write_result
from simspark_ros.commands.arguments import add_ray_option, add_viewer_option, require_rclpy
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.terminal import say

if TYPE_CHECKING:
    from simspark_matches.result import MatchResult
    from simspark_matches.tournament import Fixture, Tournament

DESCRIPTION = """Play a round robin that a YAML file describes, and write a table. Matches that have a result in the
directory are not played again. Exit status: 0 all matches have a result, 2 wrong file or argument, 4 a match was
aborted, 128 + N ended by signal N."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="YAML file of teams, rounds and game; see docs/how_to/matches.md"
    )
    parser.add_argument("--log", type=Path, metavar="DIR", help="directory for everything written [FILE without .yaml]")
    add_viewer_option(parser)
    add_ray_option(parser, "play on all cores of a Ray cluster, a match on each")
    parser.add_argument("--table", action="store_true", help="print the table of the matches played so far, and end")


def run(options: argparse.Namespace) -> int:
    """Play the missing matches; returns the exit status.

    Raises:
        UserError: the file or the directory makes no tournament, or something is missing.
    """
    from simspark_matches.table import as_text
    from simspark_matches.tournament import Tournament, load_tournament

    if options.ray is not None and options.viewer is not None:
        raise ConfigurationError(
            "--viewer shows one match at a time, but --ray plays several: leave one of the two out"
        )
    directory = (options.log or options.file.with_suffix("")).absolute()
    file = load_tournament(options.file)
    if file.game.ros and not options.table:
        require_rclpy(f"{options.file}: game: ros")
    played = Tournament(file, directory)
    total = len(played.fixtures)
    if not options.table:
        say(f"played: {total - len(played.missing)} of {total}; results in {directory}\n")
        status = _play(played, options.viewer, options.ray)
        if error := played.unwritten:
            unwritten_table = f"{error.filename}: {error.strerror}; mend this and give the same command again"
            print(f"simspark tournament: {unwritten_table}", file=sys.stderr)
        if status:
            return status
    say(f"{as_text(played.table)}\n")
    return STATUS["aborted"] if played.missing and not options.table else 0


def _play(played: Tournament, viewer: int | None, ray: str | None) -> int:
    """Play; returns the exit status of an end by signal, else 0."""
    with ExitStack() as stack:
        # Before signals are ours: Ray takes them, too.
        cluster = None if ray is None else stack.enter_context(Cluster(ray))
        stopped = stack.enter_context(stop_signals())
        try:
            if _play_spread(played, cluster, stopped) if cluster else _play_one_by_one(played, viewer, stopped):
                return 0
        except OSError as error:
            raise unwritten(error) from None
    print("simspark tournament: interrupted; the same command goes on from here", file=sys.stderr)
    return 128 + stopped[0]


def _play_spread(played: Tournament, cluster: Cluster, stopped: list[int]) -> bool:
    from simspark_matches.spread import play_spread

    say(f"{cluster.cores} matches at a time\n")
    return play_spread(played, cluster, lambda text: say(f"{text}\n"), lambda: stopped)


def _play_one_by_one(played: Tournament, viewer: int | None, stopped: list[int]) -> bool:
    from simspark_matches.progress import MatchProgress
    from simspark_matches.result import MatchOutcome, room_for_result
    from simspark_matches.runner import play_match

    def play(fixture: Fixture, folder: Path) -> MatchResult | None:
        progress = MatchProgress(played.title(fixture))
        progress.report(played.title(fixture))
        settings = replace(fixture.settings, viewer=viewer)
        with room_for_result(folder):
            try:
                result = play_match(settings, folder, progress, lambda: signal_in_words(stopped))
            finally:
                progress.finish()
            write_result(result, folder)
        return None if stopped and result.outcome is MatchOutcome.ABORTED else result

    return played.play(play)
