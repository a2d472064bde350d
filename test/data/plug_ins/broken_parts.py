"""Plug-ins that cannot be used, each for a reason of its own."""

from typing import Any

from simspark_ros.plugins import Robot, World, effector

NOT_A_CLASS = 42


@effector("another_name")
def misnamed(world: World, robot: Robot) -> None:
    """Has another kind than its entry point."""


class OfNoBase:
    """Is no subclass of what it is announced as."""


def fail(*arguments: Any) -> Any:
    """Fails when it is used."""
    raise RuntimeError("worn out")
