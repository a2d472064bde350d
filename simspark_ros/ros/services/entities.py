"""The services of entities and of poses that have names (semantics of simulation_interfaces 2.1.0)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspark_ros.msg import Result
from simspark_ros.ros.conversions import MAP, set_stamp, set_xyz, xyz, xyzw
from simspark_ros.ros.services.messages import entity_filter, set_box, set_pose, tag_filter
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.server import RequestError
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.simulation.entities.bounds import box_of
from simspark_ros.simulation.entities.entity import (
    Category,
    Entity,
    EntityInfo,
    EntityInfos,
    Velocity,
    checked_velocity,
    entity_named,
    move_entity,
    state_of,
)
from simspark_ros.simulation.entities.filters import EntityFilter
from simspark_ros.simulation.entities.named_poses import NamedPose, named_poses
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.simulation.loading.spawning import checked_pose
from simspark_ros.simulation.loop import Simulation
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_INVALID_POSE = 101


class EntityServices:
    """`get_entities`, `get_entities_states`, and of one entity its state, its description and its bounds.

    Names are matched in the executor's thread first, with the roster of `control`: `NamePattern` remembers the work.
    """

    def __init__(self, offer: StandardOffer, simulation: Simulation, control: TopicControl) -> None:
        self._offer, self._simulation, self._control = offer, simulation, control
        self.infos = EntityInfos()
        offer.coroutine("get_entities", self._get_entities)
        offer.coroutine("get_entities_states", self._get_states)
        offer.work("get_entity_state", self._get_state)
        offer.work("set_entity_state", self._set_state)
        offer.work("get_entity_info", self._get_info)
        offer.work("set_entity_info", self._set_info)
        offer.work("get_entity_bounds", self._get_bounds)

    async def _get_entities(self, request: Any, response: Any) -> None:
        def work(entities: list[Entity]) -> None:
            response.entities = [entity.name for entity in entities]

        await self._select(request, work)

    async def _get_states(self, request: Any, response: Any) -> None:
        def work(entities: list[Entity]) -> None:
            response.entities = [entity.name for entity in entities]
            response.states = [self._state(self._offer.message("EntityState"), entity) for entity in entities]

        await self._select(request, work)

    async def _select(self, request: Any, work: Callable[[list[Entity]], None]) -> None:
        # Installed types of ours may be older than this code.
        chosen = entity_filter(request.filters) if hasattr(request, "filters") else EntityFilter()
        if chosen.name is not None:
            for entry in self._control.roster:
                chosen.name.matches(entry.name)
        await self._offer.in_world(lambda: work(chosen.select(self._simulation.world, self.infos)))

    def _state(self, message: Any, entity: Entity) -> Any:
        pose, velocity = state_of(self._simulation.world, entity)
        set_stamp(message.header.stamp, self._simulation.time)
        message.header.frame_id = MAP
        set_pose(message.pose, pose)
        set_xyz(message.twist.linear, velocity.linear)
        set_xyz(message.twist.angular, velocity.angular)
        return message

    def _get_state(self, request: Any, response: Any) -> None:
        self._state(response.state, self._entity(request.entity))

    def _set_state(self, request: Any, response: Any) -> None:
        entity, state = self._entity(request.entity), request.state
        # Versions before 2.1 have no flags: pose and twist are set.
        pose_wanted, velocity_wanted = getattr(request, "set_pose", True), getattr(request, "set_twist", True)
        acceleration = (*xyz(state.acceleration.linear), *xyz(state.acceleration.angular))
        if getattr(request, "set_acceleration", False) and any(acceleration):
            text = "accelerations cannot be set; set pose and twist"
            raise RequestError(Result.RESULT_FEATURE_UNSUPPORTED, text)
        if not (pose_wanted or velocity_wanted or getattr(request, "set_acceleration", False)):
            raise RequestError(Result.RESULT_OPERATION_FAILED, "nothing to do: set set_pose or set_twist to true")
        try:
            frame, stated = state.header.frame_id, state.pose
            pose = checked_pose(frame, xyz(stated.position), xyzw(stated.orientation)) if pose_wanted else None
            velocity: Velocity | None = None
            if velocity_wanted:
                # The frame holds for the velocity, too.
                checked_pose(frame, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
                velocity = checked_velocity(xyz(state.twist.linear), xyz(state.twist.angular))
            move_entity(self._simulation, entity, pose, velocity)
        except SpawnError as error:
            raise RequestError(_INVALID_POSE, str(error)) from None
        self._simulation.note(
            "moved",
            entity.name,
            pose and [pose.position, pose.quaternion],
            velocity and [velocity.linear, velocity.angular],
        )

    def _get_info(self, request: Any, response: Any) -> None:
        info = self.infos.of(self._simulation.world, self._entity(request.entity))
        response.info.category.category = int(info.category)
        response.info.description, response.info.tags = info.description, list(info.tags)

    def _set_info(self, request: Any, response: Any) -> None:
        entity, info = self._entity(request.entity), request.info
        try:
            category = Category(int(info.category.category))
        except ValueError:
            known = ", ".join(f"{one.value} ({one.name})" for one in Category)
            text = f"there is no category {info.category.category}; categories are {known}"
            raise RequestError(Result.RESULT_OPERATION_FAILED, text) from None
        self.infos.say(self._simulation.world, entity, EntityInfo(category, info.description, tuple(info.tags)))

    def _get_bounds(self, request: Any, response: Any) -> None:
        set_box(response.bounds, box_of(self._simulation.world, self._entity(request.entity), in_world=False))

    def _entity(self, name: str) -> Entity:
        entity = entity_named(self._simulation.world, name) if name else None
        if entity is None:
            raise unknown_entity(name)
        return entity


def unknown_entity(name: str) -> RequestError:
    """The refusal of a name that no entity has."""
    return RequestError(Result.RESULT_NOT_FOUND, f"there is no entity '{name[:80]}'; see get_entities")


def robot_of(world: World, name: str, client_hint: str) -> Robot:
    """The robot with a name, unless an agent commands it.

    Raises:
        RequestError: there is none, or an agent commands it; then `client_hint` ends the message.
    """
    robot = world.robot_named(name) if name else None
    if robot is None:
        raise unknown_entity(name)
    if robot.client:
        text = f"'{name}' belongs to agent '{robot.client}'{client_hint}"
        raise RequestError(Result.RESULT_OPERATION_FAILED, text)
    return robot


class PlaceServices:
    """`get_named_poses`, `get_named_pose_bounds`."""

    def __init__(self, offer: StandardOffer, simulation: Simulation) -> None:
        self._offer, self._simulation = offer, simulation
        offer.work("get_named_poses", self._get)
        offer.work("get_named_pose_bounds", self._get_bounds)

    def _get(self, request: Any, response: Any) -> None:
        chosen = tag_filter(request.tags)
        poses = [place for place in named_poses(self._simulation.world) if chosen.selects(place.tags)]
        response.poses = [self._message(place) for place in poses]

    def _message(self, place: NamedPose) -> Any:
        message = self._offer.message("NamedPose")
        message.name, message.description, message.tags = place.name, place.description, list(place.tags)
        set_pose(message.pose, place.pose)
        return message

    def _get_bounds(self, request: Any, response: Any) -> None:
        place = next((place for place in named_poses(self._simulation.world) if place.name == request.name), None)
        if place is None:
            text = f"there is no named pose '{request.name[:80]}'; see get_named_poses"
            raise RequestError(Result.RESULT_NOT_FOUND, text)
        set_box(response.bounds, place.bounds)
