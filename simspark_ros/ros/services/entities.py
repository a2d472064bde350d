"""The services `spawn_entity`, `delete_entity` and `get_entities` (semantics of simulation_interfaces 2.1.0)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.validate_namespace import validate_namespace

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.msg import Result
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.services.server import RequestError, ServiceServer
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.publisher import TopicError
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.spawning import (
    FIXED_ENTITIES,
    RobotResource,
    SpawnError,
    SpawnPose,
    SpawnRefusal,
    check_name,
    checked_pose,
    find_resource,
    name_of,
    spawn,
)
from simspark_ros.soccer.world import Robot, World
from simspark_ros.srv import DeleteEntity, GetEntities, SpawnEntity

TopicCheck = Callable[[RobotDescription, str], None]
"""Raises TopicError if a robot would have a topic of an impossible name in a namespace."""

_ANY_NAMESPACE = "/robot"


class EntityServices:
    """`spawn_entity`, `delete_entity`, `get_entities`.

    Files of robots are read in the background within `limits`. Both `check_topics` and the reading come before the
    robot is added: it is added with all of its topics, or not at all.
    """

    def __init__(
        self,
        server: ServiceServer,
        simulation: Simulation,
        control: TopicControl,
        limits: LimitSettings,
        check_topics: TopicCheck,
    ) -> None:
        self._server, self._simulation, self._control = server, simulation, control
        self._limits, self._check_topics = limits, check_topics
        self._spawned: set[int] = set()
        server.offer_coroutine(SpawnEntity, "spawn_entity", self._spawn)
        server.offer(DeleteEntity, "delete_entity", self._delete)
        server.offer(GetEntities, "get_entities", self._get)

    def delete_spawned(self) -> None:
        """Delete all spawned robots; in the simulation's thread."""
        world = self._simulation.world
        for handle in sorted(self._spawned & set(world.robots)):
            self._simulation.note("removed", handle)
            world.remove_robot(world.robots[handle])
        self._spawned.clear()
        self._control.update_roster(world)

    async def _spawn(self, request: Any, response: Any) -> None:
        if request.entity_resource.resource_string:
            raise RequestError(response.UNSUPPORTED_FORMAT, "resource_string is not supported; name a robot in uri")
        world, control = self._simulation.world, self._control
        uri = request.entity_resource.uri

        def work() -> str:
            own = namespace.strip("/")
            if namespace and own in world.names_in_use:
                taken = f"namespace '{namespace}' belongs to another entity; choose another one"
                raise RequestError(response.NAMESPACE_INVALID, taken)
            robot = spawn(world, description, self._limits, request.name, request.allow_renaming, pose)
            self._simulation.note("spawned", uri, robot.name, pose and [pose.position, pose.quaternion])
            self._spawned.add(robot.handle)
            if namespace:
                control.namespaces[robot.handle] = namespace
                world.reserved_names.add(own)
            control.update_roster(world)
            return robot.name

        try:
            check_name(request.name)
            namespace = _check_namespace(request.entity_namespace)
            pose = _wanted_pose(request.initial_pose)
            description = await self._described(find_resource(uri))
            self._check_names(description, namespace or request.name or name_of(description))
            response.entity_name = await self._server.in_simulation(work)
        except SpawnError as error:
            raise RequestError(_code(error), str(error)) from None
        self._server.synchronise()

    async def _described(self, robot: RobotResource) -> RobotDescription:
        load = partial(robot.load, self._limits)
        return await self._server.in_background(load) if robot.is_foreign else load()

    def _check_names(self, description: RobotDescription, namespace: str) -> None:
        """Refuse a robot one of whose topics ROS or DDS would refuse, in any namespace or in its own."""
        try:
            self._check_topics(description, _ANY_NAMESPACE)
        except TopicError as error:
            raise SpawnError(SpawnRefusal.RESOURCE_PARSE_ERROR, f"{description.file}: {error}") from None
        try:
            self._check_topics(description, namespace)
        except TopicError as error:
            raise RequestError(SpawnEntity.Response.NAMESPACE_INVALID, str(error)) from None

    def _delete(self, request: Any, response: Any) -> None:
        world, name = self._simulation.world, request.entity
        if name in FIXED_ENTITIES:
            raise RequestError(Result.RESULT_OPERATION_FAILED, f"'{name}' is part of the world and stays")
        robot = robot_of(world, name, "; it goes when that agent disconnects")
        self._simulation.note("removed", robot.handle)
        world.remove_robot(robot)
        self._spawned.discard(robot.handle)
        self._control.update_roster(world)

    def _get(self, request: Any, response: Any) -> None:
        world = self._simulation.world
        fixed = FIXED_ENTITIES if world.scene.ball is not None else FIXED_ENTITIES[:1]
        response.entities = [*fixed, *(robot.name for robot in world.robots.values() if robot.name)]


def robot_of(world: World, name: str, client_hint: str) -> Robot:
    """The robot of a name, which no agent commands.

    Raises:
        RequestError: there is none, or an agent commands it; then `client_hint` ends the message.
    """
    robot = world.robot_named(name) if name else None
    if robot is None:
        raise RequestError(Result.RESULT_NOT_FOUND, f"there is no entity '{name[:80]}'; see get_entities")
    if robot.client:
        text = f"'{name}' belongs to agent '{robot.client}'{client_hint}"
        raise RequestError(Result.RESULT_OPERATION_FAILED, text)
    return robot


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
