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
        client: the client that owns it, empty for spawned robots.
        name: as an entity of the simulation, unique, empty until it has one.
        home: pose (x, y, z, yaw) to which a reset brings it back, m and rad.
        home_turn: orientation there, x, y, z, w, of an object, which need not be upright.
        battery, temperature: percent and degrees Celsius; of a robot with ideal motors what a trainer sets is only
            stored, see `Power` for the others.
        pan_tilt: direction of its camera relative to the body that carries it, positive left and up, rad.
        adjusted: perceptors whose parameters were changed since it came, by kind and name.
        devices: what its driver last commanded, by the names of `simspark_ros.robots.lola.DEVICES`; absent = nothing.
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
    devices: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def frame_sign(self) -> int:
        """+1 or -1: x and y in the frame of its team times this are those of the world."""
        return 1

    @property
    def carried(self) -> tuple[PerceptorSpec, ...]:
        """Its perceptors with the parameters that were changed."""
        return tuple(self.adjusted.get((one.kind, one.name), one) for one in self.description.perceptors)

    @property
    def is_counted(self) -> bool:
        """Whether it is one of the robots whose number is limited."""
        return not self.description.is_object
