"""Fills the container of a robot's sensors from the percepts of a simulation in the same process."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from simspark_ros.configuration.schema import build
from simspark_ros.exchange import Layout, Percepts
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.perceptors.detection.features import features_of_detections
from simspark_ros.perceptors.sight_features import features_of_lines, features_of_sight
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.sensors.feature import Feature
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.senses.sensing import Sensing
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

IDLE = 1.0
"""Simulated time after which data that nobody asks for again are no longer measured, s."""

_ROUNDING = 1e-9
"""Rounding error of sums of simulated times, s."""

CAMERA, DETECTIONS, SIGHT = "camera", "detections", "restricted_vision"
"""Kinds of sensors with no fixed number of values."""

Draw = Callable[[str, str], Mapping[str, Array]]
"""A function that takes pictures: from names of robot and camera to values of the camera's features, by feature."""


class _Place(NamedTuple):
    """Source of data in the percepts: indices of values, and of the flag that says whether they are there."""

    values: IntArray
    flag: int


def sensor_data(
    description: RobotDescription, features_of: Callable[[PerceptorSpec], Sequence[Feature]]
) -> list[SensorData]:
    """Empty data of all features of a robot's sensors, in the order of its file."""
    frames = link_frames(description.model)
    made = []
    for spec in description.perceptors:
        forward = frames.get(spec.link, Transform()).rotation[:, 0]
        heading = math.atan2(forward[1], forward[0])
        for feature in features_of(spec):
            bearings = np.array(feature.bearings) + heading
            made.append(SensorData(spec.kind, spec.name, feature, spec.model, bearings))
    return made


class SimulatedSensors(ControlNode):
    """The sensors of one robot. Data are measured from the cycle after a program asks for them, as long as it asks.

    Args:
        robot: the robot with the sensors.
        sensing: the pass of all perceptors that measures.
        draw: the function that takes the pictures of cameras, at their rates; None = they stay empty.

    Attributes:
        container: the container of the robot's sensors.
    """

    def __init__(self, robot: Robot, sensing: Sensing, draw: Draw | None = None) -> None:
        self.container = SensorContainer(sensor_data(robot.description, sensing.features_of), self._ask)
        self._robot, self._sensing, self._draw = robot, sensing, draw
        self._handle, self._demander = robot.handle, f"sensors of {robot.handle}"
        self._wanted: set[SensorData] = set()
        self._asked: dict[SensorData, float] = {}
        self._demanded: frozenset[tuple[int, str, str]] = frozenset()
        self._layout: Layout | None = None
        self._places: dict[SensorData, _Place] = {}
        self._row = 0
        self._drawn: dict[str, float] = {}
        # Seconds between pictures of each camera; parameters do not change without the layout.
        self._periods: dict[str, float] = {}

    def sense_agent(self, simulation: Simulation) -> None:
        """Request the measurements that programs asked for."""
        now = simulation.time
        self._asked |= dict.fromkeys(self._wanted, now)
        self._wanted.clear()
        self._asked = {data: time for data, time in self._asked.items() if now - time <= IDLE}
        demanded = frozenset((self._handle, data.type, data.name) for data in self._asked)
        if demanded != self._demanded:
            self._demanded = demanded
            simulation.sensing.demand(demanded, self._demander)

    def end_cycle(self, simulation: Simulation) -> None:
        """Take the measured data."""
        percepts = simulation.percepts
        assert percepts is not None
        if not self._asked:
            return
        if percepts.layout is not self._layout and not self._find(percepts.layout):
            return
        told = {key: self._told(*key, simulation) for key in dict.fromkeys((one.type, one.name) for one in self._asked)}
        for data in self._asked:
            features, place = told[data.type, data.name], self._places[data]
            if features is not None and data.feature.name in features:
                data.set_data(features[data.feature.name], percepts.time)
            elif features is None and len(place.values) and percepts.present[place.flag]:
                data.set_data(percepts.values[place.values], percepts.time)

    def make_exact(self, world: World, data: Sequence[SensorData]) -> None:
        """Let the sensors of some data measure in every cycle and without errors from now on."""
        wanted = {(one.type, one.name) for one in data}
        for spec in self._sensing.mounted(self._robot):
            if (spec.kind, spec.name) in wanted:
                self._sensing.adjust(world, self._robot, self._sensing.exact(spec))

    def close(self, simulation: Simulation) -> None:
        """Request no more measurements."""
        self._wanted.clear()
        self._asked.clear()
        self._demanded = frozenset()
        simulation.sensing.demand((), self._demander)

    def _ask(self, data: Sequence[SensorData], patience: float) -> None:
        """Note the data that a program wants; there is nothing to wait for, as the program runs within a cycle."""
        self._wanted.update(data)

    def _find(self, layout: Layout) -> bool:
        """Look up the places of all data in the percepts; return whether the robot is there."""
        handles = [robot.handle for robot in layout.robots]
        if self._handle not in handles:
            return False
        self._layout, self._places = layout, {}
        self._periods.clear()
        self._row = handles.index(self._handle)
        first = sum(len(robot.slots) for robot in layout.robots[: self._row])
        slots = {(slot.kind, slot.name): (slot, first + i) for i, slot in enumerate(layout.robots[self._row].slots)}
        for data in self.container:
            slot, flag = slots[data.type, data.name]
            columns = {column: index for index, column in enumerate(slot.columns)}
            found = [columns[column] for column in data.feature.columns if column in columns]
            self._places[data] = _Place(np.array(found, np.int64) + slot.start, flag)
        return True

    def _told(self, kind: str, name: str, simulation: Simulation) -> Mapping[str, Array] | None:
        """Features of a sensor with no fixed number of values, empty while it is silent; None for other sensors."""
        percepts = simulation.percepts
        assert percepts is not None
        if kind == SIGHT:
            return self._seen(percepts)
        if kind == DETECTIONS:
            found = self._sensing.detections.get((self._handle, kind, name))
            return {} if found is None else features_of_detections(found)
        if kind == CAMERA:
            return self._pictures(name, percepts.time)
        return None

    def _pictures(self, name: str, time: float) -> Mapping[str, Array]:
        """The picture of a camera; empty if there is no `draw`, or the camera's next picture is not due yet."""
        if self._draw is None:
            return {}
        if name not in self._periods:
            spec = next(one for one in self._sensing.mounted(self._robot) if (one.kind, one.name) == (CAMERA, name))
            self._periods[name] = 1.0 / build(CameraParameters, dict(spec.parameters), name).rate_hz
        period = self._periods[name]
        if time < self._drawn.get(name, -period) + period - _ROUNDING:
            return {}
        self._drawn[name] = time
        return self._draw(self._robot.name, name)

    def _seen(self, percepts: Percepts) -> Mapping[str, Array]:
        """Features that the robot sees in this cycle; empty if it does not look."""
        sight = percepts.sight
        observer = None if sight is None else sight.observer(self._row)
        if sight is None or observer is None:
            return {}
        part, targets = sight.objects_of(observer), percepts.layout.targets
        seen = zip(sight.object_target[part].tolist(), sight.object_polar[part].tolist(), strict=True)
        marks = features_of_sight({targets[target][0]: polar for target, polar in seen if targets[target][1] < 0})
        return {**marks, **features_of_lines(sight.line_polar[sight.lines_of(observer)])}
