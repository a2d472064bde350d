"""Drawings of programs, as the page is told of them."""

from simspark_ros.protocol.monitor.drawings import write_drawing
from simspark_ros.simulation.drawings import Drawing
from watching.test.viewer.conftest import browser, messages, viewing


def named(*texts: str) -> bytes:
    """The message of a drawing of texts above each other."""
    return write_drawing("agents", Drawing(texts=tuple((0.0, 0.0, float(z), text) for z, text in enumerate(texts))))


def test_texts_that_are_renewed_keep_their_labels(server):
    # A browser never shows labels that are made anew ten times a second.
    with viewing(server.port) as viewer, browser(viewer.url) as page:
        told = messages(page)
        server.extra.append(named("one", "two"))
        made = [next(one for one in told if one.get("props", {}).get("text") == text) for text in ("one", "two")]
        first, second = (one["name"] for one in made)
        server.extra.append(named("three"))
        changes = []
        for one in told:
            changes.append(one)
            if one.get("name") == second and "Remove" in one["type"]:
                break
        assert any(one.get("name") == first and one.get("updates") == {"text": "three"} for one in changes)
        assert not any("Label" in one["type"] for one in changes)
