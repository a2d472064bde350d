"""The buttons that start and stop players in the simulation."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

from simspark_ros.protocol.monitor import trainer
from simspark_watching.viewer.panels.players import KINDS, PlayersPanel


class Gui:
    """The elements that the panel makes."""

    pressed: Any
    kind: Any

    def add_dropdown(self, label: str, options: tuple[str, ...], hint: str) -> Any:
        self.kind = SimpleNamespace(value=options[0], options=options)
        return self.kind

    def add_button_group(self, label: str, options: tuple[str, ...]) -> Any:
        return SimpleNamespace(on_click=lambda pressed: setattr(self, "pressed", pressed))

    def press(self, button: str) -> None:
        asyncio.run(self.pressed(SimpleNamespace(target=SimpleNamespace(value=button))))


def test_what_is_chosen_is_started_by_a_command_that_servers_take():
    gui = Gui()
    sent: list[str] = []
    PlayersPanel(gui, sent.append)
    for name in KINDS:
        gui.kind.value = name
        gui.press("start")
    gui.press("stop all")
    assert sent[1] == "(startPlayer keeper_left=goalkeeper?policy=mixed&side=left)"
    message = trainer.parse("me", "".join(sent).encode())
    assert not message.rejected
    assert [action.kind for action in message.actions] == ["start_player"] * len(KINDS) + ["stop_player"]
