"""Answers requests to services: coroutines of the executor's thread hand work to the simulation's thread and wait.

Nothing here waits on ROS time, and nothing blocks the executor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future as ThreadFuture
from functools import partial
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from simspark_ros.configuration.errors import cut
from simspark_ros.msg import Result
from simspark_ros.ros.endpoints import create_service
from simspark_ros.ros.limits import MAX_BACKGROUND
from simspark_ros.simulation.loop import Simulation
from simspark_ros.worlds.errors import CommandRejectedError

T = TypeVar("T")

Handler = Callable[[Any, Any], Awaitable[None]]

_DELIVERY = 0.2
"""Seconds for which an answer may be on its way; DDS drops it if the node is destroyed earlier."""


class RequestError(Exception):
    """A request is refused with a code for the response; the message says why and what to do."""

    def __init__(self, result: int, text: str) -> None:
        super().__init__(text)
        self.result = result


class ServiceServer:
    """Offers services, most of whose responses have a field `result`, and keeps their open requests.

    It waits for the simulation for at most the timeout (s); `wake_simulation` ends the simulation's wait for a cycle.
    `synchronise` makes topics of new robots and looks for new subscribers, in the executor's thread.
    """

    def __init__(
        self,
        node: Node,
        simulation: Simulation,
        timeout: float,
        wake_simulation: Callable[[], None],
        synchronise: Callable[[], None],
    ) -> None:
        self.timeout, self.synchronise, self.wake_simulation = timeout, synchronise, wake_simulation
        self._node, self._simulation = node, simulation
        self._group = ReentrantCallbackGroup()
        self._waiting: list[tuple[float, ThreadFuture[Any], Future[Any]]] = []
        self._open = self._in_background = 0
        self._answered = 0.0
        # Completing a future does not wake an executor of rclpy: a guard condition does.
        self._guard = node.create_guard_condition(lambda: None)

    def offer(self, kind: type[Any], name: str, work: Callable[[Any, Any], None]) -> None:
        """Offer a service whose work the simulation's thread does, see `handler`."""
        self.offer_coroutine(kind, name, self.handler(work))

    def handler(self, work: Callable[[Any, Any], None]) -> Handler:
        """The handler by whose `work` the simulation's thread answers a request, between two cycles.

        `work` may raise RequestError or CommandRejectedError, and is not done while there is no world.
        """

        async def handle(request: Any, response: Any) -> None:
            await self.in_simulation(lambda: work(request, response), needs_world=True)
            self.synchronise()

        return handle

    def offer_coroutine(self, kind: type[Any], name: str, handler: Handler) -> None:
        """Offer a service whose handler runs in the executor's thread and awaits `in_simulation` itself."""

        # A function that rclpy recognises as a coroutine function, which a partial of a method is not everywhere.
        async def serve(request: Any, response: Any) -> Any:
            return await self._answer(handler, request, response)

        create_service(self._node, kind, name, serve, self._group)

    @property
    def quiet(self) -> bool:
        """Whether every request has been answered, and the last answer has had the time to get out of the process."""
        return self._open == 0 and time.monotonic() > self._answered + _DELIVERY

    def go_on(self) -> None:
        """Wake the executor for coroutines whose futures are done; safe from any thread."""
        self._guard.trigger()

    def expire(self) -> None:
        """Cancel work that the simulation has not done in time; to be called regularly in the executor's thread."""
        now = time.monotonic()
        for entry in self._waiting[:]:
            deadline, work, future = entry
            if future.done():
                self._waiting.remove(entry)
            elif now > deadline and work.cancel():
                self._waiting.remove(entry)
                failed = int(Result.RESULT_OPERATION_FAILED)
                future.set_exception(RequestError(failed, f"the simulation did not respond within {self.timeout:g} s"))

    async def in_simulation(self, work: Callable[[], T], needs_world: bool = False) -> T:
        """Let the simulation's thread do something between two cycles.

        Raises:
            RequestError: it did nothing within the timeout, or there is no world and it needs one.
        """

        def checked() -> T:
            if needs_world and not self._simulation.has_world:
                raise RequestError(int(Result.RESULT_INCORRECT_STATE), "no world is loaded; call load_world first")
            return work()

        return await self.result_of(self._simulation.requests.submit(checked))

    async def result_of(self, work: ThreadFuture[T]) -> T:
        """Wait for something that the simulation's thread completes; errors as of `in_simulation`."""
        self.wake_simulation()
        future: Any = Future()
        work.add_done_callback(partial(self._finish, future))
        self._waiting.append((time.monotonic() + self.timeout, work, future))
        result: T = await future
        return result

    async def in_background(self, work: Callable[[], T], waited_for: bool = False) -> T:
        """Do work that may take seconds, such as reading a file, in a thread of its own.

        Args:
            work: function without arguments.
            waited_for: whether the process must not end before the work, as libraries in C++ need it.

        Raises:
            RequestError: the threads are all taken.
        """
        if self._in_background == MAX_BACKGROUND:
            text = f"{MAX_BACKGROUND} requests are already in progress; ask again later"
            raise RequestError(int(Result.RESULT_OPERATION_FAILED), text)
        self._in_background += 1
        done: ThreadFuture[T] = ThreadFuture()
        future: Any = Future()
        done.add_done_callback(partial(self._finish, future))
        thread = threading.Thread(target=_complete, args=(done, work), name="background", daemon=not waited_for)
        thread.start()
        try:
            result: T = await future
            return result
        finally:
            self._in_background -= 1

    async def _answer(self, handler: Handler, request: Any, response: Any) -> Any:
        self._open += 1
        code, text = int(Result.RESULT_OPERATION_FAILED), ""
        try:
            await handler(request, response)
            code = int(Result.RESULT_OK)
        except RequestError as error:
            code, text = error.result, str(error)
        except CommandRejectedError as error:
            text = str(error)
        # A fault of ours must not leave the caller without an answer.
        except Exception as error:
            text = cut(f"{type(error).__name__}: {error}", 500)
        finally:
            self._answered = time.monotonic()
            self._open -= 1
        # GetSimulatorFeatures has none.
        if hasattr(response, "result"):
            response.result.result = code
            response.result.error_message = text or response.result.error_message
        return response

    def _finish(self, future: Any, work: ThreadFuture[Any]) -> None:
        if work.cancelled():
            return
        error = work.exception()
        if isinstance(error, Exception):
            future.set_exception(error)
        else:
            future.set_result(work.result())
        self.go_on()


def _complete(future: ThreadFuture[T], work: Callable[[], T]) -> None:
    try:
        future.set_result(work())
    except Exception as error:
        future.set_exception(error)
