"""Keyboard shortcuts: what a key sent by a browser does, with the token and without."""

from functools import partial
from typing import Any

import pytest

from test.rigs.waiting import until
from watching.test.viewer.conftest import PaperServer, browser, messages, send, viewing, wait_for_note, without_token

pytest.importorskip("viser", reason="viser is not installed")


def keys(page: Any) -> dict[str, str]:
    """Keys that the page has, with the uuids of their commands."""
    found: dict[str, str] = {}
    for message in messages(page):
        if message["type"] == "RegisterCommandMessage":
            found[message["props"]["hotkey"]] = message["uuid"]
        if "O" in found:
            return found
    raise AssertionError("there are no keys")


def press(page: Any, uuid: str) -> None:
    send(page, "CommandTriggerMessage", uuid=uuid)


def heard_last(server: PaperServer, command: str) -> bool:
    return server.heard[-1] == command


def is_off(box: Any) -> bool:
    return not box.value


def test_keys_command_the_match_and_time_and_choose_what_is_seen(server):
    with viewing(server.port, rate=5.0) as viewer, browser(viewer.url) as page:
        until(lambda: viewer.pictures > 1)
        found, panel = keys(page), viewer._page
        expected = {
            "K": "(kickOff Left)",
            "L": "(playMode free_kick_left)",
            "X": "(speed 2)",
            "Z": "(speed 1)",
            "N": "(step 1)",
            "P": "(run)",
        }
        for key, command in expected.items():
            press(page, found[key])
            until(partial(heard_last, server, command))
        press(page, found["P"])
        until(lambda: server.heard[-1] == "(pause)")
        assert panel._follow.value == "tv"
        press(page, found["C"])
        until(lambda: panel._follow.value == "ball")
        press(page, found["space"])
        until(lambda: panel._follow.value == "tv")
        press(page, found["space"])
        for key, box in {"M": panel._marks, "U": panel._names, "I": panel._replays}.items():
            press(page, found[key])
            until(partial(is_off, box))
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
