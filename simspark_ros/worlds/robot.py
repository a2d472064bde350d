"""One robot in a world."""

from __future__ import annotations

from dataclasses import dataclass, field

from simspark_ros.robots.description import PerceptorSpec, RobotDescription

LOOKING_AHEAD = (0.0, 0.0)
"""Pan and tilt of a camera that was never turned; compared by identity."""


@dataclass
class Robot:
    """One robot in a world.

    Attributes:
        client: client that owns the robot, empty for spawned robots.
        name: unique name as an entity of the simulation, empty until it has one.
        home: pose (x, y, z, yaw) to which a reset brings the robot back, m and rad.
        home_turn: orientation, x, y, z, w, at home of an object, which need not be upright.
        battery, temperature: charge, percent, and temperature, degrees Celsius. For ideal motors these only store the
            values of a trainer; for realistic motors see `Power` (`worlds/power.py`).
        pan_tilt: direction of the camera relative to the body that carries it, positive left and up, rad.
        adjusted: perceptors whose parameters were changed since the robot came, by kind and name.
        is_guest: whether a client has added it; a reset of everything takes it out.
        devices: last commands of the robot's driver, by the names in `simspark_ros.robots.lola.DEVICES`; absent = none.
    """

    handle: int
    description: RobotDescription
    client: str = ""
    name: str = ""
    home: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    home_turn: tuple[float, float, float, float] | None = None
    battery: float = 100.0
    temperature: float = 25.0
    pan_tilt: tuple[float, float] = LOOKING_AHEAD
    adjusted: dict[tuple[str, str], PerceptorSpec] = field(default_factory=dict)
    is_guest: bool = False
    devices: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def frame_sign(self) -> int:
        """Factor +1 or -1 from x and y in the frame of its team to x and y in the world."""
        return 1

    @property
    def carried(self) -> tuple[PerceptorSpec, ...]:
        """The robot's perceptors with their changed parameters."""
        return tuple(self.adjusted.get((one.kind, one.name), one) for one in self.description.perceptors)

    @property
    def is_counted(self) -> bool:
        """Whether the robot counts in the limit on the number of robots."""
        return not self.description.is_object
