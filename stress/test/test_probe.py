"""The good client of the hostile-client suite on real sockets."""

import socket
import threading
from contextlib import closing

import pytest

from simspark_ros.protocol.framing import FrameDecoder, frame
from simspark_stress import probe
from simspark_stress.probe import Probe
from stress.test.fake_server import CYCLE, FakeServer
from test.rigs.waiting import DEADLINE, until

ANSWERS = 40
"""Number of answers after which the lock-step server ends."""


def test_a_neck_that_turns_on_while_the_good_client_was_not_heard_obeys():
    with FakeServer() as server, closing(Probe(("127.0.0.1", server.port), "Watcher", CYCLE, DEADLINE)) as good:
        good.begin()
        # Far beyond the angle where the good client turns back.
        server.hurry(400)
        until(lambda: good.observation().messages > 500)
        assert good.observation().problems == {}


def serve_in_lockstep(listener: socket.socket, answers: list[bytes]) -> None:
    """Send a message for each answer, until there are enough."""
    client, _ = listener.accept()
    frames = FrameDecoder(1 << 16)
    with client:
        for cycle in range(ANSWERS):
            while len(answers) <= cycle:
                answers += frames.feed(client.recv(1 << 16))
            text = f"(time (now {CYCLE * cycle:.2f}))(GS (unum 1) (t 0.00) (pm BeforeKickOff))(HJ (n hj1) (ax 0.00))"
            client.sendall(frame(text.encode()))


def test_the_good_client_answers_each_message_once_and_none_before_it_has_come(monkeypatch: pytest.MonkeyPatch):
    """However long a cycle of a busy server takes, it hears the same commands in the same cycles."""
    monkeypatch.setattr(probe, "_WITHHELD", 0.0)
    answers: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve_in_lockstep, args=(listener, answers))
        thread.start()
        with closing(Probe(listener.getsockname(), "Watcher", CYCLE, DEADLINE)):
            until(lambda: len(answers) == ANSWERS)
        thread.join(DEADLINE)
    scene, init, *others = answers
    assert scene.startswith(b"(scene") and init.startswith(b"(init")
    assert set(others) == {b"(he1 1.00)(syn)"}
