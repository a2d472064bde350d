"""What the viewer shows where; apart from the viewer, so that nothing heavy is loaded to read a command line."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from simspark_ros.configuration.errors import UserError

FREE = "free"
"""The camera follows nothing."""


class ViewerError(UserError):
    """The page cannot be served, or a browser does not do what it should; the message names culprit and remedy."""


@dataclass(frozen=True)
class ViewerSettings:
    """What is shown where.

    Attributes:
        host, monitor_port: of the server that is shown.
        bind: address that the page is served on; only this machine reaches the default.
        port: of the page; if it is taken, the next free one.
        world: world file with the lines of the field, none = the soccer field; lengths come from the server.
        rate: most pictures per second.
        follow: what the camera follows at first, `free`, `ball` or a robot such as `left 5`.
        distance: how near the camera comes to what it begins to follow, m.
        played: whether a log is shown, in which no button can change the match.
    """

    host: str = "127.0.0.1"
    monitor_port: int = 3200
    bind: str = "127.0.0.1"
    port: int = 8080
    world: Path | None = None
    rate: float = 25.0
    follow: str = FREE
    distance: float = 4.5
    played: bool = False


def require_viser() -> None:
    """Look for what serves the page, without loading it.

    Raises:
        ViewerError: it is not installed.
    """
    if find_spec("viser") is None:
        raise ViewerError("the viewer needs viser: pip install viser")
