"""The same seed and agents: the same fingerprints and messages, composed with one thread and over DDS with two."""

import contextlib
from pathlib import Path
from random import Random

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from test.commands.serving.test_serve import running
from test.physics.engine_availability import skip_without
from test.rigs.ros_processes import BridgeProcess, Domain, Process
from test.rigs.waiting import DEADLINE

AGENTS, CYCLES = 4, 120
ENGINE = "mujoco"
"""It lets a second thread run beside physics."""

JOINTS = ("lle2", "lle3", "lle4", "rle2", "rle3", "rle4", "lae1", "rae1", "he1")


def play(port: int) -> list[bytes]:
    """What agents of four types get who beam, stagger, fall, kick about and shout, with all the server's noise."""
    draw = Random(7)
    received = []
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(ClassicClient("127.0.0.1", port, DEADLINE)) for _ in range(AGENTS)]
        for number, client in enumerate(clients):
            client.send(f"(scene rsg/agent/nao/nao_hetero.rsg {number})(syn)")
        # The last answers are on their way when they leave.
        for cycle in range(CYCLES + 10):
            for number, client in enumerate(clients):
                received.append(client.receive())
                words = [f"({joint} {draw.uniform(-4.0, 4.0):.3f})" for joint in draw.sample(JOINTS, 3)]
                if cycle == number:
                    words.append(f"(init (unum {1 + number // 2})(teamname {'AB'[number % 2]}))")
                if cycle == number + 8:
                    words.append(f"(beam {-0.4 - 0.3 * number} {0.2 * number} {30 * number})")
                if cycle % 5 == number:
                    words.append(f"(say m{cycle})")
                client.send("".join(words) + "(syn)")
    return received


def composed(log: Path, threads: int) -> list[bytes]:
    arguments = ("--pacing", "lockstep", "--wait-for-robots", str(AGENTS), "--threads", str(threads))
    with running("--engine", ENGINE, *arguments, "--seed", "5", "--hash-log", str(log)) as server:
        received = play(server.agent_port)
        assert server.end()[0] == 0
    return received


def over_dds(log: Path, threads: int) -> list[bytes]:
    domain = Domain()
    parameters = ("bridge:=true", "pacing:=lockstep", f"wait_for_robots:={AGENTS}", f"threads:={threads}", "seed:=5")
    simulator = Process(domain, *parameters, f"engine:={ENGINE}", f"hash_log:={log}")
    try:
        simulator.wait_for_line("ready")
        bridge = BridgeProcess(domain)
        try:
            received = play(bridge.agent_port)
        finally:
            bridge.end()
    finally:
        status = simulator.end()
        domain.close()
    assert status == 0, simulator.output
    return received


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_hashes_and_messages_are_the_same_composed_with_one_thread_and_over_dds_with_two(tmp_path: Path) -> None:
    skip_without(ENGINE)
    alone, spread = tmp_path / "composed", tmp_path / "over_dds"
    sent = composed(alone, 1)
    sent_over_dds = over_dds(spread, 2)
    expected, found = (log.read_text().splitlines()[:CYCLES] for log in (alone, spread))
    assert len(expected) == len(set(expected)) == CYCLES
    differing = [one.split()[0] for one, same in zip(expected, found, strict=True) if one != same]
    assert not differing, f"the state differs from cycle {differing[0]} on"
    assert sent_over_dds == sent
