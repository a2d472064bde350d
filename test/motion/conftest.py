"""Robots on the default engine, each with its motion engine."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from benchmarks.rehearsal import Rehearsal
from simspark_ros.motion.nao import CYCLE, NaoMotion
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.robots.catalogue import load_robot


def motion_of(variant: int = 0, cycle: float = CYCLE) -> NaoMotion:
    return NaoMotion(load_robot("nao", variant), load_motion_settings(), cycle)


@pytest.fixture
def rehearse() -> Iterator[Callable[..., tuple[Rehearsal, NaoMotion]]]:
    """Makes rehearsals; each gets a new field, robot and motion engine."""
    with ExitStack() as made:

        def make(variant: int = 0, engine: str = "bullet", preset: str | None = None) -> tuple[Rehearsal, NaoMotion]:
            rehearsal = made.enter_context(closing(Rehearsal(engine, preset, variant)))
            return rehearsal, motion_of(variant, rehearsal.world.engine.cycle_time)

        yield make
