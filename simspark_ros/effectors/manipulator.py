"""Manipulator effector: switches a variable part of a robot from one state to another.

A state has a geometry, the places of joints, and may accelerate the ball. Kleiner, Buchheim, "A Plugin-Based
Architecture for Simulation in the F2000 League" (2003), section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.effectors.ball.handling import place_and_velocity
from simspark_ros.effectors.base import CommandTopic, JointParameters, effector
from simspark_ros.physics.geometry.transforms import product
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld, soccer_world
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

KIND = "manipulator"


@dataclass(frozen=True)
class ManipulatorState(Checked):
    """A state of a manipulator in YAML.

    Attributes:
        joints: joint -> its position, rad or m, reached as fast as the motor can; the links make the geometry.
        acceleration: acceleration of a ball in reach, forward and left relative to the robot, m/s2.
        max_speed: largest speed relative to the robot that it gives the ball, m/s.
        place: middle of a ball that is accelerated, forward and left in the base link's frame, m.
        reach: greatest distance of the ball from there along the ground, m.
    """

    joints: Mapping[str, float] = field(default_factory=dict)
    acceleration: Annotated[tuple[float, float], Range(-10_000.0, 10_000.0)] = (0.0, 0.0)
    max_speed: Annotated[float, Range(0.0, 100.0)] = 100.0
    place: Annotated[tuple[float, float], Range(-10.0, 10.0)] = (0.0, 0.0)
    reach: Annotated[float, Range(0.0, 10.0)] = 0.0


@dataclass(frozen=True)
class ManipulatorParameters(JointParameters):
    """Parameters in YAML: the states of each manipulator by the names of both; no two states have the same name."""

    manipulators: Mapping[str, Mapping[str, ManipulatorState]]

    def __post_init__(self) -> None:
        """Raise ValueError for two states of the same name."""
        super().__post_init__()
        names = [state for states in self.manipulators.values() for state in states]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"manipulators: two states are named '{twice[0]}'; rename one")

    @property
    def named_joints(self) -> tuple[str, ...]:
        """The joints of all states."""
        states = (state for states in self.manipulators.values() for state in states.values())
        return tuple(joint for state in states for joint in state.joints)

    def find(self, state: str) -> tuple[str, ManipulatorState]:
        """The manipulator that has a state, and that state.

        Raises:
            CommandRejectedError: there is no state of that name.
        """
        for name, states in self.manipulators.items():
            if state in states:
                return name, states[state]
        known = ", ".join(state for states in self.manipulators.values() for state in states)
        raise CommandRejectedError(f"{KIND}: unknown state '{state[:40]}'; use one of: {known}")


@dataclass
class Acceleration:
    """A state that accelerates the ball in its reach; a `Push` that goes on until the next state."""

    robot: Robot
    state: ManipulatorState

    def apply(self, world: World, seconds: float) -> bool:
        """Accelerate the ball along the ground, up to the state's speed."""
        ball, engine, state = world.scene.ball, world.engine.state, self.state
        assert ball is not None
        place, velocity = place_and_velocity(world, self.robot, state.place)
        away = float(np.hypot(*(engine.ball_position[:2] - place)))
        if away > state.reach or engine.ball_position[2] > 2.0 * ball.radius:
            return True
        soccer_world(world).ball_handlers.add(self.robot.handle)
        turn = engine.rotation[engine.row(self.robot.handle)][:2, :2]
        push = product(turn, state.acceleration) * seconds
        along = push / max(float(np.hypot(*push)), 1e-12)
        # Relative speed that the manipulator has already given to the ball.
        given = float(product(engine.ball_velocity[:2] - velocity, along))
        push = along * min(float(np.hypot(*push)), max(0.0, state.max_speed - given))
        px, py, pz = engine.ball_position.tolist()
        vx, vy, vz = (engine.ball_velocity + np.append(push, 0.0)).tolist()
        sx, sy, sz = engine.ball_angular_velocity.tolist()
        world.engine.place_ball((px, py, pz), (vx, vy, vz), (sx, sy, sz))
        return True


@effector(KIND, topic=CommandTopic("std_msgs/msg/String", fields={"state": "data"}), for_agents=False)
def manipulator(world: SoccerWorld, robot: SoccerRobot, parameters: ManipulatorParameters, state: str) -> None:
    """Switch one of the robot's manipulators to the state of that name."""
    name, chosen = parameters.find(state)
    pushes = any(chosen.acceleration)
    if pushes:
        world.require_ball(KIND)
    model, now = robot.description.model, world.engine.state
    indices = {joint.name: index for index, joint in enumerate(model.joints)}
    if chosen.joints:
        first = now.joints_of(now.row(robot.handle)).start
        joints = np.array([indices[joint] for joint in chosen.joints], np.int64) + first
        world.motors.set_positions(joints, np.array(list(chosen.joints.values())), now)
    key = (robot.handle, f"{KIND} {name}")
    world.pushes.pop(key, None)
    if pushes:
        world.pushes[key] = Acceleration(robot, chosen)
