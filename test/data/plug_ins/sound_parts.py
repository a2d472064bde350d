"""One usable plug-in of each kind but topics; each counts how often it was used."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from simspark_ros.plugins import (
    Array,
    BoolArray,
    ControlNode,
    EngineCore,
    Match,
    Mount,
    Perceptor,
    PlayerPlugin,
    Robot,
    Rule,
    Simulation,
    TimeSource,
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


class SoundRule(Rule):
    """Decides nothing."""

    name = "sound_rule"

    def apply(self, match: Match) -> None:
        """Look at the match once a cycle."""
        USED["rule"] += 1


class Player(PlayerPlugin):
    """Uses the effector."""

    default_robot = "sound.yaml"

    def sense_and_act(self) -> None:
        """Once a cycle."""
        self.body.command("sound_effector")


class Node(ControlNode):
    """Looks at the world once a cycle."""

    def end_cycle(self, simulation: Simulation) -> None:
        """Physics and perception of the cycle are complete."""
        USED["node"] += 1


def register(commands: Any) -> None:
    """Add the sub-command."""
    commands.add_parser("sound-command", help="does nothing").set_defaults(run=lambda options: 0)


def create(preset: str | None) -> EngineCore:
    """The engine of the plane by another name."""
    return create_engine("planar", preset)


class Time(TimeSource):
    """As fast as possible."""

    def quanta_due(self) -> int | None:
        """A cycle starts at once."""
        USED["time"] += 1
        return self.at_once()
