"""A world as a line of text for programs that draw it: its file with all changes, without robots and rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from simspark_ros.configuration.library import merged
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.soccer.referee.rulebook import BOOK, DEFAULT_BOOK
from simspark_ros.soccer.settings import Change, SoccerSettings, WorldText, soccer_settings

_NOT_DRAWN = ("objects", "robots")
"""Sections of a world file whose things are told of as robots."""


def text_of_world(world: WorldText, changes: Iterable[Change] = ()) -> str:
    """The line of JSON that `world_of_text` reads."""
    document = dict(world.document)
    for _, change in changes:
        document = merged(document, change)
    drawn = {name: section for name, section in document.items() if name not in _NOT_DRAWN}
    if not world.plays_soccer:
        drawn.pop("field", None)
    # A rule book may be a file of the simulator's machine, and nobody draws it.
    return json.dumps({**drawn, "rules": {BOOK: DEFAULT_BOOK}}, separators=(",", ":"))


def world_of_text(text: str) -> SoccerSettings:
    """The world that a simulator tells of.

    Raises:
        ConfigurationError: the text is none of `text_of_world`; the message says why.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigurationError("a message about the world: this is no JSON") from None
    if not isinstance(document, dict):
        raise ConfigurationError("a message about the world: it has to be a mapping")
    return soccer_settings(WorldText(Path("a message about the world"), document))
