"""The report of a search says what processes lose, not what they hold for a time."""

import pytest

from simspark_stress.fuzz.report import FuzzReport
from simspark_stress.fuzz.server import Use

ROUNDS = 100


def report(held) -> FuzzReport:
    """Of a search whose server holds `held(round)` MB, beside a process that ends."""
    found = FuzzReport([])
    for number in range(ROUNDS):
        found.uses.append({"serve": Use(int(held(number) * 1e6))} | ({"child": Use(1)} if number < 50 else {}))
    return found


@pytest.mark.parametrize(
    ("held", "growth"),
    [
        pytest.param(lambda number: 100 + number, 180 / 140 - 1, id="a leak in each round"),
        pytest.param(lambda number: 100 + 50 * (number % 3 != 0), 0.0, id="robots that come and go"),
        pytest.param(lambda number: 100 + 50 * (number == ROUNDS - 1), 0.0, id="robots at the end"),
        pytest.param(lambda number: 60 + 40 * (number > 30), 0.0, id="warm-up"),
        pytest.param(lambda number: 100 + 10 * (number > 60), 0.1, id="a step that stays"),
        pytest.param(lambda number: 100 - 10 * (number > 60), -0.1, id="a step down"),
    ],
)
def test_the_lowest_memory_of_many_rounds_shows_what_is_lost(held, growth):
    found = report(held)
    assert found.memory().keys() == {"serve"}
    assert found.memory()["serve"].growth == pytest.approx(growth)
    assert "memory of serve" in found.table()
