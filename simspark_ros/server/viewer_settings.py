"""Settings of the page, and targets of cameras, for options of `serve`; the page itself is in `watching/`.

Every command line loads this module, so the module loads nothing heavy.
"""

from __future__ import annotations

import errno
import re
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated, ClassVar

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.ports import LOOPBACK, MONITOR_PORT, VIEWER_PORT
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting, TakenOptions, TcpPort

TOKEN_VARIABLE = "SIMSPARK_VIEWER_TOKEN"
"""Environment variable with the token of the page; a command line would show it to all users of the machine."""

FREE, TV, BALL = "free", "tv", "ball"
"""Names for no target, for play as on television, and for the ball, which stays in the middle."""

_TARGET = re.compile(rf"{FREE}|{TV}|{BALL}|(left|right|robot) [1-9]\d*")

Follow = Annotated[
    str, Setting("first target of the camera: tv, ball, free, or a robot such as 'left 5'", metavar="WHAT")
]

Distance = Annotated[
    float, Range(0.0, 1000.0, "m", above=True), Setting("distance of the camera when it begins to follow a target")
]


class ViewerError(UserError):
    """The page cannot be served, or a browser fails; the message says what to do."""


@dataclass(frozen=True)
class ViewerSettings(TakenOptions, Checked):
    """Settings of the viewer; no option sets `rate`, the most pictures per second, `played` and `token`.

    A log is `played`: no button can change its match. Buttons work for browsers that open the address with the `token`;
    empty = a new one.
    """

    host: Annotated[str, Setting("host of the server to show", metavar="HOST")] = LOOPBACK
    monitor_port: Annotated[TcpPort, Setting("port of the server to show for monitors")] = MONITOR_PORT
    bind: Annotated[str, Setting("address to serve the page on; 127.0.0.1 = for this machine only")] = LOOPBACK
    port: Annotated[TcpPort, Setting("port of the page; if it is taken, the next free one")] = VIEWER_PORT
    world: Annotated[
        str, Setting("world to show if the server does not send its own, a name or a YAML file; empty = soccer")
    ] = ""
    follow: Follow = TV
    distance: Distance = 7.0
    rate: Annotated[float, Range(0.0, 1000.0, "1/s", above=True)] = 25.0
    played: bool = False
    token: str = ""

    options: ClassVar[Mapping[str, str]] = {
        "host": "bind",
        "bind": "bind",
        "port": "viewer",
        "follow": "viewer_follow",
        "distance": "viewer_distance",
    }

    def __post_init__(self) -> None:
        """Check the target."""
        super().__post_init__()
        require_target(self.follow)


def page_address(host: str, port: int, token: str) -> str:
    """The address, with the token, at which a browser finds a page served on a host and port."""
    # Browsers cannot open wildcard addresses.
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/?token={token}"


def new_token() -> str:
    """A token that cannot be guessed."""
    return secrets.token_urlsafe(12)


def free_port(host: str, first: int) -> int:
    """The first port from `first` on (0 = any) that nothing listens on; `first` if the host is none of this machine."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in range(first, 65536):
        try:
            with socket.create_server((host, port), family=family) as free:
                return int(free.getsockname()[1])
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                break
    return first


def require_page() -> None:
    """Check that the page and viser, which serves it, are installed, without loading them.

    Raises:
        ViewerError: one of them is not installed.
    """
    if find_spec("simspark_watching") is None:
        remedy = "in a checkout of simspark_ros, pip install ./recording ./watching"
        raise ViewerError(f"the page needs simspark_watching: {remedy}")
    if find_spec("viser") is None:
        raise ViewerError("the page needs viser: pip install viser, or the extra 'simspark_ros[viewer]'")


def require_target(name: str) -> None:
    """Check the name of a camera's target.

    Raises:
        ConfigurationError: there is nothing of that name.
    """
    if not _TARGET.fullmatch(name):
        allowed = f"{TV}, {BALL}, {FREE}, 'left 5', 'right 5' (a player), 'robot 5'"
        raise ConfigurationError(f"the viewer cannot follow '{name}': it is none of {allowed}")
