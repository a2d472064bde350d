"""Commands of teams: words with placeholders, run without a shell."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from simspark_ros.configuration.errors import suggestion
from simspark_ros.configuration.league_models import DEMO_ROBOT
from simspark_ros.configuration.schema import ConfigurationError

PLACEHOLDERS = ("host", "port", "classic_port", "monitor_port", "unum", "team", "players", "robot_types", "world")
"""Names that stand in braces in a command."""

_SIMSPARK = f"{shlex.quote(sys.executable)} -m simspark_ros.cli"

LEAGUES = {"demo-spl": ("nao_v6", "spl"), "demo-kidsize": ("kidsize", "kidsize"), "demo-msl": ("msl", "msl")}
"""Robot and world of the teams of other leagues."""

LEAGUES_PROFILE = "leagues"
"""The protocol profile in which they ask for their robots."""

SHORT_NAMES = {
    "demo": f"{_SIMSPARK} team {{team}} --host {{host}} --port {{classic_port}} --players {{players}} "
    "--robot-types={robot_types} --world={world}",
    **{
        name: f"{_SIMSPARK} team {{team}} --host {{host}} --port {{port}} --players {{players}} "
        f"--robot {robot} --world={{world}}"
        for name, robot in (*((name, robot) for name, (robot, _) in LEAGUES.items()), ("demo-2026", DEMO_ROBOT))
    },
    "wave": f"{_SIMSPARK} wave --team {{team}} --host {{host}} --port {{port}} --unum {{unum}}",
}
"""Teams of this package by the short names that may stand for their commands."""

_PLACEHOLDER = re.compile(r"(?<!\$)\{(\w+)\}")


def parse_command(text: str, directory: Path, where: str) -> tuple[str, ...]:
    """Split a command, quoted as for a shell, or a short name into words, placeholders still in them.

    It will be run in `directory`; messages name the option or key `where`.

    Raises:
        ConfigurationError: the command has no words or an unknown placeholder, or there is no such program.
    """
    try:
        words = shlex.split(SHORT_NAMES.get(text.strip(), text))
    except ValueError as error:
        raise ConfigurationError(f"{where}: '{text}' cannot be split into words: {error}") from None
    if not words:
        raise ConfigurationError(f"{where}: the command is empty; known teams are: {', '.join(SHORT_NAMES)}")
    for name in _PLACEHOLDER.findall(text):
        if name not in PLACEHOLDERS:
            known = " ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            raise ConfigurationError(f"{where}: unknown placeholder {{{name}}}; use one of: {known}")
    if not _exists(words[0], directory):
        teams = suggestion(words[0], SHORT_NAMES).replace("use one of", "known teams are", 1)
        raise ConfigurationError(f"{where}: there is no program '{words[0]}' in {directory} or on PATH; {teams}")
    return tuple(words)


def has_placeholder(words: tuple[str, ...], name: str) -> bool:
    """Whether a command contains that placeholder."""
    return any(name in _PLACEHOLDER.findall(word) for word in words)


def fill_in(words: tuple[str, ...], values: Mapping[str, str | int]) -> list[str]:
    """Replace the placeholders. A value stays within its word, whatever characters it has."""
    return [_PLACEHOLDER.sub(lambda found: str(values[found[1]]), word) for word in words]


def _exists(program: str, directory: Path) -> bool:
    if _PLACEHOLDER.search(program):
        return True
    return shutil.which(directory / program if "/" in program else program) is not None
