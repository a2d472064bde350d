"""The good client of the hostile-client suite on real sockets."""

from __future__ import annotations

from contextlib import closing

from simspark_ros.clients.stress.probe import Probe
from test.clients.stress.fake_server import CYCLE, FakeServer
from test.rigs.waiting import DEADLINE, until


def test_a_neck_that_turns_on_while_the_good_client_was_not_heard_obeys():
    with FakeServer() as server, closing(Probe(("127.0.0.1", server.port), "Watcher", CYCLE, DEADLINE)) as good:
        good.begin()
        # Far beyond the angle where the good client turns back.
        server.hurry(400)
        until(lambda: good.observation().messages > 500)
        assert good.observation().problems == {}
