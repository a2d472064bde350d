"""Bursts of robots that come and go by services: a few between two cycles, and clients get every message."""

import gc
import math
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from functools import partial
from itertools import groupby, pairwise
from typing import Any

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.services import entrance
from simspark_ros.ros.services.entrance import AT_ONCE, Entrance, Passage
from simspark_ros.ros.services.server import RequestError
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loop import Simulation
from test.physics.engine_availability import skip_without


class Server:
    """A service server whose simulation makes a cycle after each piece of work that it does.

    `asked` counts requests to the simulation; `full` = what is done beside it is not done in time.
    """

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.asked = 0
        self.full = self.silent = False

    async def result_of(self, work: Future[Any]) -> Any:
        if self.full:
            raise RequestError(4, "not in time")
        return work.result()

    def go_on(self) -> None:
        pass

    async def in_simulation(self, work: Callable[[], Any], needs_world: bool = False) -> Any:
        self.asked += 1
        if self.silent:
            raise RequestError(4, "the simulation did nothing")
        done = self._simulation.requests.submit(work)
        self._simulation.requests.run()
        self._simulation.run_cycle()
        return done.result()


class Roster:
    """The part of `TopicControl` that is told of changes."""

    def update_roster(self, world: Any) -> None:
        pass


class Hall:
    def __init__(self, played: Any) -> None:
        self.simulation, self.delivered = played.simulation, played.link.delivered
        self.server = Server(self.simulation)
        control: Any = Roster()
        self._entrance = Entrance(self.server, self.simulation, control)  # type: ignore[arg-type]
        self._nao = load_robot("nao")

    def come(self, name: str = "") -> Passage:
        work = partial(spawn, self.simulation.world, self._nao, LimitSettings(), name, not name)
        return self._entrance.queue(Passage(lambda: work().name, comes=self._nao.model))

    def go(self, name: str) -> Passage:
        world = self.simulation.world

        def remove() -> str:
            robot = world.robot_named(name)
            assert robot is not None
            world.remove_robot(robot)
            return name

        return self._entrance.queue(Passage(remove, goes=name))

    def let_all_pass(self, passages: list[Passage]) -> list[str | Exception]:
        """Names or errors, in order."""

        async def answer(passage: Passage) -> str | Exception:
            try:
                return await self._entrance.passed(passage)
            except (RequestError, SpawnError) as error:
                return error

        return _run([answer(passage) for passage in passages])


def _run(coroutines: list[Coroutine[Any, Any, Any]]) -> list[Any]:
    results: dict[int, Any] = {}
    while len(results) < len(coroutines):
        for number, one in enumerate(coroutines):
            if number not in results:
                try:
                    one.send(None)
                except StopIteration as end:
                    results[number] = end.value
    return [results[number] for number in range(len(coroutines))]


@pytest.fixture(params=["mujoco", "ode"])
def hall(request: pytest.FixtureRequest, play: Callable[..., Any]) -> Iterator[Hall]:
    skip_without(request.param)
    hall = Hall(play(engine=request.param))
    yield hall
    # In the next cycle garbage is searched for again, whatever has come, gone or been refused.
    hall.simulation.requests.run()
    assert gc.isenabled()


@pytest.mark.parametrize(("enough", "most"), [(math.inf, AT_ONCE), (0.0, 1)])
def test_robots_come_a_few_each_cycle(hall: Hall, monkeypatch: pytest.MonkeyPatch, enough: float, most: int) -> None:
    monkeypatch.setattr(entrance, "ENOUGH", enough)
    hall.simulation.run_cycle()
    names = hall.let_all_pass([hall.come() for _ in range(12)])
    hall.simulation.run_cycle()
    assert names == ["nao", *(f"nao_{number}" for number in range(2, 13))]
    cycles, robots = zip(*((one.cycle, len(one.layout.robots)) for one in hall.delivered), strict=True)
    assert list(cycles) == list(range(cycles[0], cycles[0] + len(cycles)))
    assert robots[-1] == 12
    assert max(after - before for before, after in pairwise(robots)) == most


def test_no_garbage_is_searched_for_while_robots_come(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[bool] = []
    sense = hall.simulation.sensing.sense

    def noted(*arguments: Any) -> Any:
        searched.append(gc.isenabled())
        return sense(*arguments)

    monkeypatch.setattr(hall.simulation.sensing, "sense", noted)
    hall.let_all_pass([hall.come() for _ in range(2 * AT_ONCE)])
    assert searched and not any(searched)


def test_garbage_is_searched_for_in_a_burst_without_end(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "LONGEST", -1.0)
    enabled: list[bool] = []
    monkeypatch.setattr(gc, "enable", lambda: enabled.append(True))
    hall.let_all_pass([hall.come() for _ in range(3 * AT_ONCE)])
    assert len(enabled) >= 2
    monkeypatch.undo()
    gc.enable()


def test_the_engine_is_told_which_robots_there_will_be(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(hall.simulation.world.engine, "prepare", lambda models: told.append(len(models)))
    hall.let_all_pass([hall.come("a"), hall.come("b")])
    hall.let_all_pass([hall.go("a"), hall.come("c"), hall.come("d")])
    # On a busy machine a request is prepared again when its turn comes.
    assert [count for count, _ in groupby(told)] == [2, 3]


def test_refused_robots_and_slow_threads_keep_nobody_out(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = hall.let_all_pass([hall.come("a"), hall.come("a"), hall.come("b")])
    assert (first, third) == ("a", "b") and isinstance(second, SpawnError)
    hall.server.full = True
    assert hall.let_all_pass([hall.come("c")]) == ["c"]
    hall.server.full = False

    def refuse(models: object) -> None:
        raise PhysicsError("no such model")

    monkeypatch.setattr(hall.simulation.world.engine, "prepare", refuse)
    assert hall.let_all_pass([hall.come("d")]) == ["d"]


def test_a_simulation_that_does_nothing_is_waited_for_once(hall: Hall) -> None:
    hall.server.silent = True
    answers = hall.let_all_pass([hall.come() for _ in range(3 * AT_ONCE)])
    assert all(isinstance(answer, RequestError) for answer in answers)
    assert hall.server.asked == 1
    hall.server.silent = False
    assert hall.let_all_pass([hall.come()]) == ["nao"]
