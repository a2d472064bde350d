"""The frame of executables that run a ROS node."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.exceptions import ParameterException

from simspark_ros.configuration.c_library import end_with_parent, keep_memory_small
from simspark_ros.configuration.errors import UserError
from simspark_ros.ros.network import start_ros

BAD_INPUT = 2
"""Exit status for a wrong argument, parameter, file or port, or without a simulator."""


def run_process(name: str, arguments: Sequence[str] | None, work: Callable[[], None]) -> int:
    """Do the work of an executable between start and end of ROS, which leaves signals to it.

    Returns the exit status: 0, or `BAD_INPUT` after an error for the user, which is printed and begins with the name.
    """
    end_with_parent()
    keep_memory_small()
    words = list(sys.argv if arguments is None else arguments)
    try:
        start_ros(words)
        work()
    except (UserError, ParameterException) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return BAD_INPUT
    finally:
        rclpy.try_shutdown()
    return 0
