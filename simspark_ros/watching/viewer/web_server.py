"""Viser's web server behind the gate, with the style and script of this project's page."""

from __future__ import annotations

import contextlib
import io
import socket
import warnings
from collections.abc import Callable
from typing import Any

from simspark_ros.watching.viewer.gate import TOKEN, Gate, log_in_lines, visitor
from simspark_ros.watching.viewer.settings import ViewerError, require_viser
from simspark_ros.watching.viewer.visitor import Use


def start_server(host: str, port: int, token: str, takes: Callable[[Use], bool]) -> Any:
    """Start the server of a page; `takes` says whether the page offers the element that a browser uses.

    Raises:
        ViewerError: viser is not installed, or the address is none of this machine.
    """
    require_viser()
    # Viser looks for the next free port, and for ever if the address is none of this machine.
    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass
    except (OSError, UnicodeError) as error:
        raise ViewerError(f"cannot serve the viewer on '{host}': {error}; choose an address of this machine") from None
    import viser

    # A browser may leave while its camera follows something.
    warnings.filterwarnings("ignore", "Queued a .* on a closed connection")
    log_in_lines()
    gate = Gate(token, f"viser-v{viser.__version__}", host, takes)
    # Viser announces itself on standard output, where the viewer's own lines say more.
    with contextlib.redirect_stdout(io.StringIO()), gate.guarding():
        server = viser.ViserServer(host, port, label="simspark", verbose=False)
    server.on_client_connect(_greet)
    return server


async def _greet(client: Any) -> None:
    """Let the gate tell a browser that it only watches; a coroutine, as it has the context of the connection."""
    guest = visitor()
    if guest is not None:
        text = f"Open the address with its {TOKEN} to use the panel."
        guest.greet(lambda: client.add_notification("Watching only", text))
