"""A network between clients and a port of this machine that delays, splits, goes silent and cuts.

Lost packets show to TCP as delays, since the kernel sends them again.
"""

import contextlib
import random
import socket
import struct
import threading
import time

CHUNK = 1 << 16
AT_ONCE = struct.pack("ii", 1, 0)
"""Linger time of a connection that is reset."""


class BadNetwork(contextlib.AbstractContextManager["BadNetwork"]):
    """Connects each client of its port to the server; what a client sends to it and gets from it stays in order.

    Args:
        largest_delay: each piece waits evenly between 0 and this, s.
        largest_piece: largest piece into which data are split, bytes, None = not split.

    Attributes:
        port: the port for clients.
    """

    def __init__(self, server_port: int, largest_delay: float = 0.0, largest_piece: int | None = None) -> None:
        self._server_port = server_port
        self._delay, self._piece = largest_delay, largest_piece
        self._passes, self._end = threading.Event(), threading.Event()
        self._passes.set()
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._start(self._accept)

    def fall_silent(self) -> None:
        """Pass nothing on, in either direction: a cable is pulled."""
        self._passes.clear()

    def reset(self) -> None:
        """Reset all connections, wherever their messages are."""
        for one in self._sockets:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self._close_all()

    def __exit__(self, *error: object) -> None:
        self._end.set()
        self._passes.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._close_all()
        for thread in self._threads:
            thread.join()

    def _close_all(self) -> None:
        while self._sockets:
            one = self._sockets.pop()
            with contextlib.suppress(OSError):
                # Wakes up the thread that reads it.
                one.shutdown(socket.SHUT_RD)
            one.close()

    def _start(self, work: object, *arguments: object) -> None:
        self._threads.append(threading.Thread(target=work, args=arguments, daemon=True))  # type: ignore[arg-type]
        self._threads[-1].start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while not self._end.is_set():
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._server_port))
                for one in (near, far):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sockets += [near, far]
                for number, (source, sink) in enumerate(((near, far), (far, near))):
                    self._start(self._pass_on, source, sink, random.Random(len(self._threads) + number))

    def _pass_on(self, source: socket.socket, sink: socket.socket, chance: random.Random) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(CHUNK):
                while chunk:
                    size = chance.randint(1, self._piece) if self._piece else len(chunk)
                    time.sleep(chance.uniform(0.0, self._delay))
                    self._passes.wait()
                    sink.sendall(chunk[:size])
                    chunk = chunk[size:]
            sink.shutdown(socket.SHUT_WR)
