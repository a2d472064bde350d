"""Players come and go while one stays: nothing of those that are gone is kept."""

import logging
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.turnover import GROWTH, Crowd, Turnover, growth
from test.clients.team_rig import stadium
from test.physics.engine_availability import skip_without
from test.rigs.engines import spatial_engine_names
from test.rigs.machine.memory import heap, instances
from test.rigs.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

EVERY = 4
"""Cycles between two replacements: long enough to join, be placed, and move."""

LOOKS = 4
"""Cycles in which memory is looked at."""

FEW = 30
"""Players that have come and gone before a server holds what it needs; all five types are among them."""


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_players_that_join_and_leave_leave_nothing_in_memory(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    skip_without(engine)
    joins = 20
    # pytest keeps what is logged about each player.
    monkeypatch.setattr(logging.getLogger("simspark"), "disabled", True)
    with stadium(1, lambda world: False, engine=engine) as server, Crowd(server.port, players=2, every=EVERY) as crowd:

        def reached(cycle: int) -> bool:
            return server.world.cycle >= cycle

        def play(cycles: int) -> tuple[int, Counter[type]]:
            crowd.run(cycles - LOOKS)
            looks = []
            for _ in range(LOOKS):
                # Until the server has heard of all who left and waits for those that play.
                cycle = server.world.cycle + 1
                crowd.run(1)
                until(partial(reached, cycle))
                looks.append(heap())
            # While the server is in a cycle, MuJoCo may hold two worlds.
            return min(looks), instances()

        # Between two replacements.
        seen = [play(FEW * EVERY + EVERY // 2), play(joins * EVERY), play(joins * EVERY)]
        assert crowd.faults() == []
    assert crowd.joined >= FEW + 2 * joins
    # Tables of libraries still grow, by up to 2,500 bytes a player. A body that PyBullet does not use again leaves
    # 20,000. What is left of players grows from one look to the next; this process may once take more for other things.
    assert min(np.diff([size for size, _ in seen])) < 4_000 * joins
    # A player more or less at the moment is not as many more again. Entries of tables that still grow are tuples.
    kept = [kind for kind in seen[2][1].keys() - {tuple} if min(np.diff([count[kind] for _, count in seen])) >= joins]
    assert kept == []


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_players_that_join_and_leave_leave_neither_files_nor_threads(tmp_path: Path, engine: str) -> None:
    skip_without(engine)
    joins = 30
    with Turnover(["--engine", engine], players=2, every=EVERY, folder=tmp_path) as match:
        # Between two replacements: just after one the server may not have closed or accepted yet.
        match.run(FEW * EVERY + EVERY // 2)
        before = match.server.use()
        match.run(joins * EVERY)
        after = match.server.use()
        assert match.faults() == []
    assert match.joined >= joins
    assert (after.files, after.threads) == (before.files, before.threads)
    # Python reserves memory by the megabyte. An engine's scene that stays is as large.
    assert after.memory - before.memory < 80_000 * joins


def test_memory_that_grows_on_and_on_is_reported() -> None:
    assert growth([]) == growth([128_000_000, 130_000_000, 136_000_000]) == []
    (line,) = growth([128_000_000, 128_000_000 + int(GROWTH) + 100_000, 130_000_000])
    assert line == "the server has grown by 16.1 MB after 100 players; 16 MB are expected at most"
