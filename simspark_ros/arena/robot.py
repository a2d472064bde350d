"""A robot of an arena: its readings and poses as arrays, and commands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simspark_ros.arena.host import ArenaError, RobotHost, refusals
from simspark_ros.effectors.base import kinds_of
from simspark_ros.exchange import Argument, Percepts, RobotLayout
from simspark_ros.physics.engine import Array, EngineState, IntArray
from simspark_ros.robots.description import RobotDescription
from simspark_ros.sensors.container import SensorContainer, SensorData
from simspark_ros.simulation.senses.simulated_sensors import CAMERA, SIGHT, SimulatedSensors
from simspark_ros.soccer.world import SoccerRobot
from simspark_ros.worlds.errors import CommandRejectedError

if TYPE_CHECKING:
    from simspark_ros.rendering.renderer import Picture

Values = Mapping[str, float] | Sequence[float] | Array
"""Numbers for some joints by their names, or (J,) for all of them in the order of `ArenaRobot.joints`."""


@dataclass(frozen=True)
class Contact:
    """The contact of a link that touches something.

    Attributes:
        point: (3,) force-weighted mean contact point in the axes of the link, relative to its centre of mass, m.
        force: (3,) total force on the link, in its axes, N.
    """

    point: Array
    force: Array


@dataclass(frozen=True)
class Vision:
    """Sight of the vision sensor, with its noise: distance (m), azimuth and elevation (rad, + left, + up).

    Attributes:
        objects: (3,) coordinates of each object, by name: `B` the ball, flags and goal posts such as `F1L` and `G2R`,
            and parts of robots as `NAME/PART`, e.g. `left_2/head`.
        lines: (L, 2, 3) coordinates of both ends of the visible part of each line.
    """

    objects: dict[str, Array]
    lines: Array


class ArenaRobot:
    """A robot of an arena, by its name: it stays the same object when the arena is reset. Arrays are copies.

    It is a `RobotAccess`, so that a program for robots elsewhere drives it, too.

    Attributes:
        name: name of the robot, unique in its arena.
    """

    def __init__(self, arena: RobotHost, name: str) -> None:
        self._arena = arena
        self.name = name
        self._filler: _SteppingSensors | None = None

    def __repr__(self) -> str:
        return f"ArenaRobot({self.name!r})"

    @property
    def description(self) -> RobotDescription:
        """Its model, sensors and effectors."""
        return self._robot.description

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of its J joints, in the order of all arrays of joints."""
        return tuple(joint.name for joint in self.description.model.joints)

    @property
    def joint_limits(self) -> Array:
        """Lowest and highest position of each joint (J, 2), rad or m."""
        state, own = self._state, self._own_joints
        return np.stack([state.joint_lower[own], state.joint_upper[own]], axis=1)

    @property
    def joint_positions(self) -> Array:
        """True positions (J,), rad or m; `read("hinge_joint", NAME)` is the reading of the joint's sensor."""
        return self._state.joint_position[self._own_joints].copy()

    @property
    def joint_velocities(self) -> Array:
        """Velocities (J,), rad/s or m/s."""
        return self._state.joint_velocity[self._own_joints].copy()

    @property
    def joint_efforts(self) -> Array:
        """Efforts (J,) of the motors in the last step, N m or N."""
        return self._state.joint_effort[self._own_joints].copy()

    @property
    def position(self) -> Array:
        """Centre of mass (3,) of its base link, world frame, m."""
        return np.array(self._state.position[self._row])

    @property
    def rotation(self) -> Array:
        """Rotation (3, 3) from base link to world; the columns are forward, left and up."""
        return np.array(self._state.rotation[self._row])

    @property
    def linear_velocity(self) -> Array:
        """Velocity (3,) of its base link's centre of mass, world frame, m/s."""
        return np.array(self._state.linear_velocity[self._row])

    @property
    def angular_velocity(self) -> Array:
        """Angular velocity (3,) of its base link, world frame, rad/s."""
        return np.array(self._state.angular_velocity[self._row])

    def link_pose(self, link: str) -> tuple[Array, Array]:
        """Centre of mass (3,) of a link, or origin of a frame, in the world frame, m, and its rotation to the world.

        Raises:
            ArenaError: the robot has no such link or frame.
        """
        engine = self._arena.world.engine
        try:
            position, rotation = engine.link_poses(engine.select_links([(self._robot.handle, link)]))
        except KeyError:
            known = ", ".join(one.name for one in self.description.model.links)
            raise ArenaError(f"robot '{self.name}' has no link or frame '{link[:40]}'; it has: {known}") from None
        return position[0], rotation[0]

    @property
    def contacts(self) -> dict[str, Contact]:
        """Contacts of its touch links, by name; links without contact are left out."""
        state, links = self._state, self.description.model.touch_links
        own = range(*state.touches_of(self._row).indices(len(state.touching)))
        pairs = [(link, i) for link, i in zip(links, own, strict=True) if state.touching[i]]
        return {link: Contact(state.touch_point[i].copy(), state.touch_force[i].copy()) for link, i in pairs}

    @property
    def sensors(self) -> SensorContainer:
        """The container of its sensors, in the order of its file; another one after a reset. `update` steps the arena.

        Cameras' pictures are drawn within the cycle, if a program asks for them.
        """
        robot = self._robot
        if self._filler is None or self._filler.robot is not robot:
            self._filler = _SteppingSensors(robot, self._arena)
            self._arena.simulation.add_node(self._filler)
        return self._filler.container

    def read(self, kind: str, name: str = "") -> Array | None:
        """Values (C,) of a sensor in this cycle, None if it has nothing to report; a camera gives its `picture`.

        Kinds and their values are in docs/reference/sensors.md: a `gyroscope` has x, y, z in rad/s, an `accelerometer`
        in m/s2, a `hinge_joint` its angle, a `force_resistance` point and force.

        Args:
            kind: kind of the sensor.
            name: name of the sensor, if the robot has several of the kind; empty = the first one.

        Raises:
            ArenaError: it has no such sensor, no cycle has run since the start, or the sensor has no fixed number of
                values, as detections; the message says how they are read.
        """
        percepts, layout, slot_at = self._percepts()
        for number, slot in enumerate(layout.slots):
            if slot.kind == kind and name in ("", slot.name):
                if not slot.columns:
                    return self._read_variable(kind, slot.name)
                values = percepts.values[slot.start : slot.start + len(slot.columns)]
                return values.copy() if percepts.present[slot_at + number] else None
        known = ", ".join(f"{one.kind} '{one.name}'" for one in layout.slots)
        wanted = f"{kind[:40]} '{name[:40]}'" if name else kind[:40]
        raise ArenaError(f"robot '{self.name}' has no sensor {wanted}; it has: {known or 'none'}")

    def _read_variable(self, kind: str, name: str) -> Array:
        """The picture of a camera, or the reason why other sensors have no row of values."""
        if kind == CAMERA:
            return self.picture(name).astype(np.float64)
        features_of, own = self._arena.simulation.sensing.features_of, self.description.perceptors
        features = [one.name for spec in own if (spec.kind, spec.name) == (kind, name) for one in features_of(spec)]
        how = "use `vision`, or" if kind == SIGHT else "use"
        raise ArenaError(
            f"{kind} '{name}' of robot '{self.name}' has no fixed number of values: {how} `sensors.get(feature=F)` and "
            f"`sensors.update`, with F among {', '.join(features) or 'none'}"
        )

    @property
    def vision(self) -> Vision | None:
        """Sight of its vision sensor; None in cycles without a look, and for a robot without the sensor."""
        percepts, layout, _ = self._percepts()
        sight = percepts.sight
        if sight is None:
            return None
        observer = sight.observer(percepts.layout.robots.index(layout))
        if observer is None:
            return None
        objects = sight.objects_of(observer)
        names = [self._arena.target_names[target] for target in sight.object_target[objects].tolist()]
        seen = dict(zip(names, sight.object_polar[objects].copy(), strict=True))
        return Vision(seen, sight.line_polar[sight.lines_of(observer)].copy())

    def picture(self, camera: str = "") -> Picture:
        """The current picture of one of its cameras: (height, width, 3), red, green, blue, with the camera's errors.

        Raises:
            ArenaError: the robot has no such camera.
            MissingPackageError: there is neither OpenGL nor PyBullet, which draw.
        """
        view = self._arena.view
        with refusals():
            return view.of_camera(self.name, camera)

    def set_positions(self, values: Values) -> None:
        """Drive joints to positions, rad or m, until the next command; errors as in `set_efforts`."""
        joints, numbers = self._named(values)
        self._arena.world.motors.set_positions(joints, numbers, self._state)

    def set_velocities(self, values: Values) -> None:
        """Drive joints at velocities, rad/s or m/s, until the next command; errors as in `set_efforts`."""
        joints, numbers = self._named(values)
        self._arena.world.motors.set_velocities(joints, numbers, self._state)

    def set_efforts(self, values: Values) -> None:
        """Drive joints with efforts, N m or N, cut to the joints' limits, until the next command.

        Raises:
            ArenaError: the robot has no such joint, a number is not finite, or there are too few or too many.
        """
        joints, numbers = self._named(values)
        self._arena.world.motors.set_efforts(joints, numbers, self._state)

    def command(self, kind: str, *arguments: Argument) -> None:
        """See `RobotAccess.command`: the same as `act`."""
        self.act(kind, *arguments)

    def act(self, effector: str, *arguments: Argument) -> None:
        """Carry out a command of one of its effectors, e.g. `act("walk", 0.3, 0.0, 0.0)`: docs/how_to/plugins.md.

        Raises:
            ArenaError: the robot has no such effector, or the arguments are wrong.
        """
        known, description = self._arena.effectors, self._robot.description
        if effector not in known or (known[effector].mounted and not description.has_effector(effector)):
            own = kinds_of(description)
            raise ArenaError(f"robot '{self.name}' has no effector '{effector[:40]}'; it has: {own}")
        try:
            known[effector].act(self._arena.world, self._robot, arguments)
        except CommandRejectedError as error:
            raise ArenaError(f"robot '{self.name}': {error}") from None

    def place(self, x: float, y: float, heading: float = 0.0) -> None:
        """Put the robot somewhere, upright and at rest, with its joints as they are: world frame, m and rad, 0 = +x.

        If another robot is near, the robot stands beside it, at the distance that the world's file wants.
        """
        if not np.isfinite([x, y, heading]).all():
            raise ArenaError(f"place({x}, {y}, {heading}): give finite numbers")
        robot = self._robot
        self._arena.world.place(robot, x, y, robot.description.spawn_height, heading)

    @property
    def _robot(self) -> SoccerRobot:
        return self._arena.entity(self.name)

    @property
    def _state(self) -> EngineState:
        return self._arena.world.engine.state

    @property
    def _row(self) -> int:
        return self._state.row(self._robot.handle)

    @property
    def _own_joints(self) -> slice:
        return self._state.joints_of(self._row)

    def _percepts(self) -> tuple[Percepts, RobotLayout, int]:
        """The last percepts, the robot's part of their layout, and the index of its first sensor in `present`."""
        percepts, handle, before = self._arena.percepts, self._robot.handle, 0
        for robot in percepts.layout.robots:
            if robot.handle == handle:
                return percepts, robot, before
            before += len(robot.slots)
        raise ArenaError(f"robot '{self.name}' has not sensed anything yet, as it is new; call step() first")

    def _named(self, values: Values) -> tuple[IntArray, Array]:
        """Flat indices and numbers of commanded joints."""
        names, first = self.joints, self._own_joints.start
        if isinstance(values, Mapping):
            unknown = [name for name in values if name not in names]
            if unknown:
                raise ArenaError(f"robot '{self.name}' has no joint '{unknown[0]}'; it has: {', '.join(names)}")
            index = [names.index(name) for name in values]
            numbers = np.array([*values.values()], float)
        else:
            index, numbers = list(range(len(names))), np.asarray(values, float)
        if numbers.shape != (len(index),):
            raise ArenaError(
                f"robot '{self.name}' has {len(names)} joints; give {len(names)} numbers, or a mapping of joints to "
                f"numbers, not an array of shape {numbers.shape}"
            )
        if not np.isfinite(numbers).all():
            raise ArenaError(f"a command for robot '{self.name}' is not finite: {numbers}")
        return np.array(index, np.int64) + first, numbers


class _SteppingSensors(SimulatedSensors):
    """Sensors of a robot whose program lets time pass when it asks for data.

    Attributes:
        robot: the robot in the present world.
    """

    def __init__(self, robot: SoccerRobot, arena: RobotHost) -> None:
        super().__init__(robot, arena.simulation.sensing, lambda name, camera: arena.view.features(name, camera))
        self.robot, self._arena = robot, arena

    def _ask(self, data: Sequence[SensorData], patience: float) -> None:
        before = [one.stamp for one in data]
        end = self._arena.time + patience
        while True:
            super()._ask(data, patience)
            self._arena.step()
            is_new = all(one.stamp != stamp for one, stamp in zip(data, before, strict=True))
            if is_new or self._arena.time >= end:
                return
