import gc
import math
import socket
import struct
import weakref
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from test.rigs.waiting import until
from watching.test.viewer.conftest import CAMERA, browser, messages, send, viewing, wait_for_note, without_token

pytest.importorskip("viser", reason="viser is not installed")


def elements(page: Any, named_by: str = "label", last: str = "Marks") -> dict[str, str]:
    """Labels of the panel's elements, with their uuids."""
    found: dict[str, str] = {}
    for message in messages(page):
        if "uuid" in message and named_by in message.get("props", {}):
            found[message["props"][named_by]] = message["uuid"]
        if last in found:
            break
    return found


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
    assert "(addObject cylinder/0.2,0.5/2.5/0.7,0.7,0.7)" in viewer.server.heard
    assert viewer._page._follow.value == "left 5"


def test_an_update_is_a_choice_of_its_element_and_nothing_else(viewer):
    wrong: list[dict[str, Any]] = [
        *({"props": 1}, {"value": "left 5", "props": 1}, {"removed": True}, {}),
        *({"value": value} for value in ("nowhere", 7, math.inf, None, ["left 5"])),
    ]
    with browser(viewer.url) as page:
        found = elements(page)
        for updates in wrong:
            update(page, found["Follow"], **updates)
        update(page, found["Marks"], value="false")
        hide_marks(viewer, page, found["Marks"])
    assert viewer._page._follow.value == "ball" and "left 5" in viewer._page._follow.options
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
        *({"position": place} for place in ((math.nan, 0.0, 0.0), ("x", "y", "z"), (1.0,), CAMERA["look_at"])),
        *({"position": (1e308, -1e308, 1e308)}, {"look_at": {}}, {"wxyz": (0.0, 0.0, 0.0, 0.0)}),
        *({"up_direction": (x, 0.0, 0.0)} for x in (0.0, "x")),
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
        # A drag goes on from where the handle was taken to where it is let go.
        dragged: list[bool] = []
        handle._dragged_to = lambda place, goes_on: dragged.append(goes_on)
        for _ in range(2):
            send(page, "TransformControlsDragStartMessage", name=drag["name"], owner="")
            send(page, "TransformControlsUpdateMessage", **drag)
            send(page, "TransformControlsUpdateMessage", **drag)
            send(page, "TransformControlsDragEndMessage", name=drag["name"], owner="")
        until(lambda: len(dragged) == 4)
        assert dragged == [False, True, False, True]
        handle._wanted.value = False
        until(lambda: handle._handle is None)


RESET = struct.pack("ii", 1, 0)
"""Value of SO_LINGER with which closing resets the connection."""


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Iterator[weakref.WeakSet[Any]]:
    """All connections of browsers that are still held, while Python's own collector is off."""
    from simspark_watching.viewer import visitor

    held: weakref.WeakSet[Any] = weakref.WeakSet()

    class Noted(visitor.Visitor):
        def __init__(self, *words: Any) -> None:
            super().__init__(*words)
            held.add(self)

    monkeypatch.setattr(visitor, "Visitor", Noted)
    gc.disable()
    yield held
    gc.enable()


def test_connections_that_have_ended_are_freed(server: Any, connections: weakref.WeakSet[Any]) -> None:
    with viewing(server.port) as viewer:
        for is_reset in (False, True, False):
            with browser(viewer.url) as page:
                page.recv(timeout=10.0)
                assert connections
                if is_reset:
                    page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    page.socket.close()
        until(lambda: not connections)


keys = partial(elements, named_by="hotkey", last="O")
"""Keys that the page has, with the uuids of their commands."""


def becomes(read: Callable[[], Any], value: Any) -> Callable[[], bool]:
    return lambda: read() == value


def press(page: Any, uuid: str) -> None:
    send(page, "CommandTriggerMessage", uuid=uuid)


def test_keys_command_the_match_and_time_and_choose_what_is_seen(server):
    with viewing(server.port, rate=5.0) as viewer, browser(viewer.url) as page:
        until(lambda: viewer.pictures > 1)
        found, panel = keys(page), viewer._page
        expected = {"K": "(kickOff Left)", "L": "(playMode free_kick_left)", "X": "(speed 2)", "Z": "(speed 1)"}
        for key, command in (*expected.items(), ("N", "(step 1)"), ("P", "(run)"), ("P", "(pause)")):
            press(page, found[key])
            until(becomes(lambda: server.heard[-1], command))
        assert panel._follow.value == "tv"
        for key, followed in (("C", "ball"), ("space", "tv")):
            press(page, found[key])
            until(becomes(lambda: panel._follow.value, followed))
        press(page, found["space"])
        for key, box in {"M": panel._marks, "U": panel._names, "I": panel._replays}.items():
            press(page, found[key])
            until(becomes(partial(getattr, box, "value"), False))
        assert panel._follow.value == "free" and not viewer._page.wants_replays
        press(page, found["O"])
        until(lambda: panel._dark.value)
        # No robot is looked into.
        press(page, found["V"])
        press(page, "none")
        press(page, found["M"])
        until(lambda: panel._marks.value)
        assert panel._follow.value == "free"


def test_keys_do_nothing_without_the_token_and_those_of_the_match_are_not_there_in_logs(server):
    with viewing(server.port, rate=5.0, played=True) as viewer, browser(without_token(viewer)) as page:
        found = keys(page)
        press(page, found["P"])
        wait_for_note(page)
    assert "(pause)" not in server.heard and "K" not in found
