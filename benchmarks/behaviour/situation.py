"""Named situations, and how one is played against a checkout."""

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from behaviour.recording import without_varying
from behaviour.stage import Stage
from behaviour.wire import StalledError

ENGINES = ("bullet", "ode", "mujoco")

TROUBLE = "trouble"
"""Stream that says what went wrong."""

_FILES = ("hashes", "events", "log", "status")

_OF_THE_CLOCK = re.compile(rb"behind real time|of CPU each")
"""Lines of a server's log that depend on the wall clock."""

_LINES = 40
"""Lines about clients that a server writes in any case; the number of further ones depends on the wall clock."""


@dataclass(frozen=True)
class Situation:
    """Something to play.

    Attributes:
        name: unique name.
        play: function that plays it, on a stage.
        engines: engines on which it makes sense.
    """

    name: str
    play: Callable[[Stage], None]
    engines: tuple[str, ...] = ENGINES


def play(situation: Situation, engine: str, checkout: Path) -> dict[str, bytes]:
    """Play a situation against a checkout.

    Returns:
        All that was recorded, by the name of the stream. What went wrong is a stream as well.
    """
    with tempfile.TemporaryDirectory(prefix="behaviour-") as name:
        folder = Path(name)
        # The same chance for a situation in every run.
        stage = Stage(checkout.resolve(), engine, folder, sum(situation.name.encode()))
        streams: dict[str, bytes] = {}
        try:
            situation.play(stage)
        except StalledError as error:
            streams[TROUBLE] = f"{error}\n".encode()
        streams |= stage.streams()
        for path in sorted(folder.iterdir()):
            if path.name in _FILES or path.suffix in (".err", ".stream"):
                streams[path.name.removesuffix(".stream")] = path.read_bytes()
    return {name: _comparable(name, data) for name, data in streams.items()}


def _comparable(name: str, data: bytes) -> bytes:
    if not name.endswith(".err"):
        return data
    lines = without_varying(data).splitlines(keepends=True)
    return b"".join([line for line in lines if not _OF_THE_CLOCK.search(line)][:_LINES])
