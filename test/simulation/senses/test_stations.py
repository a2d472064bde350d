"""Mounts of a robot: made once, and again only where they move."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from simspark_ros.arena import Arena
from simspark_ros.perceptors import base
from simspark_ros.simulation.senses import stations


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena("nao", "nao", "nao", engine="ode", world="empty") as arena:
        arena.step()
        yield arena


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Handles of robots whose mounts are made, once for each mount."""
    handles: list[int] = []

    def noted(*arguments: object) -> base.Mount:
        mount = base.Mount(*arguments)  # type: ignore[arg-type]
        handles.append(mount.robot.handle)
        return mount

    monkeypatch.setattr(stations, "Mount", noted)
    return handles


def test_a_robot_that_comes_makes_no_mounts_but_its_own(arena: Arena, made: list[int]) -> None:
    newcomer = arena.add("nao")
    arena.step()
    assert len(made) == len(newcomer.description.perceptors)
    assert set(made) == {list(arena.simulation.world.robots)[-1]}


def test_robots_behind_one_that_goes_get_new_places(arena: Arena, made: list[int]) -> None:
    first, second, third = arena.simulation.world.robots.values()
    arena.simulation.world.remove_robot(second)
    arena.step()
    assert set(made) == {third.handle}
    assert [layout.handle for layout in arena.simulation.sensing.layout.robots] == [first.handle, third.handle]
    starts = [slot.start for layout in arena.simulation.sensing.layout.robots for slot in layout.slots]
    assert starts == sorted(starts)


def test_a_perceptor_with_other_parameters_is_mounted_again(arena: Arena, made: list[int]) -> None:
    sensing, world = arena.simulation.sensing, arena.simulation.world
    robot = next(iter(world.robots.values()))
    spec = next(spec for spec in robot.description.perceptors if spec.kind == "restricted_vision")
    sensing.adjust(world, robot, replace(spec, parameters={**spec.parameters, "interval": 7}))
    arena.step()
    assert set(made) == {robot.handle}
