"""Adds robots to a running game and removes them, when services ask for that.

A few robots come and go between two cycles, and another thread prepares the engine for them. So a burst of requests
holds nobody up, and each request is answered when its robot is there or gone.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from rclpy.task import Future

from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.ros.services.server import ServiceServer
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.simulation.loop import Simulation

AT_ONCE = 4
"""Most robots that come or go between two cycles."""

ENOUGH = 0.02
"""Processor time, s, that a batch may take; a robot that would take it beyond waits for the next batch. Later in the
cycle, sensors and topics are bound again."""

LONGEST = 5.0
"""Wall time of a burst without end, s, after which garbage is searched for again."""


@dataclass(eq=False)
class Passage:
    """A robot that comes or goes by `work`, which returns its name.

    Attributes:
        comes: model of a robot that comes; None = the robot goes, or its model is not known yet.
        goes: name of a robot that goes.
        name: name that `work` has returned.
        error: error that `work` has raised, or that kept it from being done.
    """

    work: Callable[[], str]
    comes: ArticulatedModel | None = None
    goes: str = ""
    name: str | None = None
    error: Exception | None = None

    @property
    def is_over(self) -> bool:
        """Whether the robot is there or gone, or never will be."""
        return self.name is not None or self.error is not None

    def carry_out(self) -> None:
        """Do the work; in the simulation's thread."""
        try:
            self.name = self.work()
        except Exception as error:
            self.error = error


class Entrance:
    """The passages that are waiting, first come, first served; belongs to the executor's thread."""

    def __init__(self, server: ServiceServer, simulation: Simulation, control: TopicControl) -> None:
        self._server, self._simulation, self._control = server, simulation, control
        self._waiting: deque[Passage] = deque()
        # Done when the present batch is; None = nobody sees to a batch.
        self._batch: Any = None
        self._begun = 0.0

    def queue(self, passage: Passage) -> Passage:
        """Let a passage wait for its turn; `passed` has to be awaited, too."""
        self._waiting.append(passage)
        return passage

    async def passed(self, passage: Passage) -> str:
        """Wait until a queued passage is over; returns the robot's name.

        Raises:
            Exception: the work has raised it; a RequestError says that the simulation did nothing within its time.
        """
        while not passage.is_over:
            # A waiting request sees to the next batch, for all.
            if self._batch is None:
                await self._let_in()
            else:
                await self._batch
        if passage.error is not None:
            raise passage.error
        assert passage.name is not None
        return passage.name

    async def _let_in(self) -> None:
        done = self._batch = Future()
        # While garbage is not searched for, a burst goes on.
        self._begun = time.monotonic() if gc.isenabled() else self._begun
        batch = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
        try:
            # Without room for a thread, or with a model that it refuses, the engine does all when the robots come: what
            # goes wrong here goes wrong there, for the robot alone that it is about.
            with suppress(Exception):
                ready = self._simulation.world.engine.prepare(self._models(batch))
                if ready is not None:
                    await self._server.result_of(ready)
            await self._server.in_simulation(partial(self._carry_out, batch), needs_world=True)
            self._waiting.extendleft(passage for passage in reversed(batch) if not passage.is_over)
        except Exception as error:
            for passage in (*batch, *self._waiting):
                if not passage.is_over:
                    passage.error = error
            self._waiting.clear()
        finally:
            if not self._waiting or time.monotonic() - self._begun > LONGEST:
                # In the next cycle: this one makes what belongs to the new robots.
                self._simulation.requests.submit(gc.enable)
            self._batch = None
            done.set_result(None)
            self._server.go_on()

    def _models(self, batch: list[Passage]) -> tuple[ArticulatedModel, ...]:
        """Models of all robots after a batch."""
        world = self._simulation.world
        names = {passage.goes for passage in batch if passage.goes}
        gone = {robot.handle for robot in world.robots.values() if robot.name in names}
        state = world.engine.state
        staying = [model for handle, model in zip(state.handles, state.models, strict=True) if handle not in gone]
        return (*staying, *(passage.comes for passage in batch if passage.comes is not None))

    def _carry_out(self, batch: list[Passage]) -> None:
        # Hardly anything that a burst of robots makes is garbage, and a search takes as long as the robots.
        gc.disable()
        begun = time.thread_time()
        for done, passage in enumerate(batch, 1):
            passage.carry_out()
            # The next takes as long as those before.
            if (time.thread_time() - begun) * (done + 1) / done > ENOUGH:
                break
        self._control.update_roster(self._simulation.world)
