"""All sensors of the body that the real Nao's middleware LoLA reports, for its socket and the topics of nao_lola.

A foot has four pressure sensors under its sole and two bumpers at its front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from simspark_ros.configuration.schema import Checked, Error, Range
from simspark_ros.kernels.angles import find_angles
from simspark_ros.perceptors.base import Mount, MountKey, Perceptor, Topic, parameters, parameters_of
from simspark_ros.perceptors.inertial import LEAST_DEVIATION, AccelerometerPerceptor, GyroscopePerceptor
from simspark_ros.perceptors.rays import cone
from simspark_ros.physics.engine import Array, BoolArray, RayTarget
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.model import Link, ShapeKind
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.robots.lola import COLUMNS, JOINTS, RANGES, SENSORS, START, TOUCH, initial
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

SONAR_RANGE = 5.0
"""Reading of a sonar that is off or meets nothing, m."""

_SONAR_PLACES = np.array([[0.0527, 0.0341, 0.0698], [0.0527, -0.0341, 0.0698]])
_SONAR_RPY = ((0.0, -0.1745, 0.3142), (0.0, -0.1745, -0.3142))
"""Poses of the left and right sonar in the torso (Aldebaran's documentation of the Nao, "Sonars"), m and rad."""

_EMPTY, _NEARLY_EMPTY, _DISCHARGES, _FULL = 0x01, 0x02, 0x20, 0x40
"""Bits of the battery's status, as NAOqi names them for the DCM's key `Battery/Charge/Sensor/Status`."""

_LOW = 10.0
"""Charge below which the battery is nearly empty, percent; Aldebaran gives no number."""

_MESSAGES = "nao_lola_sensor_msgs/msg/"


def _all(sensor: str) -> tuple[str, ...]:
    return tuple(f"{sensor}/{number}" for number in range(SENSORS[sensor]))


def _fields(sensor: str, *names: str) -> dict[str, str]:
    return dict(zip(names, _all(sensor), strict=True))


_CORNERS = ("front_left", "front_right", "back_left", "back_right")
_FEET = tuple(f"{side}_foot_{corner}" for side in "lr" for corner in _CORNERS)
_HEAD = {button: f"Touch/{place}" for place, button in enumerate(TOUCH) if button.startswith("head")}
_BUTTONS = {
    button: f"Touch/{place}" for place, button in enumerate(TOUCH) if button == "chest" or "_foot_bumper_" in button
}


def _battery_status(charge: float) -> int:
    """Status of a battery that no charger charges, by its charge, percent; charging would be bit 0x80."""
    level = _EMPTY | _NEARLY_EMPTY if charge <= 0.0 else _NEARLY_EMPTY if charge < _LOW else 0
    return _DISCHARGES | level | (_FULL if charge >= 100.0 else 0)


@dataclass(frozen=True)
class LolaParameters(Checked):
    """Parameters in YAML. gyroscope_noise, accelerometer_noise, pressure_noise: deviations, rad/s, m/s2 and N."""

    gyroscope_noise: Annotated[float, Range(0.0, 1000.0), Error()] = 0.0
    accelerometer_noise: Annotated[float, Range(0.0, 1000.0), Error()] = 0.0
    pressure_noise: Annotated[float, Range(0.0, 1000.0), Error()] = 0.0


class LolaPerceptor(Perceptor):
    """The sensors of `simspark_ros.robots.lola.SENSORS`, on the link or frame that carries the inertial unit.

    Currents, temperatures, statuses and the battery come from realistic motors. With ideal motors, currents are the
    real motors' currents for the joints' torques, and temperature and charge are the robot's, which a trainer may set.
    Things in front of the feet press bumpers; `World.presses` presses all buttons and pads.

    Sensed on demand; the first reading comes a cycle later, as accelerations are changes of velocity.
    """

    columns: ClassVar[tuple[str, ...]] = COLUMNS
    options: ClassVar[type[Any]] = LolaParameters
    needs_link: ClassVar[bool] = True
    topics: ClassVar[tuple[Topic, ...]] = (
        Topic(f"{_MESSAGES}Accelerometer", "sensors/accelerometer", _fields("Accelerometer", *"xyz")),
        Topic(f"{_MESSAGES}Gyroscope", "sensors/gyroscope", _fields("Gyroscope", *"xyz")),
        Topic(f"{_MESSAGES}Angle", "sensors/angle", _fields("Angles", *"xy")),
        Topic(
            f"{_MESSAGES}Battery",
            "sensors/battery",
            # No battery is ever charged here: `charging` stays False.
            {"charge": "Battery/0", "current": "Battery/1", "temperature": "Battery/3"},
            factors={"charge": 100.0},
        ),
        Topic(f"{_MESSAGES}JointCurrents", "sensors/joint_currents", {"currents": _all("Current")}),
        Topic(f"{_MESSAGES}JointPositions", "sensors/joint_positions", {"positions": _all("Position")}),
        Topic(f"{_MESSAGES}JointStiffnesses", "sensors/joint_stiffnesses", {"stiffnesses": _all("Stiffness")}),
        Topic(f"{_MESSAGES}JointTemperatures", "sensors/joint_temperatures", {"temperatures": _all("Temperature")}),
        Topic(f"{_MESSAGES}JointStatuses", "sensors/joint_statuses", {"statuses": _all("Status")}),
        Topic(f"{_MESSAGES}FSR", "sensors/fsr", _fields("FSR", *_FEET)),
        Topic(f"{_MESSAGES}Sonar", "sensors/sonar", _fields("Sonar", "left", "right")),
        Topic(f"{_MESSAGES}Touch", "sensors/touch", _HEAD),
        Topic(f"{_MESSAGES}Buttons", "sensors/buttons", _BUTTONS),
        Topic(
            "sensor_msgs/msg/Imu",
            "imu",
            {
                **_fields("Gyroscope", *(f"angular_velocity.{axis}" for axis in "xyz")),
                **_fields("Accelerometer", *(f"linear_acceleration.{axis}" for axis in "xyz")),
            },
            # By the message's definition the orientation is not reported.
            constants={"orientation_covariance": [-1.0, *[0.0] * 8]},
        ),
    )

    @classmethod
    def topics_of(cls, spec: PerceptorSpec) -> tuple[Topic, ...]:
        """All sensors; the inertial unit's message has the covariances of its noise."""
        given = parameters_of(LolaParameters, spec)
        deviations = {"angular_velocity": given.gyroscope_noise, "linear_acceleration": given.accelerometer_noise}
        spread = {
            f"{field}_covariance": np.diag([max(deviation, LEAST_DEVIATION) ** 2] * 3).ravel().tolist()
            for field, deviation in deviations.items()
        }
        *others, imu = cls.topics
        return *others, replace(imu, constants={**imu.constants, **spread})

    def __init__(self, random: np.random.Generator) -> None:
        super().__init__(random)
        self._gyroscope, self._accelerometer = GyroscopePerceptor(random), AccelerometerPerceptor(random)
        self._known: dict[MountKey, int] = {}

    def check(self, spec: PerceptorSpec, description: RobotDescription) -> None:
        """Refuse places of the inertial unit that the robot does not have."""
        super().check(spec, description)
        self._gyroscope.check(replace(spec, parameters={}), description)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Take the mounts, and find the joints and feet of demanded ones."""
        self._all, self._flags = mounts, np.array([mount.flag for mount in mounts], np.int64)
        self._select(world)

    def _select(self, world: World) -> None:
        """Find the joints and feet of demanded mounts in the engine's arrays."""
        self._served = self.demanded
        self._mounts = mounts = [mount for mount in self._all if mount.key in self.demanded]
        self._known = {mount.key: mount.flag for mount in mounts if mount.key in self._known}
        state = world.engine.state
        self._starts = np.array([mount.start for mount in mounts], np.int64)
        self._rows = np.array([mount.row for mount in mounts], np.int64)
        self._gyroscope.bind([_inertial(mount, "Gyroscope", "gyroscope_noise") for mount in mounts], world)
        self._accelerometer.bind([_inertial(mount, "Accelerometer", "accelerometer_noise") for mount in mounts], world)
        joints = [
            (mount.start + START["Position"] + JOINTS.index(joint.name), int(state.joint_offset[mount.row]) + number)
            for mount in mounts
            for number, joint in enumerate(mount.robot.description.model.joints)
            if joint.name in JOINTS
        ]
        self._joint_places, self._joints = np.array(joints, np.int64).reshape(-1, 2).T
        self._ideal_currents = _IdealCurrents(mounts, world)
        self._soles = [sole for mount in mounts for sole in soles(mount, int(state.touch_offset[mount.row]))]
        self._bumpers = Bumpers(mounts, world)
        self._pressures = self._starts[:, None] + START["FSR"] + np.arange(SENSORS["FSR"])
        self._pressure_noise = np.array([[parameters(LolaParameters, mount).pressure_noise] for mount in mounts])

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write all sensors; see `SENSORS` for units and signs."""
        present[self._flags] = False
        if self._served is not self.demanded:
            self._select(world)
        if not self._mounts:
            return
        present[list(self._known.values())] = True
        self._known = {mount.key: mount.flag for mount in self._mounts}
        self._gyroscope.sense(world, values, present)
        self._accelerometer.sense(world, values, present)
        places = self._starts[:, None] + START["Accelerometer"] + np.arange(3)
        # LoLA's accelerometer reports gravity, not the force that carries the robot.
        values[places] *= -1.0
        rotations = world.engine.state.rotation[self._rows]
        lean: Array = np.empty((2, len(rotations)))
        find_angles(rotations[:, 2, 1], rotations[:, 2, 2], lean[0])
        find_angles(-rotations[:, 2, 0], np.hypot(rotations[:, 2, 1], rotations[:, 2, 2]), lean[1])
        values[self._starts + START["Angles"] + np.arange(2)[:, None]] = lean
        for mount in self._mounts:
            self._commanded(mount.robot, values[mount.start : mount.start + len(COLUMNS)])
            self._motors(world, mount.robot, values[mount.start : mount.start + len(COLUMNS)])
        self._ideal_currents.sense(world, values)
        self._sonars(world, values)
        # After `_commanded`, which has filled in joints that the model does not have.
        values[self._joint_places] = world.engine.state.joint_position[self._joints]
        for sole in self._soles:
            sole.sense(world, values)
        self._bumpers.sense(world, values)
        self._press(world, values)
        if self._pressure_noise.any():
            noise = self._pressure_noise * self.random.standard_normal(self._pressures.shape)
            values[self._pressures] = np.maximum(values[self._pressures] + noise, 0.0)

    def _commanded(self, robot: Robot, own: Array) -> None:
        """Write stiffness, and as the position of each joint the position that commands want."""
        for sensor in ("Stiffness", "Position"):
            own[START[sensor] : START[sensor] + len(JOINTS)] = robot.devices.get(sensor) or initial(sensor)
        for name, (lower, upper) in RANGES.items():
            place = START["Position"] + JOINTS.index(name)
            own[place] = min(max(own[place], lower), upper)

    def _press(self, world: World, values: Array) -> None:
        """Write 1 for buttons and pads that a trainer presses."""
        starts = {mount.robot.handle: mount.start + START["Touch"] for mount in self._mounts}
        for handle, button in world.presses:
            if handle in starts:
                values[starts[handle] + TOUCH.index(button)] = 1.0

    def _motors(self, world: World, robot: Robot, own: Array) -> None:
        """Write currents, temperatures and statuses of motors, and the battery."""
        temperatures = slice(START["Temperature"], START["Temperature"] + len(JOINTS))
        own[START["Battery"]], own[START["Battery"] + 2] = robot.battery / 100.0, _battery_status(robot.battery)
        drive = world.power.reading(robot)
        if drive is None:
            own[temperatures] = own[START["Battery"] + 3] = robot.temperature
            return
        own[START["Battery"] + 1], own[START["Battery"] + 3] = -drive.battery_current, Robot.temperature
        # Wrists and hands have no motor here: they are as cool as the coolest motor.
        own[temperatures] = drive.temperature.min()
        for number, joint in enumerate(robot.description.model.joints):
            if joint.name in JOINTS:
                place = JOINTS.index(joint.name)
                for sensor, readings in (("Temperature", drive.temperature), ("Current", drive.current)):
                    own[START[sensor] + place] = readings[number]
                own[START["Status"] + place] = drive.status[number]

    def _sonars(self, world: World, values: Array) -> None:
        """Write the distance of the nearest thing in each cone; the ground sends no echo back at that angle."""
        places = self._starts[:, None] + START["Sonar"] + np.arange(2)
        values[places] = SONAR_RANGE
        is_on = [mount.robot.devices.get("Sonar") or initial("Sonar") for mount in self._mounts]
        mount, side = np.array(is_on, np.bool_).reshape(-1, 2).nonzero()
        if not len(mount):
            return
        state, row = world.engine.state, self._rows[mount]
        origins = state.position[row] + np.einsum("kij,kj->ki", state.rotation[row], _SONAR_PLACES[side])
        # Rays are rows, so the rotation to the world stands behind them, transposed.
        rays = product(_CONES[side], state.rotation[row].transpose(0, 2, 1))
        count = rays.shape[1]
        own = np.array([mount.robot.handle for mount in self._mounts], np.int64)[mount]
        hits = world.engine.cast_rays(
            origins.repeat(count, 0), rays.reshape(-1, 3), SONAR_RANGE, ignore=own.repeat(count)
        )
        echoes = np.where(hits.target == RayTarget.GROUND, np.inf, hits.distance).reshape(-1, count)
        values[places[mount, side]] = np.minimum(echoes.min(axis=1), SONAR_RANGE)


class _IdealCurrents:
    """Currents of the real motors for the torques of ideal servos: torque over torque constant, A."""

    def __init__(self, mounts: Sequence[Mount], world: World) -> None:
        places, joints, constants = list[int](), list[int](), list[float]()
        for mount in mounts:
            description, first = mount.robot.description, int(world.engine.state.joint_offset[mount.row])
            if description.motor_data is None or description.motors != "ideal":
                continue
            for number, joint in enumerate(description.model.joints):
                motor = description.motor_data.motor(joint.name)
                if motor is not None and joint.name in JOINTS:
                    places.append(mount.start + START["Current"] + JOINTS.index(joint.name))
                    joints.append(first + number)
                    constants.append(motor.torque_constant)
        self._places, self._joints = np.array(places, np.int64), np.array(joints, np.int64)
        self._constants = np.array(constants)

    def sense(self, world: World, values: Array) -> None:
        values[self._places] = np.abs(world.engine.state.joint_effort[self._joints]) / self._constants


def _inertial(mount: Mount, sensor: str, noise: str) -> Mount:
    deviation = getattr(parameters(LolaParameters, mount), noise)
    return mount._replace(start=mount.start + START[sensor], spec=replace(mount.spec, parameters={"noise": deviation}))


_CONES = np.array([product(cone(math.radians(28.0), 4), rotation_from_rpy(rpy).T) for rpy in _SONAR_RPY])
"""Directions (2, 61, 3) of each sonar's rays in the torso."""


BUMPER_TRAVEL = 0.003
"""Distance before a foot's front within which a thing presses the bumper, m."""

_DEPTH = 0.02
"""Distance behind the front at which rays start, m: bodies in contact overlap a little."""

_ASIDE = (0.15, 0.55, 0.95)
_UP = (0.0, 0.95)
"""Starts of rays, as parts of half the width (`_ASIDE`) and of half the height (`_UP`) of the front."""


class Sole(NamedTuple):
    """The four pressure sensors under a foot, in the corners of a link's box; a toe presses only the front ones.

    Attributes:
        touch: index of the link in the touch arrays.
        place: index of the first sensor's value.
        length, width: size of the box, m.
    """

    touch: int
    place: int
    length: float
    width: float
    is_toe: bool

    def sense(self, world: World, values: Array) -> None:
        """Share the force among the corners so that its centre stays."""
        state = world.engine.state
        if not state.touching[self.touch]:
            return
        x, y, _ = state.touch_point[self.touch].tolist()
        force = max(0.0, float(state.touch_force[self.touch, 2]))
        front = 1.0 if self.is_toe else _share(x, self.length)
        left = _share(y, self.width)
        corners = (front * left, front * (1.0 - left), (1.0 - front) * left, (1.0 - front) * (1.0 - left))
        values[self.place : self.place + 4] += force * np.array(corners)


def _share(offset: float, extent: float) -> float:
    return min(max(0.5 + offset / extent, 0.0), 1.0)


def soles(mount: Mount, first: int) -> list[Sole]:
    """The soles of a robot; `first` is the index of its first touch link in the touch arrays."""
    found = []
    for side, link, number in _feet(mount):
        length, width = link.collisions[0].size[:2]
        place = mount.start + START["FSR"] + (0 if side == "l" else 4)
        found.append(Sole(first + number, place, length, width, link.name.endswith("toe")))
    return found


def _feet(mount: Mount) -> Iterator[tuple[str, Link, int]]:
    """Yield side, link and index among the touch links, of feet and, after them, toes."""
    model = mount.robot.description.model
    for number, name in enumerate(model.touch_links):
        side, part = name[0], name[1:]
        if side in "lr" and part in ("foot", "toe") and model.link(name).collisions:
            yield side, model.link(name), number


class Bumpers:
    """The bumpers of all robots with feet: rays from the front of each foot find things that press them."""

    def __init__(self, mounts: Sequence[Mount], world: World) -> None:
        fronts = [
            (mount, side, link)
            for mount in mounts
            for side, link in {side: link for side, link, _ in _feet(mount)}.items()
            if link.collisions[0].kind is ShapeKind.BOX
        ]
        self._links = world.engine.select_links([(mount.robot.handle, link.name) for mount, _, link in fronts])
        self._origins = np.array([_starts(link) for _, _, link in fronts]).reshape(-1, 2, len(_ASIDE) * len(_UP), 3)
        rays = self._origins.shape[1] * self._origins.shape[2]
        self._handles = np.array([mount.robot.handle for mount, _, _ in fronts], np.int64).repeat(rays)
        firsts = [mount.start + START["Touch"] + TOUCH.index(f"{side}_foot_bumper_left") for mount, side, _ in fronts]
        self._places = np.array(firsts, np.int64)[:, None] + np.arange(2)

    def sense(self, world: World, values: Array) -> None:
        """Write 1 for bumpers that something presses."""
        if not len(self._places):
            return
        centres, rotations = world.engine.link_poses(self._links)
        origins = centres[:, None, None] + np.einsum("fij,fskj->fski", rotations, self._origins)
        directions = np.broadcast_to(rotations[:, None, None, :, 0], origins.shape)
        reach = _DEPTH + BUMPER_TRAVEL
        hits = world.engine.cast_rays(origins.reshape(-1, 3), directions.reshape(-1, 3), reach, ignore=self._handles)
        pressed = np.isfinite(hits.distance).reshape(origins.shape[:3]).any(axis=2)
        values[self._places] = pressed


def _starts(link: Link) -> Array:
    """(2, rays, 3): starts of the rays of the left and of the right bumper, from the link's centre of mass, m."""
    box = link.collisions[0]
    length, width, height = box.size
    front = np.array(box.position) - link.centre
    front[0] += length / 2.0 - _DEPTH
    half = np.array([(0.0, aside * width / 2.0, up * height / 2.0) for aside in _ASIDE for up in _UP])
    starts: Array = front + np.array([half, half * (1.0, -1.0, 1.0)])
    return starts
