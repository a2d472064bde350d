"""The door of the viewer's page: HTTP requests and WebSocket messages of browsers, real or would-be."""

from __future__ import annotations

import importlib.metadata
import random
import struct
import time
import urllib.parse
from typing import Any

from simspark_stress.attacks.expressions import damage
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.messagepack import packed
from simspark_stress.fuzz.doors.sockets import SocketDoor
from simspark_stress.fuzz.grammar import PAUSES, SIZES, WORDS, damaged_bytes, ended, woven
from simspark_stress.fuzz.server import STARTING, Server
from simspark_stress.fuzz.session import Door
from simspark_stress.hostile_client import HostileClient

_HEADERS = {
    "Host": ("127.0.0.1", "localhost:8080", "evil.example", ""),
    "Origin": ("http://127.0.0.1:8080", "http://evil.example", "null"),
    "Upgrade": ("websocket", "h2c", "\xff"),
    "Connection": ("Upgrade", "close", "keep-alive, Upgrade"),
    "Sec-WebSocket-Key": ("AAAAAAAAAAAAAAAAAAAAAA==", "short", ""),
    "Sec-WebSocket-Version": ("13", "8", "-1"),
    "Sec-WebSocket-Protocol": ("viser-v1.1.1", "viser-v0", "x" * 1000),
    "Sec-WebSocket-Extensions": ("permessage-deflate", "permessage-deflate; server_max_window_bits=99"),
    "Content-Length": ("0", "-1", "99999999999"),
}

_PATHS = (
    "/",
    "/index.html",
    "/../../../../etc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/" + "a" * 9000,
    "*",
    "",
    "//x",
    "/\0",
)

_TYPES = (
    *("GuiUpdateMessage", "ViewerCameraMessage", "ScenePointerMessage", "GuiButtonHoldMessage", "GuiFormSubmitMessage"),
    *("FileTransferStartUpload", "FileTransferPart", "NotificationShowMessage", "Message", "", "__init__"),
)

_CAMERA: dict[str, Any] = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [0.0, -20.0, 10.0],
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 0.0, 1.0],
    **{"fov": 0.7, "near": 0.1, "far": 100.0, "image_height": 360, "image_width": 640},
}
"""First message of a browser, which watches from then on."""

_ELEMENT = "element "
"""Prefix of the number that stands for an element or key of the panel, whose uuid differs in each run."""

_UPGRADE = (
    " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: viser-v1.1.1\r\n\r\n"
)
"""Rest of a request for a WebSocket, after the path."""

_NODES = ("/bodies/0", "/bodies/1", "/bodies/99", "/bodies/x", "/ball_handle", "/pitch/0", "/", "")
"""Names of scene nodes, some of which can be clicked or dragged."""


class ViewerDoor(SocketDoor):
    """The page of a running server.

    The verbs are those of `SocketDoor` except `message`, and these:

    `page WHO`: opens a WebSocket with the token, which allows everything on the page.
    `frame WHO OPCODE TEXT [LENGTH]`: sends a WebSocket frame, which announces a wrong length if one is given.
    `packed WHO VALUE`: sends a JSON value as MessagePack in a frame; a uuid `element N` stands for the panel's N-th
    element or key.

    Attributes:
        elements: uuids of the panel's elements and keys.
    """

    def __init__(self, server: Server) -> None:
        page = urllib.parse.urlsplit(str(server.ports["viewer"]))
        self._path = f"{page.path or '/'}?{page.query}"
        super().__init__((str(page.hostname), int(page.port or 0)), b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        end = time.monotonic() + STARTING
        self.elements: list[str] = []
        # The page answers before its panel is ready.
        while not self.elements and time.monotonic() < end:
            if not self.fault():
                self.elements = _elements(page.netloc)
            time.sleep(0.1)

    def step(self, client: HostileClient, verb: str, arguments: list[Any]) -> None:
        """Carry out a verb of one client, see `SocketDoor.step`."""
        if verb == "page":
            client.raw(f"GET {self._path}{_UPGRADE}".encode())
        elif verb == "frame":
            client.raw(frame(int(arguments[0]), str(arguments[1]).encode("latin-1", "replace"), *arguments[2:]))
        elif verb == "packed":
            client.raw(frame(2, packed(self._addressed(arguments[0]))))
        else:
            super().step(client, verb, arguments)

    def _addressed(self, value: Any) -> Any:
        """Return the value with this run's uuids."""
        if not isinstance(value, dict):
            return value
        return {key: self._uuid(item) if "uuid" in key else item for key, item in value.items()}

    def _uuid(self, name: Any) -> Any:
        if not self.elements or not isinstance(name, str) or not name.startswith(_ELEMENT):
            return name
        return self.elements[int(name.removeprefix(_ELEMENT)) % len(self.elements)]


def _elements(host: str) -> list[str]:
    """Read the uuids of the panel's elements and keys from MessagePack, compressed and behind two 8-byte lengths."""
    import msgspec
    import zstandard
    from websockets.sync.client import connect
    from websockets.typing import Subprotocol

    protocol = Subprotocol(f"viser-v{importlib.metadata.version('viser')}")
    found: list[str] = []
    with connect(f"ws://{host}", subprotocols=[protocol], max_size=None) as page:
        while True:
            data = page.recv(timeout=STARTING)
            size = int.from_bytes(data[8:16], "little")
            for message in msgspec.msgpack.decode(zstandard.decompress(data[16 : 16 + size]))["messages"]:
                if message["type"] == "ReplayDoneMessage":
                    return found
                if message["type"].startswith(("Gui", "RegisterCommand")) and "props" in message:
                    found.append(message["uuid"])


def draw_viewer(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one or two browsers; no case is quiet."""
    return woven(source, [_browser(source, who) for who in range(source.choice((1, 1, 2)))])


def _browser(source: random.Random, who: int) -> list[Step]:
    if source.random() < 0.4:
        return [["raw", who, _request(source)], ["read", who, source.choice(PAUSES)], *ended(source, who)]
    opened: Step = ["page", who] if source.random() < 0.5 else ["raw", who, f"GET /{_UPGRADE}"]
    steps: list[Step] = [opened, ["read", who, 0.1]]
    for _ in range(source.randint(1, 5)):
        if source.random() < 0.6:
            steps.append(["packed", who, source.choice((_value, _camera, _use, _upload, _click, _drag, _key))(source)])
        else:
            text = damaged_bytes(b"\x82\xa4type\xb0GuiUpdateMessage\xa4uuid\xa1a", source).decode("latin-1")
            length = [source.choice(SIZES)] if source.random() < 0.2 else []
            steps.append(["frame", who, source.choice((0, 1, 2, 2, 8, 9, 10, 3, 15)), text, *length])
    return steps + ended(source, who)


def _request(source: random.Random) -> str:
    names = source.sample(list(_HEADERS), source.randint(0, len(_HEADERS)))
    lines = [f"{source.choice(('GET', 'POST', 'HEAD', 'x'))} {source.choice(_PATHS)} HTTP/1.1"]
    lines += [f"{name}: {source.choice(_HEADERS[name])}" for name in names]
    text = "\r\n".join(lines) + "\r\n\r\n"
    if source.random() < 0.4:
        return damage(text.encode("latin-1"), source).decode("latin-1")
    return text


def _value(source: random.Random) -> Any:
    """Draw a message with wrong types, names and values."""
    value: Any = {"type": source.choice(_TYPES)}
    for key in source.sample(("uuid", "updates", "wxyz", "position", "fov", "name", "x"), source.randint(0, 5)):
        value[key] = source.choice((1, -1, 1e308, "nan", None, True, [], [0.0, 1.0, 0.0], {"value": 1e300}, *WORDS[:6]))
    return source.choice((value, value, value, [value], "x", 7, None))


def _camera(source: random.Random) -> Any:
    """Draw a message of a browser's camera, mostly with a wrong field."""
    wrong: Any = source.choice(([1e308] * 3, ["x"] * 3, [0.0] * 3, [0.0], "nan", None, {}))
    return {**_CAMERA, **source.choice(({}, {source.choice(list(_CAMERA)): wrong}))}


def _use(source: random.Random) -> Any:
    """Draw a message that uses an element of the panel, or sets a property other than its value."""
    names = source.sample(("value", "value", "props", "options", "removed", "update_cb", "uuid"), source.randint(1, 2))
    words = ("ball", "free", "left 5", "pause", "forward", "max")
    values: tuple[Any, ...] = (*words, True, 1, 1e308, None, [], {"options": []})
    return {"type": "GuiUpdateMessage", "uuid": _element(source), "updates": {n: source.choice(values) for n in names}}


def _upload(source: random.Random) -> Any:
    """Draw a message that begins the upload of a file to an element, or carries a part of the file."""
    names = {"source_component_uuid": _element(source), "transfer_uuid": source.choice("ab")}
    if source.random() < 0.5:
        sizes = {"part_count": source.choice((0, 1, 1 << 40)), "size_bytes": source.choice((-1, 0, 1 << 50))}
        return {"type": "FileTransferStartUpload", **names, "filename": "f", "mime_type": "m", **sizes}
    content = "x" * source.choice((0, 1, 10_000))
    return {"type": "FileTransferPart", **names, "part_index": source.choice((-1, 0, 1)), "content": content}


def _click(source: random.Random) -> Any:
    """Draw a click on a scene node; a click on a robot shows its inside."""
    which = source.choice((0, 0, 1, 5, -1, 1 << 40, None, "x"))
    place = {"ray_origin": _point(source), "ray_direction": _point(source), "screen_pos": _point(source)[:2]}
    node = {"name": source.choice(_NODES), "instance_index": which, "owner": source.choice(("", "", "o" * 100))}
    return {"type": "SceneNodeClickMessage", **node, **place, "modifier": source.choice((None, None, None, "shift"))}


def _drag(source: random.Random) -> Any:
    """Draw a drag of the ball's handle or of another node."""
    turn = source.choice(([1.0, 0.0, 0.0, 0.0], [0.0] * 4, [1e308] * 4, [1.0]))
    names = {"name": source.choice(_NODES), "owner": source.choice(("", "", "o" * 100))}
    return {"type": "TransformControlsUpdateMessage", **names, "wxyz": turn, "position": _point(source)}


def _key(source: random.Random) -> Any:
    """Draw a press of a shortcut's key."""
    return {"type": "CommandTriggerMessage", "uuid": source.choice((_element(source), "x", 7))}


def _point(source: random.Random) -> list[Any]:
    return [source.choice((0.0, 1.0, -3.0, 900.0, 1e6, 1e308, "nan" if source.random() < 0.2 else 0.5)) for _ in "xyz"]


def _element(source: random.Random) -> str:
    return f"{_ELEMENT}{source.randrange(40)}"


def frame(opcode: int, payload: bytes, length: int | None = None) -> bytes:
    """Return a masked WebSocket frame (RFC 6455, section 5.2) that announces its own or the given length."""
    size = len(payload) if length is None else int(length)
    head = bytes([0x80 | opcode & 0xF])
    if size < 126:
        head += bytes([0x80 | max(size, 0)])
    elif size < 1 << 16:
        head += b"\xfe" + struct.pack(">H", size)
    else:
        head += b"\xff" + struct.pack(">Q", size & (1 << 64) - 1)
    return head + bytes(4) + payload


VIEWER = Door("viewer", draw_viewer, ViewerDoor, ("--viewer",), share=0.5, quiet=False)
