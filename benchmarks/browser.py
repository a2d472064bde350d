"""A browser that looks at the page of `simspark view` and draws nothing."""

import threading

import msgspec
import viser
import zstandard
from websockets.sync.client import ClientConnection, connect

CAMERA = {
    "type": "ViewerCameraMessage",
    **{"wxyz": (1.0, 0.0, 0.0, 0.0), "position": (0.0, -20.0, 10.0), "look_at": (0.0, 0.0, 0.0)},
    **{"up_direction": (0.0, 0.0, 1.0), "fov": 0.7, "near": 0.1, "far": 100.0},
    **{"image_height": 720, "image_width": 1280},
}


class Browser:
    """Counts the pictures that it is sent, by the changes of one mesh."""

    def __init__(self, url: str) -> None:
        self.pictures = 0
        protocol = f"viser-v{viser.__version__}"
        self._page: ClientConnection = connect(
            url.replace("http", "ws"), subprotocols=[protocol], max_size=None, compression=None
        )
        self._page.send(msgspec.msgpack.encode(CAMERA))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for data in self._page:
            size = int.from_bytes(data[8:16], "little")
            packed = msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(data[16 : 16 + size]))
            self.pictures += sum(
                message.get("name") == "/bodies/0" and "batched_positions" in message.get("updates", {})
                for message in packed["messages"]
            )
