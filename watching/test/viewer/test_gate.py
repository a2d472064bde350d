"""Who may open the page and press its buttons; the browser is a program that says what a browser would."""

import gzip
import logging
import re
from functools import partial
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from simspark_ros.configuration.line_limit import LineLimit
from simspark_watching.viewer import gate
from test.rigs.waiting import until
from watching.test.viewer.conftest import browser, messages, send, viewing, wait_for_note, without_token

pytest.importorskip("viser", reason="viser is not installed")
InvalidStatus: Any = pytest.importorskip("websockets.exceptions").InvalidStatus


def press(page: Any, option: str) -> None:
    """Press a button of the page, as its script does."""
    for message in messages(page):
        options = message.get("props", {}).get("options") or ()
        if message["type"] == "GuiButtonGroupMessage" and option in options:
            send(page, "GuiUpdateMessage", uuid=message["uuid"], updates={"value": option})
            return


def opened(url: str, **headers: str) -> Any:
    return urlopen(Request(url, headers=headers), timeout=10.0)


def handshake(url: str, **headers: str) -> int:
    """The status with which a browser is let in, 101, or refused."""
    try:
        with browser(url, **headers):
            return 101
    except InvalidStatus as refused:
        return int(refused.response.status_code)


def test_browsers_that_opened_the_address_with_its_token_command_and_others_watch(viewer):
    with opened(viewer.url) as page:
        cookie = page.headers["Set-Cookie"].partition(";")[0]
        assert "HttpOnly" in page.headers["Set-Cookie"] and "SameSite=Strict" in page.headers["Set-Cookie"]
    with opened(without_token(viewer)) as page:
        assert page.headers["Set-Cookie"] is None
    with browser(without_token(viewer)) as watching:
        press(watching, "pause")
        wait_for_note(watching)
        with browser(without_token(viewer), Cookie=cookie) as commanding:
            press(commanding, "drop")
            until(lambda: "(dropBall)" in viewer.server.heard)
    assert "(pause)" not in viewer.server.heard


def test_a_wrong_cookie_is_none_and_the_page_has_this_projects_title_style_and_script(viewer):
    for cookie in ("simspark_{}=wrong", "simspark_{}=", 'simspark_{}="', "=;;;"):
        with browser(without_token(viewer), Cookie=cookie.format(viewer.port)) as page:
            press(page, "pause")
            wait_for_note(page)
    assert "(pause)" not in viewer.server.heard
    for encoding, read in (("identity", bytes), ("gzip", gzip.decompress)):
        with opened(viewer.url, **{"Accept-Encoding": encoding}) as answer:
            body = answer.read()
            assert answer.headers["Content-Length"] == str(len(body))
        page = read(body).decode()
        assert "<title>simspark</title>" in page and "#simspark-board" in page and "arrangePhone" in page
        # Viser's notes are below, as the board is at the top.
        (notes,) = re.findall(r"\.mantine-Notifications-root \{(.*?)\}", page)
        assert "bottom: calc(" in notes and "top: auto !important" in notes
        (board,) = re.findall(r"#simspark-board \{ (color.*?)\}", page)
        assert "top: 12px" in board


def test_pages_of_other_sites_and_names_that_others_point_at_this_machine_are_refused(viewer):
    assert handshake(viewer.url, Origin=without_token(viewer)) == 101
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{viewer.port + 1}"):
        assert 400 <= handshake(viewer.url, Origin=origin) < 500
    port = urlsplit(viewer.url).port
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", f"192.0.2.1:{port}"):
        with opened(viewer.url, Host=host) as page:
            assert page.status == 200
    for host in (f"evil.example:{port}", "127.0.0.1.evil.example", "[", ""):
        with pytest.raises(HTTPError) as refused:
            opened(viewer.url, Host=host)
        assert 400 <= refused.value.code < 500 and refused.value.read()


def test_browsers_beyond_the_limit_are_refused_until_one_leaves(server, monkeypatch):
    monkeypatch.setattr(gate, "MOST_BROWSERS", 1)
    with viewing(server.port) as viewer:
        with browser(viewer.url) as page:
            page.recv(timeout=10.0)
            assert handshake(viewer.url) == 503
        until(lambda: handshake(viewer.url) == 101)


def test_other_protocols_are_refused_without_a_line(viewer, capfd):
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
    assert caplog.records and all("\n" not in caplog.handler.format(record) for record in caplog.records)
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
