"""`simspark match`: plays a match between two teams, without a person."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from simspark_matches.settings import (
    RECORD_FILE,
    RESULT_FILE,
    SIDES,
    GameSettings,
    MatchSettings,
    TeamSettings,
    load_settings,
    team_commands,
)
from simspark_ros.commands.arguments import add_options, add_viewer_option, chosen, require_rclpy
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.server.viewer_settings import require_page
from simspark_ros.terminal import fitted, say

if TYPE_CHECKING:
    from simspark_matches.result import MatchResult

STATUS = {"played": 0, "forfeit": 3, "aborted": 4}
"""Exit statuses by outcome, beside 2, wrong arguments, and 128 + number, ended by a signal."""

COMMON = (
    *(f"{side}{what}" for side in SIDES for what in ("", "_name")),
    *("players", "seed", "half_time", "changes", "engine", "profile", "world", "pacing", "viewer", "continued", "log"),
)
"""Options that `--help` shows."""

DESCRIPTION = """Play a match without a person. A command may contain {host} {port} {monitor_port} {unum} {team}
{players}; a command with {unum} is started once per player, any other once for the whole team. `demo` is the
team of this package. Every match has a result, however it ends. Exit status: 0 played, 2 wrong arguments, 3 forfeit,
4 aborted, 128 + N ended by signal N."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.description = DESCRIPTION
    parser.common = COMMON
    parser.set_defaults(run=run)
    teams = parser.add_argument_group("teams")
    for side in SIDES:
        teams.add_argument(f"--{side}", metavar="CMD", help=f"command of the {side} team")
        teams.add_argument(
            f"--{side}-name", default="", metavar="NAME", help=f"name of the team, for {{team}} [{side.capitalize()}]"
        )
        teams.add_argument(f"--{side}-dir", default=".", metavar="DIR", help="directory in which the team runs [here]")
    add_options(teams, TeamSettings, ["players"])
    game = parser.add_argument_group("game")
    add_options(game, GameSettings)
    add_options(game, MatchSettings, ["trainer"])
    add_viewer_option(game)
    game.add_argument(
        "--continue",
        dest="continued",
        type=Path,
        metavar="DIR",
        help="continue the match in this directory with its own settings; it must have been played with --record",
    )
    game.add_argument("--log", type=Path, metavar="DIR", help="directory for everything written [match-DATE-TIME]")


def run(options: argparse.Namespace) -> int:
    """Play; returns the exit status.

    Raises:
        UserError: the arguments make no match.
    """
    settings = _settings(options) if options.continued is None else _continued_settings(options)
    team_commands(settings)
    # Misspelt words are reported before these are loaded.
    from simspark_matches.progress import MatchProgress
    from simspark_matches.result import MatchOutcome, room_for_result
    from simspark_matches.runner import play_match

    record = options.continued and options.continued / RECORD_FILE
    if settings.viewer is not None:
        require_page()
    if settings.game.ros:
        require_rclpy("--ros")
    progress = MatchProgress("match")
    try:
        with _new_directory(options.log) as directory, stop_signals() as stopped, room_for_result(directory):
            try:
                result = play_match(settings, directory, progress, lambda: signal_in_words(stopped), record)
            finally:
                progress.finish()
            written = write_result(result, directory)
            if result.outcome is MatchOutcome.ABORTED and _can_go_on(directory):
                say(f"to go on from there: simspark match --continue {directory}\n")
    except OSError as error:
        raise unwritten(error) from None
    if result.reason and stopped:
        print("simspark match: interrupted; all processes have ended", file=sys.stderr)
        return 128 + stopped[0]
    return STATUS[result.outcome.value] if written else STATUS["aborted"]


def write_result(result: MatchResult, directory: Path) -> bool:
    """Write the result and print its summary; print all of it, and return False, if it cannot be written."""
    try:
        result.write(directory)
    except OSError as error:
        print(f"simspark: {error.filename or directory}: {error.strerror}; the result is printed here", file=sys.stderr)
        say(result.text)
        return False
    finally:
        say(f"{fitted(result.summary(directory), sys.stdout)}\n")
    return True


def signal_in_words(received: list[int]) -> str:
    """The reason of an end by one of these signals, empty if there was none."""
    return f"interrupted by {signal.Signals(received[0]).name}" if received else ""


def unwritten(error: OSError) -> ConfigurationError:
    """The error for a file that cannot be written, because of a full disk for example."""
    return ConfigurationError(f"{error.filename or '--log'}: {error.strerror}; choose another directory with --log")


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Collect the signals SIGINT, SIGTERM and SIGHUP, which do not end the process meanwhile."""
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _continued_settings(options: argparse.Namespace) -> MatchSettings:
    """Settings of the match that goes on; only its page may be another."""
    given = {**chosen(options, GameSettings), **chosen(options, TeamSettings, ["players"])}
    given |= {side: "" for side in SIDES if getattr(options, side)}
    if given:
        raise ConfigurationError(
            f"--continue: the value of '{next(iter(given))}' comes from {options.continued}; leave the option out"
        )
    from simspark_matches.result import read_result

    settings = load_settings(options.continued)
    result = read_result(options.continued / RESULT_FILE)
    if result is not None and result["outcome"] != "aborted":
        raise ConfigurationError(f"--continue: {options.continued}: the match is over; {RESULT_FILE} has its result")
    return replace(settings, **chosen(options, MatchSettings, ["trainer", "viewer"]))


def _can_go_on(directory: Path) -> bool:
    """Whether a cycle of the match was recorded."""
    from simspark_ros.simulation.logs.log_file import read_lines

    try:
        load_settings(directory)
        # The first line has no cycle.
        return len(list(islice(read_lines(directory / RECORD_FILE), 2))) == 2
    except (ConfigurationError, OSError):
        return False


def _settings(options: argparse.Namespace) -> MatchSettings:
    from simspark_matches.team_sizes import with_players
    from simspark_ros.physics.presets import check_preset

    for side in SIDES:
        if getattr(options, side) is None:
            raise ConfigurationError(f"--{side} CMD is missing; give the command that starts the {side} team")
    try:
        size = chosen(options, TeamSettings, ["players"])
        left = TeamSettings(options.left, options.left_name, directory=options.left_dir, **size)
        right = TeamSettings(options.right, options.right_name, directory=options.right_dir, **size)
        game = GameSettings(**chosen(options, GameSettings)).for_teams(left, right)
        check_preset(game.engine, game.preset)
        if game.changes:
            _check_changes(game)
        return with_players(MatchSettings(left, right, game, **chosen(options, MatchSettings, ["trainer", "viewer"])))
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _check_changes(game: GameSettings) -> None:
    from simspark_matches.team_sizes import server_settings
    from simspark_ros.simulation.senses.profile_overrides import check_changes

    check_changes(server_settings(game))


@contextmanager
def _new_directory(wish: Path | None) -> Iterator[Path]:
    """Make the directory of a match; it goes again when nothing is written into it."""
    directory = wish or Path(datetime.now().strftime("match-%Y%m%d-%H%M%S"))
    if (directory / RESULT_FILE).exists():
        raise ConfigurationError(f"--log {directory}: there is a {RESULT_FILE} already; choose another directory")
    is_new = not directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--log {directory}: cannot be made: {error.strerror}") from None
    try:
        yield directory.absolute()
    finally:
        if is_new:
            with suppress(OSError):
                directory.rmdir()
