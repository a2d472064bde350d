import os
import sys

import pytest

from test.rigs import slow_tests
from test.rigs.slow_tests import QUICK, name_of, read_table, table_of
from test.rigs.warm import PROGRAMS, can_copy

SHORT, LONG = 0.5 * QUICK, 2.0 * QUICK


def test_slow_cases_of_a_function_are_one_line_and_the_quickest_test_of_a_file_is_not_slow() -> None:
    assert name_of("test/ros/topics/test_a.py::test_b[x/y::z]") == "test_a.py::test_b[x/y::z]"
    durations = {"a.py::f[1]": LONG, "a.py::f[2]": 2 * LONG, "a.py::g[1]": LONG, "a.py::g[2]": SHORT}
    assert table_of(durations) == {"a.py::f": 2 * LONG, "a.py::g[1]": LONG}
    assert table_of({"a.py::f": LONG, "a.py::g": 2 * LONG}) == {"a.py::g": 2 * LONG}
    assert table_of({"a.py::f": 60.0, "a.py::g": 61.0}) == {"a.py::f": 60.0, "a.py::g": 61.0}


def test_lines_of_files_that_have_not_run_stay(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(slow_tests, "TABLE", tmp_path / "table.txt")
    slow_tests.TABLE.write_text("1.00 a.py::old\n2.00 b.py::f[an id, with spaces]\n", encoding="utf-8")
    slow_tests.write_table({"a.py::f": SHORT, "a.py::g": LONG})
    assert read_table() == {"a.py::g": 0.24, "b.py::f[an id, with spaces]": 2.0}


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_copies_whatever_tests_have_imported(program: str) -> None:
    import test.rigs.opencv  # noqa: F401 - its import is known to change the environment

    assert can_copy([sys.executable, "-m", program], os.environ)
