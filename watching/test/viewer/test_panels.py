"""What the panels of the page do, without viser: their elements are those of a test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspark_ros.protocol.monitor import trainer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.object_settings import ObjectSettings
from simspark_ros.robots.objects import object_description
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.scene_recognition import SceneObjects, SceneRobot
from simspark_watching.viewer.inspection import Inspection
from simspark_watching.viewer.panels.adding import AddingPanel
from simspark_watching.viewer.panels.entities import MARK, EntitiesPanel
from simspark_watching.viewer.panels.pictures import ALL, CHOSEN, PicturesPanel
from simspark_watching.viewer.panels.players import KINDS, PlayersPanel
from simspark_watching.viewer.panels.saving import SavingPanel
from simspark_watching.viewer.panels.views import ABOVE, MOST, NONE, ViewsPanel

CRATE = replace(load_robot("sphere", 0), is_object=True)
PLAYER = SceneRobot("nao", 0, Side.LEFT, 5, (("torso", 1),), handle=3)
TRUCK = SceneRobot("", 0, None, 0, (("base", 2),), name="truck", handle=4)
THING = SceneRobot("", 0, None, 0, (("base", 3),), described=CRATE, name="<b>crate", handle=5)


class Element:
    """An element of the page; `changes` counts those of its options, each of which is a message to all browsers."""

    def __init__(self, options: tuple[str, ...], visible: bool) -> None:
        self.changes = 0
        self.options, self.value, self.visible = options, "".join(options[:1]), visible

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        self.__dict__["changes"] += name == "options"

    def __enter__(self) -> Element:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def on_click(self, called: Any) -> None:
        self._called = called

    on_update = on_click

    def use(self, value: str = "", browser: Any = None) -> None:
        """What viser does when a browser uses it."""
        self.value = value
        asyncio.run(self._called(SimpleNamespace(client=browser, client_id=1, target=self)))


class Gui:
    """The elements that panels add, by their labels."""

    def __init__(self) -> None:
        self.elements: dict[str, Element] = {}

    def __getitem__(self, label: str) -> Element:
        return self.elements[label]

    def __getattr__(self, add: str) -> Callable[..., Element]:
        def added(label: str, options: tuple[str, ...] = (), *, visible: bool = True, **_: Any) -> Element:
            return self.elements.setdefault(label, Element(options, visible))

        return added


@pytest.fixture
def gui() -> Gui:
    return Gui()


def orders(sent: list[str]) -> list[tuple[str, tuple[Any, ...]]]:
    """What a server makes of commands."""
    message = trainer.parse("me", "".join(sent).encode())
    assert not message.rejected
    return [(action.kind, tuple(action.arguments)) for action in message.actions]


@pytest.fixture
def panel(gui: Gui) -> Any:
    inspection, sent, chosen, followed = Inspection(), list[str](), list[str](), list[str]()
    entities = EntitiesPanel(gui, None, sent.append, inspection, chosen.append, followed.append, played=False)
    return SimpleNamespace(entities=entities, inspection=inspection, sent=sent, chosen=chosen, followed=followed)


def shown(gui: Gui) -> dict[str, tuple[str, ...]]:
    """The rows of the tree."""
    return {name: row.options for name, row in gui.elements.items() if row.visible and row.options and name != "Chosen"}


def test_teams_robots_and_objects_have_branches_which_change_only_with_the_world(panel: Any, gui: Gui) -> None:
    scene = SceneObjects((PLAYER, replace(PLAYER, unum=7), TRUCK, THING), ball=0)
    panel.entities.show(scene)
    assert shown(gui) == {"left": ("5", "7"), "robots": ("truck",), "objects": ("ball", "<b>crate")}
    changes = [row.changes for row in gui.elements.values()]
    panel.entities.show(replace(scene, robots=(*scene.robots[:3], replace(THING, handle=9))))
    assert [row.changes for row in gui.elements.values()] == changes
    panel.entities.show(SceneObjects((TRUCK,)))
    assert shown(gui) == {"robots": ("truck",)}


def test_a_press_chooses_an_entity_and_a_second_one_none(panel: Any, gui: Gui) -> None:
    panel.entities.show(SceneObjects((PLAYER, TRUCK)))
    gui["left"].use("5")
    panel.entities.mark(panel.chosen[-1])
    assert shown(gui) == {"left": (f"{MARK}5",), "robots": ("truck",)}
    gui["left"].use(f"{MARK}5")
    gui["left"].use("a button that is gone")
    assert panel.chosen == ["left 5", "", ""]


def test_the_chosen_entity_is_followed_dragged_and_removed_by_commands_that_servers_take(panel: Any, gui: Gui) -> None:
    panel.entities.show(SceneObjects((TRUCK,), ball=0))
    panel.inspection.chosen = 4
    panel.entities.mark("truck")
    for button in ("follow", "remove", "undo"):
        gui["Chosen"].use(button)
    place = np.array([1.0, 2.0, 0.5])
    panel.entities._dragged(place, False)
    panel.entities._dragged(place, True)
    panel.entities.mark("ball")
    panel.entities._dragged(place, False)
    assert panel.followed == ["truck"]
    placed = [("place_robot", (4, 1.0, 2.0, goes_on)) for goes_on in (False, True)]
    assert orders(panel.sent) == [
        *(("remove_robot", (4,)), ("undo", ()), *placed, ("ball", (1.0, 2.0, 0.5, 0.0, 0.0, 0.0)))
    ]


def test_an_object_is_dragged_to_a_height_too(panel: Any, gui: Gui) -> None:
    panel.entities.show(SceneObjects((THING,)))
    panel.inspection.chosen = 5
    panel.entities.mark("<b>crate")
    panel.entities._dragged(np.array([1.0, 2.0, 0.5]), False)
    assert orders(panel.sent) == [("place_robot", (5, 1.0, 2.0, False)), ("lift_robot", (5, 0.5, True))]


def test_the_chosen_object_is_turned_and_lifted_and_movements_that_follow_are_undone_together(
    panel: Any, gui: Gui
) -> None:
    panel.entities.show(SceneObjects((THING, TRUCK)))
    assert not gui["Heading, °"].visible
    panel.inspection.chosen = 5
    panel.entities.mark("<b>crate")
    panel.entities.place(np.array([1.0, 2.0, 0.5]), 0.5)
    elements: Any = gui
    heading, height = elements["Heading, °"], elements["Middle at, m"]
    assert heading.visible and height.visible and (heading.value, height.value) == (29.0, 0.5)
    for value in (90.0, 91.0):
        heading.use(value)
    height.use(1.5)
    panel.entities.place(np.array([1.0, 2.0, 0.5]), 0.5)
    assert heading.value == 91.0, "it does not slip from the hand"
    turned = [("turn_robot", (5, pytest.approx(np.radians(degrees)), degrees > 90.0)) for degrees in (90.0, 91.0)]
    assert orders(panel.sent) == [*turned, ("lift_robot", (5, 1.5, False))]
    panel.inspection.chosen = 4
    panel.entities.mark("truck")
    panel.entities.place(np.array([1.0, 2.0, 0.5]), 0.5)
    assert heading.visible and not height.visible
    panel.entities.place(None)
    assert not heading.visible


def test_an_object_is_added_and_the_chosen_one_is_shown_and_changed(gui: Gui) -> None:
    sent, notes, inspection = list[str](), list[str](), Inspection()
    browser = SimpleNamespace(add_notification=lambda title, text: notes.append(title))
    adding = AddingPanel(gui, sent.append, inspection)
    ball = object_description("ball", ObjectSettings(capsule=(0.1, 0.3), mass=2.0, colour=(0.9, 0.0, 0.0)))
    adding.show(replace(CRATE, source="object nonsense"))
    adding.show(ball)
    gui["change the chosen object"].use("", browser)
    assert notes == ["Nothing is chosen"] and not sent
    inspection.chosen = 5
    for button in ("change the chosen object", "add object"):
        gui[button].use("", browser)
    word = "capsule/0.1,0.3/2/0.8,0.1,0.1"
    assert orders(sent) == [("change_object", (5, word)), ("add_object", (word,))]


def test_obstacles_are_named_as_text_and_only_some_of_many(panel: Any, gui: Gui) -> None:
    html: Any = gui[""]
    assert not html.visible
    panel.entities.show_obstacles(["<i>wall", *(f"box_{number}" for number in range(20))])
    assert html.visible and "&lt;i&gt;wall, box_0," in html.content and "and 9 more" in html.content
    panel.entities.show_obstacles([])
    assert not html.visible


def test_what_is_chosen_is_started_by_a_command_that_servers_take(gui: Gui) -> None:
    sent: list[str] = []
    PlayersPanel(gui, sent.append)
    for name in KINDS:
        gui["Player"].value = name
        gui[""].use("start")
    gui[""].use("stop all")
    assert sent[1] == "(startPlayer keeper_left=goalkeeper?policy=mixed&side=left)"
    assert [kind for kind, _ in orders(sent)] == ["start_player"] * len(KINDS) + ["stop_player"]


@pytest.mark.parametrize(("name", "order"), [("hall_2", [("save_world", ("hall_2",))]), ("a) (killsim", [])])
def test_a_name_becomes_a_command_and_anything_else_a_note(gui: Gui, name: str, order: list[Any]) -> None:
    sent, notes = list[str](), list[str]()
    browser = SimpleNamespace(add_notification=lambda title, text: notes.append(text))
    SavingPanel(gui, sent.append)
    gui["World"].value = name
    gui["Save the world"].use(browser=browser)
    assert orders(sent) == order and bool(notes) is not bool(order)


def test_only_pictures_that_were_chosen_are_drawn(gui: Gui) -> None:
    panel = PicturesPanel(gui)
    assert panel.wanted((False, True)) == ()
    gui["Show"].value = CHOSEN
    assert panel.wanted((False, True)) == (1,) and panel.wanted((False, False)) == ()
    gui["Show"].value = ALL
    assert panel.wanted((False, False)) == (0, 1)


def test_views_are_chosen_and_kept_for_all_browsers_while_there_is_room(gui: Gui) -> None:
    follow: Any = SimpleNamespace(value="ball")
    ViewsPanel(gui, follow, "free").begin(30.0)
    cameras = [SimpleNamespace(position=np.array((1.0, 2.0, 3.0)), look_at=np.zeros(3)) for _ in range(2)]
    notes: list[str] = []

    def note(title: str, text: str, *, auto_close_seconds: float) -> None:
        notes.append(text)

    browser, other = (SimpleNamespace(camera=camera, add_notification=note) for camera in cameras)
    gui["Keep this view"].use(browser=browser)
    gui["View"].use(ABOVE, browser)
    assert browser.camera.position[2] > 30.0 and follow.value == "free"
    assert gui["Kept view"].options == (NONE, "view 1") and notes == ["kept as view 1"]
    for _ in range(2):
        other.camera.position = None
        gui["Kept view"].use("view 1", other)
        assert other.camera.position == (1.0, 2.0, 3.0)
        # A choice that stays would not be one that can be chosen again.
        assert gui["Kept view"].value == NONE
    for _ in range(MOST + 3):
        gui["Keep this view"].use(browser=browser)
    assert len(gui["Kept view"].options) == MOST + 1 and notes[-1] == f"no more than {MOST} views are kept"
