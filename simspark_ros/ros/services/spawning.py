"""The services that add, delete and list robots (semantics of simulation_interfaces 2.1.0)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.msg import Result
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.conversions import xyz, xyzw
from simspark_ros.ros.limits import MAX_SOURCES, MAX_SPAWNS
from simspark_ros.ros.services.entities import robot_of
from simspark_ros.ros.services.entrance import Entrance, Passage
from simspark_ros.ros.services.messages import set_box
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.services.standard import set_resource, source_of
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.names import TopicChecks, checked_namespace
from simspark_ros.ros.topics.publisher import TopicError
from simspark_ros.simulation.entities.bounds import model_box
from simspark_ros.simulation.loading.robot_resources import (
    RobotResource,
    SpawnError,
    SpawnRefusal,
    check_name,
    find_resource,
)
from simspark_ros.simulation.loading.spawning import FIXED_ENTITIES, SpawnPose, name_of, spawn, wanted_pose
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.srv import SpawnEntity
from simspark_ros.worlds.errors import CommandRejectedError

_ANY_NAMESPACE = "/robot"

PLAYER = "player:"
"""Begins URIs of player plug-ins, e.g. `player:goalkeeper?policy=block`."""

_FAILED_SPAWNS = 150
"""ENTITIES_SPAWN_FAILED of SpawnEntities."""


class SpawnServices:
    """`spawn_entity`, `spawn_entities`, `delete_entity`, `get_spawnables`.

    Files of robots are read in the background within `limits`. Both the reading and the `checks` of topics come before
    the robot is added: it is added with all of its topics, or not at all.
    """

    def __init__(
        self,
        offer: StandardOffer,
        simulation: Simulation,
        control: TopicControl,
        limits: LimitSettings,
        checks: TopicChecks,
    ) -> None:
        self._offer, self._server = offer, offer.server
        self._simulation, self._control = simulation, control
        self._limits, self._checks = limits, checks
        self._entrance = Entrance(offer.server, simulation, control)
        offer.coroutine("spawn_entity", self._spawn)
        offer.coroutine("spawn_entities", self._spawn_all)
        offer.coroutine("delete_entity", self._delete)
        offer.coroutine("get_spawnables", self._get_spawnables)

    def delete_spawned(self) -> None:
        """Delete all spawned robots; in the simulation's thread."""
        world = self._simulation.world
        spawned = [robot for robot in world.robots.values() if robot.is_guest]
        for robot in spawned:
            self._simulation.note("removed", robot.handle)
        world.remove_robots(spawned)
        self._control.update_roster(world)

    async def _spawn(self, request: Any, response: Any) -> None:
        response.entity_name = await self._entrance.passed(await self._queued(request))
        self._server.synchronise()

    async def _spawn_all(self, request: Any, response: Any) -> None:
        wishes = request.spawn_requests
        if len(wishes) > MAX_SPAWNS:
            text = f"{len(wishes)} requests at a time are too many; send at most {MAX_SPAWNS}"
            raise RequestError(Result.RESULT_OPERATION_FAILED, text)
        # All are checked first, and then come a few at a time.
        queued = [await self._queued_or_refused(wish) for wish in wishes]
        answers = [await self._answer(one) for one in queued]
        # Some versions of rclpy lose an `append` to the list that a message returns.
        response.results = answers
        self._server.synchronise()
        failed = sum(answer.result.result != Result.RESULT_OK for answer in answers)
        if failed:
            raise RequestError(_FAILED_SPAWNS, f"{failed} of {len(wishes)} were not spawned; see their results")

    async def _queued_or_refused(self, request: Any) -> Passage | RequestError:
        try:
            return await self._queued(request)
        except RequestError as error:
            return error

    async def _answer(self, queued: Passage | RequestError) -> Any:
        """The result of one of several requests."""
        answer = self._offer.message("SpawnResult")
        try:
            if isinstance(queued, RequestError):
                raise queued
            answer.entity_name = await self._entrance.passed(queued)
            answer.result.result = Result.RESULT_OK
        except RequestError as error:
            answer.result.result, answer.result.error_message = error.result, str(error)
        return answer

    async def _queued(self, request: Any) -> Passage:
        """Check a request and let its robot wait for its turn."""
        uri, text = source_of(request)
        try:
            check_name(request.name)
            frame, wanted = request.initial_pose.header.frame_id, request.initial_pose.pose
            pose = wanted_pose(frame, xyz(wanted.position), xyzw(wanted.orientation))
            if uri.startswith(PLAYER):
                work = partial(self._start_player, request.name, uri.removeprefix(PLAYER), pose)
                return self._entrance.queue(Passage(partial(_refusing, work)))
            namespace = _check_namespace(request.entity_namespace)
            description = await self._described(find_resource(uri, text))
            self._check_names(description, namespace or request.name or name_of(description))
        except SpawnError as error:
            raise RequestError(_code(error), str(error)) from None
        work = partial(self._spawn_now, request, description, namespace, pose)
        return self._entrance.queue(Passage(partial(_refusing, work), comes=description.model))

    def _spawn_now(self, request: Any, description: RobotDescription, namespace: str, pose: SpawnPose | None) -> str:
        """Add a robot; returns its name."""
        world, control, own = self._simulation.world, self._control, namespace.strip("/")
        if namespace and own in world.names_in_use:
            taken = f"namespace '{namespace}' belongs to another entity; choose another one"
            raise RequestError(SpawnEntity.Response.NAMESPACE_INVALID, taken)
        self._checks.check_world(description)
        robot = spawn(world, description, self._limits, request.name, request.allow_renaming, pose)
        uri, text = source_of(request)
        self._simulation.note("spawned", uri, robot.name, pose and [pose.position, pose.quaternion], text)
        robot.is_guest = True
        if namespace:
            control.give_namespace(world, robot, namespace)
        return robot.name

    def _start_player(self, name: str, kind: str, pose: SpawnPose | None) -> str:
        """Start a player plug-in with a robot of its own; returns their name."""
        simulation = self._simulation
        if name in simulation.world.names_in_use:
            raise SpawnError(SpawnRefusal.NAME_NOT_UNIQUE, f"the name '{name}' is taken; choose another one")
        text = f"{name}={kind}" if name else kind
        robot = simulation.required(PlayerHost).start(text, pose)
        simulation.note("player", text, pose and [pose.position, pose.quaternion])
        robot.is_guest = True
        return robot.name

    async def _described(self, robot: RobotResource) -> RobotDescription:
        types = self._simulation.world.types
        load = partial(robot.load, self._limits, types)
        return await self._server.in_background(load) if robot.takes_long(types) else load()

    def _check_names(self, description: RobotDescription, namespace: str) -> None:
        """Refuse a robot that has too many topics, or one that DDS would refuse in any namespace or in its own."""
        try:
            self._checks.check_robot(description, _ANY_NAMESPACE)
        except TopicError as error:
            raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, f"{description.file}: {error}") from None
        try:
            self._checks.check_robot(description, namespace)
        except TopicError as error:
            raise RequestError(SpawnEntity.Response.NAMESPACE_INVALID, str(error)) from None

    async def _delete(self, request: Any, response: Any) -> None:
        name = request.entity
        await self._entrance.passed(self._entrance.queue(Passage(partial(self._delete_now, name), goes=name)))
        self._server.synchronise()

    def _delete_now(self, name: str) -> str:
        """Remove a robot; returns its name."""
        world = self._simulation.world
        if name in FIXED_ENTITIES or any(name == obstacle.name for obstacle in world.scene.obstacles):
            raise RequestError(Result.RESULT_OPERATION_FAILED, f"'{name}' is part of the world and cannot be removed")
        robot = robot_of(world, name, "; the robot goes when that agent disconnects")
        self._simulation.note("removed", robot.handle)
        world.remove_robot(robot)
        return name

    async def _get_spawnables(self, request: Any, response: Any) -> None:
        types = self._simulation.world.types
        own = [f"{name}/{number}" if number else name for name in robot_names() for number in types.numbers(name)]
        found = [self._spawnable(uri, await self._described(find_resource(uri))) for uri in own]
        problems = []
        for source in request.sources[:MAX_SOURCES]:
            try:
                found.append(self._spawnable(source, await self._described(find_resource(source))))
            except (SpawnError, RequestError) as error:
                problems.append(cut(str(error), 200))
        if len(request.sources) > MAX_SOURCES:
            problems.append(f"only {MAX_SOURCES} of {len(request.sources)} sources were looked at")
        response.spawnables, response.result.error_message = found, "; ".join(problems)

    def _spawnable(self, uri: str, description: RobotDescription) -> Any:
        message, model = self._offer.message("Spawnable"), description.model
        set_resource(message, uri)
        body = "".join(f", {name} {value:g}" for name, value in description.parameters.items())
        message.description = f"{description.name}, type {description.variant}: {len(model.joints)} joints{body}"
        set_box(message.spawn_bounds, model_box(model, description.spawn_height))
        return message


def _refusing(work: Callable[[], str]) -> str:
    """Do work whose refusals become the service's refusals."""
    try:
        return work()
    except SpawnError as error:
        raise RequestError(_code(error), str(error)) from None
    except CommandRejectedError as error:
        raise RequestError(int(Result.RESULT_OPERATION_FAILED), str(error)) from None


def _code(error: SpawnError) -> int:
    """The result of SpawnEntity, or the general one, that has the name of the refusal."""
    name = error.reason.name
    return int(getattr(SpawnEntity.Response, name, None) or getattr(Result, f"RESULT_{name}"))


def _check_namespace(namespace: str) -> str:
    try:
        return checked_namespace(namespace) if namespace else ""
    except TopicError as error:
        raise RequestError(SpawnEntity.Response.NAMESPACE_INVALID, str(error)) from None
