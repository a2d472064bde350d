"""The executable `viewer`: reads ROS parameters and becomes `simspark view`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import rclpy
from rclpy.node import Node

from simspark_ros.configuration.schema import declarations
from simspark_ros.ros.network import start_ros
from simspark_ros.ros.parameters.declared import declare, warn_of_unknown
from simspark_ros.server.viewer_settings import ViewerSettings


def main(arguments: Sequence[str] | None = None) -> int:
    """Replace this process by the viewer; returns exit status 2 for wrong arguments of ROS, otherwise not at all.

    The arguments are options of `simspark view`, then perhaps `--ros-args ...`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--ros-args" in given:
        start = given.index("--ros-args")
        try:
            given = [*_options(given[start:]), *given[:start]]
        except Exception as error:
            print(f"viewer: {error}", file=sys.stderr)
            return 2
    os.execv(sys.executable, [sys.executable, "-m", "simspark_ros.cli", "view", *given])


def _options(ros_arguments: list[str]) -> list[str]:
    """The parameters as options of the command line."""
    start_ros(["viewer", *ros_arguments])
    try:
        node = Node("simspark_viewer")
        parameters = [declaration for declaration in declarations(ViewerSettings) if declaration.option]
        values = declare(node, parameters)
        warn_of_unknown(node, parameters)
        node.destroy_node()
    finally:
        rclpy.try_shutdown()
    return [f"{given.option}={values[given.name]}" for given in parameters if values[given.name] != ""]


if __name__ == "__main__":
    sys.exit(main())
