"""A proxy's connection to a simulator that behaves well or does not."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from simspark_ros.kernels.sockets import Selector
from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_ros.server.remote.codec import Hello, Refusal, Welcome, decode, encode
from simspark_ros.server.remote.proxy import TcpUpstream, UpstreamError
from test.rigs.waiting import DEADLINE, until

HELLO = Hello("east", 0.02)


@contextmanager
def simulator(answer: bytes) -> Iterator[tuple[int, list[socket.socket]]]:
    """Accepts one connection, reads the hello and answers; yields its port and, once there, the connection."""
    connections: list[socket.socket] = []

    def greet() -> None:
        connection, _ = listener.accept()
        connections.append(connection)
        (hello,) = FrameDecoder(1000).feed(connection.recv(1000))
        assert decode(hello, Hello) == HELLO
        if answer:
            connection.sendall(answer)
        else:
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE)
        thread = threading.Thread(target=greet)
        thread.start()
        try:
            yield listener.getsockname()[1], connections
        finally:
            thread.join(DEADLINE)
            for connection in connections:
                connection.close()


@pytest.fixture
def poll(selector: Selector) -> Callable[[], bool]:
    return lambda: selector.serve(0.01)


def test_messages_go_both_ways_and_a_simulator_that_does_not_read_does_not_block(selector, poll):
    with simulator(frame(encode(Welcome(0.5))) + frame(b"first")) as (port, connections):
        upstream = TcpUpstream("127.0.0.1", port, HELLO, selector)
        assert upstream.limit == 0.5
        assert list(upstream.inbox) == [b"first"], "what came with the welcome is not lost"
        connections[0].sendall(frame(b"second")[:3])
        connections[0].sendall(frame(b"second")[3:])
        until(lambda: len(upstream.inbox) == 2, poll)
        upstream.send(b"answer")
        assert upstream.idle
        assert FrameDecoder(1000).feed(connections[0].recv(1000)) == [b"answer"]
        upstream.close()
    with simulator(frame(encode(Welcome(0.5)))) as (port, connections):
        upstream = TcpUpstream("127.0.0.1", port, HELLO, selector)
        sent = 0
        while upstream.idle:
            upstream.send(bytes(1 << 20))
            sent += 1
        received = 0

        def read() -> None:
            nonlocal received
            received += len(connections[0].recv(1 << 20))
            poll()

        until(lambda: received == sent * ((1 << 20) + 4), read)
        until(lambda: upstream.idle, poll)
        upstream.close()


@pytest.mark.parametrize(
    ("last", "why"), [(b"", "127.0.0.1:{} closed the connection"), (b"\xff\xff\xff\xff", "cannot be understood")]
)
def test_the_end_of_the_simulator_is_noticed(selector, poll, last, why):
    with simulator(frame(encode(Welcome(0.5)))) as (port, connections):
        upstream = TcpUpstream("127.0.0.1", port, HELLO, selector)
        connections[0].sendall(last)
        connections[0].shutdown(socket.SHUT_WR)
        until(lambda: upstream.lost, poll)
        assert why.format(port) in upstream.lost
        upstream.close()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (frame(encode(Refusal("too many"))), "too many"),
        (b"", "proxy port"),
        (frame(b"(time (now 0.02))"), "proxy port"),
        (frame(encode(Welcome(0.5))[:5]), "proxy port"),
        (b"\xff\xff\xff\xff", "proxy port"),
    ],
)
def test_who_is_no_simulator_or_does_not_want_the_proxy_is_named(selector, answer, why):
    with simulator(answer) as (port, _), pytest.raises(UpstreamError, match=why):
        TcpUpstream("127.0.0.1", port, HELLO, selector)


def test_an_address_without_a_simulator_is_refused(selector):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(UpstreamError, match=f"--proxy-port {port}"):
        TcpUpstream("127.0.0.1", port, HELLO, selector)
