"""The tree of what is in the world, and the buttons of the chosen entity."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspark_ros.protocol.monitor import trainer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.entities import MARK, EntitiesPanel

CRATE = replace(load_robot("sphere", 0), is_object=True)
PLAYER = SceneRobot("nao", 0, Side.LEFT, 5, (("torso", 1),), handle=3)
TRUCK = SceneRobot("", 0, None, 0, (("base", 2),), name="truck", handle=4)
THING = SceneRobot("", 0, None, 0, (("base", 3),), described=CRATE, name="<b>crate", handle=5)


class Gui:
    """Counts the changes of rows, each of which would be a message to all browsers."""

    def __init__(self) -> None:
        self.rows: dict[str, Any] = {}

    def add_button_group(self, label: str, options: tuple[str, ...], **rest: Any) -> Any:
        self.rows[label] = Row(options)
        return self.rows[label]

    def add_html(self, content: str, visible: bool) -> Any:
        self.html = SimpleNamespace(content=content, visible=visible)
        return self.html

    def add_checkbox(self, label: str, **rest: Any) -> Any:
        return SimpleNamespace(value=False)

    def press(self, row: str, value: str) -> None:
        asyncio.run(self.rows[row].pressed(SimpleNamespace(target=SimpleNamespace(value=value))))


class Row:
    """A group of buttons."""

    def __init__(self, options: tuple[str, ...]) -> None:
        self.changes = 0
        self.options, self.visible = options, False

    def on_click(self, pressed: Any) -> None:
        self.pressed = pressed

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        self.__dict__["changes"] += name == "options"


@pytest.fixture
def panel() -> Any:
    gui, inspection = Gui(), Inspection()
    sent, chosen, followed = list[str](), list[str](), list[str]()
    entities = EntitiesPanel(gui, None, sent.append, inspection, chosen.append, followed.append, played=False)
    return SimpleNamespace(
        gui=gui, entities=entities, inspection=inspection, sent=sent, chosen=chosen, followed=followed
    )


def shown(gui: Gui) -> dict[str, tuple[str, ...]]:
    return {label: row.options for label, row in gui.rows.items() if row.visible}


def test_teams_robots_and_objects_have_branches_which_change_only_with_the_world(panel):
    scene = SceneObjects((PLAYER, replace(PLAYER, unum=7), TRUCK, THING), ball=0)
    panel.entities.show(scene)
    assert shown(panel.gui) == {"left": ("5", "7"), "robots": ("truck",), "objects": ("ball", "<b>crate")}
    changes = [row.changes for row in panel.gui.rows.values()]
    panel.entities.show(replace(scene, robots=(*scene.robots[:3], replace(THING, handle=9))))
    assert [row.changes for row in panel.gui.rows.values()] == changes
    panel.entities.show(SceneObjects((TRUCK,)))
    assert shown(panel.gui) == {"robots": ("truck",)}


def test_a_press_chooses_an_entity_and_a_second_one_none(panel):
    panel.entities.show(SceneObjects((PLAYER, TRUCK)))
    panel.gui.press("left", "5")
    panel.entities.mark(panel.chosen[-1])
    assert shown(panel.gui) == {"left": (f"{MARK}5",), "robots": ("truck",)}
    panel.gui.press("left", f"{MARK}5")
    panel.gui.press("left", "a button that is gone")
    assert panel.chosen == ["left 5", "", ""]


def test_the_chosen_entity_is_followed_dragged_and_removed_by_commands_that_servers_take(panel):
    panel.entities.show(SceneObjects((TRUCK,), ball=0))
    panel.inspection.chosen = 4
    panel.entities.mark("truck")
    for button in ("follow", "remove", "undo"):
        panel.gui.press("Chosen", button)
    panel.entities._dragged(np.array([1.0, 2.0, 0.5]))
    panel.entities.mark("ball")
    panel.entities._dragged(np.array([1.0, 2.0, 0.5]))
    assert panel.followed == ["truck"]
    message = trainer.parse("me", "".join(panel.sent).encode())
    assert not message.rejected
    assert [action.kind for action in message.actions] == ["remove_robot", "undo", "place_robot", "ball"]


def test_obstacles_are_named_as_text_and_only_some_of_many(panel):
    assert not panel.gui.html.visible
    panel.entities.show_obstacles(["<i>wall", *(f"box_{number}" for number in range(20))])
    assert panel.gui.html.visible
    assert "&lt;i&gt;wall, box_0," in panel.gui.html.content and "and 9 more" in panel.gui.html.content
    panel.entities.show_obstacles([])
    assert not panel.gui.html.visible
