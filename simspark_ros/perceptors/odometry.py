"""Odometry that drifts, as from counters on wheels, for any robot, with the errors that its file asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from simspark_ros.configuration.schema import Error, Range
from simspark_ros.kernels.angles import find_angles
from simspark_ros.perceptors.base import Mount, Perceptor, TopicParameters, parameters, reading_random
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.geometry.transforms import way_between
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.sensors.feature import Feature
from simspark_ros.worlds.world import World

_LIFTED = 0.1
"""Movement beyond twice the speed's, m a cycle: the robot was put elsewhere, and its wheels stood still."""


@dataclass(frozen=True)
class OdometryParameters(TopicParameters):
    """Parameters in YAML. The error of a way grows with the root of its length, as the sum of many small errors does.

    Attributes:
        distance_noise: standard deviation of the distance after a way of 1 m, m.
        heading_noise_deg: standard deviation of the heading after a way of 1 m, degrees.
        turn_noise_deg: standard deviation of the heading after a whole turn, degrees.
        distance_scale: error of distances: reported distance over true distance, as with wheels of another radius.
        turn_scale: error of turns: reported turn over true turn, as with wheels farther apart.
    """

    distance_noise: Annotated[float, Range(0.0, 10.0, "m"), Error()] = 0.0
    heading_noise_deg: Annotated[float, Range(0.0, 360.0, "degrees"), Error()] = 0.0
    turn_noise_deg: Annotated[float, Range(0.0, 360.0, "degrees"), Error()] = 0.0
    distance_scale: Annotated[float, Range(0.1, 10.0), Error(neutral=1.0)] = 1.0
    turn_scale: Annotated[float, Range(0.1, 10.0), Error(neutral=1.0)] = 1.0


@dataclass
class _Track:
    """The odometry of one robot, (3,) each.

    Attributes:
        before: true x, y and heading in the last cycle.
        pose: believed x, y and heading.
        scale: reported over true movement forward, left and in turn.
        deviation: deviation of the distance by root of metres, and of the heading by root of metres and of radians.
    """

    before: Array
    pose: Array
    scale: Array
    deviation: Array


class OdometryPerceptor(Perceptor):
    """Pose of the base frame in the plane where it started, m and rad, and velocity in its own axes, m/s and rad/s."""

    columns: ClassVar[tuple[str, ...]] = ("x", "y", "heading", "forward", "left", "turn")
    options: ClassVar[type[Any]] = OdometryParameters

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._seed = int(random.integers(2**63))
        self._tracks: dict[tuple[int, str], _Track] = {}

    @classmethod
    def features_of(cls, spec: PerceptorSpec) -> tuple[Feature, ...]:
        """`odometry_pose` and `odometry_velocity`."""
        return Feature("odometry_pose", cls.columns[:3]), Feature("odometry_velocity", cls.columns[3:])

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Keep the tracks of robots that stay, and start new ones."""
        before, self._tracks = self._tracks, {}
        self._mounts = mounts
        frames = [base_frame(mount.robot.description.model)[1] for mount in mounts]
        self._rows = np.array([mount.row for mount in mounts], np.int64)
        self._offsets = np.array([frame.position for frame in frames]).reshape(-1, 3)
        self._turns = np.array([frame.rotation for frame in frames]).reshape(-1, 3, 3)
        for mount, place in zip(mounts, self._places(world), strict=True):
            key = mount.robot.handle, mount.spec.name
            options = parameters(OdometryParameters, mount)
            track = before.get(key) or _Track(place, np.zeros(3), np.ones(3), np.zeros(3))
            track.scale = np.array([options.distance_scale, options.distance_scale, options.turn_scale])
            # Variances add up over the 2 pi radians of a turn.
            per_turn = math.radians(options.turn_noise_deg) / math.sqrt(2.0 * math.pi)
            track.deviation = np.array([options.distance_noise, math.radians(options.heading_noise_deg), per_turn])
            self._tracks[key] = track

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Add the movement of each robot in this cycle, with its errors."""
        speeds = np.linalg.norm(world.engine.state.linear_velocity[self._rows], axis=1).tolist()
        for mount, place, speed in zip(self._mounts, self._places(world), speeds, strict=True):
            track = self._tracks[mount.robot.handle, mount.spec.name]
            moved = self._moved(track, place, 2.0 * speed * world.elapsed + _LIFTED)
            if track.deviation.any() and moved.any():
                way, turn = math.hypot(moved[0], moved[1]), abs(moved[2])
                # Errors add up as in a random walk: their variance grows with the way, however many cycles it takes.
                sizes = np.sqrt([way, way, turn]) * track.deviation
                error = sizes * reading_random(self._seed, mount, world.cycle).standard_normal(3)
                # An error of the distance lies along the way, or a robot that drives ahead would seem to slide aside.
                along = 1.0 + error[0] / way if way else 1.0
                moved = np.array([moved[0] * along, moved[1] * along, moved[2] + error[1] + error[2]])
            heading = track.pose[2] + moved[2] / 2.0
            c, s = math.cos(heading), math.sin(heading)
            track.pose += (c * moved[0] - s * moved[1], s * moved[0] + c * moved[1], moved[2])
            velocity = moved / world.elapsed if world.elapsed else np.zeros(3)
            x, y, heading = track.pose.tolist()
            values[mount.start : mount.start + 6] = x, y, math.remainder(heading, 2.0 * math.pi), *velocity

    def _moved(self, track: _Track, place: Array, farthest: float) -> Array:
        """Movement (3,) of a robot by its counters without noise, in its axes in the middle of the way."""
        forward, left, turn = way_between(track.before, place)
        track.before = place
        if math.hypot(forward, left) > farthest:
            return np.zeros(3)
        return np.array([forward, left, turn]) * track.scale

    def _places(self, world: World) -> Array:
        """(M, 3) x, y and heading of all base frames in the world."""
        state = world.engine.state
        rotation = state.rotation[self._rows]
        origin: Array = state.position[self._rows] + np.einsum("mij,mj->mi", rotation, self._offsets)
        forward = np.einsum("mij,mj->mi", rotation, self._turns[:, :, 0])
        find_angles(forward[:, 1], forward[:, 0], origin[:, 2])
        return origin
