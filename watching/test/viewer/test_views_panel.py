"""The views to choose from, and those that a browser keeps."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simspark_watching.viewer.panels.views import ABOVE, MOST, ViewsPanel


class Element:
    """An element of the panel; `use` is what viser does when a browser uses it."""

    def __init__(self, options: tuple[str, ...] = ()) -> None:
        self.options, self.value = options, "".join(options[:1])
        self._called: Any = None

    def on_click(self, called: Any) -> None:
        self._called = called

    on_update = on_click

    def use(self, client: Any, value: str = "") -> None:
        self.value = value
        asyncio.run(self._called(SimpleNamespace(client=client, target=self)))


class Gui:
    """The elements that the panel makes, by their labels."""

    def __init__(self) -> None:
        self.elements: dict[str, Element] = {}

    def add_button_group(self, label: str, options: tuple[str, ...] = (), hint: str = "") -> Element:
        return self.elements.setdefault(label, Element(options))

    add_dropdown = add_button_group
    add_button = add_button_group


@pytest.fixture
def gui() -> Gui:
    return Gui()


@pytest.fixture
def browser() -> Any:
    return SimpleNamespace(camera=SimpleNamespace(position=np.array((1.0, 2.0, 3.0)), look_at=np.zeros(3)))


@pytest.fixture
def follow(gui: Gui) -> Element:
    chosen = Element(("ball",))
    ViewsPanel(gui, chosen, "free").begin(30.0)
    return chosen


def test_a_view_moves_the_camera_of_the_browser_that_asks_and_ends_following(gui: Gui, browser: Any, follow: Element):
    gui.elements["View"].use(browser, ABOVE)
    assert browser.camera.position[2] > 30.0
    assert follow.value == "free"


def test_a_kept_view_is_found_again_by_all_browsers(gui: Gui, browser: Any, follow: Element):
    gui.elements["Keep this view"].use(browser)
    other = SimpleNamespace(camera=SimpleNamespace())
    assert gui.elements["Kept view"].options == ("view 1",)
    gui.elements["Kept view"].use(other, "view 1")
    assert other.camera.position == (1.0, 2.0, 3.0)


def test_no_browser_keeps_more_views_than_there_is_room_for(gui: Gui, browser: Any, follow: Element):
    for _ in range(MOST + 3):
        gui.elements["Keep this view"].use(browser)
    assert len(gui.elements["Kept view"].options) == MOST
