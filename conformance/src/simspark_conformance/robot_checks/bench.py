"""The place where a robot is tried: an empty world on one engine, with the robot alone, anew for each check."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from simspark_ros.arena.arena import Arena
from simspark_ros.arena.robot import ArenaRobot
from simspark_ros.physics.engine import Array, JointControl, PhysicsEngine
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.body.kinematics import home_positions
from simspark_ros.robots.description import RobotDescription

NAME = "robot"

STRONG = 1e6
"""Effort that holds any joint, N m or N."""

_CLEARANCE = 0.5
"""Least distance of a hung robot from the ground, m."""


class Bench(AbstractContextManager["Bench"]):
    """An arena for the checks of one robot on one engine.

    Attributes:
        robot: description of the robot, as its file says.
        arena: arena of the engine.
    """

    def __init__(self, robot: RobotDescription, engine: str) -> None:
        self.robot = robot
        self.arena = Arena(engine=engine, world="empty")

    def __exit__(self, *error: object) -> None:
        """Close the arena."""
        self.arena.close()

    @property
    def engine(self) -> PhysicsEngine:
        """The engine with the robot in it, for commands beyond what motors do."""
        return self.arena.world.engine

    @property
    def cycle(self) -> float:
        """Length of a cycle, s."""
        return self.arena.cycle_time

    @property
    def gravity(self) -> Array:
        """Gravity (3,), m/s2, in the world and in the axes of a hung robot's base."""
        return np.array(self.arena.world.scene.gravity)

    def clear(self) -> None:
        """Begin anew, without the robot."""
        for robot in self.arena.robots:
            self.arena.remove(robot.name)
        self.arena.reset()

    def stand(self) -> ArenaRobot:
        """Put the robot into a new world, as its file says."""
        self.clear()
        return self.arena.add(self.robot, name=NAME, position=(0.0, 0.0, 0.0))

    def hang(self, model: ArticulatedModel | None = None) -> ArenaRobot:
        """Put the robot, or one of another model, into a new world, bolted so high that no limb reaches the ground."""
        self.clear()
        height = self.robot.spawn_height + reach(self.robot) + _CLEARANCE
        robot = self.robot if model is None else replace(self.robot, model=model)
        return self.arena.add(robot, name=NAME, position=(0.0, 0.0, height), fixed_base=True)

    def put(self, positions: Array) -> None:
        """Set all joints of the robot, (J,), rad or m, at rest."""
        self.engine.set_joint_positions(self.engine.state.handles[0], positions)

    def held(self) -> JointControl:
        """The command that holds all joints, whatever their motors can do."""
        count = len(self.robot.model.joints)
        return JointControl(np.zeros(count), np.full(count, STRONG), np.zeros(count))


def reach(robot: RobotDescription) -> float:
    """Greatest distance between the base and any point that limbs can reach, m, generously."""
    model = robot.model
    arms = [float(np.linalg.norm(joint.position)) for joint in (*model.joints, *model.fixed_joints)]
    slides = [max(abs(one.lower), abs(one.upper)) for one in model.joints if one.kind.value == "prismatic"]
    sizes = [
        float(np.linalg.norm(shape.position)) + sum(shape.size) for link in model.links for shape in link.collisions
    ]
    return sum(arms) + sum(slides) + max(sizes, default=0.0)


def home_of(robot: RobotDescription) -> Array:
    """Positions of all joints of the robot at its start (J,), rad or m."""
    return home_positions(robot)


def torques_at_rest(robot: RobotDescription, positions: Array, gravity: Array) -> Array:
    """Efforts (J,) that hold joints against gravity (3,), m/s2, in the base link's axes: N m or N."""
    model = robot.model
    names = [joint.name for joint in model.joints]
    frames = link_frames(model, dict(zip(names, positions.tolist(), strict=True)))
    efforts = np.zeros(len(names))
    for number, joint in enumerate(model.joints):
        frame = frames[joint.child]
        axis = frame.rotation @ np.array(joint.axis)
        carried = model.beyond(joint.child)
        weights = [(link.mass, frames[link.name].apply(np.array(link.centre))) for link in carried]
        force = -sum(mass for mass, _ in weights) * gravity
        moment = -np.sum([mass * np.cross(place - frame.position, gravity) for mass, place in weights], axis=0)
        efforts[number] = axis @ (force if joint.kind.value == "prismatic" else moment)
    return efforts
