"""The inputs at the doors of the league since 2026 against `simspark serve --league 2026`."""

import math
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.protocol.monitor.rsmp import RSMP_COMMANDS
from simspark_ros.protocol.monitor.trainer import parse
from simspark_ros.simulation.assembly import Assembly
from simspark_ros.simulation.settings import SimulationSettings
from simspark_stress.attacks import ATTACKS_2026
from simspark_stress.attacks.newer_league import FIRST, MESSAGES, ORDERS
from simspark_stress.dialects import dialect_of
from simspark_stress.probe_checks import MessageChecks
from simspark_stress.report import AttackResult, Verdict, families
from simspark_stress.runner import StressRun
from simspark_stress.settings import StressSettings
from test.commands.serving.test_serve import running
from test.server.test_league_agents import Match, heard, say

MODELS = Path(__file__, "../../../test/data/league_models").resolve()
SERVER = ("--league", "2026", "--league-models", str(MODELS), "--rsmp-port", "0", "--silent-timeout", "1")

PLAYED = (
    *("player-frame/half-message", "player-frame/noise", "conduct/half-message-reset", "conduct/player-reset"),
    *("conduct/half-open-write", "conduct/hundred-a-cycle", "monitor-frame/header-alone"),
)
"""Attacks by conduct, which need real sockets."""


@pytest.fixture(scope="module")
def assembly() -> Iterator[Assembly]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MODELS_VARIABLE, str(MODELS))
        yield Assembly(SimulationSettings(profile="rcssservermj", world="fifa7vs7"))


class Watched(Match):
    """A match with a good client that answers every message and is checked as by the suite."""

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        self.checks = MessageChecks(0.02, 0.0, dialect=dialect_of("2026", "toy"))
        self.checks.lockstep = True
        self.good = self.join(1, "Watcher")

    def cycle(self, count: int = 1) -> None:
        """Run cycles, with the good client if it is there already."""
        for _ in range(count):
            super().cycle()
            for message in heard(self.good) if hasattr(self, "good") else ():
                assert message is not None, "the good client was disconnected"
                say(self.good, self.checks.see(message.encode(), 0.0))

    def send(self, client: socket.socket, given: str | bytes) -> None:
        text = given if isinstance(given, bytes) else given.replace("ROBOT", "toy").replace("TEAM", "Hostile")
        say(client, text)


@pytest.mark.parametrize("family", MESSAGES)
def test_a_good_agent_notices_no_message_of_a_player(assembly: Assembly, family: str) -> None:
    match = Watched(assembly)
    client, number = match.join(1, "Hostile"), 1
    for given in MESSAGES[family].values():
        match.send(client, given)
        match.cycle(3)
        if None in heard(client):
            number += 1
            client = match.join(number, "Hostile")
    seen = match.checks.observation(0.0)
    assert seen.messages > 3 * len(MESSAGES[family]) and seen.problems == {} and seen.lost == 0
    match.close()


def test_a_good_agent_notices_no_first_message(assembly: Assembly) -> None:
    match = Watched(assembly)
    for given in FIRST.values():
        client = match.connect()
        match.send(client, given)
        match.cycle(3)
        client.close()
    match.cycle(5)
    assert match.checks.observation(0.0).problems == {}
    # Two of them are taken: a number's last two digits count, whatever its sign.
    assert sum("plays as Hostile" in line for line in match.lines) <= 3
    assert [robot.team for robot in match.simulation.world.robots.values() if robot.team] == ["Watcher"]
    match.close()


def test_wrong_commands_of_a_trainer_place_things_at_most_and_at_finite_places() -> None:
    for name, given in ORDERS.items():
        message = parse("m", given if isinstance(given, bytes) else given.encode("latin-1"), commands=RSMP_COMMANDS)
        for action in message.actions:
            assert action.kind in ("ball", "ball_position", "agent_place", "make_room"), name
            assert all(math.isfinite(value) for value in action.arguments if isinstance(value, float)), name


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_suite_plays_on_a_server_of_the_league():
    with running("--pacing", "lockstep", *SERVER) as server:
        rsmp = int(server.process.found(r"monitors +127\.0\.0\.1:(\d+) +of the league"))
        addresses = ("127.0.0.1", server.agent_port), ("127.0.0.1", rsmp)
        # The machine of the tests may be busy: only what no load explains is harm here.
        settings = StressSettings(*addresses, league="2026", robot="toy", max_gap=5.0, min_rate=0.0, limit=5.0)
        with closing(StressRun(settings)) as run:
            assert run.lockstep
            results = run.run([attack for attack in ATTACKS_2026 if attack.name in PLAYED])
        status, errors = server.end()
    assert len(results) == 1 + len(PLAYED)
    assert {result.attack: result.seen for result in results if result.verdict is not Verdict.CLEAN} == {}
    assert status == 0 and "Traceback" not in errors


def test_effects_are_counted_by_family():
    verdicts = {"motor/nan": Verdict.CLEAN, "motor/word": Verdict.DEAD, "truncated": Verdict.CLEAN}
    results = [AttackResult(name, verdict) for name, verdict in verdicts.items()]
    heading, motor = families(results).splitlines()
    assert heading.split()[2:5] == ["clean", "harmed", "stuck"]
    assert motor.split() == ["motor", "2", "1", "0", "0", "1", "0"]
