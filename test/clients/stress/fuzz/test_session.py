"""What the witnesses of a session read in the output of servers."""

from __future__ import annotations

from simspark_ros.clients.stress.fuzz.session import printed_errors


def test_tracebacks_and_exceptions_that_servers_survive_are_errors():
    survived = "driver 1: is disconnected, as its message was not understood: TypeError in read, line 7: x; please"
    printed = f"usual\nTraceback (most recent call last):\n  File x\nValueError: y\nKeyError: of nothing\n{survived}\n"
    assert printed_errors(printed) == {"ValueError": "ValueError: y", "TypeError": survived}
