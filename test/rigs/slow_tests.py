"""The table of slow tests: what `make quick` leaves out beside the tests that are marked `slow` by hand.

A test is named by its file without the folder, so that the table survives moves. `--record-slow` writes the table anew
for all files whose tests have run:

    make tests PYTEST_ARGS="--numprocesses 2 --record-slow"
"""

from collections import defaultdict
from pathlib import Path

import pytest

TABLE = Path(__file__).parents[1] / "slow_tests.txt"

QUICK = 0.12
"""The longest time of a quick test, s: thousands of tests are quick, and `make quick` takes less than two minutes."""

QUICKEST = 1.0
"""The longest time of a file's quickest test in `make quick`, s."""

_durations: dict[str, float] = defaultdict(float)


def name_of(node: str) -> str:
    """The name of a test in the table, without the folders of its file."""
    path, _, rest = node.partition("::")
    return f"{path.rpartition('/')[2]}::{rest}"


def read_table() -> dict[str, float]:
    """The times of slow tests, s, by their names; a name without [case] stands for all cases."""
    lines = (line.split(" ", 1) for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {name: float(time) for time, name in lines}


def table_of(durations: dict[str, float]) -> dict[str, float]:
    """The slow ones among tests, as in the table: cases of one function are one line if all are slow.

    The quickest test of each file is none of them unless it takes more than `QUICKEST`: no behaviour is without a test.
    """
    slow = {name: time for name, time in durations.items() if time > QUICK}
    for tests in _grouped(durations, "::").values():
        quickest = min(tests, key=lambda name: tests[name])
        if tests[quickest] <= QUICKEST:
            slow.pop(quickest, None)
    table: dict[str, float] = {}
    all_cases = _grouped(durations, "[")
    for function, cases in _grouped(slow, "[").items():
        table |= {function: max(cases.values())} if len(cases) == len(all_cases[function]) else cases
    return table


def _grouped(durations: dict[str, float], end: str) -> dict[str, dict[str, float]]:
    """The tests by what their names have before a separator."""
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for name, time in durations.items():
        groups[name.partition(end)[0]][name] = time
    return groups


def write_table(durations: dict[str, float]) -> None:
    """Replace the lines of all files that have run."""
    files = {name.partition("::")[0] for name in durations}
    kept = {name: time for name, time in read_table().items() if name.partition("::")[0] not in files}
    lines = [f"{time:.2f} {name}\n" for name, time in sorted((kept | table_of(durations)).items())]
    TABLE.write_text("".join(lines), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-slow", action="store_true", help="write the table of slow tests, see test/rigs/slow_tests.py"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    table = read_table()
    for item in items:
        name = name_of(item.nodeid)
        if name in table or name.partition("[")[0] in table:
            item.add_marker(pytest.mark.slow)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _durations[name_of(report.nodeid)] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--record-slow") and not hasattr(session.config, "workerinput"):
        write_table(_durations)
