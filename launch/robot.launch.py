"""Starts a simulator with one robot that has the topics of a real robot, for software that drives it.

    ros2 launch simspark_ros robot.launch.py
    ros2 launch simspark_ros robot.launch.py ros2_control:=true robot_state_publisher:=true
    ros2 launch simspark_ros robot.launch.py simulator:=false name:=striker robot:=nao/4 x:=-1.0   # one more

The robot's topics are in its namespace: joint_states, joint_command, imu/data, camera/image_raw, tf and so on. It is
one of the simulator's robots at the start, so that a reset brings it back to its place. With simulator:=false it is
spawned into the simulator that runs, and removed when this launch ends. This file also takes all arguments of
simulator.launch.py.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, SetRemap
from launch_ros.parameter_descriptions import ParameterValue

from simspark_ros.configuration.c_library import END_WITH
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.simulation.loading.robot_resources import SpawnError, check_name, find_resource

FOLDER = Path(__file__).parent
OF_ROBOT = ("tf", "tf_static", "robot_description", "camera/image_raw", "scan")
OF_WORLD = ("ground_truth/ball", "world_markers")
"""Topics of RViz and of its file: those of the robot, and those of the simulator."""

ARGUMENTS = {
    "name": ("nao", "name of the robot"),
    "robot": ("nao", "robot to spawn: model[/type], e.g. nao/4, or the path of a robot's YAML file"),
    "robot_namespace": ("", "namespace of the robot's topics; empty = its name"),
    "x": ("0.0", "x of the robot's place, m; if x, y and yaw are 0, any free place"),
    "y": ("0.0", "y of the robot's place, m"),
    "yaw": ("0.0", "heading of the robot, rad"),
    "simulator": (
        "true",
        "true: start a simulator; false: the robot joins a running simulator in the namespace `namespace`",
    ),
    "ros2_control": (
        "false",
        "true: joint states are on /robot_joint_states, commands on /robot_joint_commands and, for older versions, on "
        "/robot_joint_command, the defaults of ros2_control's JointStateTopicSystem; robot_description has a tag "
        "ros2_control for a controller_manager in the robot's namespace (not with simulator:=false)",
    ),
    "robot_state_publisher": (
        "false",
        "true: robot_state_publisher sends the transforms of the links; the simulator sends only map, odom and "
        "base_link unless `tf` is given",
    ),
    "use_rviz": ("false", "true: show robot, transforms and camera in RViz"),
    "rviz_config": (str(FOLDER.parent / "rviz" / "simspark.rviz"), "configuration of RViz"),
}


def generate_launch_description() -> LaunchDescription:
    simulator = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(FOLDER / "simulator.launch.py")),
        condition=IfCondition(LaunchConfiguration("simulator")),
    )
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=text)
                for name, (default, text) in ARGUMENTS.items()
            ),
            # Launch leaves processes behind when it gets SIGTERM.
            SetEnvironmentVariable(END_WITH, str(os.getpid())),
            # Mistakes must show before anything runs: launch leaves processes behind when it fails.
            OpaqueFunction(function=_check),
            GroupAction([OpaqueFunction(function=_settings_of_simulator), simulator]),
            OpaqueFunction(function=_robot),
        ]
    )


def _check(context: LaunchContext) -> None:
    given = context.launch_configurations
    _is_set(context, "simulator")
    if not given["name"]:
        raise ValueError("argument 'name': give the robot a name")
    try:
        check_name(given["name"])
    except SpawnError as error:
        raise ValueError(f"argument 'name': {error}") from None
    if _is_set(context, "ros2_control") and (
        not _is_set(context, "simulator") or given.get("bridge", "none") == "composed"
    ):
        raise ValueError(
            "ros2_control:=true renames topics of the simulator, so it needs simulator:=true and no composed bridge"
        )
    for argument, package in (("robot_state_publisher", "robot_state_publisher"), ("use_rviz", "rviz2")):
        if _is_set(context, argument):
            try:
                get_package_prefix(package)
            except PackageNotFoundError:
                raise ValueError(f"argument '{argument}': the package '{package}' is not installed") from None
    for name in ("x", "y", "yaw"):
        try:
            float(given[name])
        except ValueError:
            raise ValueError(f"argument '{name}' must be a number, not '{given[name]}'") from None


def _settings_of_simulator(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Settings of the simulator that starts after this, the robot among them."""
    given = context.launch_configurations
    x, y, yaw = (float(given[name]) for name in ("x", "y", "yaw"))
    place = f"@{x},{y},{yaw}" if x or y or yaw else ""
    given["robots"] = f"{given.get('robots', '')} {given['name']}={given['robot']}{place}"
    given["robot_namespaces"] = f"{given.get('robot_namespaces', '')} {given['name']}={_namespace(context)}"
    if _is_set(context, "robot_state_publisher"):
        context.launch_configurations["tf"] = context.launch_configurations.get("tf") or "base"
    if not _is_set(context, "ros2_control"):
        return []
    namespace = _namespace(context).rstrip("/")
    return [
        SetRemap(f"{namespace}/{name}", f"/robot_{name}")
        for name in ("joint_command", "joint_commands", "joint_states")
    ]


def _robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    namespace = _namespace(context)
    # RViz's file and these programs use global transforms; the robot has topics of its own.
    own = [(f"/{topic}", topic) for topic in OF_ROBOT]
    nodes: list[LaunchDescriptionEntity] = [] if _is_set(context, "simulator") else [_spawn(context, namespace)]
    if _is_set(context, "robot_state_publisher"):
        nodes.append(
            Node(
                package="robot_state_publisher",
                executable="robot_state_publisher",
                namespace=namespace,
                # By default robot_state_publisher sends 20 transforms a second, but there are 50 joint states.
                parameters=[{"robot_description": _urdf(context), "use_sim_time": True, "publish_frequency": 1000.0}],
                # The simulator's description is latched in this namespace, and its readers expect only one.
                remappings=[
                    *own[:2],
                    ("robot_description", "robot_state_publisher/robot_description"),
                    *([("joint_states", "/robot_joint_states")] if _is_set(context, "ros2_control") else []),
                ],
                output="screen",
            )
        )
    if _is_set(context, "use_rviz"):
        nodes.append(
            Node(
                package="rviz2",
                executable="rviz2",
                namespace=namespace,
                arguments=["-d", context.launch_configurations["rviz_config"]],
                parameters=[{"use_sim_time": True}],
                remappings=[*own, *_of_world(context)],
            )
        )
    return nodes


def _of_world(context: LaunchContext) -> list[tuple[str, str]]:
    """New names of the topics of the simulator, in whose namespace they are."""
    namespace = context.launch_configurations.get("namespace", "").strip("/")
    return [(f"/{topic}", f"/{namespace}/{topic}") for topic in OF_WORLD] if namespace else []


def _spawn(context: LaunchContext, namespace: str) -> ExecuteProcess:
    given = context.launch_configurations
    simulator = given.get("namespace", "").strip("/")
    return ExecuteProcess(
        cmd=[
            *(sys.executable, "-m", "simspark_ros.ros.services.spawn_client"),
            "--remove-at-end",
            *("--name", given["name"], "--robot", given["robot"], "--namespace", namespace),
            f"--services-namespace={given.get('services_namespace', '')}",
            # With an equals sign, because a negative number looks like an option.
            *(f"--{name}={given[name]}" for name in ("x", "y", "yaw")),
            *("--ros-args", "-r", f"__ns:=/{simulator}", "-r", f"__node:=spawn_{given['name']}"),
        ],
        name="spawn",
        output="screen",
        on_exit=_spawn_ended,
    )


def _spawn_ended(event: ProcessExited, context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """End the launch if its robot could not be spawned."""
    return [] if context.is_shutdown or event.returncode == 0 else [Shutdown(reason="there is no robot")]


def _urdf(context: LaunchContext) -> ParameterValue:
    return ParameterValue(
        find_resource(context.launch_configurations["robot"]).load(LimitSettings()).published, value_type=str
    )


def _namespace(context: LaunchContext) -> str:
    """Namespace of the robot, absolute, independent of the simulator's."""
    given = context.launch_configurations
    return f"/{(given['robot_namespace'] or given['name']).strip('/')}"


def _is_set(context: LaunchContext, name: str) -> bool:
    text = context.launch_configurations[name]
    if text.lower() not in ("true", "1", "false", "0"):
        raise ValueError(f"argument '{name}' must be true or false, not '{text}'")
    return text.lower() in ("true", "1")
