"""Many sockets in one call, compiled and uncompiled: what is not usual is left to the caller, and no byte is lost."""

import os
import signal
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from types import ModuleType
from typing import Any

import pytest

from simspark_ros.protocol.framing import frame
from simspark_ros.server.tcp import framed_server
from test.rigs.kernels import both
from test.rigs.waiting import until

READ, WRITE = (getattr(both("sockets")[0], name) for name in ("READ", "WRITE"))
Pair = tuple[socket.socket, socket.socket]


def is_compiled(module: ModuleType) -> bool:
    return module is both("sockets")[0]


@pytest.fixture(params=[0, 1], ids=["compiled", "uncompiled"])
def module(request: pytest.FixtureRequest) -> ModuleType:
    return both("sockets")[request.param]


@pytest.fixture
def selector(module: ModuleType) -> Iterator[Any]:
    with closing(module.Selector()) as one:
        yield one


@pytest.fixture
def pair() -> Iterator[Callable[[], Pair]]:
    """Makes two connected sockets that do not block."""
    with ExitStack() as stack:

        def make() -> Pair:
            ends = socket.socketpair()
            for end in ends:
                end.setblocking(False)
                stack.enter_context(end)
            return ends

        yield make


class Heard:
    """Takes the events of a socket as a server does: what is not received yet it receives itself."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self.masks, self.data, self.received_alone = sock, 0, b"", False

    def __call__(self, mask: int, chunk: bytes | None) -> None:
        self.masks |= mask
        self.received_alone |= chunk is not None
        if mask & READ:
            self.data += self.sock.recv(1 << 20) if chunk is None else chunk


def test_bytes_of_all_sockets_come_in_order_however_many_they_are(
    module: ModuleType, selector: Any, pair: Callable[[], Pair]
) -> None:
    pairs = [pair() for _ in range(150)]
    heard = [Heard(here) for here, _ in pairs]
    for one in heard:
        selector.register(one.sock.fileno(), READ, one, True)
    for number, (_, there) in enumerate(pairs):
        # More than one call receives from one of them, and from all together.
        there.send(bytes([number]) * 2000)
    while selector.serve(0.0):
        pass
    assert any(one.received_alone for one in heard) == is_compiled(module)
    assert [one.data for one in heard] == [bytes([number]) * 2000 for number in range(150)]


def test_only_streams_are_received_from_and_only_while_they_are_registered(
    selector: Any, pair: Callable[[], Pair]
) -> None:
    here, there = pair()
    heard = Heard(here)
    selector.register(here.fileno(), READ, heard)
    there.send(b"one")
    assert selector.serve(0.0) and heard.data == b"one" and not heard.received_alone
    selector.register(here.fileno(), READ, heard, True)
    selector.unregister(here.fileno())
    selector.unregister(here.fileno())
    there.send(b"two")
    assert not selector.serve(0.0) and here.recv(10) == b"two"


def test_a_peer_that_has_gone_is_told_by_no_bytes(selector: Any, pair: Callable[[], Pair]) -> None:
    here, there = pair()
    heard = Heard(here)
    selector.register(here.fileno(), READ, heard, True)
    there.send(b"last")
    there.close()
    assert selector.serve(0.0)
    assert heard.data == b"last" and selector.serve(0.0) and here.recv(1) == b""
    assert not heard.masks & WRITE, "events that are not asked for are not told"


def test_an_error_is_told_as_both_events_that_are_asked_for(selector: Any, pair: Callable[[], Pair]) -> None:
    here, there = pair()
    masks: list[int] = []
    selector.register(here.fileno(), WRITE, lambda mask, _: masks.append(mask))
    there.close()
    assert selector.serve(0.0) and masks == [WRITE]


def test_a_socket_that_takes_the_number_of_one_closed_in_the_same_round_gets_none_of_its_bytes(
    selector: Any, pair: Callable[[], Pair]
) -> None:
    ends = [pair(), pair()]
    later: list[Heard] = []

    def closes(number: int) -> Callable[..., None]:
        def act(mask: int, chunk: bytes | None) -> None:
            # The first one served closes the other, and a newcomer takes its number.
            if not later:
                old = ends[1 - number][0]
                file = old.fileno()
                selector.unregister(file)
                old.close()
                new, _ = pair()
                assert new.fileno() == file
                later.append(Heard(new))
                selector.register(file, READ, later[0], True)

        return act

    for number, (here, there) in enumerate(ends):
        selector.register(here.fileno(), READ, closes(number), True)
        there.send(b"old")
    assert selector.serve(0.0)
    assert later[0].data == b"" and later[0].masks == 0


def test_a_signal_ends_the_wait_and_its_handler_runs(selector: Any) -> None:
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        # Python goes on waiting after a handler that returns.
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(InterruptedError):
            selector.serve(20.0)
            os.getpid()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert came == [signal.SIGALRM]


def test_a_closed_selector_says_so(selector: Any) -> None:
    selector.close()
    with pytest.raises(ValueError, match="closed"):
        selector.serve(0.0)


def test_what_a_socket_does_not_take_is_counted_and_stops_no_other(
    module: ModuleType, selector: Any, pair: Callable[[], Pair]
) -> None:
    (full, _), (gone, other_end), (good, reader) = pair(), pair(), pair()
    other_end.close()
    large = b"x" * (1 << 22)
    taken = selector.send([-1, full.fileno(), gone.fileno(), good.fileno()], [b"none", large, b"lost", b"whole"])
    if is_compiled(module):
        assert taken[0] == taken[2] == 0 and 0 < taken[1] < len(large) and taken[3] == 5
        assert reader.recv(10) == b"whole"
    else:
        assert taken == [0] * 4


def test_more_sockets_than_one_call_serves_are_left(selector: Any, pair: Callable[[], Pair]) -> None:
    pairs = [pair() for _ in range(150)]
    taken = selector.send([here.fileno() for here, _ in pairs], [b"abc"] * 150)
    assert set(taken) <= {0, 3}
    for count, (_, there) in zip(taken, pairs, strict=True):
        if count:
            assert there.recv(10) == b"abc"
        else:
            with pytest.raises(BlockingIOError):
                there.recv(10)


def _session(serve_agents: Any) -> list[Any]:
    """What a server takes and its agents hear, some of whom send in pieces, several at once, or nonsense."""
    here = serve_agents()
    agents = [here.join(number) for number in (1, 2, 3)]
    syn = frame(b"(he1 1.25)(syn)")
    told: list[Any] = []
    rows = [
        [(syn, 1), (syn, 1), (syn, 1)],
        [(syn[:2], 0), (frame(b"(lae1 2)") + syn, 2), (syn + syn[:6], 1)],
        [(syn[2:], 1), (syn, 1), (syn[6:], 1)],
        [(syn, 1), (struct.pack(">I", 1 << 30) + b"(syn)", 0), (syn, 1)],
    ]
    for row in rows:
        for agent, (data, messages) in zip(agents, row, strict=True):
            expected = here.received + messages
            agent.send_raw(data)
            here.until(here.poll)
            assert messages == 0 or here.received == expected
        commands = here.cycle()
        clients = here.server.clients()
        told.append([(one.received, one.sent, one.dropped, dict(one.rejected)) for one in clients])
        told.append((commands.handles.tolist(), commands.velocities.tolist(), len(commands.actions)))
    heard: list[list[bytes]] = [[], []]

    def collect() -> None:
        heard[0] += agents[0].arrived()
        heard[1] += agents[2].arrived()

    # `join` has taken the first one.
    until(lambda: [len(messages) for messages in heard] == [one.sent - 1 for one in clients], collect)
    told += [*heard, agents[1].is_closed, len(here.log.having("at most 65536"))]
    return told


def test_a_session_is_the_same_with_the_uncompiled_kernel(serve_agents: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled, uncompiled = both("sockets")
    first = _session(serve_agents)
    monkeypatch.setattr(framed_server, "Selector", uncompiled.Selector)
    assert _session(serve_agents) == first
    assert compiled.Selector is not uncompiled.Selector and first[-2:] == [True, 1]
