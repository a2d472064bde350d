"""Shows a match: a simulator, two demonstration teams, automatic kick-offs, and a page to watch the match.

    ros2 launch simspark_ros soccer.launch.py
    ros2 launch simspark_ros soccer.launch.py engine:=mujoco left_players:=11 right_players:=11 half_time:=300
    ros2 launch simspark_ros soccer.launch.py interface:=ros use_rviz:=true tf:=global
    ros2 launch simspark_ros soccer.launch.py right_players:=0     # your team plays right, on port 3100

The launch prints the page's address. The page needs viser (docs/how_to/viewer.md), the match does not. This file also
takes all arguments of simulator.launch.py.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import Event, LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from simspark_ros.players.team import ROBOT
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.simulation.senses.profile_overrides import field_asked_for
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer import TEAM_SIZE

FOLDER = Path(__file__).parent
PACKAGE = "simspark_ros"
PATIENCE = 60.0
"""Longest wait of a team for the simulator, s."""

ARGUMENTS = {
    "left_players": ("4", f"players of the left demonstration team, 0 to {TEAM_SIZE}; 0 = your team, on agent_port"),
    "right_players": ("4", "the same for the right team"),
    "left_team": ("Lions", "name of the left team"),
    "right_team": ("Dragons", "name of the right team"),
    "half_time": ("", "length of a half, s; empty = as in the rules"),
    "kick_off_wait": (
        "10.0",
        ("simulated time from the first player to the automatic kick-off, s; the right team joins last"),
    ),
    "headless": ("true", "true: leave the robots' cameras out; false: draw them"),
    "viewer": ("true", "true: show a page for web browsers; false: no page"),
    "use_rviz": ("false", "true: show ball and players in RViz"),
    "rviz_config": ("", "configuration of RViz; empty = players as arrows, with tf:=global as whole robots"),
}

CHOICES = {
    "composed": ("true", ["true", "false"], "true: simulator and bridge in one process; false: in two processes"),
    "interface": ("classic", ["classic", "ros"], "how the teams play: through the agent port, or through ROS topics"),
}


def generate_launch_description() -> LaunchDescription:
    simulator = IncludeLaunchDescription(PythonLaunchDescriptionSource(str(FOLDER / "classic.launch.py")))
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=text)
                for name, (default, text) in ARGUMENTS.items()
            ),
            *(
                DeclareLaunchArgument(name, default_value=default, choices=choices, description=text)
                for name, (default, choices, text) in CHOICES.items()
            ),
            # Mistakes must show before anything runs: launch leaves processes behind when it fails.
            OpaqueFunction(function=_check),
            OpaqueFunction(function=_settings_of_simulator),
            simulator,
            OpaqueFunction(function=_teams),
            OpaqueFunction(function=_rviz),
        ]
    )


def _check(context: LaunchContext) -> None:
    given = context.launch_configurations
    for side in ("left", "right"):
        _players(context, side)
    for name in ("half_time", "kick_off_wait"):
        try:
            float(given[name] or 0.0)
        except ValueError:
            raise ValueError(f"argument '{name}' must be a number, not '{given[name]}'") from None
    if given["left_team"] == given["right_team"]:
        raise ValueError(f"arguments 'left_team' and 'right_team' are both '{given['left_team']}': choose two names")
    if given["interface"] == "classic" and given.get("agent_port") == "0":
        raise ValueError("argument 'agent_port': the teams must know the port, so 0 is impossible; give another one")
    if _wants_rviz(context):
        try:
            get_package_prefix("rviz2")
        except PackageNotFoundError:
            raise ValueError("argument 'use_rviz': the package 'rviz2' is not installed") from None


def _wants_rviz(context: LaunchContext) -> bool:
    text = context.launch_configurations["use_rviz"].lower()
    if text not in ("true", "1", "false", "0"):
        raise ValueError(f"argument 'use_rviz' must be true or false, not '{text}'")
    return text in ("true", "1")


def _players(context: LaunchContext, side: str) -> int:
    text = context.launch_configurations[f"{side}_players"]
    if not text.isdecimal() or int(text) > TEAM_SIZE:
        raise ValueError(f"argument '{side}_players' must be a number from 0 to {TEAM_SIZE}, not '{text}'")
    return int(text)


def _settings_of_simulator(context: LaunchContext) -> None:
    """Settings of a match for the simulator that starts after this; the user's settings win."""
    given = context.launch_configurations
    changes = ["rules.game.automatic_kick_off=true", f"rules.game.wait_before_kick_off={given['kick_off_wait']}"]
    changes += [f"rules.game.half_time={given['half_time']}"] if given["half_time"] else []
    given["changes"] = " ".join([*changes, given.get("changes", "")])


def _teams(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Both teams. The first team to join plays left, so the right team starts when a player of the left team plays."""
    left, right = (_team(context, side) for side in ("left", "right"))
    if left is None or right is None:
        return [team for team in (left, right) if team is not None]
    started: list[ExecuteProcess] = []

    def follow(event: Event) -> list[LaunchDescriptionEntity]:
        assert isinstance(event, ProcessIO)
        if started or b" plays" not in event.text:
            return []
        started.append(right)
        return [right]

    return [RegisterEventHandler(OnProcessIO(target_action=left, on_stdout=follow, on_stderr=follow)), left]


def _team(context: LaunchContext, side: str) -> ExecuteProcess | None:
    given = context.launch_configurations
    name, players = given[f"{side}_team"], _players(context, side)
    if not players:
        return None
    world, text = _field(context), partial(ParameterValue, value_type=str)
    if given["interface"] == "ros":
        return Node(
            package=PACKAGE,
            executable="player",
            name=f"{side}_team",
            namespace=given["namespace"],
            parameters=[{"team": text(name), "players": players, "world": text(world)}],
            output="screen",
        )
    host = given["bind"] if given["bind"] not in ("", "0.0.0.0", "::") else "127.0.0.1"
    return ExecuteProcess(
        cmd=[
            ExecutableInPackage(package=PACKAGE, executable="simspark"),
            *("team", name, "--players", str(players)),
            *("--host", host, "--port", given["agent_port"], "--wait", str(PATIENCE)),
            f"--world={world}",
            *_types(context),
        ],
        name=f"{side}_team",
        # Pass lines on as they come, not in blocks.
        additional_env={"PYTHONUNBUFFERED": "1"},
        output="screen",
    )


def _types(context: LaunchContext) -> list[str]:
    """The option that tells a team the types of robots drawn for the match, if any are."""
    settings = SimulationSettings()
    seed, count = (
        int(context.launch_configurations.get(name) or getattr(settings, name))
        for name in ("random_types", "random_type_count")
    )
    return [] if seed < 0 else [f"--robot-types={json.dumps(RobotTypes(seed, count, (ROBOT,)).as_json())}"]


def _field(context: LaunchContext) -> str:
    """The field of the match, which no protocol tells."""
    given = context.launch_configurations
    # As simulator.launch.py takes a list of changes.
    changes = tuple(re.findall(r"""[^][,'"\s]+""", given["changes"]))
    settings = SimulationSettings(world=given.get("world", ""), profile=given.get("profile", ""), changes=changes)
    return field_asked_for(settings.with_classic_agents())


def _rviz(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if not _wants_rviz(context):
        return []
    given = context.launch_configurations
    file = "robots.rviz" if given.get("tf") == "global" else "soccer.rviz"
    robots = [f"{side}_{number}" for side in ("left", "right") for number in range(1, TEAM_SIZE + 1)]
    topics = [
        "ground_truth/ball",
        "ground_truth/robots",
        "world_markers",
        *(f"{robot}/robot_description" for robot in robots),
    ]
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=given["namespace"],
            arguments=["-d", given["rviz_config"] or str(FOLDER.parent / "rviz" / file)],
            parameters=[{"use_sim_time": True}],
            # The file's topics are global; these are in the simulator's namespace.
            remappings=[(f"/{topic}", topic) for topic in topics],
        )
    ]
