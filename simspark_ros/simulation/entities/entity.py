"""Entities: field, ball, obstacles, objects and robots with a name; what and where they are, and how to move them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.engine import Array, Limits
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.model import ZERO, HeightField, Obstacle, Vector
from simspark_ros.robots.body.kinematics import standing_point
from simspark_ros.simulation.loading.spawning import FIXED_ENTITIES, SpawnPose, free_base
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

FIELD, BALL = FIXED_ENTITIES

MAX_TAGS, MAX_TAG, MAX_DESCRIPTION = 32, 64, 1000
"""Most tags that a client may give an entity, and most characters of a tag and of the description."""


class Category(IntEnum):
    """Kinds of entities, with the numbers of simulation_interfaces/EntityCategory."""

    OBJECT = 0
    ROBOT = 1
    HUMAN = 2
    DYNAMIC_OBJECT = 4
    STATIC_OBJECT = 5


class Entity(NamedTuple):
    """One entity; robots and movable objects have a `robot`, the fixed things of a world file an `obstacle`."""

    name: str
    robot: SoccerRobot | None = None
    obstacle: Obstacle | None = None

    @property
    def key(self) -> int | str:
        """A key that no other entity of the same world ever has."""
        return self.name if self.robot is None else self.robot.handle


class Velocity(NamedTuple):
    """Velocity of an entity's origin, m/s, and of its rotation, rad/s, along the world's axes."""

    linear: Vector = ZERO
    angular: Vector = ZERO


class EntityInfo(NamedTuple):
    """Information about an entity beside its state."""

    category: Category
    description: str = ""
    tags: tuple[str, ...] = ()


def entities_of(world: SoccerWorld) -> Iterator[Entity]:
    """All entities, in the order in which they were added."""
    yield Entity(FIELD)
    if world.scene.ball is not None:
        yield Entity(BALL)
    for obstacle in world.scene.obstacles:
        yield Entity(obstacle.name, obstacle=obstacle)
    for robot in world.robots.values():
        if robot.name:
            yield Entity(robot.name, robot)


def entity_named(world: SoccerWorld, name: str) -> Entity | None:
    """The entity of that name."""
    return next((entity for entity in entities_of(world) if entity.name == name), None)


def state_of(world: SoccerWorld, entity: Entity) -> tuple[SpawnPose, Velocity]:
    """Pose and velocity of a robot's point between its feet (see `standing_point`), or of another entity's middle."""
    state = world.engine.state
    if entity.obstacle is not None:
        shape = entity.obstacle.shape
        turn = ZERO if isinstance(shape, HeightField) else shape.rpy
        return SpawnPose(shape.position, quaternion_from_rotation(rotation_from_rpy(turn))), Velocity()
    if entity.robot is None:
        if entity.name == FIELD:
            return SpawnPose(ZERO, (0.0, 0.0, 0.0, 1.0)), Velocity()
        return (
            SpawnPose(_vector(state.ball_position), world.ball_quaternion),
            Velocity(_vector(state.ball_velocity), _vector(state.ball_angular_velocity)),
        )
    row = state.row(entity.robot.handle)
    rotation = state.rotation[row]
    arm = product(rotation, _standing_point(entity.robot))
    spin = state.angular_velocity[row]
    return (
        SpawnPose(_vector(state.position[row] + arm), quaternion_from_rotation(rotation)),
        Velocity(_vector(state.linear_velocity[row] + np.cross(spin, arm)), _vector(spin)),
    )


def checked_velocity(linear: Sequence[float], angular: Sequence[float]) -> Velocity:
    """Check a velocity.

    Raises:
        CommandRejectedError: it is not finite, or faster than any body can be.
    """
    if not all(map(math.isfinite, (*linear, *angular))):
        raise CommandRejectedError("the velocity is not finite; give finite numbers")
    for what, values, most, unit in (("speed", linear, Limits.speed, "m/s"), ("spin", angular, Limits.spin, "rad/s")):
        # Not the norm: squares of very large numbers would leave the range of floats.
        if max(map(abs, values)) > most:
            raise CommandRejectedError(f"the {what} is more than {most:g} {unit}; nothing moves as fast as that")
    return Velocity(_vector(linear), _vector(angular))


def move_entity(
    simulation: Simulation, entity: Entity, pose: SpawnPose | None = None, velocity: Velocity | None = None
) -> None:
    """Set pose or velocity, or both, between two cycles; an entity that gets a pose alone is at rest.

    Raises:
        SpawnError: another robot is at that place.
        CommandRejectedError: the field stays where it is.
    """
    if entity.robot is not None:
        _move_robot(simulation.world, entity.robot, pose, velocity)
    elif entity.name == BALL:
        _move_ball(simulation, pose, velocity)
    elif velocity not in (None, Velocity()) or pose is not None:
        raise CommandRejectedError(f"'{entity.name}' is part of the world: it stays where it is and does not move")


def _move_robot(world: SoccerWorld, robot: SoccerRobot, pose: SpawnPose | None, velocity: Velocity | None) -> None:
    point = _standing_point(robot)
    if pose is not None:
        place_robot(world, robot, pose)
    if velocity is not None:
        state = world.engine.state
        arm = product(state.rotation[state.row(robot.handle)], point)
        centre = np.array(velocity.linear) - np.cross(velocity.angular, arm)
        world.engine.set_velocity(robot.handle, _vector(centre), velocity.angular)


def place_robot(world: SoccerWorld, robot: SoccerRobot, pose: SpawnPose) -> None:
    """Put a robot or an object somewhere, at rest, its joints kept.

    Raises:
        SpawnError: another robot stands there; the message says which place is free.
    """
    if robot.description.is_object:
        world.engine.place_robot(robot.handle, pose.position, pose.quaternion)
        return
    rotation = rotations_from_quaternions(np.array([pose.quaternion]))[0]
    place = free_base(world, robot.description, pose, rotation, robot)
    world.engine.place_robot(robot.handle, place, pose.quaternion)


def _move_ball(simulation: Simulation, pose: SpawnPose | None, velocity: Velocity | None) -> None:
    world, (old, _), given = simulation.world, state_of(simulation.world, Entity(BALL)), velocity or Velocity()
    x, y, z = (pose or old).position
    world.engine.place_ball((x, y, max(z, world.settings.ball_rest_height) if pose else z), given.linear, given.angular)
    world.ball_quaternion = (pose or old).quaternion
    referee = simulation.node(Referee)
    if pose is not None and referee is not None:
        referee.note_ball()


class EntityInfos:
    """Information about entities: from the simulation, unless a client has given another one."""

    def __init__(self) -> None:
        self._said: dict[int | str, EntityInfo] = {}

    def of(self, world: SoccerWorld, entity: Entity) -> EntityInfo:
        """Information about an entity."""
        return self._said.get(entity.key) or _own_info(world, entity)

    def say(self, world: SoccerWorld, entity: Entity, info: EntityInfo) -> None:
        """Take a client's information about an entity.

        Raises:
            CommandRejectedError: the texts are too many or too long.
        """
        if len(info.tags) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in info.tags):
            raise CommandRejectedError(f"at most {MAX_TAGS} tags of at most {MAX_TAG} characters are kept")
        if len(info.description) > MAX_DESCRIPTION:
            raise CommandRejectedError(f"a description has at most {MAX_DESCRIPTION} characters")
        known = {entity.key for entity in entities_of(world)}
        self._said = {key: said for key, said in self._said.items() if key in known} | {entity.key: info}

    def clear(self) -> None:
        """Forget the information that clients gave."""
        self._said.clear()


def _own_info(world: SoccerWorld, entity: Entity) -> EntityInfo:
    robot, field = entity.robot, world.settings.field
    if entity.obstacle is not None:
        return EntityInfo(Category.STATIC_OBJECT, f"obstacle: {_kind(entity.obstacle)}", ("obstacle",))
    if robot is None:
        if entity.name == BALL:
            return EntityInfo(Category.DYNAMIC_OBJECT, f"the ball, {world.settings.ball.radius:g} m in radius", (BALL,))
        if not field.is_there:
            return EntityInfo(Category.STATIC_OBJECT, "ground", (FIELD,))
        sizes = f"{field.length:g} x {field.width:g} m"
        return EntityInfo(Category.STATIC_OBJECT, f"ground, goals and walls of a field of {sizes}", (FIELD,))
    description = robot.description
    if description.is_object:
        return EntityInfo(Category.DYNAMIC_OBJECT, f"object of {description.model.mass:g} kg", ("object",))
    text = f"{description.name}, type {description.variant}"
    tags = [description.name, f"type_{description.variant}"]
    if robot.side is not None:
        text += f", number {robot.unum} of the {robot.side.value} team '{robot.team}'"
        tags += ["player", robot.side.value, robot.team, f"number_{robot.unum}"]
    if robot.client:
        text += f", commanded by agent '{robot.client}'"
        tags.append("agent")
    return EntityInfo(Category.ROBOT, text, tuple(tags))


def _kind(obstacle: Obstacle) -> str:
    shape = obstacle.shape
    return "height field" if isinstance(shape, HeightField) else shape.kind.value


def _standing_point(robot: SoccerRobot) -> Array:
    return standing_point(robot.description.model, robot.description.spawn_height)


def _vector(values: Sequence[float] | Array) -> Vector:
    x, y, z = map(float, values)
    return x, y, z
