"""What a robot's sensor tells."""

from simspark_ros.exchange import Percepts
from simspark_ros.physics.engine import Array


def reading(percepts: Percepts, kind: str, row: int = 0, name: str | None = None) -> Array:
    """The numbers of the first sensor of a kind, and of a name if one is given, on the robot of a row."""
    slot = next(slot for slot in percepts.layout.robots[row].slots if slot.kind == kind and name in (None, slot.name))
    return percepts.values[slot.start : slot.start + len(slot.columns)]


def is_present(percepts: Percepts, kind: str, row: int = 0, name: str | None = None) -> bool:
    """Whether this sensor tells something in this cycle."""
    robots = percepts.layout.robots
    own = [slot.kind == kind and name in (None, slot.name) for slot in robots[row].slots]
    return bool(percepts.present[sum(len(robot.slots) for robot in robots[:row]) + own.index(True)])
