"""One usable plug-in of each kind but topics; each counts how often it was used."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from simspark_ros.plugins import (
    Array,
    BoolArray,
    ControlNode,
    Drive,
    EngineCore,
    Match,
    Mount,
    Perceptor,
    PlayerPlugin,
    Robot,
    RobotDescription,
    Rule,
    Simulation,
    TimeSource,
    Triple,
    Walk,
    World,
    create_engine,
    effector,
)

USED: Counter[str] = Counter()


class Sensor(Perceptor):
    """Always 42."""

    columns = ("number",)

    def bind(self, mounts: Sequence[Mount], world: World) -> None:
        """Look up where values are written."""
        self._places = [mount.start for mount in mounts]

    def sense(self, world: World, values: Array, present: BoolArray) -> None:
        """Write the readings of this cycle."""
        values[self._places] = 42.0


@effector("sound_effector")
def effect(world: World, robot: Robot) -> None:
    """Does nothing that anybody sees."""
    USED["effector"] += 1


class Motion(Drive):
    """Turns both wheels as fast as the robot is to be."""

    is_standing = False

    def __init__(self, description: RobotDescription, parameters: Any, cycle: float) -> None:
        super().__init__(description, parameters, cycle)
        self.joints = np.array([0, 1])

    def update(self, time: float, angles: Array, gyro: Triple, accelerometer: Triple, command: Walk | None) -> Array:
        """Speeds of the wheels, rad/s."""
        USED["drive"] += 1
        return np.full(2, command.forward if command else 0.0)

    def motion(self, turns: Array) -> Array:
        """How far it comes by turns of the wheels."""
        return np.array([float(turns.mean()), 0.0, 0.0])


class SoundRule(Rule):
    """Decides nothing."""

    name = "sound_rule"

    def apply(self, match: Match) -> None:
        """Look at the match once a cycle."""
        USED["rule"] += 1


class Player(PlayerPlugin):
    """Uses the effector, and drives."""

    default_robot = "sound.yaml"

    def sense_and_act(self) -> None:
        """Once a cycle."""
        self.body.command("sound_effector")
        self.body.command("sound_drive", 0.5, 0.0, 0.0)


class Node(ControlNode):
    """Looks at the world once a cycle."""

    def end_cycle(self, simulation: Simulation) -> None:
        """Physics and perception of the cycle are complete."""
        USED["node"] += 1


def register(commands: Any) -> None:
    """Add the sub-command."""
    commands.add_parser("sound-command", help="does nothing").set_defaults(run=lambda options: 0)


class Engine:
    """The engine of the plane by another name."""

    def __init__(self, preset: str | None) -> None:
        self._engine = create_engine("planar", preset)

    def __getattr__(self, name: str) -> Any:
        """Everything else is as in that engine."""
        return getattr(self._engine, name)

    def step(self, control: Any) -> None:
        """One cycle."""
        self._engine.step(control)


def create(preset: str | None) -> EngineCore:
    """A new world."""
    return cast(EngineCore, Engine(preset))


class Time(TimeSource):
    """As fast as possible."""

    def quanta_due(self) -> int | None:
        """A cycle starts at once."""
        USED["time"] += 1
        return self.at_once()
