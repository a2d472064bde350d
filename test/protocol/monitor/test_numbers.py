import numpy as np
import pytest

from simspark_ros.protocol.monitor.numbers import GappedText, MatrixTexts


def texts_of(places: np.ndarray) -> list[str]:
    """The matrices of (n, 12) places, between brackets."""
    filled = GappedText(["", *["|"] * len(places)]).fill(b"", MatrixTexts().write(places.T))
    return filled.decode().split("|")[:-1]


def formatted(place: np.ndarray) -> str:
    """The same by a format: right, forward and up of the node are the link's -y, x and z axes."""
    turn = place[:9].reshape(3, 3)
    rows = [(*-turn[:, 1], 0), (*turn[:, 0], 0), (*turn[:, 2], 0), (*place[9:], 1)]
    # Adding zero takes the sign off a zero.
    return f" (SLT {' '.join(f'{round(number, 4) + 0.0:.8g}' for row in rows for number in row)})"


def test_numbers_are_those_of_a_format_absurd_ones_are_cut_and_a_text_may_have_no_gap():
    random = np.random.default_rng(1)
    places = np.hstack([random.uniform(-1, 1, (50, 9)), random.uniform(-40, 40, (50, 3))])
    # Fewer decimals, whole numbers, zeros of both signs.
    places[10:20], places[20:30] = places[10:20].round(2), places[20:30].round()
    places[30], places[31] = 0.0, -0.00001
    assert texts_of(places) == [formatted(place) for place in places]
    absurd = np.append(np.full(9, -3.0), [1e300, -1e12, 10_000.0])
    assert texts_of(absurd[None]) == [" (SLT 1 1 1 0 -1 -1 -1 0 -1 -1 -1 0 9999.9999 -9999.9999 9999.9999 1)"]
    assert GappedText(["all"]).fill(b"", MatrixTexts().write(np.zeros((12, 0)))) == b"all"


@pytest.mark.parametrize("filled", [[], [1], [0, 2], [0, 1, 2]])
def test_gaps_that_nothing_belongs_into_stay_empty(filled):
    pieces = ["begin", "one", "a longer piece than the others", "end"]
    text, matrices = GappedText(pieces), MatrixTexts().write(np.zeros((12, 3)))
    zero = " (SLT 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1)"
    gaps = [zero if gap in filled else "" for gap in range(3)] + [""]
    expected = "".join(piece + gap for piece, gap in zip(pieces, gaps, strict=True))
    text.fill(b"", matrices)
    still = np.array([gap not in filled for gap in range(3)])
    assert text.fill(b"head", matrices, still) == b"head" + expected.encode()
