"""Agents, monitors and proxies that are killed, stopped or cut off while a good client plays in lock-step."""

import signal
import sys

import pytest

from test.faults.conftest import SILENT, Using, wave
from test.rigs.processes import Process, simspark
from test.rigs.witness import Witness, port, serve

pytestmark = pytest.mark.slow
MONITOR = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as monitor:
    # The server has it as soon as it sends something.
    monitor.recv(1)
    print("here", flush=True)
    while monitor.recv(1 << 16):
        pass
"""


def proxy(server: Process) -> Process:
    return simspark("proxy", f"--server=127.0.0.1:{port(server, 'proxies')}", "--agent-port=0", "--early")


def test_an_agent_that_is_killed_leaves(server: Process, witness: Witness, using: Using) -> None:
    other = using(wave(port(server, "agents")))
    server.wait_for_line("plays as Waving")
    other.end(signal.SIGKILL)
    server.found(r"agent 2 \(.*: (disconnected|connection lost)")
    assert witness.assert_unharmed().longest_gap < SILENT


def test_an_agent_that_is_stopped_is_waited_for_as_long_as_it_may_be_silent(
    server: Process, witness: Witness, using: Using
) -> None:
    other = using(wave(port(server, "agents")))
    server.wait_for_line("plays as Waving")
    other.send(signal.SIGSTOP)
    server.found(r"agent 2 \(.*has not answered with \(syn\) for 1.5 s and is disconnected")
    assert witness.assert_unharmed().longest_gap >= SILENT
    # Continued, it learns that it is out, and another one may take its number.
    other.send(signal.SIGCONT)
    other.wait_for_line("closed the connection")
    witness.begin()
    with using(wave(port(server, "agents"))):
        server.found(r"agent 3 \(.*plays as Waving 1")
    witness.assert_unharmed()


def test_in_real_time_a_stopped_agent_is_not_waited_for_and_plays_on_when_it_is_continued(using: Using) -> None:
    server = using(serve("--pacing=realtime", "--late-cycles=slip"))
    agents = port(server, "agents")
    witness, other = using(Witness(agents, server)), using(wave(agents, "--cycles=200"))
    server.wait_for_line("plays as Waving")
    other.send(signal.SIGSTOP)
    witness.begin()
    witness.assert_unharmed()
    other.send(signal.SIGCONT)
    assert other.wait() == 0, other.output
    witness.assert_unharmed()


def test_a_proxy_that_is_killed_takes_its_agents_with_it_and_nothing_else(
    server: Process, witness: Witness, using: Using
) -> None:
    near = using(proxy(server))
    using(wave(port(near, "agents")))
    near.wait_for_line("plays as Waving")
    near.end(signal.SIGKILL)
    server.wait_for_line("its 1 clients leave, and the match goes on without")
    assert witness.assert_unharmed().longest_gap < SILENT


def test_a_stopped_proxy_slows_the_match_down_until_it_is_dropped(
    server: Process, witness: Witness, using: Using
) -> None:
    near = using(proxy(server))
    other = using(wave(port(near, "agents")))
    near.wait_for_line("plays as Waving")
    near.send(signal.SIGSTOP)
    server.wait_for_line("did not send its commands within 0.1 s; they count for the next cycle")
    server.wait_for_line("has sent nothing for 10 s and is disconnected")
    # No cycle waited for the whole time.
    assert witness.assert_unharmed().longest_gap < 5.0
    near.send(signal.SIGCONT)
    assert near.wait() == 1 and "the proxy ends" in near.output
    assert other.wait() == 1


def test_a_monitor_that_is_stopped_or_killed_costs_the_match_nothing(
    server: Process, witness: Witness, using: Using
) -> None:
    monitor = using(Process([sys.executable, "-c", MONITOR, str(port(server, "monitors"))]))
    monitor.wait_for_line("here")
    witness.begin()
    monitor.send(signal.SIGSTOP)
    assert witness.assert_unharmed().longest_gap < SILENT
    monitor.end(signal.SIGKILL)
    server.found("monitor 1 .*(disconnected|connection lost)")
    assert witness.assert_unharmed().longest_gap < SILENT
