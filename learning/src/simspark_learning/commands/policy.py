"""`simspark policy`: moves a robot on ROS topics by a trained policy."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.arguments import require_rclpy
from simspark_ros.commands.parser import CommandParser


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE.npz", help="the policy")
    parser.add_argument("--robot", default="nao", metavar="NAME", help="namespace of the robot's topics [nao]")


def run(options: argparse.Namespace) -> int:
    """Move the robot until SIGINT or SIGTERM; returns the exit status.

    Raises:
        UserError: rclpy is not installed, or the file is no policy for a robot's sensors.
    """
    require_rclpy("policy")
    from simspark_learning.ros.policy import move

    return move(options.file, options.robot, options.ros_arguments)
