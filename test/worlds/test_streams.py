"""Random streams by name, of actuators and rules that plug-ins bring."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from simspark_ros.worlds.streams import Streams


def drawn(streams: Streams, name: str) -> list[float]:
    numbers: list[float] = streams[name].standard_normal(3).tolist()
    return numbers


def test_a_stream_goes_on_where_it_was_changes_no_others_and_needs_seeds_to_derive_from() -> None:
    streams = Streams(np.random.default_rng(7))
    numbers = [drawn(streams, name) for name in ("hop", "hop", "jump")]
    numbers.append(drawn(Streams(np.random.default_rng(8)), "hop"))
    assert len({tuple(three) for three in numbers}) == len(numbers)
    of_old = SimpleNamespace(bit_generator=SimpleNamespace(_seed_seq=np.random.SeedSequence(7)))
    streams = Streams(cast("np.random.Generator", of_old))
    assert drawn(streams, "hop") == drawn(Streams(np.random.default_rng(7)), "hop")
    alone, beside = (Streams(np.random.default_rng(7)) for _ in range(2))
    drawn(beside, "a")
    assert drawn(alone, "b") == drawn(beside, "b")
    random, untouched = np.random.default_rng(7), np.random.default_rng(7)
    drawn(Streams(random), "hop")
    assert random.random() == untouched.random()

    class Given(np.random.bit_generator.ISeedSequence):
        def generate_state(self, n_words: int, dtype: object = np.uint32) -> np.ndarray:
            return np.arange(1, n_words + 1, dtype=np.uint64)

    random = np.random.Generator(np.random.PCG64(Given()))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="default_rng"):
        Streams(random)
