"""Starts the simulator with the TCP ports of classic agents and monitors.

    ros2 launch simspark_ros classic.launch.py
    ros2 launch simspark_ros classic.launch.py pacing:=lockstep headless:=true agent_port:=3101
    ros2 launch simspark_ros classic.launch.py composed:=false
    ros2 launch simspark_ros classic.launch.py engine:=mujoco

The default engine is ODE, the original server's physics, and PyBullet with its preset `legacy` where ODE is not
installed (docs/explanation/engines.md).

This file also takes all arguments of simulator.launch.py.
"""

from __future__ import annotations

from pathlib import Path

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PythonExpression


def generate_launch_description() -> LaunchDescription:
    bridge = PythonExpression(["'composed' if '", LaunchConfiguration("composed"), "' == 'true' else 'process'"])
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "composed",
                default_value="true",
                description="true: simulator and bridge in one process, which is fastest; false: in two processes",
                choices=["true", "false"],
            ),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(Path(__file__).parent / "simulator.launch.py")),
                launch_arguments={"bridge": bridge}.items(),
            ),
        ]
    )
