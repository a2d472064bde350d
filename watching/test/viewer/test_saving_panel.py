"""The button that saves the world."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from simspark_ros.protocol.monitor import trainer
from simspark_watching.viewer.panels.saving import SavingPanel


class Gui:
    """The elements that the panel makes."""

    pressed: Any
    name: Any

    def add_text(self, label: str, initial: str, hint: str) -> Any:
        self.name = SimpleNamespace(value=initial)
        return self.name

    def add_button(self, label: str, hint: str) -> Any:
        return SimpleNamespace(on_click=lambda pressed: setattr(self, "pressed", pressed))


@pytest.mark.parametrize(("name", "orders"), [("hall_2", [("save_world", ("hall_2",))]), ("a) (killsim", [])])
def test_a_name_becomes_a_command_and_anything_else_a_note(name: str, orders: list[Any]) -> None:
    gui = Gui()
    sent: list[str] = []
    notes: list[str] = []
    browser = SimpleNamespace(add_notification=lambda title, text: notes.append(text))
    SavingPanel(gui, sent.append)
    gui.name.value = name
    asyncio.run(gui.pressed(SimpleNamespace(client=browser)))
    actions = trainer.parse("me", "".join(sent).encode()).actions
    assert [(action.kind, tuple(action.arguments)) for action in actions] == orders
    assert bool(notes) is not bool(orders)
