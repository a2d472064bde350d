"""Programs start as copies of a warm process, in a quarter of the time; no test may keep others from that."""

import os
import sys

import pytest

from test.rigs.warm import PROGRAMS, can_copy


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_copies_whatever_tests_have_imported(program: str) -> None:
    import test.rigs.opencv  # noqa: F401 - its import is known to change the environment

    assert can_copy([sys.executable, "-m", program], os.environ)
