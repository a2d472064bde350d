"""Robots on the default engine, each with its motion engine."""

from collections.abc import Callable, Iterator

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
    made: list[tuple[Rehearsal, NaoMotion]] = []

    def make(variant: int = 0, engine: str = "bullet", preset: str | None = None) -> tuple[Rehearsal, NaoMotion]:
        rehearsal = Rehearsal(engine, preset, variant)
        made.append((rehearsal, motion_of(variant, rehearsal.world.engine.cycle_time)))
        return made[-1]

    yield make
    for rehearsal, _ in made:
        rehearsal.close()
