"""The door of world and settings files; each case starts a server with its file."""

from __future__ import annotations

import contextlib
import itertools
import random
import resource
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from simspark_ros.configuration.schema import declarations
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.referee.rulebook import DEFAULT_BOOK, RULE_BOOKS, RuleBook
from simspark_ros.soccer.settings import DEFAULT_WORLD, SoccerWorldFile
from simspark_ros.soccer.settings import WORLDS as WORLD_FILES
from simspark_stress.attacks.expressions import damage
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.agents import SCENE
from simspark_stress.fuzz.doors.bombs import yaml_bomb
from simspark_stress.fuzz.doors.player_plugins import player_text
from simspark_stress.fuzz.doors.schema import draw_settings, draw_value
from simspark_stress.fuzz.doors.sockets import LONGEST, SocketDoor
from simspark_stress.fuzz.server import Server
from simspark_stress.fuzz.session import Door

_BASES = ("soccer", "soccer", "spl", "msl", "league_2004", "nothing", "../worlds/soccer", "0.yaml")

_BOOKS = (*RULE_BOOKS.names, *RULE_BOOKS.names, "nothing", "../rules/msl.yaml", "", "soccer")

_SHARES = (0.0, 0.0, 0.02, 0.2)
"""Fractions of wrong values in a file."""

_CONFIGS = 0.3
"""Fraction of the files that hold settings of the simulation."""

_PLAYERS = 0.5
"""Fraction of the servers that players try to join."""

_OWN = "OWN.yaml"

_WORK, _PATIENCE = 30, 240.0
"""Longest times for a server to play a few cycles or refuse a file: CPU time and wall time, s.

It takes 2 to 5 s of CPU time, which are minutes of wall time on a busy machine.
"""

_ENDED = (0, 2)
"""Exit statuses of a server that has played, and of one that has refused its file."""

_MOST_PLAYERS = 30

_DOORS = (
    *("--viewer", "--proxy-port", "--no-ros", "--headless", "--lola", "--lola-timeout", "--robot", "--saved-worlds"),
    *("--game-controller", "--game-controller-port", "--game-controller-return-port"),
)
"""Options of the running server that are not passed to the started servers."""

COMMAND = (
    *("nice", sys.executable, "-m", "simspark_ros.cli", "serve", "--no-ros", "--headless", "--agent-port=0"),
    *("--monitor-port=0", "--pacing=fast", "--speed=0", "--wait-for-robots=0", "--duration=0.2"),
)
"""Command that runs a server for a few cycles whatever its file says, at a lower priority than the attacked server."""


class WorldsDoor:
    """Starts servers with drawn files; the running server is not touched.

    Verbs: `world TEXT [PLAYERS]` starts a server with a world file, `config TEXT [PLAYERS]` with a settings file. If
    the server accepts the file, so many players then try to join. `OWN.yaml` in the text stands for the file's name.
    """

    def __init__(self, server: Server) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="simspark-stress-")
        self._numbers = itertools.count()
        self._fault = ""
        self._options = [option for option in server.options if option.partition("=")[0] not in _DOORS]

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case."""
        for verb, *arguments in steps:
            if verb in ("world", "config") and arguments:
                self._start(verb, str(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 0)

    def fault(self) -> str:
        """Return the fault of a started server since the last call, or an empty text."""
        fault, self._fault = self._fault, ""
        return fault

    def tidy(self) -> None:
        """Do nothing: no case leaves anything behind."""

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def _start(self, option: str, text: str, players: int) -> None:
        path = Path(self._folder.name, f"{next(self._numbers)}.yaml")
        path.write_text(text.replace(_OWN, path.name), encoding="latin-1")
        with contextlib.suppress(UnicodeError):
            status, printed = self._played(f"--{option}={path}")
            if status == 0 and players and not self._fault:
                status, printed = self._played_by(players, f"--{option}={path}", path.with_suffix(""))
            if status not in _ENDED or "Traceback" in printed:
                self._fault = f"a server ends with status {status}; {printed.strip()[-300:]}"
        path.unlink()

    def _played(self, option: str) -> tuple[int | None, str]:
        """Run a server without players; returns its exit status and error output."""
        command = [*COMMAND, *self._options, option]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            resource.prlimit(process.pid, resource.RLIMIT_CPU, (_WORK, _WORK + 1))
            try:
                _, errors = process.communicate(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                return None, f"it neither plays nor refuses a file within {_PATIENCE:g} s"
        if process.returncode == -signal.SIGXCPU:
            return None, f"it neither plays nor refuses a file within {_WORK} s of CPU time"
        return process.returncode, errors.decode("utf-8", "replace")

    def _played_by(self, players: int, option: str, output: Path) -> tuple[int | None, str]:
        """Run a server in which players join, are beamed and move; returns its exit status and output."""
        with Server(("--no-ros", "--headless", *self._options, option), output) as server:
            steps = (step for who in range(min(players, _MOST_PLAYERS)) for step in _player(who))
            SocketDoor(server.address("agent_port")).play(tuple(steps))
            return server.end()["server"], server.new_output()


def _player(who: int) -> list[Step]:
    join = f"(init (unum 0)(teamname Team{who % 2}))(syn)"
    messages = (f"(scene {SCENE} 0)(syn)", join, "(beam -3 1 0)(syn)", "(he1 1)(say x)(syn)")
    return [step for text in messages for step in (["message", who, text], ["read", who, LONGEST])]


def draw_worlds(source: random.Random, quiet: bool) -> list[Step]:
    """Draw a start of a server with a world or settings file, perhaps with players; no case is quiet."""
    step = ["config", draw_config(source)] if source.random() < _CONFIGS else ["world", draw_world(source)]
    return [[*step, source.choice((1, 3))] if source.random() < _PLAYERS else step]


def draw_config(source: random.Random) -> str:
    """Draw a settings file: any keys of the simulation, unknown keys, bombs, damage."""
    absurd = source.choice(_SHARES)
    usual: dict[str, Any] = {"players": [player_text(source) for _ in range(source.choice((0, 1, 1, 3)))]}
    if source.random() < absurd:
        usual |= {"world": source.choice(_BASES), "rules": source.choice(_BOOKS)}
    text = f"simulation: {draw_settings(source, SimulationSettings, usual, absurd)}\n"
    if source.random() < 0.1:
        text = source.choice((text, "")) + yaml_bomb(source, "simulation", _OWN)
    return _damaged(source, text)


def draw_world(source: random.Random) -> str:
    """Draw a world file based on a shipped one: any keys of all sections, unknown keys, bombs, damage."""
    absurd = source.choice(_SHARES)
    based_on = source.choice(_BASES[:4] if not absurd else _BASES)
    lines = [f"based_on: {based_on}"]
    world, _ = _usual()
    declared = {declaration.name: declaration for declaration in declarations(SoccerWorldFile)}
    sections = sorted({*world, *declared})
    for section in source.sample(sections, source.randint(1, 4)):
        if section == "rules":
            lines.append(f"rules: {_rules(source, absurd)}")
        else:
            lines.append(f"{section}: {draw_value(source, declared.get(section), world.get(section), absurd)}")
    text = "\n".join(lines) + "\n"
    if source.random() < 0.1:
        text = source.choice((text, "")) + yaml_bomb(source, source.choice(sections), _OWN)
    return _damaged(source, text)


def _damaged(source: random.Random, text: str) -> str:
    """Return the text, sometimes damaged."""
    if source.random() < 0.15:
        return damage(text.encode("latin-1", "replace"), source).decode("latin-1")
    return text


@cache
def _usual() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the contents of the default world and the default rule book."""
    return WORLD_FILES.document(WORLD_FILES.path(DEFAULT_WORLD)), RULE_BOOKS.document(RULE_BOOKS.path(DEFAULT_BOOK))


def _rules(source: random.Random, absurd: float) -> str:
    """Draw the name of a rule book, or a rule book with some numbers replaced."""
    book = source.choice(RULE_BOOKS.names if not absurd else _BOOKS)
    if source.random() < 0.3:
        return repr(book)
    _, usual = _usual()
    return f"{{book: {book!r}, {draw_settings(source, RuleBook, usual, absurd)[1:]}"


WORLDS = Door("worlds", draw_worlds, WorldsDoor, share=0.005, quiet=False)
