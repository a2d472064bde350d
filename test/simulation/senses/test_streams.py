"""Noise of a kind of sensor depends on the seed and its name alone."""

import numpy as np
import pytest

from simspark_ros.perceptors.base import Perceptor
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.simulation.senses.sensing import _NUMBERS, Sensing, stream_of


def drawn(types: dict[str, type[Perceptor]], seed: int = 4) -> dict[str, float]:
    """The first number of each kind's stream; some kinds draw one as they are made."""
    sensing = Sensing(types, np.random.SeedSequence(seed).spawn(3)[1])
    return {kind: float(perceptor.random.random()) for kind, perceptor in sensing._perceptors.items()}


def test_the_order_of_kinds_does_not_matter() -> None:
    assert drawn(dict(sorted(PERCEPTORS.items(), reverse=True))) == drawn(PERCEPTORS)


def test_every_kind_has_a_stream_of_its_own() -> None:
    keys = [stream_of(np.random.SeedSequence(0), kind).spawn_key for kind in (*PERCEPTORS, "a", "ab")]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("kind", _NUMBERS)
def test_kinds_with_a_number_draw_what_they_always_drew(kind: str) -> None:
    perception = np.random.SeedSequence(4).spawn(3)[1]
    of_old = np.random.SeedSequence(4).spawn(3)[1].spawn(21)[_NUMBERS[kind]]
    assert stream_of(perception, kind).generate_state(4).tolist() == of_old.generate_state(4).tolist()
