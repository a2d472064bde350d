"""The door of files that a server is started with: each case is a start of a server of its own."""

from __future__ import annotations

import contextlib
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from simspark_ros.clients.stress.attacks.expressions import damage
from simspark_ros.clients.stress.fuzz.bombs import yaml_bomb
from simspark_ros.clients.stress.fuzz.case import Step
from simspark_ros.clients.stress.fuzz.grammar import WORDS
from simspark_ros.clients.stress.fuzz.server import Server
from simspark_ros.clients.stress.fuzz.session import Door

_NUMBERS = (
    "0",
    "-1",
    "1e-300",
    "1e-9",
    "1e9",
    "1e200",
    "1e999",
    ".nan",
    ".inf",
    "[1, 2]",
    "{}",
    "~",
    "yes",
    "2026-11-23",
)

_KEYS = {
    "field": ("length", "width", "penalty_length", "penalty_width", "centre_circle", "circle_chords", "nothing"),
    "goal": ("width", "depth", "height", "thickness"),
    "walls": ("distance_x", "distance_y", "thickness", "height"),
    "ball": ("radius", "mass", "linear_drag", "angular_drag", "colour", "rest_height"),
    "start": ("first", "step_y", "step_x", "clearance"),
    "create": ("position", "heading_deg", "clearance"),
    "beam": ("height", "min_x", "max_x", "max_y", "noise_xy", "noise_deg"),
    "speech": ("range", "max_length", "interval"),
    "rules": ("game", "order", "set_plays"),
    "teams": ("size", "max_of_one_type"),
}

_OWN = "OWN.yaml"

_PATIENCE = 60.0
"""How long a server may take to play a few cycles or to refuse a file, s."""

_ENDED = (0, 2)
"""Exit statuses of a server: played, and refused."""

_DOORS = ("--viewer", "--proxy-port", "--no-ros", "--headless")
"""Options of the running server that the others do not get, or have anyway."""

COMMAND = (
    *("nice", sys.executable, "-m", "simspark_ros.cli", "serve", "--no-ros", "--headless", "--agent-port=0"),
    *("--monitor-port=0", "--pacing=fast", "--duration=0.2"),
)
"""Starts a server for a few cycles; the one under test and its good client go first."""


class WorldsDoor:
    """Starts servers with files; the one verb is `world TEXT`, where `OWN.yaml` stands for the name of the file.

    The running server is not touched.
    """

    def __init__(self, server: Server) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="simspark-stress-")
        self._numbers = itertools.count()
        self._fault = ""
        self._options = [option for option in server.options if option.partition("=")[0] not in _DOORS]

    def play(self, steps: tuple[Step, ...]) -> None:
        """Play one case."""
        for verb, *arguments in steps:
            if verb == "world" and arguments:
                self._start(str(arguments[0]))

    def fault(self) -> str:
        """What was wrong with a server since the last call."""
        fault, self._fault = self._fault, ""
        return fault

    def tidy(self) -> None:
        """Nothing stays."""

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()

    def _start(self, text: str) -> None:
        path = Path(self._folder.name, f"{next(self._numbers)}.yaml")
        path.write_text(text.replace(_OWN, path.name), encoding="latin-1")
        command = [*COMMAND, *self._options, f"--world={path}"]
        with contextlib.suppress(UnicodeError):
            try:
                done = subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
            except subprocess.TimeoutExpired:
                self._fault = f"a server neither plays nor refuses a file within {_PATIENCE:g} s"
                return
            printed = done.stderr.decode("utf-8", "replace")
            if done.returncode not in _ENDED or "Traceback" in printed:
                self._fault = f"a server ends with status {done.returncode}; {printed.strip()[-300:]}"
        path.unlink()


def draw_worlds(source: random.Random, quiet: bool) -> list[Step]:
    """A world file based on a shipped one, with absurd values, unknown keys, or damage; none are quiet."""
    lines = [f"based_on: {source.choice(('soccer', 'soccer', 'spl', 'nothing', '../worlds/soccer', '0.yaml'))}"]
    for section in source.sample(list(_KEYS), source.randint(1, 3)):
        keys = source.sample(_KEYS[section], source.randint(1, min(3, len(_KEYS[section]))))
        lines.append(f"{section}: {{{', '.join(f'{key}: {_value(source)}' for key in keys)}}}")
    text = "\n".join(lines) + "\n"
    if source.random() < 0.1:
        text = source.choice((text, "")) + yaml_bomb(source, source.choice(list(_KEYS)), _OWN)
    if source.random() < 0.15:
        text = damage(text.encode("latin-1", "replace"), source).decode("latin-1")
    return [["world", text]]


def _value(source: random.Random) -> str:
    if source.random() < 0.5:
        return source.choice(_NUMBERS)
    if source.random() < 0.1:
        return repr(source.choice(WORDS))
    return f"{source.uniform(0.0, 30.0):.3g}"


WORLDS = Door("worlds", draw_worlds, WorldsDoor, share=0.005, quiet=False)
