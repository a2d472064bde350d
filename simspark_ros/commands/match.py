"""`simspark match`: plays a match between two teams, without a person."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from simspark_ros.clients.match.settings import (
    MAX_PLAYERS,
    RESULT_FILE,
    SIDES,
    GameSettings,
    MatchSettings,
    TeamSettings,
)
from simspark_ros.clients.viewer.settings import require_viser
from simspark_ros.commands.arguments import port
from simspark_ros.configuration.schema import ConfigurationError

if TYPE_CHECKING:
    from simspark_ros.commands.arguments import Commands

STATUS = {"played": 0, "forfeit": 3, "aborted": 4}
"""Exit statuses by outcome, beside 2, wrong arguments, and 128 + number, ended by a signal."""

DESCRIPTION = """Play a match without a person. A command may contain {host} {port} {monitor_port} {unum} {team}
{players}; one with {unum} is started once per player, any other once for the whole team. `demo` is the team of this
package. Exit status: 0 played, 2 wrong arguments, 3 forfeit, 4 aborted, 128 + N ended by signal N."""


def register(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "match", help="play a match between two teams, without a person", description=DESCRIPTION
    )
    parser.set_defaults(run=run)
    teams = parser.add_argument_group("teams")
    for side in SIDES:
        teams.add_argument(f"--{side}", required=True, metavar="CMD", help=f"command of the {side} team")
        teams.add_argument(
            f"--{side}-name", default="", metavar="NAME", help=f"its name, for {{team}} [{side.capitalize()}]"
        )
        teams.add_argument(f"--{side}-dir", default=".", metavar="DIR", help="where it runs [here]")
    teams.add_argument("--players", type=int, default=MAX_PLAYERS, metavar="N", help=f"of each team [{MAX_PLAYERS}]")
    game = parser.add_argument_group("game")
    add_game_options(game)
    game.add_argument(
        "--trainer", default="none", metavar="LIST", help="commands that monitors may give, as in serve [none]"
    )
    game.add_argument(
        "--viewer", type=port, nargs="?", const=8080, metavar="PORT", help="show the match in browsers [8080]"
    )
    game.add_argument("--log", type=Path, metavar="DIR", help="directory for everything written [match-DATE-TIME]")


def add_game_options(game: argparse._ArgumentGroup) -> None:
    """Add the options that make a `GameSettings`; None = its default."""
    defaults = GameSettings.__dataclass_fields__
    for option, kind, text in (
        ("seed", int, "of all randomness"),
        ("half-time", float, "length of a half, s [the rule book's]"),
        ("kick-off-wait", float, "simulated seconds before the kick-off of a half [5]"),
        ("engine", str, "physics engine"),
        ("preset", str, "of the engine"),
        ("profile", str, "protocol profile"),
        ("world", str, "world file"),
        ("rules", str, "rule book"),
        ("join-limit", float, "longest wait for the next player, s"),
        ("forfeit-after", float, "simulated seconds without any player after which a team forfeits"),
        ("forfeit-score", int, "goals against a team that forfeits, at least"),
    ):
        default = defaults[option.replace("-", "_")].default
        shown = f" [{default:g}]" if isinstance(default, float | int) else f" [{default}]" if default else ""
        metavar = {int: "N", float: "S", str: "NAME"}[kind]
        game.add_argument(f"--{option}", type=kind, metavar=metavar, help=text + shown)
    game.add_argument(
        "--set",
        dest="changes",
        action="append",
        metavar="KEY=VALUE",
        help="a single key of world file or rule book, e.g. rules.game.goal_pause=1",
    )
    game.add_argument("--hash-log", action="store_true", help="write the state hash of every cycle, too")
    game.add_argument("--real-time", action="store_true", help="not faster than real time, for people who watch")


def run(options: argparse.Namespace) -> int:
    """Play; returns the exit status.

    Raises:
        UserError: the arguments make no match.
    """
    from simspark_ros.clients.match.progress import Progress
    from simspark_ros.clients.match.runner import InterruptedMatchError, play_match

    settings = _settings(options)
    if settings.viewer is not None:
        require_viser()
    directory = _new_directory(options.log)
    progress = Progress("match")
    with stop_signals() as stopped:
        try:
            result = play_match(settings, directory, progress, lambda: bool(stopped))
            result.write(directory)
        except InterruptedMatchError:
            print("simspark match: broken off; all processes have ended", file=sys.stderr)
            return 128 + stopped[0]
        except OSError as error:
            raise unwritten(error) from None
        finally:
            progress.finish()
    print(result.summary(directory))
    return STATUS[result.outcome.value]


def unwritten(error: OSError) -> ConfigurationError:
    """What to say when a file cannot be written: a full disk, for one."""
    return ConfigurationError(f"{error.filename or '--log'}: {error.strerror}; choose another directory with --log")


@contextmanager
def stop_signals() -> Iterator[list[int]]:
    """Collect the signals that ask to end, instead of dying of them."""
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before: list[Callable[[int, FrameType | None], object] | int | None] = []
    before += [signal.signal(number, handle) for number in numbers]
    try:
        yield received
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _game(options: argparse.Namespace) -> GameSettings:
    names = [field.name for field in fields(GameSettings) if getattr(options, field.name, None) is not None]
    given = {name: getattr(options, name) for name in names}
    given["changes"] = tuple(options.changes or ())
    return GameSettings(**{**given, "pacing": "realtime"} if options.real_time else given)


def _settings(options: argparse.Namespace) -> MatchSettings:
    try:
        left = TeamSettings(options.left, options.left_name, options.players, options.left_dir)
        right = TeamSettings(options.right, options.right_name, options.players, options.right_dir)
        return MatchSettings(left, right, _game(options), options.trainer, options.viewer)
    except ValueError as error:
        raise ConfigurationError(str(error)) from None


def _new_directory(wish: Path | None) -> Path:
    directory = wish or Path(datetime.now().strftime("match-%Y%m%d-%H%M%S"))
    if (directory / RESULT_FILE).exists():
        raise ConfigurationError(f"--log {directory}: there is a {RESULT_FILE} already; choose another directory")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"--log {directory}: cannot be made: {error.strerror}") from None
    return directory.absolute()
