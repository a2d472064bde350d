"""Numbers from the table of ready strings read as formatted ones."""

import numpy as np
import pytest

from simspark_ros.protocol.text_tables import decimal_table

CORNERS = [0.0, -0.0, 0.004, -0.004, 0.125, 399.994, -400.0, 400.01, -12345.678, 9.9e8, 1e300]


@pytest.mark.parametrize("decimals", [0, 1, 2, 3, 5])
def test_texts_are_those_of_formatting(decimals: int) -> None:
    numbers = np.concatenate([CORNERS, np.random.default_rng(3).normal(0.0, 200.0, 2000)])

    texts = decimal_table(decimals).write(numbers)

    assert texts == [f"{number:.{decimals}f}" for number in numbers.tolist()]


def test_no_numbers_make_no_texts() -> None:
    assert decimal_table(2).write(np.zeros(0)) == []


def test_texts_may_begin_with_a_blank_and_zeros_have_no_sign() -> None:
    table = decimal_table(1, blank=True, signed_zero=False)
    assert table.write(np.array([-0.01, -0.06, -0.0, 900.0])) == [" 0.0", " -0.1", " 0.0", " 900.0"]
