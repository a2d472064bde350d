"""`simspark view` and `simspark serve --viewer` as a user starts them: processes, real ports."""

from __future__ import annotations

from urllib.error import URLError
from urllib.request import urlopen

import pytest

from test.commands.test_serve import DEADLINE, refused, running


def test_serve_shows_a_page_that_ends_with_it():
    pytest.importorskip("viser", reason="viser is not installed")
    with running("--pacing", "lockstep", "--viewer", "0") as server:
        url = server._wait_for(r"viewer +(http://127\.0\.0\.1:\d+)")
        with urlopen(url, timeout=DEADLINE) as answer:
            assert b"<html" in answer.read()
        status, errors = server.end()
        assert status == 0 and "Traceback" not in errors
        with pytest.raises(URLError):
            urlopen(url, timeout=DEADLINE)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--monitor-port", "70000"], "must be at least 0 and at most 65535, not '70000'"),
        (["--follow", "left"], "'left' is none of free, ball, 'left 5'"),
        (["--size", "big"], "'big' is not WxH"),
        (["none.log"], "none.log: cannot be read: No such file"),
        (["--world", "none.yaml"], "none.yaml"),
    ],
)
def test_a_wrong_argument_is_named(arguments, complaint):
    assert complaint in refused("simspark_ros.cli", "view", "--port", "0", *arguments)


def test_the_executable_takes_ros_parameters():
    pytest.importorskip("rclpy", reason="rclpy is not installed")
    pytest.importorskip("viser", reason="viser is not installed")
    parameters = ["--ros-args", "-p", "bind:=192.0.2.1", "-p", "port:=0"]
    assert "cannot serve the viewer on '192.0.2.1'" in refused("simspark_ros.ros.viewer", *parameters)
    assert "wrong ROS arguments" in refused("simspark_ros.ros.viewer", "--ros-args", "-p", "port:=many")
