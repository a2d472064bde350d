"""Who may open the page and press its buttons; the browser is a program that says what a browser would."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from simspark_ros.configuration.line_limit import LineLimit
from simspark_watching.viewer import gate
from test.rigs.waiting import until
from watching.test.viewer.conftest import browser, messages, viewing, wait_for_note

pytest.importorskip("viser", reason="viser is not installed")


@pytest.fixture
def viewer(server: Any) -> Iterator[Any]:
    # Few pictures, as what is read here is unpacked.
    with viewing(server.port, rate=5.0) as viewer:
        yield viewer


def press(page: Any, option: str) -> None:
    """Press a button of the page, as its script does."""
    import msgspec

    for message in messages(page):
        options = message.get("props", {}).get("options") or ()
        if message["type"] == "GuiButtonGroupMessage" and option in options:
            update = {"type": "GuiUpdateMessage", "uuid": message["uuid"], "updates": {"value": option}}
            page.send(msgspec.msgpack.encode(update))
            return


def without_token(viewer: Any) -> str:
    return f"http://127.0.0.1:{viewer.port}"


def opened(url: str, **headers: str) -> Any:
    return urlopen(Request(url, headers=headers), timeout=10.0)


def refusal(url: str, **headers: str) -> str:
    with pytest.raises(HTTPError) as refused:
        opened(url, **headers)
    assert 400 <= refused.value.code < 500
    return refused.value.read().decode()


def handshake_is_refused(url: str, **headers: str) -> bool:
    from websockets.exceptions import InvalidStatus

    try:
        with browser(url, **headers):
            return False
    except InvalidStatus as refused:
        return bool(400 <= refused.response.status_code < 500)


def test_browsers_that_opened_the_address_with_its_token_command_and_others_watch(viewer, server):
    with opened(viewer.url) as page:
        cookie = page.headers["Set-Cookie"].partition(";")[0]
        assert "HttpOnly" in page.headers["Set-Cookie"] and "SameSite=Strict" in page.headers["Set-Cookie"]
    with opened(without_token(viewer)) as page:
        assert page.headers["Set-Cookie"] is None
    with browser(without_token(viewer)) as watching:
        press(watching, "pause")
        wait_for_note(watching)
        # What is pressed while the viewer has no server is lost.
        until(lambda: viewer.pictures > 0)
        with browser(without_token(viewer), Cookie=cookie) as commanding:
            press(commanding, "drop")
            until(lambda: "(dropBall)" in server.heard)
    assert "(pause)" not in server.heard


@pytest.mark.parametrize("cookie", ["simspark_{}=wrong", "simspark_{}=", 'simspark_{}="', "=;;;"])
def test_a_wrong_cookie_is_none(viewer, server, cookie):
    with browser(without_token(viewer), Cookie=cookie.format(viewer.port)) as page:
        press(page, "pause")
        wait_for_note(page)
    assert "(pause)" not in server.heard


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_page_has_this_projects_title_style_and_script(viewer, encoding):
    with urlopen(Request(viewer.url, headers={"Accept-Encoding": encoding})) as answer:
        body = answer.read()
        assert answer.headers["Content-Length"] == str(len(body))
    page = (gzip.decompress(body) if encoding == "gzip" else body).decode()
    assert "<title>simspark</title>" in page and "#simspark-board" in page and "closePanelOfPhone" in page


def test_pages_of_other_sites_are_refused(viewer):
    own = f"http://127.0.0.1:{viewer.port}"
    assert not handshake_is_refused(viewer.url, Origin=own)
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{viewer.port + 1}"):
        assert handshake_is_refused(viewer.url, Origin=origin)


def test_names_that_others_point_at_this_machine_are_refused(viewer):
    port = urlsplit(viewer.url).port
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"192.0.2.1:{port}"):
        with opened(viewer.url, Host=host) as page:
            assert page.status == 200
    for host in (f"evil.example:{port}", "127.0.0.1.evil.example", "[", ""):
        assert refusal(viewer.url, Host=host)


def test_browsers_beyond_the_limit_are_refused_until_one_leaves(viewer, monkeypatch):
    from websockets.exceptions import InvalidStatus

    monkeypatch.setattr(gate, "MOST_BROWSERS", 1)
    with browser(viewer.url) as page:
        page.recv(timeout=10.0)
        with pytest.raises(InvalidStatus, match="503"), browser(viewer.url):
            pass

    def comes() -> bool:
        with suppress(InvalidStatus), browser(viewer.url):
            return True
        return False

    until(comes)


def test_other_protocols_are_refused_without_a_line(viewer, capfd):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    with pytest.raises(InvalidStatus):
        connect(viewer.url.replace("http", "ws"), subprotocols=[Subprotocol("viser-v0")])
    assert capfd.readouterr().out == ""


def send_malformed(viewer: Any, payload: bytes | str) -> None:
    """Send it and wait for the end of the connection."""
    with browser(viewer.url) as page:
        page.send(payload)
        with pytest.raises(Exception, match=r"."):
            while True:
                page.recv(timeout=10.0)


def test_each_malformed_message_is_one_line(viewer, caplog):
    with caplog.at_level(logging.WARNING):
        for payload in (b"\xc1", b"", b"\x80", b"[" * 1000, "text", b"\xdf\xff\xff\xff\xff"):
            send_malformed(viewer, payload)
    assert caplog.records
    assert all("\n" not in caplog.handler.format(record) for record in caplog.records)
    with browser(viewer.url):
        pictures = viewer.pictures
        until(lambda: viewer.pictures > pictures)


def test_a_flood_of_malformed_messages_is_cut_and_counted(server, caplog, monkeypatch, clock):
    monkeypatch.setattr(gate, "_LINES_AT_ONCE", 3)
    monkeypatch.setattr(gate, "LineLimit", partial(LineLimit, clock=clock))
    with viewing(server.port) as viewer, caplog.at_level(logging.WARNING):
        for _ in range(8):
            send_malformed(viewer, b"\xc1")
        until(lambda: len(caplog.records) >= 3)
        assert len(caplog.records) == 3
        clock.now += 60.0
        send_malformed(viewer, b"\xc1")
        until(lambda: len(caplog.records) > 3)
    assert "(5 lines before this one were left out: too many at once)" in caplog.messages[3]
