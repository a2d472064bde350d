"""Keyboard shortcuts: commands of viser's palette, and a table of them. Keys are RoboViz's where it has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

_MATCH = (
    ("K", "kick-off left", "(kickOff Left)"),
    ("J", "kick-off right", "(kickOff Right)"),
    ("L", "free kick left", "(playMode free_kick_left)"),
    ("R", "free kick right", "(playMode free_kick_right)"),
    ("B", "drop the ball", "(dropBall)"),
)


@dataclass(frozen=True)
class Shortcut:
    """A key and its action."""

    key: str
    label: str
    act: Callable[[], object]


def match_keys(command: Callable[[str], object]) -> list[Shortcut]:
    """Keys that change the match, by trainer commands."""
    return [Shortcut(key, label, partial(command, text)) for key, label, text in _MATCH]


def log_keys(command: Callable[[str], object]) -> list[Shortcut]:
    """Keys of a log that is played."""
    return [Shortcut("R", "to the start of the log", partial(command, "(seek 0)"))]


def add_shortcuts(gui: Any, shortcuts: Sequence[Shortcut]) -> None:
    """Have the keys act, and list them in a folder that is closed at first."""
    for shortcut in shortcuts:
        gui.add_command(shortcut.label, hotkey=shortcut.key).on_trigger(_acts(shortcut))
    rows = "".join(f"<tr><td><b>{escape(one.key)}</b></td><td>{escape(one.label)}</td></tr>" for one in shortcuts)
    with gui.add_folder("Keys", expand_by_default=False):
        gui.add_html(f'<table class="simspark-keys" style="font-size:12px;margin:4px 12px">{rows}</table>')


def neighbour(options: Sequence[str], value: str, step: int) -> str:
    """The option that many places after a value, the last or first one beyond the end."""
    return options[min(max(options.index(value) + step, 0), len(options) - 1)]


def toggled(options: Sequence[str], value: str, wanted: str, usual: str) -> str:
    """The choice of a key that switches an option on and off; the value itself if there is no such option."""
    if wanted not in options:
        return value
    return usual if value == wanted else wanted


def _acts(shortcut: Shortcut) -> Callable[[Any], Any]:
    """The function that viser calls; as a coroutine it is called in the order of the keys."""

    async def triggered(event: Any) -> None:
        shortcut.act()

    return triggered
