"""Episodes in several worlds, in this process and in others, as if they were in one."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.learning.episodes import Episodes, Step
from simspark_ros.learning.tasks import TASKS, task_of
from simspark_ros.learning.tasks.base import Observation
from simspark_ros.physics.engine import Array

T = TypeVar("T")

MOST = 64
"""Robots of one world, whose `max_robots` that is; physics of larger ones gets slower for each robot."""

PATIENCE = 10.0
"""How long a process may take to end, s."""


class Running(Protocol):
    """Episodes of `count` robots, with observations of `observation_size` and actions of `action_size` numbers."""

    count: int
    observation_size: int
    action_size: int

    def begin(self, seed: int) -> Array:
        """See `Episodes.begin`."""

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """See `Episodes.step_on`."""

    def close(self) -> None:
        """Free everything."""


@dataclass(frozen=True)
class Wish:
    """A task by its name, and everything that it is to be done with; see `make_episodes`."""

    task: str
    observation: Observation = "truth"
    options: dict[str, Any] = field(default_factory=dict)

    def episodes(self, count: int) -> Episodes:
        """Episodes in one world; errors as of `make_episodes`."""
        kind = task_of(self.task)
        own = {name: value for name, value in self.options.items() if name in kind.options()}
        others = {name: value for name, value in self.options.items() if name not in own}
        return Episodes(kind(self.observation, **own), count, **others)


def make_episodes(wish: Wish, count: int = 1, processes: int = 1) -> Running:
    """Episodes of a task for a number of robots, in as few worlds as it allows, spread over processes.

    With one process all is in this one, with more all is in others. What happens depends on seed, actions and both
    numbers.

    Raises:
        ConfigurationError: there is no such task, an option cannot be used, or there are more processes than robots.
    """
    if not 1 <= processes <= count:
        raise ConfigurationError(f"{processes} processes for {count} robots: give each of them a robot at least")
    if processes == 1:
        return _in_one_process(wish, count)
    parts = [len(part) for part in np.array_split(np.arange(count), processes)]
    return Several([partial(Remote, wish, part) for part in parts], beside=True)


def _in_one_process(wish: Wish, count: int) -> Running:
    one_world = wish.task not in TASKS or TASKS[wish.task].one_world
    worlds = -(-count // MOST) if one_world else count
    if worlds == 1:
        return wish.episodes(count)
    parts = [len(part) for part in np.array_split(np.arange(count), worlds)]
    return Several([partial(wish.episodes, part) for part in parts])


class Several:
    """Episodes of several worlds, one after the other in all arrays; `makers` make them.

    Those that are `beside` each other, in processes of their own, are waited for all at once.
    """

    def __init__(self, makers: Sequence[Callable[[], Running]], beside: bool = False) -> None:
        self._pool = ThreadPoolExecutor(len(makers), "worlds") if beside else None
        self._parts: list[Running] = []
        try:
            for make in makers:
                self._parts.append(make())
        except BaseException:
            self.close()
            raise
        self.count = sum(part.count for part in self._parts)
        self.observation_size, self.action_size = self._parts[0].observation_size, self._parts[0].action_size
        self._cuts = np.cumsum([part.count for part in self._parts])[:-1]

    def begin(self, seed: int) -> Array:
        """See `Episodes.begin`; each world has a seed of its own."""
        seeds = np.random.SeedSequence(seed).generate_state(len(self._parts)) & (2**31 - 1)
        return np.concatenate(self._map(lambda part, own: part.begin(int(own)), seeds))

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """See `Episodes.step_on`."""
        done = self._map(lambda part, own: part.step_on(own), np.split(actions, self._cuts))
        steps = [step for step, _ in done]
        values = (np.concatenate([getattr(step, one.name) for step in steps]) for one in fields(Step))
        return Step(*values), np.concatenate([observed for _, observed in done])

    def close(self) -> None:
        """Free all worlds."""
        for part in self._parts:
            part.close()
        if self._pool:
            self._pool.shutdown()

    def _map(self, work: Callable[[Running, Any], T], arguments: Iterable[Any]) -> list[T]:
        return list((self._pool.map if self._pool else map)(work, self._parts, arguments))


class Remote:
    """Episodes of worlds in a process of their own; see `make_episodes` for errors."""

    def __init__(self, wish: Wish, count: int) -> None:
        # Threads and engines of this process must not be copied.
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, wish, count), daemon=True)
        self._process.start()
        other.close()
        self.count = count
        self.observation_size, self.action_size = self._ask("sizes")

    def begin(self, seed: int) -> Array:
        """See `Episodes.begin`."""
        observed: Array = self._ask("begin", seed)
        return observed

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """See `Episodes.step_on`."""
        done: tuple[Step, Array] = self._ask("step_on", actions)
        return done

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()

    def _ask(self, *request: Any) -> Any:
        try:
            self._connection.send(request)
            answer = self._connection.recv()
        except (EOFError, OSError):
            raise UserError(f"a process with {self.count} robots has ended; see what it printed") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _serve(connection: Connection, wish: Wish, count: int) -> None:
    """Run episodes as another process asks, until it closes the connection."""
    try:
        running = _in_one_process(wish, count)
    except UserError as error:
        connection.send(error)
        return
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            name, *arguments = connection.recv()
            sizes = running.observation_size, running.action_size
            connection.send(sizes if name == "sizes" else getattr(running, name)(*arguments))
    running.close()
