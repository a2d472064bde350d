"""`simspark view` and `simspark serve --viewer` as a user starts them: processes, real ports."""

import re
import socket
import subprocess
import sys
from urllib.error import URLError
from urllib.request import urlopen

import pytest

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
