"""Drawings of programs, as the page is told of them."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simspark_ros.protocol.monitor.drawings import write_drawing
from simspark_ros.simulation.drawings import Drawing, Plane
from simspark_watching.viewer.drawings import ROOT
from watching.test.viewer.conftest import browser, messages, viewing


def drawing(shade: int, *texts: str) -> bytes:
    """The message of a drawing: a map of a shade, and texts above each other."""
    plane = Plane(np.full((2, 2, 3), shade, np.uint8), float(shade), 1.0, (0.0, 0.0, 0.0))
    return write_drawing("agents", Drawing(texts=tuple((0.0, 0.0, 1.0, text) for text in texts), plane=plane))


def until_told(told: Iterator[dict[str, Any]], told_so: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Messages to the page up to one that is so."""
    seen = [next(told)]
    while not told_so(seen[-1]):
        seen.append(next(told))
    return seen


def test_a_drawing_that_is_renewed_keeps_its_labels_and_its_map(server):
    # A browser never shows those that are made anew ten times a second.
    with viewing(server.port) as viewer, browser(viewer.url) as page:
        told = (one for one in messages(page) if one.get("name", "").startswith(ROOT))
        server.extra.append(drawing(10, "one", "two"))
        made = until_told(told, lambda one: one["type"] == "ImageMessage")
        picture = made[-1]["name"]
        (first, second) = (one["name"] for one in made if one["type"] == "LabelMessage")
        server.extra.append(drawing(20, "three"))
        changes = until_told(told, lambda one: one.get("updates", {}).get("render_width") == 20.0)
        assert not any(one["type"] in ("LabelMessage", "ImageMessage") for one in changes)
        assert any(one.get("name") == first and one.get("updates", {}).get("text") == "three" for one in changes)
        hidden = [one["name"] for one in changes if one.get("visible") is False]
        assert hidden == [second] and not any(one["type"] == "RemoveSceneNodeMessage" for one in changes)
        assert any(one.get("name") == picture and "_data" in one.get("updates", {}) for one in changes)


def test_renewed_and_ended_drawings_leave_no_messages_for_browsers_to_come(server):
    def drawn(number: int) -> Drawing:
        points, segments = np.full((number % 5, 3), number / 2.0), np.full((number % 3, 2, 3), number / 2.0)
        colours = (np.zeros((number % 5, 3), np.uint8), np.zeros((number % 3, 3), np.uint8))
        texts = tuple((0.0, 0.0, 1.0, f"{number}") for _ in range(number % 4))
        return Drawing(points, colours[0], segments=segments, segment_colours=colours[1], texts=texts)

    with viewing(server.port) as viewer:
        layer = viewer._page.drawings
        kept = layer._scene._websock_interface.get_message_buffer().message_from_id
        counts = []
        for number in range(1, 1200):
            layer.show("mine", drawn(number))
            layer.show(f"short {number}", drawn(59))
            layer.show(f"short {number}", Drawing())
            counts += [len(kept)] if number % 240 == 0 else []
        # All names have been used once by then.
        assert len(set(counts)) == 1
        layer.show("mine", drawn(60))
        assert not layer._shown, "it is empty"
        layer.show("mine", drawn(9))
        mine: Any = layer._shown["mine"]
        assert len(mine.points.points) == len(mine.points.colors) == 4 and not mine.lines
        layer.show("mine", drawn(10))
        assert not mine.points.visible and len(mine.lines.points) == 1 and mine.lines.visible
        layer.clear()
        assert not layer._shown
