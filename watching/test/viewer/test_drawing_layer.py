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
        assert [one["name"] for one in changes if one["type"] == "RemoveSceneNodeMessage"] == [second]
        assert any(one.get("name") == picture and "_data" in one.get("updates", {}) for one in changes)
