"""`simspark policy`: moves a robot on ROS topics by a trained policy."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError


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
    if find_spec("rclpy") is None:
        raise UserError("policy needs rclpy: pip install 'simspark_ros[ros]', or a ROS 2 installation")
    from simspark_ros.ros.policy import move

    return move(options.file, options.robot, options.ros_arguments)
