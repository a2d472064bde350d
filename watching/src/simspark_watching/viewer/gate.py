"""Viser's web server behind a gate: who may open the page, and who may use its panel.

A page of any other site may ask the browser to talk to this one. So requests have to call the server by its own name
(`Host`, against names that strangers point at this machine) and may come from its own page only (`Origin`). The panel
works for browsers that opened the address with its token, which they then keep as a cookie.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import hmac
import http
import io
import ipaddress
import logging
import socket
import warnings
from collections.abc import Callable, Coroutine, Iterator
from contextvars import ContextVar
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.line_limit import LineLimit
from simspark_ros.server.viewer_settings import ViewerError, require_page
from simspark_watching.viewer.front import put_front
from simspark_watching.viewer.visitor import Use

if TYPE_CHECKING:
    from simspark_watching.viewer.visitor import Use, Visitor

PERIOD = 1.0
"""Time from the end of a connection to the search, s; other connections may end meanwhile."""


class Remains:
    """Frees the remains of browsers' connections some time after these have ended; used in the event loop alone.

    The tasks and errors of a connection that has ended refer to each other, and hold the messages that were on the way.
    Python itself looks for such cycles when they may be a quarter of all that lives: the page would take 20 MB more.
    """

    def __init__(self) -> None:
        self._search: asyncio.TimerHandle | None = None

    def note(self) -> None:
        """A connection ends."""
        if self._search is None:
            self._search = asyncio.get_running_loop().call_later(PERIOD, self._collect)

    def _collect(self) -> None:
        self._search = None
        gc.collect()


TOKEN = "token"
"""Name of the token in the address."""

LARGEST_MESSAGE = 1 << 20
"""Longest message from a browser, bytes."""

MOST_BROWSERS = 64
"""Most browsers at a time; each gets all motion."""

_LINES_AT_ONCE, _LINES_PER_MINUTE = 20, 10
"""Most lines that browsers can cause in the log."""

_LOCAL = "localhost"
_VISITOR: ContextVar[Visitor | None] = ContextVar("visitor", default=None)


def visitor() -> Visitor | None:
    """The browser whose connection this context serves, None if it serves none."""
    return _VISITOR.get()


class Gate:
    """Checks requests of browsers, HTTP and WebSocket, in front of viser's own server.

    Args:
        token: the token in the page's address.
        protocol: the WebSocket sub-protocol that the page speaks.
        bind: address that the page is served on; its name is one that browsers may use.
        takes: function that tells whether the page offers the element that a browser's message uses.
    """

    def __init__(self, token: str, protocol: str, bind: str, takes: Callable[[Use], bool]) -> None:
        self._token, self._protocol, self._takes = token, protocol, takes
        self._browsers = 0
        self._names = {_LOCAL, bind.lower(), socket.gethostname().lower(), socket.getfqdn().lower()}

    @contextlib.contextmanager
    def guarding(self) -> Iterator[None]:
        """Guard the server that viser starts meanwhile: it has no hook for that."""
        from websockets.asyncio import server

        original = server.serve
        server.serve = self._guarded(original)
        try:
            yield
        finally:
            server.serve = original

    def _guarded(self, serve: Callable[..., Any]) -> Callable[..., Any]:
        from simspark_watching.viewer.visitor import Visitor

        def guarded(handler: Callable[[Any], Coroutine[Any, Any, None]], *words: Any, **options: Any) -> Any:
            answer, remains = options.pop("process_request"), Remains()

            def check(connection: Any, request: Any) -> Any:
                remains.note()
                refusal = self._refusal(request)
                if refusal:
                    return connection.respond(*refusal)
                response = answer(connection, request)
                if response is not None:
                    put_front(response)
                if response is not None and self._has_token(request):
                    port = connection.local_address[1]
                    cookie = f"{_cookie(port)}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                    response.headers["Set-Cookie"] = cookie
                return response

            async def handle(connection: Any) -> None:
                known = self._is_known(connection.request, connection.local_address[1])
                guest = Visitor(known, self._takes)
                _VISITOR.set(guest)
                self._browsers += 1
                # Viser takes each message from here, and carries it out.
                connection.recv = functools.partial(guest.receive, connection.recv)
                try:
                    await handler(connection)
                finally:
                    self._browsers -= 1
                    remains.note()

            return serve(handle, *words, process_request=check, **{**options, "max_size": LARGEST_MESSAGE})

        return guarded

    def _refusal(self, request: Any) -> tuple[http.HTTPStatus, str] | None:
        """The reason for refusing a request, None if it is accepted."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return http.HTTPStatus.FORBIDDEN, "Open this page by an address or by the name of its machine.\n"
        if any(urlsplit(origin).netloc.lower() != hosts[0].lower() for origin in origins):
            return http.HTTPStatus.FORBIDDEN, "Pages of other sites may not use this page.\n"
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol")).replace(" ", "").split(",")
        if request.headers.get("Upgrade") and self._protocol not in offered:
            return http.HTTPStatus.BAD_REQUEST, f"This page speaks {self._protocol}: load it again.\n"
        if request.headers.get("Upgrade") and self._browsers >= MOST_BROWSERS:
            return http.HTTPStatus.SERVICE_UNAVAILABLE, (
                f"{MOST_BROWSERS} browsers are already watching, which is the limit.\n"
            )
        return None

    def _is_own(self, host: str) -> bool:
        """Whether a `Host` is a number, which no foreign name can be, or a name of this machine."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        with contextlib.suppress(ValueError):
            ipaddress.ip_address(name)
            return True
        return name in self._names

    def _has_token(self, request: Any) -> bool:
        given = parse_qs(urlsplit(request.path).query).get(TOKEN, [])
        return any(self._is_token(one) for one in given)

    def _is_known(self, request: Any, port: int) -> bool:
        """Whether a browser has the token, as a cookie or, other programs, in the address."""
        cookies: SimpleCookie = SimpleCookie()
        with contextlib.suppress(CookieError):
            for line in request.headers.get_all("Cookie"):
                cookies.load(line)
        kept = cookies.get(_cookie(port))
        return self._has_token(request) or (kept is not None and self._is_token(kept.value))

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(), self._token.encode())


def _cookie(port: int) -> str:
    # Cookies of all ports of a host are one jar.
    return f"simspark_{port}"


class _FewLines(logging.Filter):
    """Makes one line of a message with a traceback, and leaves out the excess: nonsense must not fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._limit = LineLimit(_LINES_AT_ONCE, _LINES_PER_MINUTE / 60.0)

    def filter(self, record: logging.LogRecord) -> bool:
        left_out = self._limit.admit()
        if left_out is None:
            return False
        text = f"viewer: {record.getMessage()}"
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            text += f": {type(error).__name__}: {cut(str(error), 200)!r}"
        if left_out:
            text += f" ({left_out} lines before this one were left out: too many at once)"
        record.msg, record.args = text.replace("\n", " "), ()
        record.exc_info, record.exc_text = None, None
        return True


def log_in_lines() -> None:
    """Make the page's server log broken connections and messages in one line each, and not too many."""
    few = _FewLines()
    for logger in map(logging.getLogger, ("asyncio", "websockets.server")):
        for old in list(logger.filters):
            if isinstance(old, _FewLines):
                logger.removeFilter(old)
        logger.addFilter(few)


def start_server(host: str, port: int, token: str, takes: Callable[[Use], bool]) -> Any:
    """Start the server of a page; `takes` says whether the page offers the element that a browser uses.

    Raises:
        ViewerError: viser is not installed, or the address is none of this machine.
    """
    require_page()
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
