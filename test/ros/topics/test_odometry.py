"""`odom` against the truth: where it begins, how far it says that it may be off, and what a filter makes of it."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics import transforms
from simspark_ros.ros.topics.odometry import OdometryPublisher, OdometrySensorPublisher
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.sensors.imu import ImuPublisher
from simspark_ros.ros.topics.transforms import TransformPublisher
from test.ros.topics.test_transforms import Transforms

PLANE = np.ix_((0, 1, 5), (0, 1, 5))
NO_MORE = 16.3
"""The squared error by covariance that one in a thousand draws of three values passes (chi-squared)."""


def in_plane(position: Any, rotation: np.ndarray) -> np.ndarray:
    return np.array([*position[:2], math.atan2(rotation[1, 0], rotation[0, 0])])


class Driven:
    def __init__(self, name: str) -> None:
        self.arena, self.cycle = Arena(seed=1), Cycle()
        self.robot = self.arena.add(name, name=name, position=(1.0, 2.0), heading=0.5)
        self.arena.step()
        self.cycle.bind(self.arena.world, self.arena.percepts)
        self.entry = RobotEntry(self.arena.entity(name).handle, name, name, self.robot.description, "namespaced")
        self.odometry, self.imu = (one.of_robot(self.entry, self.cycle)[0] for one in (OdometryPublisher, ImuPublisher))
        self.odometry.bind()
        self.imu.bind()
        self.start = self._place()

    def drive(self, forward: float | None, turn: float, seconds: float, heard: bool = True) -> Iterator[Any]:
        """The messages of `odom` on a way; none while they are not heard."""
        self.odometry._odometry.wanted["odom"] = heard  # type: ignore[attr-defined]
        kind = "walk" if self.robot.name == "nao" else "wheels"
        for _ in range(round(seconds / self.arena.cycle_time)):
            if forward is not None:
                self.robot.act(kind, forward, 0.0, turn)
            self.step()
            if heard:
                assert self.odometry.fill() and self.imu.fill()
                yield self.odometry.message

    def step(self) -> None:
        self.arena.step()
        self.cycle.update(self.arena.world, self.arena.percepts, {})

    def _place(self) -> np.ndarray:
        _, frame = base_frame(self.robot.description.model)
        rotation = self.robot.rotation
        return in_plane(self.robot.position + rotation @ frame.position, rotation @ frame.rotation)

    @property
    def truth(self) -> np.ndarray:
        """(3,) place and heading of the base frame since the start, in the axes of the start; m, rad."""
        (x, y, turn), (c, s) = self._place() - self.start, (math.cos(self.start[2]), math.sin(self.start[2]))
        return np.array([c * x + s * y, c * y - s * x, turn])

    @property
    def felt(self) -> np.ndarray:
        """(3,) the same by odometry."""
        base = self.odometry._odometry.base  # type: ignore[attr-defined]
        return in_plane(base.position, base.rotation)

    def errors(self, believed: np.ndarray) -> np.ndarray:
        error = believed - self.truth
        return np.array([*error[:2], math.remainder(error[2], 2.0 * math.pi)])


@pytest.fixture(params=["nao", "differential"])
def driven(request: pytest.FixtureRequest) -> Iterator[Driven]:
    made = Driven(request.param)
    yield made
    made.arena.close()


class Filter:
    """Extended Kalman filter of x, y, heading and their velocities, with robot_localization's equations and names."""

    noise = np.diag([1e-6, 1e-6, 1e-6, 0.5, 0.5, 0.5])
    """Process noise: velocities of robots that start and stop; 1/s."""

    def __init__(self) -> None:
        self.state: Array = np.zeros(6)
        self.covariance: Array = np.diag([1e-9] * 6)

    def predict(self, seconds: float) -> None:
        _, _, heading, vx, vy, _ = self.state
        c, s = math.cos(heading) * seconds, math.sin(heading) * seconds
        transfer = np.eye(6)
        transfer[:3, 3:] = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, seconds]]
        jacobian = transfer.copy()
        jacobian[:2, 2] = -s * vx - c * vy, c * vx - s * vy
        self.state = transfer @ self.state
        self.covariance = jacobian @ self.covariance @ jacobian.T + self.noise * seconds

    def correct(self, places: list[int], values: Any, covariance: Any) -> None:
        gain = self.covariance[:, places] @ np.linalg.inv(self.covariance[np.ix_(places, places)] + covariance)
        self.state = self.state + gain @ (np.array(values) - self.state[places])
        rest = np.eye(6)
        rest[:, places] -= gain
        self.covariance = rest @ self.covariance @ rest.T + gain @ covariance @ gain.T


def test_a_filter_makes_a_sensible_estimate_of_odometry_and_gyroscope(driven: Driven) -> None:
    way, begun = Filter(), []
    for message in driven.drive(0.3, 0.4, 4.0):
        begun.append(driven.felt)
        way.predict(driven.arena.cycle_time)
        twist, seen = message.twist.twist, message.twist.covariance.reshape(6, 6)
        way.correct([3, 4, 5], [twist.linear.x, twist.linear.y, twist.angular.z], seen[PLANE])
        imu = driven.imu.message
        way.correct([5], [imu.angular_velocity.z], imu.angular_velocity_covariance[8:].reshape(1, 1))
    # The base frame begins at the origin, but for what it moves in a cycle.
    assert begun[0] == pytest.approx(0.0, abs=0.003)
    assert np.linalg.norm(driven.truth[:2]) > 0.5
    sent = message.pose.covariance.reshape(6, 6)[PLANE]
    for believed, covariance in ((way.state[:3], way.covariance[:3, :3]), (driven.felt, sent)):
        error = driven.errors(believed)
        assert error @ np.linalg.solve(covariance, error) < NO_MORE
        # No more than a third of the way, and a sixth of a turn: more would say nothing.
        assert math.sqrt(covariance[:2, :2].trace()) < 0.3 and math.sqrt(covariance[2, 2]) < 0.2


def test_odometry_begins_where_the_robot_came_whenever_it_is_heard(driven: Driven) -> None:
    list(driven.drive(0.3, 0.4, 2.0, heard=False))
    message = next(driven.drive(0.3, 0.4, 1.0))
    assert np.linalg.norm(driven.truth[:2]) > 0.1
    # Within what a robot moves in the one cycle that odometry did not measure.
    assert driven.errors(driven.felt) == pytest.approx(0.0, abs=0.02)
    assert message.pose.covariance[0] > 1e-5


def test_odometry_begins_again_at_home_after_a_reset_whether_it_is_heard_or_not(driven: Driven) -> None:
    list(driven.drive(0.3, 0.4, 2.0))
    driven.arena.simulation.reset_state()
    message = next(driven.drive(None, 0.0, 0.02))
    assert driven.felt == pytest.approx(0.0, abs=0.003)
    assert message.pose.covariance[0] < 1e-4
    driven.arena.simulation.reset_state()
    list(driven.drive(0.3, 0.4, 2.0, heard=False))
    list(driven.drive(0.3, 0.4, 0.1))
    # Home is where the robot came; within what a robot moves in the one cycle that odometry did not measure.
    assert np.linalg.norm(driven.truth[:2]) > 0.1
    assert driven.errors(driven.felt) == pytest.approx(0.0, abs=0.02)


def test_the_uncertainty_of_a_standing_robot_does_not_grow_and_that_of_a_sensor_is_its_errors() -> None:
    driven = Driven("differential")
    first, *_, last = [message.pose.covariance.copy() for message in driven.drive(0.0, 0.0, 1.0)]
    driven.arena.close()
    assert last == pytest.approx(first, abs=1e-5)
    driven = Driven("differential_sensors")
    (spec,) = driven.entry.perceptors("odometry")
    (publisher,) = OdometrySensorPublisher.of_robot(driven.entry, driven.cycle)
    publisher.bind()
    for _ in driven.drive(0.5, 0.0, 2.0):
        publisher.fill()
    way = publisher.message.pose.pose.position.x
    variance = publisher.message.pose.covariance[0]
    driven.arena.close()
    assert variance == pytest.approx(spec.parameters["distance_noise"] ** 2 * way, rel=0.1)


@pytest.mark.parametrize("lying", [False, True], ids=["walking", "lying"])
def test_the_footprint_is_on_the_floor_and_level(monkeypatch: pytest.MonkeyPatch, lying: bool) -> None:
    monkeypatch.setattr(transforms, "transform_message", lambda: Transforms)
    driven = Driven("nao")
    (tf,) = TransformPublisher.of_robot(driven.entry, driven.cycle)
    assert isinstance(tf, TransformPublisher)
    tf.bind()
    if lying:
        turn = quaternion_from_rotation(rotation_from_rpy((0.0, -math.pi / 2.0, 0.0)))
        driven.arena.world.engine.place_robot(driven.entry.handle, (0.0, 0.0, 0.1), turn)
    floors = []
    for _ in driven.drive(None if lying else 0.3, 0.0, 3.0):
        tf.fill()
        turns = rotations_from_quaternions(tf.values[:3, 3:])
        in_odom = tf.values[1, :3] + turns[1] @ tf.values[2, :3]
        floors.append((tf.values[0, :3] + turns[0] @ in_odom)[2])
        # Level in `odom` as well as in `map`.
        assert [(turns[1] @ turns[2])[2, 2], (turns[0] @ turns[1] @ turns[2])[2, 2]] == pytest.approx([1.0, 1.0])
    driven.arena.close()
    frames = [transform.child_frame_id for transform in tf.message.transforms[:3]]
    assert frames == ["odom", "base_link", "base_footprint"]
    # Feet press themselves some millimetres into the ground of this engine.
    assert floors[25:] == pytest.approx([0.0] * len(floors[25:]), abs=0.006)
