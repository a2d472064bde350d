"""A person edits a paused scene of a real server in a real browser: headless Chromium."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simspark_ros.server.inspection import Inspector
from simspark_ros.soccer.world import SoccerRobot
from simspark_watching.viewer.screenshot import NAMES, SHOWN, Chromium, find_browser
from test.rigs.waiting import DEADLINE, until
from test.server.test_time_control import Served
from watching.test.viewer.conftest import viewing
from watching.test.viewer.test_browser import PICTURES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_browser() is None, reason=f"no browser is installed ({', '.join(NAMES)})"),
]
SIZE = (900, 500)
BUTTON = "[...document.querySelectorAll('button')].find(button => button.innerText.trim() == '{}')"
TAB = "[...document.querySelectorAll('[role=tab]')].find(tab => tab.innerText.trim() == '{}')"
FOLDER = "[...document.querySelectorAll('*')].filter(one => one.innerText?.trim() == '{}').at(-1)"
BOX = "[...document.querySelectorAll('label')].find(label => label.innerText.trim() == '{}').control"
CLOSE_NOTES = "document.querySelectorAll('[class*=Notification-closeButton]').forEach(button => button.click())"
PLACE = "(({{x, y, width, height}}) => [x, y, width, height])({}.getBoundingClientRect())"


@pytest.fixture
def served() -> Iterator[Served]:
    made = Served()
    made.monitors.inspector = Inspector(made.simulation)
    made.simulation.add_node(made.monitors.inspector)
    made.start()
    yield made
    made.close()


def drag(page: Chromium, start: tuple[float, float], end: tuple[float, float], moves: int = 8) -> None:
    """What a mouse does."""

    def mouse(kind: str, share: float, buttons: int) -> None:
        x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
        button = "none" if kind == "mouseMoved" and not buttons else "left"
        page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    mouse("mouseMoved", 0.0, 0)
    mouse("mousePressed", 0.0, 1)
    for number in range(1, moves + 1):
        mouse("mouseMoved", number / moves, 1)
    mouse("mouseReleased", 1.0, 0)


def press(page: Chromium, element: str) -> None:
    """Press a button as soon as it is there, even beyond the end of the window."""
    page.wait_for(f"!!{element}", DEADLINE)
    page.evaluate(f"{element}.click()")


def click(page: Chromium, element: str) -> None:
    """Click an element, by the mouse, as soon as it is there."""
    page.wait_for(f"!!{element}", DEADLINE)
    x, y, width, height = page.evaluate(PLACE.format(element))
    middle = x + width / 2.0, y + height / 2.0
    drag(page, middle, middle, 0)


def pixel(viewer: Any, page: Chromium, point: Any) -> tuple[float, float]:
    """Where the browser shows a point (3,), m."""
    (client,) = viewer._page._server.get_clients().values()
    camera = client.camera
    forward = camera.look_at - camera.position
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, camera.up_direction)
    right = right / np.linalg.norm(right)
    away = point - camera.position
    left, top, width, height = page.evaluate(PLACE.format("document.querySelector('canvas')"))
    scale = height / 2.0 / np.tan(camera.fov / 2.0) / (away @ forward)
    return left + width / 2.0 + scale * (away @ right), top + height / 2.0 - scale * (away @ np.cross(right, forward))


def test_a_paused_scene_is_edited_one_undo_takes_a_drag_back_and_a_reset_what_was_added(served: Served) -> None:
    world = served.simulation.world

    def box() -> SoccerRobot | None:
        return next((robot for robot in world.robots.values() if robot.description.is_object), None)

    def place() -> Any:
        found = box()
        assert found is not None
        return world.engine.state.position[world.engine.state.row(found.handle)].copy()

    with viewing(served.monitors.port) as viewer, Chromium(*SIZE) as page:
        panel = viewer._page._entities
        page.open(viewer.url)
        page.wait_for(SHOWN, DEADLINE)
        press(page, BUTTON.format("pause"))
        until(lambda: served.simulation.scheduler.paused)
        cycle = world.cycle
        click(page, TAB.format("Add"))
        click(page, FOLDER.format("Object"))
        press(page, BUTTON.format("add object"))
        until(box)
        click(page, TAB.format("World"))
        press(page, BUTTON.format("box"))
        until(lambda: panel.chosen == "box")
        press(page, BOX.format("Drag the chosen"))
        before = place()
        until(lambda: panel._handle._handle is not None)
        page.evaluate(CLOSE_NOTES)
        # The browser draws the arrows some time after it was told of them.
        pictures = viewer.pictures
        page.wait_for(f"{PICTURES} > {pictures + 4}", DEADLINE)
        start, end = (pixel(viewer, page, before + np.array((along, 0.0, 0.0))) for along in (0.3, 0.8))
        drag(page, start, end)
        until(lambda: np.abs(place() - before).max() > 0.2)
        until(lambda: panel._handle._use.is_over)
        press(page, BUTTON.format("undo"))
        until(lambda: np.abs(place() - before).max() < 1e-6)
        press(page, BUTTON.format("reset"))
        until(lambda: box() is None)
        page.wait_for(f"!({BUTTON.format('● box')})", DEADLINE)
        assert world.cycle == cycle
