"""The inside of robots for monitors, read at the end of cycles while a monitor asks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from simspark_ros.exchange import Layout, Percepts, RobotLayout
from simspark_ros.perceptors.base import MountKey
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import Joint, JointKind
from simspark_ros.protocol.monitor.inspection import InspectedJoint, InspectedKind, InspectedRobot, Readings, Roster
from simspark_ros.rendering.scene_models import line_of_model
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.loop import ControlNode, Simulation, Work
from simspark_ros.worlds.robot import Robot

_ENDLESS = {JointKind.PRISMATIC: 1.0}
"""Largest position to command where a joint has no stops, m; for other joints half a turn."""


class Inspector(ControlNode):
    """Keeps the robots' state of the last percepts, which are delivered in the next cycle, when the world has changed.

    Attributes:
        looked_at: handles of the robots that monitors inspect, whose sensors are all sensed, and -1 for monitors that
            inspect none; nothing is kept while it is empty.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.looked_at: set[int] = set()
        self._demanded: set[MountKey] = set()
        self._simulation = simulation
        self._layout: Layout | None = None
        self._robots: tuple[tuple[str, RobotDescription], ...] = ()
        self._roster: Roster | None = None
        self._joints: tuple[Array, ...] = ()
        self._rows: dict[int, slice] = {}
        self._drawn: tuple[object, str] = None, ""

    def work(self, simulation: Simulation) -> tuple[Work, Work]:
        """Wishes of monitors, and sensors that have to be told when nobody wants them any more."""
        return self.looked_at, self._demanded

    def sense_agent(self, simulation: Simulation) -> None:
        """Demand the percepts of the inspected robots."""
        robots = (robot for robot in simulation.sensing.layout.robots if robot.handle in self.looked_at)
        slots = ((robot.handle, slot) for robot in robots for slot in robot.slots if slot.columns)
        demanded = {(handle, slot.kind, slot.name) for handle, slot in slots}
        if demanded != self._demanded:
            simulation.sensing.demand(demanded, self)
            self._demanded.clear()
            self._demanded.update(demanded)

    def end_cycle(self, simulation: Simulation) -> None:
        """Keep the joints of all robots."""
        self.look(simulation.sensing.layout)

    def look(self, layout: Layout) -> None:
        """Keep the present state of the robots of a layout; between two cycles."""
        simulation, state = self._simulation, self._simulation.world.engine.state
        if layout is not self._layout:
            robots = simulation.world.robots.values()
            self._layout, self._roster = layout, None
            self._robots = tuple((robot.name, _described(robot)) for robot in robots)
            self._rows = {robot.handle: state.joints_of(state.row(robot.handle)) for robot in robots}
        self._joints = (state.joint_position, state.joint_velocity, state.joint_effort)

    def roster(self, layout: Layout) -> Roster | None:
        """Robots of a layout, None if the last look had another layout."""
        if layout is not self._layout:
            return None
        if self._roster is None:
            self._roster = roster_of(layout, self._robots)
        return self._roster

    @property
    def world(self) -> str:
        """Text of the world for those who draw it."""
        settings = self._simulation.world.settings
        if settings is not self._drawn[0]:
            self._drawn = settings, self._simulation.worlds.drawn
        return self._drawn[1]

    def readings(self, handle: int, percepts: Percepts) -> Readings | None:
        """The inside of a robot, None if there is no such robot in the last look."""
        found = next((row for row, robot in enumerate(percepts.layout.robots) if robot.handle == handle), None)
        if found is None or percepts.layout is not self._layout:
            return None
        joints = (values[self._rows[handle]].tolist() for values in self._joints)
        positions, velocities, efforts = map(tuple, joints)
        sensors = tuple(_sensed(percepts, found))
        return Readings(handle, percepts.time, positions, velocities, efforts, sensors)


def _described(robot: Robot) -> RobotDescription:
    """A robot's description; one whose sensors were changed has one of its own."""
    own = robot.description
    return replace(own, perceptors=robot.carried) if robot.adjusted else own


def roster_of(layout: Layout, robots: Sequence[tuple[str, RobotDescription]]) -> Roster:
    """The roster of a layout, given name and description of each of its robots."""
    kinds: dict[int, int] = {}
    described: list[InspectedKind] = []
    entries = []
    for robot, (name, description) in zip(layout.robots, robots, strict=True):
        kind = kinds.setdefault(id(description), len(described))
        if kind == len(described):
            joints = tuple(map(_joint, description.model.joints))
            described.append(InspectedKind(line_of_model(description), joints, tuple(_sensor_names(robot))))
        entries.append(InspectedRobot(robot.handle, kind, name, robot.side, robot.unum))
    return Roster(tuple(entries), tuple(described))


def _joint(joint: Joint) -> InspectedJoint:
    unit = "m" if joint.kind is JointKind.PRISMATIC else "rad"
    most = _ENDLESS.get(joint.kind, math.pi)
    lower, upper = max(joint.lower, -most), min(joint.upper, most)
    if not (math.isinf(joint.lower) or math.isinf(joint.upper)):
        lower, upper = joint.lower, joint.upper
    return InspectedJoint(joint.name, lower, upper, unit, joint.mimic is None)


def _shown(robot: RobotLayout) -> Iterator[tuple[int, int]]:
    """Yield the index and the number of columns of each sensor that has values and is not a joint's."""
    for index, slot in enumerate(robot.slots):
        if slot.columns and not slot.kind.startswith(("hinge", "universal")):
            yield index, len(slot.columns)


def _sensor_names(robot: RobotLayout) -> Iterator[str]:
    for index, _ in _shown(robot):
        slot = robot.slots[index]
        for column in slot.columns:
            yield f"{slot.kind} {slot.name} {column}".replace("  ", " ")


def _sensed(percepts: Percepts, row: int) -> Iterator[float]:
    robots = percepts.layout.robots
    first = sum(len(robot.slots) for robot in robots[:row])
    for index, count in _shown(robots[row]):
        start = robots[row].slots[index].start
        if percepts.present[first + index]:
            yield from percepts.values[start : start + count].tolist()
        else:
            yield from [math.nan] * count
