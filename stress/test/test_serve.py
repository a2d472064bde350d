"""The hostile-client suite against `simspark serve`, and a match that attackers from outside cannot change."""

import itertools
import threading
from contextlib import closing
from pathlib import Path

import pytest

from simspark_ros.clients.classic_client import ClassicClient
from simspark_stress.attacks import ATTACKS
from simspark_stress.hostile_client import Attack, AttackContext
from simspark_stress.report import AttackResult, Verdict
from simspark_stress.runner import StressRun
from simspark_stress.settings import StressSettings
from test.commands.serving.test_serve import Server, running

QUIET = ("announced-sizes", "truncated", "noise", "two-hundred", "trainer-garbage", "monitor-crowd")
"""Attacks that need no robot."""

CYCLES = 200


def attacked(server: Server, *attacks: Attack) -> list[AttackResult]:
    # The machine of the tests may be busy: only what no load explains is harm here.
    addresses = ("127.0.0.1", server.agent_port), ("127.0.0.1", server.monitor_port)
    settings = StressSettings(*addresses, max_gap=5.0, min_rate=0.0, limit=5.0)
    with closing(StressRun(settings)) as run:
        return run.run(attacks)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("pacing", ["lockstep", "realtime"])
def test_the_server_is_clean_under_the_whole_suite(pacing):
    with running("--pacing", pacing) as server:
        results = attacked(server, *ATTACKS)
        assert {result.attack: result.seen for result in results if result.verdict is not Verdict.CLEAN} == {}
        status, errors = server.end()
    assert status == 0 and "Traceback" not in errors


@pytest.mark.slow
def test_a_match_is_the_same_with_and_without_attackers_that_never_join(tmp_path: Path):
    calm, attacked_log = tmp_path / "calm", tmp_path / "attacked"
    match(calm, ())
    match(attacked_log, tuple(attack for attack in ATTACKS if attack.name in QUIET))
    expected, found = hashes(calm), hashes(attacked_log)
    assert len(expected) >= CYCLES and len(set(expected.values())) > CYCLES // 2
    # Which of the two agents is seen to leave first, in the last cycles, is up to the system.
    played = sorted(expected.keys() & found.keys())[: CYCLES - 2]
    assert len(played) == CYCLES - 2
    assert {cycle: found[cycle] for cycle in played} == {cycle: expected[cycle] for cycle in played}


def match(log: Path, attacks: tuple[Attack, ...]) -> None:
    """Two scripted agents in lock-step, and attackers from before they join until they leave."""
    arguments = ("--pacing", "lockstep", "--wait-for-robots", "2", "--play-mode", "PlayOn", "--hash-log", str(log))
    with running(*arguments) as server:
        addresses = ("127.0.0.1", server.agent_port), ("127.0.0.1", server.monitor_port)
        over, begun = threading.Event(), threading.Event()

        def attack_until_over() -> None:
            for attack in itertools.cycle(attacks):
                with closing(AttackContext(*addresses, lockstep=True, seed="1", limit=2.0)) as context:
                    attack.run(context)
                begun.set()
                if over.is_set():
                    return
            begun.set()

        attackers = threading.Thread(target=attack_until_over)
        attackers.start()
        try:
            assert begun.wait(30.0)
            play(server.agent_port)
        finally:
            over.set()
            attackers.join()
        assert server.end()[0] == 0


def play(port: int) -> None:
    with ClassicClient("127.0.0.1", port) as left, ClassicClient("127.0.0.1", port) as right:
        for number, agent in enumerate((left, right)):
            agent.send(f"(scene rsg/agent/nao/nao_hetero.rsg {number})(syn)")
        for cycle in range(CYCLES):
            for agent, team in ((left, "A"), (right, "B")):
                agent.receive()
                init = f"(init (unum 1)(teamname {team}))" if cycle == 1 else ""
                # Enough to make them fall and roll: whatever differs anywhere shows in everything that follows.
                agent.send(f"{init}(lle3 {(cycle % 7) - 3})(rle4 {(cycle % 5) - 2})(say {team}{cycle})(syn)")


def hashes(log: Path) -> dict[int, str]:
    return {int(line.split()[0]): line.split()[1] for line in log.read_text().splitlines()}
