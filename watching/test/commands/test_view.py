"""`simspark view` and `simspark serve --viewer` as a user starts them: processes, real ports."""

import re
import socket
import subprocess
import sys
import threading
from argparse import Namespace
from contextlib import ExitStack, nullcontext
from typing import Any, cast
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from simspark_ros.server.viewer_settings import ViewerError
from simspark_watching.commands.view import _picture
from test.commands.conftest import Refused
from test.commands.serving.test_serve import DEADLINE, running
from test.rigs.processes import Process
from test.rigs.waiting import until


def is_served(url: str) -> bool:
    try:
        with urlopen(url, timeout=DEADLINE) as answer:
            return b"<html" in answer.read()
    except URLError:
        return False


def test_serve_shows_a_page_that_ends_with_it():
    pytest.importorskip("viser", reason="viser is not installed")
    with running("--pacing", "lockstep", "--viewer", "0") as server:
        banner = server.process.found(r"(?s)(.*)Ctrl-C ends it")
        (url,) = re.findall(r"viewer +(http://127\.0\.0\.1:\d+)", banner)
        until(lambda: is_served(url))
        status, errors = server.end()
        assert status == 0 and "Traceback" not in errors
        with pytest.raises(URLError):
            urlopen(url, timeout=DEADLINE)


def test_a_page_on_another_port_than_wanted_says_its_whole_address():
    pytest.importorskip("viser", reason="viser is not installed")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with Process([sys.executable, "-m", "simspark_ros.cli", "view", "--port", str(port)], apart=True) as view:
            view.found("open in a browser")
            until(lambda: "is taken" in view.errors)
            (url,) = re.findall(rf"port {port} is taken; the page is at (\S+)", view.errors)
            assert is_served(url) and "token=" in url


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--monitor-port", "70000"], "must be at least 0 and at most 65535, not '70000'"),
        (["--follow", "left"], "cannot follow 'left': it is none of tv, ball, free, 'left 5'"),
        (["--size", "big"], "'big' is not WxH"),
        (["none.log"], "none.log: cannot be read: No such file"),
        (["--world", "none.yaml"], "none.yaml"),
        (["--bind", "192.0.2.1"], "cannot serve the viewer on '192.0.2.1'"),
    ],
)
def test_a_wrong_argument_is_named(refused: Refused, arguments, complaint):
    assert complaint in refused("view", "--port", "0", *arguments)


def test_the_executable_takes_ros_parameters():
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    pytest.importorskip("viser", reason="viser is not installed")
    command = [sys.executable, "-m", "simspark_ros.ros.viewer", "--ros-args", "-p", "bind:=192.0.2.1", "-p"]
    complaints = {"port:=0": "cannot serve the viewer on '192.0.2.1'", "port:=many": "bad value of parameter 'port'"}
    for parameter, complaint in complaints.items():
        done = subprocess.run([*command, parameter], capture_output=True, text=True, timeout=DEADLINE, check=False)
        assert done.returncode == 2 and complaint in done.stderr and "Traceback" not in done.stderr


class Gone:
    """A viewer whose server is there for the first `looks` looks."""

    url = ""

    def __init__(self, looks: int) -> None:
        self._looks = looks

    @property
    def is_connected(self) -> bool:
        self._looks -= 1
        return self._looks >= 0


@pytest.mark.parametrize("looks", [0, 1, 2])
def test_a_picture_fails_if_the_server_goes_before_it_or_meanwhile(tmp_path, monkeypatch, looks):
    pytest.importorskip("viser", reason="viser is not installed")

    def take(url: str, width: int, height: int, after: float, stop: Any, hold: Any, check: Any) -> bytes:
        hold()
        check()
        return b"picture"

    monkeypatch.setattr("simspark_watching.viewer.screenshot.take_screenshot", take)
    path, stop, viewer = tmp_path / "page.png", threading.Event(), Gone(looks)
    options = Namespace(size=(64, 48), screenshot=path, after=0.0, file=None)
    with pytest.raises(ViewerError, match="the server is gone") if looks < 2 else nullcontext(), ExitStack() as stack:
        _picture(options, cast(Any, viewer), stop, stack)
    assert stop.is_set() and path.exists() is (looks == 2)
