"""A name and a button that save the world as it stands, on the server's side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.worlds.settings import is_thing_name


class SavingPanel:
    """The elements; `command` takes trainer commands."""

    def __init__(self, gui: Any, command: Callable[[str], None]) -> None:
        self._command = command
        hint = "name of the file: letters, digits and single underscores; the server needs --saved-worlds DIR"
        self._name = gui.add_text("World", "my_world", hint=hint)
        button = gui.add_button("Save the world", hint="save robots and objects where they are now")
        button.on_click(self._save)

    async def _save(self, event: Any) -> None:
        if is_thing_name(self._name.value):
            self._command(f"(saveWorld {self._name.value})")
        else:
            event.client.add_notification(
                "Save the world", "the name may have only letters, digits and single underscores"
            )
