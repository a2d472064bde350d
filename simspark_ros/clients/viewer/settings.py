"""Settings of the viewer, apart from it, so that reading a command line loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.ports import LOOPBACK, MONITOR_PORT, VIEWER_PORT
from simspark_ros.configuration.schema import Checked, Range, Setting, TcpPort

FREE = "free"
"""The camera follows nothing."""


class ViewerError(UserError):
    """The page cannot be served, or a browser fails; the message says what to do."""


@dataclass(frozen=True)
class ViewerSettings(Checked):
    """Settings of the viewer, and what no user sets: `rate`, pictures per second at most, and `played`.

    A log is `played`: no button can change its match.
    """

    host: Annotated[str, Setting("host of the server to show", metavar="HOST")] = LOOPBACK
    monitor_port: Annotated[TcpPort, Setting("port of the server to show for monitors")] = MONITOR_PORT
    bind: Annotated[str, Setting("address to serve the page on; 127.0.0.1 = for this machine only")] = LOOPBACK
    port: Annotated[TcpPort, Setting("port of the page; if it is taken, the next free one")] = VIEWER_PORT
    world: Annotated[
        str, Setting("field whose lines are shown, a name or a YAML file; empty = soccer; lengths come from the server")
    ] = ""
    follow: Annotated[str, Setting("what the camera follows at first: free, ball, or a robot such as 'left 5'")] = FREE
    distance: Annotated[
        float, Range(0.0, 1000.0, "m", above=True), Setting("how near the camera comes to what it begins to follow")
    ] = 4.5
    rate: Annotated[float, Range(0.0, 1000.0, "1/s", above=True)] = 25.0
    played: bool = False


def require_viser() -> None:
    """Check that viser, which serves the page, is installed, without loading it.

    Raises:
        ViewerError: it is not installed.
    """
    if find_spec("viser") is None:
        raise ViewerError("the viewer needs viser: pip install viser")
