"""Puts the objects and robots of a world file into a world, before anything else is in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.errors import UserError, shown, suggestion
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, upright
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ZERO, Vector
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.robots.catalogue import load_robot, with_more
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.robots.objects import object_description
from simspark_ros.robots.types.parameters import RobotName
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.settings import RobotSettings, ThingsFile
from simspark_ros.worlds.world import World


class Furniture(NamedTuple):
    """The things to put into a world, by name: objects with poses and velocities (m/s), robots with poses and joints.

    `where` is the file that asks for them, for messages; `limits` are the limits on robots.
    """

    where: object
    limits: LimitSettings
    objects: dict[str, tuple[RobotDescription, SpawnPose, Vector]]
    robots: dict[str, tuple[RobotDescription, SpawnPose, Mapping[str, float]]]

    @classmethod
    def of(cls, things: ThingsFile, where: object, types: RobotTypes, limits: LimitSettings) -> Furniture:
        """Read all that the sections of a file ask for; `where` is that file, for messages.

        `types` are the world's types of robots, `limits` the limits on robots and on reading their files.

        Raises:
            ConfigurationError: a robot or an object cannot be used.
        """
        objects, robots = {}, {}
        try:
            for name, thing in things.objects.items():
                pose = SpawnPose(thing.position, quaternion_from_rotation(rotation_from_rpy(thing.rpy)))
                objects[name] = object_description(name, thing.settings(things.materials)), pose, thing.velocity
            for name, robot in things.robots.items():
                description = _description(robot, types, limits)
                _check_joints(description, robot.joints)
                pose = SpawnPose(robot.position, upright(math.radians(robot.heading_deg)))
                robots[name] = description, pose, robot.joints
        except RobotError as error:
            raise ConfigurationError(f"{where}: '{name}': {error}") from None
        return cls(where, limits, objects, robots)

    def put_into(self, world: World) -> None:
        """Add everything to a world without robots.

        Raises:
            ConfigurationError: a robot's place is taken, or the engine refuses a body.
        """
        world.reserved_names |= {obstacle.name for obstacle in world.scene.obstacles}
        try:
            for name, (description, pose, velocity) in self.objects.items():
                thing = world.add_object(description, pose.position, pose.quaternion, name)
                if any(velocity):
                    world.engine.set_velocity(thing.handle, velocity, ZERO)
            for name, (description, pose, joints) in self.robots.items():
                robot = spawn(world, description, self.limits, name, renaming=False, pose=pose)
                if joints:
                    names = (joint.name for joint in description.model.joints)
                    wanted = {**dict(zip(names, home_positions(description), strict=True)), **joints}
                    world.engine.set_joint_positions(robot.handle, np.array(list(wanted.values())))
        except (UserError, CommandRejectedError, PhysicsError) as error:
            raise ConfigurationError(f"{self.where}: '{name}': {error}") from None


def _check_joints(description: RobotDescription, joints: Mapping[str, float]) -> None:
    known = {joint.name: joint for joint in description.model.joints}
    for name, position in joints.items():
        if name not in known:
            raise RobotError(f"joints: there is no joint {shown(name)}; {suggestion(name, known)}")
        if not known[name].lower <= position <= known[name].upper:
            low, high = known[name].lower, known[name].upper
            raise RobotError(f"joints: {name} must be {low:g} to {high:g}, not {position:g}")


def _description(robot: RobotSettings, types: RobotTypes, limits: LimitSettings) -> RobotDescription:
    wish = RobotName.parse(robot.robot)
    if not is_robot_file(wish.robot):
        name = types.name(robot.robot, robot.type)
        return with_more(name, robot.type, robot.more) if robot.more else load_robot(name, robot.type)
    if robot.more:
        raise RobotError("more: works only for robots of the package; write the devices into the robot's own file")
    return load_foreign(Path(wish.robot), robot.type, limits, wish)
