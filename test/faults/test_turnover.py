"""Players come and go while one stays: nothing of those that are gone is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.turnover import WARM_UP, Turnover
from test.physics.engine_availability import skip_without

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
JOINS = 1000
LEFT = 12_000
"""Bytes per player that may stay: twice what was measured; its body alone took 31,000 when PyBullet kept it."""


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_a_thousand_joins_and_leaves_leave_nothing_behind(tmp_path: Path, engine: str) -> None:
    skip_without(engine)
    every = 6
    with Turnover(["--engine", engine], players=2, every=every, folder=tmp_path) as match:
        match.run(WARM_UP * every)
        before = match.server.use()
        match.run(JOINS * every)
        after = match.server.use()
        assert match.faults() == []
    assert match.joined >= JOINS
    assert (after.files, after.threads) == (before.files, before.threads)
    assert after.memory - before.memory < LEFT * JOINS


def test_a_match_goes_on_while_players_come_and_go_every_second(tmp_path: Path) -> None:
    with Turnover([], players=4, every=50, folder=tmp_path) as match:
        match.run(500)
        assert match.faults() == []
    assert match.joined >= 9
