"""A fake server: shows one scene to every monitor and records what they send."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_ros.server.viewer_settings import ViewerSettings
from test.rigs.waiting import until
from watching.test.broadcast.scenes import frame as scene_frame
from watching.test.broadcast.scenes import percepts, robot

CAMERA: dict[str, Any] = {"kind": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (0.0, -20.0, 10.0)}
CAMERA |= {"fov": 0.7, "near": 0.1, "far": 100.0, "image_height": 360, "image_width": 640}
CAMERA |= {"look_at": (0.0, 0.0, 0.0), "up_direction": (0.0, 0.0, 1.0)}


@contextmanager
def browser(url: str, **headers: str) -> Iterator[Any]:
    """What a browser does when it opens the page: it tells where its camera is, and reads."""
    import viser
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    protocol = Subprotocol(f"viser-v{viser.__version__}")
    address = url.replace("http", "ws")
    options: Any = {"subprotocols": [protocol], "max_size": None, "compression": None}
    # A busy test may read too late for the pings of the server, and a full queue would delay the end.
    options |= {"additional_headers": headers, "ping_interval": None, "max_queue": None}
    with connect(address, **options) as connection:
        send(connection, **CAMERA)
        yield connection


def messages(page: Any) -> Iterator[dict[str, Any]]:
    """What the page is sent, without raw arrays: compressed msgpack behind two lengths of 8 bytes."""
    import msgspec
    import zstandard

    while True:
        data = page.recv(timeout=10.0)
        packed = data[16 : 16 + int.from_bytes(data[8:16], "little")]
        yield from msgspec.msgpack.decode(zstandard.decompress(packed))["messages"]


def send(page: Any, kind: str, **fields: Any) -> None:
    """Send what the page's script would send."""
    import msgspec

    page.send(msgspec.msgpack.encode({"type": kind, **fields}))


def wait_for_note(page: Any) -> None:
    """Wait until the page says that it only watches."""
    next(one for one in messages(page) if "Watching only" in str(one))


class PaperServer:
    """Shows the ball of a full field at another place in each frame; in a pause one frame for each dropped ball."""

    def __init__(self, robots: int = 11) -> None:
        teams = [robot("nao", 0, side, unum) for side in ("left", "right") for unum in range(1, robots + 1)]
        self._full = scene_frame(percepts(*teams))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.connected = self.joined = self.shown = 0
        self.heard: list[str] = []
        self.extra: list[bytes] = []
        self.score = 1
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        self._listener.settimeout(0.1)
        while not self._ending.is_set():
            try:
                sock, _ = self._listener.accept()
            except TimeoutError:
                continue
            self.connected += 1
            self.joined += 1
            with sock, suppress(OSError):
                self._show(sock)
            self.connected -= 1

    def _show(self, sock: socket.socket) -> None:
        commands = FrameDecoder(1 << 16)
        sock.settimeout(0.04)
        sock.sendall(frame(self._full))
        while not self._ending.is_set():
            if "(pause)" not in self.heard:
                self._show_next(sock)
            with suppress(TimeoutError):
                chunk = sock.recv(1 << 16)
                if not chunk:
                    return
                self.heard += (told := [payload.decode() for payload in commands.feed(chunk)])
                if "(pause)" in self.heard and "(dropBall)" in told:
                    self._show_next(sock)

    def _show_next(self, sock: socket.socket) -> None:
        self.shown += 1
        # The number of nodes is that of the full frame.
        nodes = "(nd)" * (self._full.count(b"(nd"))
        moved = nodes.replace("(nd)", f"(nd (SLT 1 0 0 0 0 1 0 0 0 0 1 0 0 0 {10 + self.shown % 5} 1))", 1)
        game = f"(time {self.shown * 0.04:g})(score_left {self.score})"
        while self.extra:
            sock.sendall(frame(self.extra.pop(0)))
        sock.sendall(frame(f"({game})(RDS 0 1)({moved})".encode()))

    def close(self) -> None:
        self._ending.set()
        self._thread.join(5.0)
        self._listener.close()


@pytest.fixture
def server() -> Iterator[PaperServer]:
    made = PaperServer()
    yield made
    made.close()


@contextmanager
def viewing(port: int, **settings: Any) -> Iterator[Any]:
    """A viewer in a thread, on any free port."""
    pytest.importorskip("viser", reason="viser is not installed")
    from simspark_watching.viewer.viewer import Viewer

    lines: list[str] = []
    viewer: Any = Viewer(ViewerSettings(monitor_port=port, port=0, **settings), lines.append)
    viewer.lines = lines
    stop = threading.Event()
    thread = threading.Thread(target=viewer.run, args=(stop,), daemon=True)
    thread.start()
    try:
        yield viewer
    finally:
        stop.set()
        thread.join(10.0)
        viewer.close()
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def shared_viewer() -> Iterator[Any]:
    """A viewer with its `server`; one browser stays, as what others press while there is none is lost."""
    server = PaperServer()
    # Few pictures, as what is read of them is unpacked.
    with viewing(server.port, rate=5.0, follow="ball") as viewer, browser(viewer.url):
        viewer.server = server
        yield viewer
    server.close()


@pytest.fixture
def viewer(shared_viewer: Any) -> Any:
    """The viewer of the module, as it was at first."""
    shared_viewer.server.heard.clear()
    shared_viewer._page._follow.value, shared_viewer._page._marks.value = "ball", True
    pictures = shared_viewer.pictures
    until(lambda: shared_viewer.pictures > pictures + 1)
    return shared_viewer


def without_token(viewer: Any) -> str:
    """The address of the page for those who only watch."""
    return f"http://127.0.0.1:{viewer.port}"
