"""Random streams by name: who draws from one changes no number of another."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def below(seeds: np.random.SeedSequence, key: Iterable[int]) -> np.random.SeedSequence:
    """The seeds at a key below other seeds; each key gives its own."""
    return np.random.SeedSequence(seeds.entropy, spawn_key=(*seeds.spawn_key, *key), pool_size=seeds.pool_size)


class Streams:
    """Streams below a generator's stream, made when they are first asked for."""

    def __init__(self, random: np.random.Generator) -> None:
        bits = random.bit_generator
        # numpy before 1.25, Ubuntu 22.04's among them, has no public name for it.
        seeds = getattr(bits, "seed_seq" if hasattr(bits, "seed_seq") else "_seed_seq")
        if not isinstance(seeds, np.random.SeedSequence):
            raise TypeError("the generator has no seed sequence: make it with numpy.random.default_rng")
        self._seeds = seeds
        self._streams: dict[str, np.random.Generator] = {}

    def __getitem__(self, name: str) -> np.random.Generator:
        """The stream of a name."""
        if name not in self._streams:
            self._streams[name] = np.random.default_rng(below(self._seeds, name.encode()))
        return self._streams[name]
