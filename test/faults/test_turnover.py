"""Players come and go while one stays: nothing of those that are gone is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.turnover import GROWTH, WARM_UP, Turnover, growth
from test.physics.engine_availability import skip_without

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


# Left: bytes per player that may stay. A body that PyBullet removes takes 31,000 until its world is replaced.
@pytest.mark.parametrize(
    ("engine", "joins", "left"), [("bullet", 700, 3_000), ("ode", 200, 12_000), ("mujoco", 200, 12_000)]
)
def test_players_that_join_and_leave_leave_nothing_behind(tmp_path: Path, engine: str, joins: int, left: int) -> None:
    skip_without(engine)
    # Long enough to join, be placed, and move.
    every = 4
    with Turnover(["--engine", engine], players=2, every=every, folder=tmp_path) as match:
        # Between two replacements: just after one the server may not have closed or accepted yet.
        match.run(WARM_UP * every + every // 2)
        before = match.server.use()
        match.run(joins * every)
        after = match.server.use()
        assert match.faults() == []
    assert match.joined >= joins
    assert (after.files, after.threads) == (before.files, before.threads)
    assert after.memory - before.memory < left * joins


def test_a_match_goes_on_while_players_come_and_go_every_second(tmp_path: Path) -> None:
    with Turnover([], players=4, every=50, folder=tmp_path) as match:
        match.run(500)
        assert match.faults() == []
    assert match.joined >= 9


def test_memory_that_grows_on_and_on_is_reported() -> None:
    assert growth([]) == growth([128_000_000, 130_000_000, 136_000_000]) == []
    (line,) = growth([128_000_000, 128_000_000 + int(GROWTH) + 100_000, 130_000_000])
    assert line == "the server has grown by 16.1 MB after 100 players; 16 MB are expected at most"
