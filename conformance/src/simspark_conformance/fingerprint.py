"""The hash of a fixed motion that uses every part of an engine; equal bits give equal hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np

from simspark_conformance.harness import CheckedWorld, Factory
from simspark_conformance.models import FIELD, STANDING, stone, walker

_CYCLES = 60


def fingerprint(factory: Factory) -> str:
    """Return the hash of all states of a motion: robots bump into each other, a ball flies by, a robot leaves."""
    engine = factory()
    try:
        return play(CheckedWorld(engine, FIELD))
    finally:
        engine.close()


def play(world: CheckedWorld, between: Callable[[], None] = lambda: None) -> str:
    """Play the motion in a world without robots; `between` is called before every step. Returns the hash."""
    digest, draw = hashlib.sha256(), np.random.default_rng(5)
    handles = [world.add(walker(), (0.22 * number, 0.0, STANDING)) for number in range(3)]
    world.add(stone(), (-0.5, 0.0, 0.06), yaw=0.5)
    world.engine.place_ball((0.5, -0.6, 0.1), (0.0, 3.0, 1.0))
    for cycle in range(_CYCLES):
        if cycle == _CYCLES // 2:
            world.engine.remove_robot(handles[1])
        control = world.hold()
        control.velocity[:] = draw.uniform(-3.0, 3.0, len(control.velocity))
        between()
        world.engine.step(control)
        for array in world.moving_arrays().values():
            # Adding zero makes -0.0 and 0.0 the same.
            digest.update((array + 0.0).tobytes())
    return digest.hexdigest()
