"""A person at the console of a running server."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

PROMPTS = {False: ">>> ", True: "... "}


class ConsoleError(Exception):
    """The console cannot be reached; the message says what to do."""


def talk(path: Path, read: Callable[[str], str], out: TextIO) -> None:
    """Send lines to the console of a server and print its answers, until there are no more lines.

    Args:
        path: path of the console's socket.
        read: function from a prompt to a line; raises `EOFError` at the end.
        out: stream that takes the answers.

    Raises:
        ConsoleError: nobody serves the socket, or the server has ended.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(path))
        except OSError as error:
            remedy = "start the server with: simspark serve --console PATH"
            raise ConsoleError(f"{path}: {error.strerror or error}; {remedy}") from None
        with connection.makefile("rwb") as stream:
            more = False
            while True:
                try:
                    line = read(PROMPTS[more])
                except EOFError:
                    return
                stream.write(json.dumps({"line": line}).encode() + b"\n")
                stream.flush()
                answer = stream.readline()
                if not answer:
                    raise ConsoleError(f"{path}: the server has ended")
                told = json.loads(answer)
                out.write(told["output"])
                out.flush()
                more = told["more"]
