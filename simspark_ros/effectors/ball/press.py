"""Presses buttons, pads and bumpers of robots, in place of hands, which the simulation does not have."""

from __future__ import annotations

from simspark_ros.configuration.errors import shown
from simspark_ros.effectors.base import CommandTopic, effector
from simspark_ros.robots.lola import TOUCH
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

LONGEST_PRESS = 3600.0
"""Longest time for which a button is pressed, s."""


@effector("press", topic=CommandTopic("std_msgs/msg/String", fields={"button": "data"}), for_agents=False)
def press(world: World, robot: Robot, button: str, seconds: float = 0.2) -> None:
    """Press a button of `TOUCH` from the next cycle on, for a cycle at least; 0 s releases it.

    Raises:
        CommandRejectedError: there is no such button, or the time is not 0 to `LONGEST_PRESS`.
    """
    if button not in TOUCH:
        raise CommandRejectedError(f"press: unknown button {shown(button)}; use one of: {', '.join(TOUCH)}")
    if not 0.0 <= seconds <= LONGEST_PRESS:
        raise CommandRejectedError(f"press: a button can be pressed for 0 to {LONGEST_PRESS:g} s, not {seconds:g}")
    world.presses.pop((robot.handle, button), None)
    if seconds > 0.0:
        world.presses[robot.handle, button] = max(seconds, world.engine.cycle_time)
