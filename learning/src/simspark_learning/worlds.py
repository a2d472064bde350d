"""Episodes in several worlds, in this process and in others, as if they were in one."""

from __future__ import annotations

import multiprocessing
import pickle
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np

from simspark_learning.episodes import Episodes, Step
from simspark_learning.tasks import TASKS, task_of
from simspark_learning.tasks.base import Observation
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array

T = TypeVar("T")

MOST = 64
"""Most robots of one world, its `max_robots`; physics of larger worlds gets slower for each robot."""

PATIENCE = 10.0
"""Longest time for a process to end, s."""


class RunningEpisodes(Protocol):
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
    """A task by its name, with its observation and options; see `make_episodes`."""

    task: str
    observation: Observation = "truth"
    options: dict[str, Any] = field(default_factory=dict)

    def episodes(self, count: int) -> Episodes:
        """Episodes in one world; errors as of `make_episodes`."""
        kind = task_of(self.task)
        own = {name: value for name, value in self.options.items() if name in kind.options()}
        others = {name: value for name, value in self.options.items() if name not in own}
        if "opponents" in others:
            able = ", ".join(name for name, one in TASKS.items() if "opponents" in one.options())
            raise ConfigurationError(
                f"task '{self.task}' has no opponents; leave `opponents` out, or take {able} or a game"
            )
        return Episodes(kind(self.observation, **own), count, **others)


def make_episodes(wish: Wish, count: int = 1, processes: int = 1, host: Host | None = None) -> RunningEpisodes:
    """Episodes of a task for a number of robots, in as few worlds as it allows, spread over processes.

    With one process all is in this one, with more all is in others, of this machine or where `host` makes them. Results
    depend on seed, actions and both numbers, wherever the processes are.

    Raises:
        ConfigurationError: there is no such task, an option cannot be used, or there are more processes than robots.
    """
    if not 1 <= processes <= count:
        raise ConfigurationError(
            f"{processes} processes for {count} robots: give 1 to {count} processes, so that each has a robot"
        )
    if processes == 1:
        return _in_one_process(wish, count)
    if host is None:
        _check_picklable(wish)
    parts = [len(part) for part in np.array_split(np.arange(count), processes)]
    return Several([partial(_remote, host or Process, wish, part) for part in parts], beside=True)


def _check_picklable(wish: Wish) -> None:
    """Refuse options that cannot be sent to processes of this machine; a cluster may take more."""
    try:
        pickle.dumps(wish)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        how = "functions of opponents must be at the top level of a module"
        raise ConfigurationError(f"an option cannot be sent to other processes: {error}; {how}") from None


def _remote(host: Host, wish: Wish, count: int) -> RemoteEpisodes:
    return RemoteEpisodes(host(partial(Worlds, wish, count)), count)


def _in_one_process(wish: Wish, count: int) -> RunningEpisodes:
    one_world = wish.task not in TASKS or TASKS[wish.task].one_world
    worlds = -(-count // MOST) if one_world else count
    if worlds == 1:
        return wish.episodes(count)
    parts = [len(part) for part in np.array_split(np.arange(count), worlds)]
    return Several([partial(wish.episodes, part) for part in parts])


class Several:
    """Episodes of several worlds, one after the other in all arrays; `makers` make them.

    Worlds `beside` each other, in processes of their own, work at the same time.
    """

    def __init__(self, makers: Sequence[Callable[[], RunningEpisodes]], beside: bool = False) -> None:
        self._pool = ThreadPoolExecutor(len(makers), "worlds") if beside else None
        self._parts: list[RunningEpisodes] = []
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

    def _map(self, work: Callable[[RunningEpisodes, Any], T], arguments: Iterable[Any]) -> list[T]:
        return list((self._pool.map if self._pool else map)(work, self._parts, arguments))


class Worlds:
    """The contents of a process: episodes in one world or several, for other processes."""

    def __init__(self, wish: Wish, count: int) -> None:
        self._running = _in_one_process(wish, count)

    def sizes(self) -> tuple[int, int]:
        """Numbers of an observation and of an action."""
        return self._running.observation_size, self._running.action_size

    def begin(self, seed: int) -> Array:
        """See `Episodes.begin`."""
        return self._running.begin(seed)

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """See `Episodes.step_on`."""
        return self._running.step_on(actions)

    def close(self) -> None:
        """Free all worlds."""
        self._running.close()


class OtherProcess(Protocol):
    """Another process, which has an object: `Process`, or one of a cluster."""

    def ask(self, name: str, *arguments: Any) -> Any:
        """Call a method of the object; its errors for the user are raised here, and a UserError if the process ends."""

    def close(self) -> None:
        """End the process."""


Host: TypeAlias = Callable[[Callable[[], Worlds]], OtherProcess]
"""Function that has worlds made in another process."""


class RemoteEpisodes:
    """Episodes of `Worlds` that are elsewhere; see `make_episodes` for errors."""

    def __init__(self, place: OtherProcess, count: int) -> None:
        self._place, self.count = place, count
        try:
            self.observation_size, self.action_size = place.ask("sizes")
        except BaseException:
            place.close()
            raise

    def begin(self, seed: int) -> Array:
        """See `Episodes.begin`."""
        observed: Array = self._place.ask("begin", seed)
        return observed

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        """See `Episodes.step_on`."""
        done: tuple[Step, Array] = self._place.ask("step_on", actions)
        return done

    def close(self) -> None:
        """End the process."""
        self._place.close()


class Process:
    """A `OtherProcess` on this machine."""

    def __init__(self, make: Callable[[], Worlds]) -> None:
        # Threads and engines of this process must not be copied.
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, make), daemon=True)
        self._process.start()
        other.close()

    def ask(self, name: str, *arguments: Any) -> Any:
        """See `OtherProcess.ask`."""
        try:
            self._connection.send((name, *arguments))
            answer = self._connection.recv()
        except (EOFError, OSError):
            raise UserError("a process with worlds has ended; its output says why") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """See `OtherProcess.close`."""
        self._connection.close()
        self._process.join(PATIENCE)
        if self._process.is_alive():
            self._process.kill()


def _serve(connection: Connection, make: Callable[[], Worlds]) -> None:
    """Let another process ask for worlds until it closes the connection."""
    try:
        worlds = make()
    except UserError as error:
        connection.send(error)
        return
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            name, *arguments = connection.recv()
            connection.send(getattr(worlds, name)(*arguments))
    worlds.close()
