"""What messages of browsers may do to the page, with its token and without; the connections are real."""

import math
from typing import Any

import pytest

from test.rigs.waiting import until
from watching.test.viewer.conftest import CAMERA, browser, messages, send, wait_for_note, without_token

pytest.importorskip("viser", reason="viser is not installed")


def elements(page: Any) -> dict[str, str]:
    """Labels of the panel's elements, with their uuids."""
    found: dict[str, str] = {}
    for message in messages(page):
        if "uuid" in message and "label" in message.get("props", {}):
            found[message["props"]["label"]] = message["uuid"]
        if "Marks" in found:
            return found
    raise AssertionError("there is no panel")


def update(page: Any, uuid: str, **updates: Any) -> None:
    send(page, "GuiUpdateMessage", uuid=uuid, updates=updates)


def upload(page: Any, uuid: str) -> None:
    """Announce a file of 1 PB and send a part of it."""
    names = {"source_component_uuid": uuid, "transfer_uuid": "t"}
    size = {"filename": "f", "mime_type": "m", "part_count": 1 << 30, "size_bytes": 1 << 50}
    send(page, "FileTransferStartUpload", **names, **size)
    send(page, "FileTransferPart", **names, part_index=0, content=b"x" * 100_000)


def hide_marks(viewer: Any, page: Any, uuid: str) -> None:
    """Use the panel with the token, and wait until what was sent before is handled, too."""
    update(page, uuid, value=False)
    until(lambda: not viewer._page._marks.value)


def wait_for_pictures(viewer: Any) -> None:
    """Wait until pictures go on, with all bodies shown again."""
    viewer._objects = viewer._nodes = None
    pictures = viewer.pictures
    until(lambda: viewer.pictures > pictures + 1)


def test_without_the_token_the_panel_is_not_for_use_and_the_page_says_so(viewer):
    uses = {"Follow": "free", "Marks": False, "Speed": "max", "Time": "pause", "Keep this view": "x"}
    for label, value in uses.items():
        with browser(without_token(viewer)) as page:
            update(page, elements(page)[label], value=value)
            wait_for_note(page)
    assert (viewer._page._follow.value, viewer._page._marks.value) == ("ball", True)
    assert not {"(pause)", "(speed 0)"} & set(viewer.server.heard)


def test_with_the_token_objects_are_added_and_the_world_is_saved_as_the_panel_says(viewer):
    chosen = {"Shape": "cylinder", "Length, m": 0.4, "Height, m": 0.5, "Mass, kg": 2.5, "add object": True}
    chosen |= {"World": "hall_2", "Follow": "left 5"}
    with browser(viewer.url) as page:
        found = elements(page)
        for label, value in chosen.items():
            update(page, found[label], value=value)
        update(page, found["World"], value="x" * 65)
        update(page, found["Save the world"], value=True)
        until(lambda: "(saveWorld hall_2)" in viewer.server.heard)
    assert "(addObject cylinder/0.2,0.5/2.5)" in viewer.server.heard
    assert viewer._page._follow.value == "left 5"


def test_an_update_is_a_choice_of_its_element_and_nothing_else(viewer):
    wrong: list[dict[str, Any]] = [
        {"props": 1},
        {"value": "left 5", "props": 1},
        {"removed": True},
        {"value": "nowhere"},
        {"value": 7},
        {"value": math.inf},
        {"value": None},
        {"value": ["left 5"]},
        {},
    ]
    with browser(viewer.url) as page:
        found = elements(page)
        for updates in wrong:
            update(page, found["Follow"], **updates)
        update(page, found["Marks"], value="false")
        hide_marks(viewer, page, found["Marks"])
    assert viewer._page._follow.value == "ball"
    assert "left 5" in viewer._page._follow.options
    wait_for_pictures(viewer)


def test_uploads_and_attributes_are_dropped_with_the_token_and_without(viewer):
    with browser(without_token(viewer)) as watching, browser(viewer.url) as page:
        found = elements(watching)
        upload(watching, found["Follow"])
        update(watching, found["Follow"], props=1)
        update(watching, found["Follow"], value="free")
        wait_for_note(watching)
        upload(page, found["Follow"])
        hide_marks(viewer, page, found["Marks"])
    assert not viewer._page._server.gui._current_file_upload_states
    assert "left 5" in viewer._page._follow.options
    wait_for_pictures(viewer)


@pytest.mark.parametrize(
    "fault",
    [
        {"position": (math.nan, 0.0, 0.0)},
        {"position": ("x", "y", "z")},
        {"position": (1e308, -1e308, 1e308)},
        {"position": (1.0,)},
        {"position": CAMERA["look_at"]},
        {"look_at": {}},
        {"up_direction": (0.0, 0.0, 0.0)},
        {"up_direction": ("x", 0.0, 0.0)},
        {"wxyz": (0.0, 0.0, 0.0, 0.0)},
    ],
)
def test_no_camera_ends_the_page(viewer, fault):
    with browser(viewer.url) as page:
        send(page, **CAMERA | fault)
        hide_marks(viewer, page, elements(page)["Marks"])
        wait_for_pictures(viewer)


def test_notes_to_a_browser_that_only_watches_are_few(viewer):
    with browser(without_token(viewer)) as page:
        uuid = elements(page)["Follow"]
        for _ in range(20):
            update(page, uuid, value="free")
        pictures, notes = viewer.pictures, 0
        for message in messages(page):
            notes += "Watching only" in str(message)
            if viewer.pictures > pictures + 5:
                break
    assert notes == 1


def test_the_handle_of_the_ball_is_dragged_with_the_token_and_by_nobody_else(viewer):
    drag = {"name": "/handles/Drag_the_chosen", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (1.0, 2.0, 0.5)}
    with browser(without_token(viewer)) as watching, browser(viewer.url) as page:
        # The ball was chosen and the checkbox used; the handle is there with the next picture.
        viewer._page._choose("ball")
        handle = viewer._page._entities._handle
        handle._wanted.value = True
        until(lambda: handle._handle is not None)
        send(watching, "TransformControlsUpdateMessage", **drag)
        wait_for_note(watching)
        assert not [text for text in viewer.server.heard if text.startswith("(ball")]
        send(page, "TransformControlsUpdateMessage", **{**drag, "position": (math.inf, 0.0, 0.0)})
        send(page, "TransformControlsUpdateMessage", **{**drag, "name": "/sun"})
        send(page, "TransformControlsUpdateMessage", **drag)
        until(lambda: viewer.server.heard[-1:] == ["(ball (pos 1.0000 2.0000 0.5000)(vel 0 0 0))"])
        handle._wanted.value = False
        until(lambda: handle._handle is None)
