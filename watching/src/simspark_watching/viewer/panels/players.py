"""Buttons that start and stop players that run in the simulation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

KINDS = {
    "avoids all": "avoider",
    "keeps left": "keeper_left=goalkeeper?policy=mixed&side=left",
    "keeps right": "keeper_right=goalkeeper?policy=mixed&side=right",
}
"""Players by their names on the page."""


class PlayersPanel:
    """A choice of players; `command` takes trainer commands."""

    def __init__(self, gui: Any, command: Callable[[str], None]) -> None:
        self._command = command
        self._kind = gui.add_dropdown("Player", tuple(KINDS), hint="a robot that the simulation itself controls")
        buttons = gui.add_button_group("", ("start", "stop all"))
        buttons.on_click(self._pressed)

    async def _pressed(self, event: Any) -> None:
        starts = event.target.value == "start"
        self._command(f"(startPlayer {KINDS[self._kind.value]})" if starts else "(stopPlayer)")
