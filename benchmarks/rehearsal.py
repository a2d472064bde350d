"""One robot alone with a physics engine, to try motions without a match; for benchmarks and tests."""

import math
from collections import deque
from dataclasses import dataclass
from typing import Literal

import numpy as np

from simspark_ros.effectors.hinge import command_velocities
from simspark_ros.effectors.motor import command_motors
from simspark_ros.motion.adapted import AdaptedMotion
from simspark_ros.motion.interface import BodyReadings, Command, LookAt, MotionEngine, Triple
from simspark_ros.motion.settings import load_motion_settings
from simspark_ros.physics.engine import Array
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import MotorKind
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.world import SoccerWorld

FALLEN_BELOW = 0.7
"""The torso's upright share (cosine of its tilt, 45 degrees) below which a robot counts as fallen."""


@dataclass(frozen=True)
class Standing:
    """Where a robot is: m, rad, world frame; `upright` is the cosine of its tilt."""

    x: float
    y: float
    height: float
    heading: float
    upright: float


class Rehearsal:
    """A field with one Nao whose motion engine gets readings as late as an agent's.

    A command that answers the readings of one cycle shows in the readings two cycles later, as in a match.
    """

    def __init__(
        self,
        engine: str,
        preset: str | None = None,
        variant: int = 0,
        motors: MotorKind | Literal[""] = "",
        robot: str = "nao",
    ) -> None:
        """Put a robot at the centre of an empty field, heading along +x.

        Args:
            engine: name of the physics engine.
            preset: preset of the engine; None = its default.
            variant: type of the Nao.
            motors: kind of its motors; "" = as its file says.
            robot: a Nao's name, perhaps with parameters of its body.
        """
        self.world = SoccerWorld(create_engine(engine, preset), load_soccer_settings(), np.random.default_rng(0))
        description = load_robot(robot, variant)
        self.world.motor_kind = motors
        self.world.place_ball((8.0, 8.0))
        self.robot = self.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0)
        links = description.model.touch_links
        self._left = [index for index, link in enumerate(links) if link.startswith("l")]
        self._right = [index for index, link in enumerate(links) if link.startswith("r")]
        self._knows_up = any(spec.kind == "frame_orientation" for spec in description.perceptors)
        self._joints = np.arange(len(description.model.joints))
        self._handles = np.full(len(self._joints), self.robot.handle)
        self._velocity: Array = np.zeros(3)
        self._felt: Triple = (0.0, 0.0, 0.0)
        self._late: deque[list[float]] = deque()
        self._time = 0.0
        self.readings = self._read()

    def close(self) -> None:
        """Free the physics engine."""
        self.world.engine.close()

    def cycle(self, motion: MotionEngine, command: Command, look: LookAt | None = None) -> None:
        """Let the motion engine answer the last readings, and step the world with its previous answer."""
        self._late.append(motion.update(self.readings, command, look or LookAt()))
        if len(self._late) > 1:
            answer = np.array(self._late.popleft())
            if gains := motion.gains:
                pairs = np.array([gains[joint.name] for joint in self.robot.description.model.joints])
                commands = np.column_stack((answer, 0.0 * answer, pairs, 0.0 * answer))
                command_motors(self.world, self._handles, self._joints, commands)
            else:
                command_velocities(self.world, self._handles, self._joints, answer)
        self.world.step()
        self._time += self.world.elapsed
        self.readings = self._read()

    def run(self, motion: MotionEngine, command: Command, seconds: float) -> None:
        """Repeat one command for a time, s."""
        for _ in range(round(seconds / self.world.engine.cycle_time)):
            self.cycle(motion, command)

    @property
    def standing(self) -> Standing:
        """Where the robot is now."""
        state = self.world.engine.state
        x, y, z = state.position[0].tolist()
        rotation = state.rotation[0]
        heading = math.atan2(float(rotation[1, 0]), float(rotation[0, 0]))
        return Standing(x, y, z, heading, float(rotation[2, 2]))

    @property
    def fallen(self) -> bool:
        """Whether the robot lies."""
        return self.standing.upright < FALLEN_BELOW

    def _read(self) -> BodyReadings:
        """The readings of the perceptors (see `simspark_ros.perceptors.inertial`)."""
        state = self.world.engine.state
        rotation = state.rotation[0]
        velocity = state.linear_velocity[0].copy()
        specific_force = (velocity - self._velocity) / self.world.engine.cycle_time
        specific_force[2] += 9.81
        self._velocity = velocity
        # Reported a cycle late.
        felt, self._felt = self._felt, _triple(specific_force @ rotation)
        force = state.touch_force[:, 2]
        return BodyReadings(
            time=self._time,
            angles=state.joint_position.tolist(),
            gyro=_triple(state.angular_velocity[0] @ rotation),
            accelerometer=felt,
            left_force=float(force[self._left].sum()),
            right_force=float(force[self._right].sum()),
            up=_triple(rotation[2]) if self._knows_up else None,
        )


class WholeBodyMotion(AdaptedMotion):
    """The motions of a robot with the Nao's body whose readings and speeds are those of all its joints."""

    def __init__(self, robot: str, cycle: float) -> None:
        description = load_robot(robot)
        super().__init__(description, load_motion_settings(description.name), cycle)
        self._all = len(description.model.joints)

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        """Compute the joint speeds to send in answer to these readings; see `MotionEngine`."""
        own = readings._replace(angles=np.array(readings.angles)[self.index].tolist())
        speeds = np.zeros(self._all)
        speeds[self.index] = super().update(own, command, look)
        answer: list[float] = speeds.tolist()
        return answer


def _triple(vector: Array) -> Triple:
    x, y, z = vector.tolist()
    return (x, y, z)
