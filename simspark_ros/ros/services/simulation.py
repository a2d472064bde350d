"""The services that control the simulator, with the semantics of simulation_interfaces 2.1.0.

Callbacks are coroutines of the executor's thread. They hand work to the simulation's thread and sleep until it is
done; nothing here waits on ROS time, and nothing blocks the executor.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future as ThreadFuture
from functools import partial
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from rclpy.validate_namespace import validate_namespace

from simspark_ros.msg import Result, SimulationState
from simspark_ros.ros.topic_control import Steps, TopicControl
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.spawning import (
    FIXED_ENTITIES,
    SpawnError,
    SpawnPose,
    check_name,
    checked_pose,
    parse_resource,
    spawn,
)
from simspark_ros.soccer.world import CommandRejectedError
from simspark_ros.srv import (
    DeleteEntity,
    GetEntities,
    GetSimulationState,
    ResetSimulation,
    SetSimulationState,
    SpawnEntity,
    StepSimulation,
)

T = TypeVar("T")

Handler = Callable[[Any, Any], Awaitable[None]]

_ALL = ResetSimulation.Request.SCOPE_TIME | ResetSimulation.Request.SCOPE_STATE | ResetSimulation.Request.SCOPE_SPAWNED

_DELIVERY = 0.2
"""Seconds that an answer may be on its way; DDS forgets it when the node is destroyed before."""


class RequestError(Exception):
    """A request is refused.

    Attributes:
        result: code of the response.
    """

    def __init__(self, result: int, text: str) -> None:
        """Take the code and a text that names culprit and remedy."""
        super().__init__(text)
        self.result = result


class Services:
    """All services of the simulator node."""

    def __init__(
        self,
        node: Node,
        simulation: Simulation,
        control: TopicControl,
        timeout: float,
        wake_simulation: Callable[[], None],
        synchronise: Callable[[], None],
    ) -> None:
        """Offer the services.

        Args:
            node: that offers them.
            simulation: to control.
            control: of its topics.
            timeout: s to wait for the simulation at most; for steps, from one step to the next.
            wake_simulation: ends the simulation's wait for the next cycle.
            synchronise: makes topics of new robots and looks for new subscribers, in the executor's thread.
        """
        self._node, self._simulation, self._control, self._timeout = node, simulation, control, timeout
        self._wake_simulation, self._synchronise = wake_simulation, synchronise
        self._group = ReentrantCallbackGroup()
        self._waiting: list[tuple[float, ThreadFuture[Any], Future[Any]]] = []
        self._stopped = False
        self._spawned: set[int] = set()
        self._open = 0
        self._answered = 0.0
        # Completing a future does not wake an executor of rclpy: a guard condition does.
        self._guard = node.create_guard_condition(lambda: None)
        handlers: dict[type[Any], tuple[str, Handler]] = {
            SpawnEntity: ("spawn_entity", self._spawn),
            DeleteEntity: ("delete_entity", self._delete),
            GetEntities: ("get_entities", self._get_entities),
            ResetSimulation: ("reset_simulation", self._reset),
            SetSimulationState: ("set_simulation_state", self._set_state),
            GetSimulationState: ("get_simulation_state", self._get_state),
            StepSimulation: ("step_simulation", self._step),
        }
        for kind, (name, handler) in handlers.items():
            callback = partial(self._answer, handler)
            node.create_service(kind, name, _coroutine(callback), callback_group=self._group)

    def offer(self, kind: type[Any], name: str, work: Callable[[Any, Any], None]) -> None:
        """Offer one more service.

        Args:
            kind: of the service; its response has a field `result`.
            name: of the service.
            work: takes request and response in the simulation's thread, between two cycles; may raise RequestError
                or CommandRejectedError.
        """

        async def handle(request: Any, response: Any) -> None:
            try:
                await self._in_simulation(lambda: work(request, response))
            except CommandRejectedError as error:
                raise RequestError(Result.RESULT_OPERATION_FAILED, str(error)) from None
            self._synchronise()

        self._node.create_service(kind, name, _coroutine(partial(self._answer, handle)), callback_group=self._group)

    @property
    def quiet(self) -> bool:
        """Whether every request has been answered, and the last answer has had the time to get out of the process."""
        return self._open == 0 and time.monotonic() > self._answered + _DELIVERY

    @property
    def state(self) -> int:
        """Current state, see SimulationState."""
        if self._simulation.stopping:
            return int(SimulationState.STATE_QUITTING)
        if not self._simulation.scheduler.paused:
            return int(SimulationState.STATE_PLAYING)
        return int(SimulationState.STATE_STOPPED if self._stopped else SimulationState.STATE_PAUSED)

    def expire(self) -> None:
        """Give up on what the simulation has not done in time; call it now and then in the executor's thread."""
        now = time.monotonic()
        for entry in self._waiting[:]:
            deadline, work, future = entry
            if future.done():
                self._waiting.remove(entry)
            elif now > deadline and work.cancel():
                self._waiting.remove(entry)
                failed = int(Result.RESULT_OPERATION_FAILED)
                future.set_exception(RequestError(failed, f"the simulation did nothing for {self._timeout:g} s"))

    async def _answer(self, handler: Handler, request: Any, response: Any) -> Any:
        self._open += 1
        try:
            await handler(request, response)
            response.result.result = Result.RESULT_OK
        except RequestError as error:
            response.result.result, response.result.error_message = error.result, str(error)
        except SpawnError as error:
            response.result.result, response.result.error_message = _code(error), str(error)
        # A fault of ours must not leave the caller without an answer.
        except Exception as error:
            response.result.result = Result.RESULT_OPERATION_FAILED
            response.result.error_message = f"{type(error).__name__}: {error}"
        finally:
            self._open -= 1
            self._answered = time.monotonic()
        return response

    async def _in_simulation(self, work: Callable[[], T]) -> T:
        """Let the simulation's thread do something between two cycles."""
        return await self._result(self._simulation.requests.submit(work))

    async def _result(self, work: ThreadFuture[T]) -> T:
        self._wake_simulation()
        future: Any = Future()
        work.add_done_callback(partial(self._finish, future))
        self._waiting.append((time.monotonic() + self._timeout, work, future))
        result: T = await future
        return result

    def _finish(self, future: Any, work: ThreadFuture[Any]) -> None:
        if work.cancelled():
            return
        error = work.exception()
        if isinstance(error, Exception):
            future.set_exception(error)
        else:
            future.set_result(work.result())
        self._guard.trigger()

    async def _spawn(self, request: Any, response: Any) -> None:
        if request.entity_resource.resource_string:
            raise RequestError(response.UNSUPPORTED_FORMAT, "resource_string is not supported; name a robot in uri")
        check_name(request.name)
        namespace = _check_namespace(request.entity_namespace)
        pose = _wanted_pose(request.initial_pose)
        description = parse_resource(request.entity_resource.uri)
        world, control = self._simulation.world, self._control

        def work() -> str:
            own = namespace.strip("/")
            if own and own in world.names_in_use:
                taken = f"namespace '{namespace}' belongs to another entity; choose another one"
                raise RequestError(response.NAMESPACE_INVALID, taken)
            robot = spawn(world, description, request.name, request.allow_renaming, pose)
            self._spawned.add(robot.handle)
            if namespace:
                control.namespaces[robot.handle] = namespace
                world.reserved_names.add(own)
            control.update_roster(world)
            return robot.name

        response.entity_name = await self._in_simulation(work)
        self._synchronise()

    async def _delete(self, request: Any, response: Any) -> None:
        world, name = self._simulation.world, request.entity

        def work() -> None:
            robot = world.robot_named(name) if name else None
            if name in FIXED_ENTITIES:
                raise RequestError(Result.RESULT_OPERATION_FAILED, f"'{name}' is part of the world and stays")
            if robot is None:
                raise RequestError(Result.RESULT_NOT_FOUND, f"there is no entity '{name[:80]}'; see get_entities")
            if robot.client:
                raise RequestError(
                    Result.RESULT_OPERATION_FAILED,
                    f"'{name}' belongs to agent '{robot.client}'; it goes when that agent disconnects",
                )
            world.remove_robot(robot)
            self._spawned.discard(robot.handle)
            self._control.update_roster(world)

        await self._in_simulation(work)
        self._synchronise()

    async def _get_entities(self, request: Any, response: Any) -> None:
        world = self._simulation.world
        names = await self._in_simulation(lambda: [robot.name for robot in world.robots.values() if robot.name])
        fixed = FIXED_ENTITIES if world.scene.ball is not None else FIXED_ENTITIES[:1]
        response.entities = [*fixed, *names]

    async def _reset(self, request: Any, response: Any) -> None:
        whole = request.scope in (request.SCOPE_DEFAULT, request.SCOPE_ALL)
        scope = _ALL if whole else int(request.scope)
        if scope & ~_ALL:
            raise RequestError(Result.RESULT_FEATURE_UNSUPPORTED, f"scope {scope} is unknown; add up 1, 2 and 4")
        await self._in_simulation(partial(self._reset_now, scope))
        self._synchronise()

    def _reset_now(self, scope: int) -> None:
        world, request = self._simulation.world, ResetSimulation.Request
        if scope & request.SCOPE_SPAWNED:
            for handle in sorted(self._spawned & set(world.robots)):
                world.remove_robot(world.robots[handle])
            self._spawned.clear()
            self._control.update_roster(world)
        if scope & request.SCOPE_STATE:
            self._simulation.reset_state()
        if scope & request.SCOPE_TIME:
            self._simulation.reset_time()

    async def _get_state(self, request: Any, response: Any) -> None:
        response.state.state = self.state

    async def _set_state(self, request: Any, response: Any) -> None:
        wanted = request.state.state
        await self._in_simulation(partial(self._set_state_now, int(wanted), response))
        self._synchronise()

    def _set_state_now(self, wanted: int, response: Any) -> None:
        scheduler = self._simulation.scheduler
        if wanted == self.state:
            raise RequestError(response.ALREADY_IN_TARGET_STATE, "the simulation is in that state already")
        if wanted == SimulationState.STATE_PLAYING:
            self._end_steps("the simulation was started")
            scheduler.resume()
        elif wanted in (SimulationState.STATE_PAUSED, SimulationState.STATE_STOPPED):
            self._end_steps("the simulation was stopped")
            scheduler.pause()
            if wanted == SimulationState.STATE_STOPPED:
                self._reset_now(_ALL)
        elif wanted == SimulationState.STATE_QUITTING:
            self._simulation.stop()
        else:
            raise RequestError(
                response.INCORRECT_TRANSITION, f"state {wanted} cannot be asked for; use STOPPED, PLAYING or PAUSED"
            )
        self._stopped = wanted == SimulationState.STATE_STOPPED

    async def _step(self, request: Any, response: Any) -> None:
        if request.steps < 1:
            raise RequestError(Result.RESULT_OPERATION_FAILED, "steps must be at least 1")
        # Subscribers that came while time stood still must get the first step.
        self._synchronise()
        steps: Steps = await self._in_simulation(partial(self._step_now, request.steps))
        reason = await self._steps_done(steps)
        if reason is not None:
            made = request.steps - steps.left
            raise RequestError(Result.RESULT_OPERATION_FAILED, f"{reason} after {made} of {request.steps} steps")

    def _step_now(self, count: int) -> Steps:
        if self.state != SimulationState.STATE_PAUSED:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps are possible only while the simulation is PAUSED")
        if self._control.steps is not None:
            raise RequestError(Result.RESULT_INCORRECT_STATE, "steps of another request are being made; wait for them")
        self._control.steps = Steps(count, ThreadFuture())
        self._simulation.scheduler.step(count)
        return self._control.steps

    async def _steps_done(self, steps: Steps) -> str | None:
        while True:
            left = steps.left
            # The future of steps is never cancelled, only waited for anew.
            waiter: ThreadFuture[str | None] = ThreadFuture()
            steps.done.add_done_callback(lambda done, waiter=waiter: _pass_on(done, waiter))  # type: ignore[misc]
            try:
                return await self._result(waiter)
            except RequestError:
                if steps.left < left:
                    continue
                reason = f"no step was made for {self._timeout:g} s (agents that do not answer?)"
                await self._in_simulation(partial(self._give_up, steps, reason))
                return reason

    def _give_up(self, steps: Steps, reason: str) -> None:
        if self._control.steps is steps:
            self._simulation.scheduler.pause()
            self._end_steps(reason)

    def _end_steps(self, reason: str) -> None:
        self._control.end_steps(reason)


def _pass_on(done: ThreadFuture[T], waiter: ThreadFuture[T]) -> None:
    if waiter.set_running_or_notify_cancel():
        waiter.set_result(done.result())


def _coroutine(callback: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    """As a function that rclpy recognises as a coroutine function, which a partial of a method is not everywhere."""

    async def serve(request: Any, response: Any) -> Any:
        return await callback(request, response)

    return serve


def _code(error: SpawnError) -> int:
    """The result of SpawnEntity, or the general one, that has the name of the refusal."""
    name = error.reason.name
    return int(getattr(SpawnEntity.Response, name, None) or getattr(Result, f"RESULT_{name}"))


def _wanted_pose(stamped: Any) -> SpawnPose | None:
    position, orientation = stamped.pose.position, stamped.pose.orientation
    return checked_pose(
        stamped.header.frame_id,
        (position.x, position.y, position.z),
        (orientation.x, orientation.y, orientation.z, orientation.w),
    )


def _check_namespace(namespace: str) -> str:
    if not namespace:
        return ""
    try:
        validate_namespace(namespace if namespace.startswith("/") else f"/{namespace}")
    # rclpy has two exceptions for that, which differ between distributions.
    except Exception as error:
        text = f"namespace '{namespace[:80]}' is no ROS name: {error}".splitlines()[0]
        raise RequestError(SpawnEntity.Response.NAMESPACE_INVALID, text) from None
    return namespace.rstrip("/") or "/"
