"""The grammar of commands to joints by ROS: joint states, trajectories, and goals of the simulator's actions."""

from __future__ import annotations

import contextlib
import random
from typing import Any

from simspark_ros.ros.services.standard import ACTION as STEPS
from simspark_ros.ros.topics.commands.follow_joint_trajectory import ACTION as FOLLOW
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.grammar import PAUSES, number, word

ROBOTS = ("r1", "r2")
"""Names of the robots that get goals."""

_JOINTS = ("hj1", "hj2", "llj3", "rlj4")

_PAUSED = 2
"""State of a paused simulation, see simulation_interfaces/SimulationState."""

_GOALS = 4
"""Number of goals in a case that later steps can cancel or ask for."""

_COPIES = (1,) * 40 + (100, 100, 1000, 10_000, 10_001)
"""Numbers of times that a trajectory is repeated; `max_trajectory_points` is 10,000."""

_SECONDS = (0, 1, 2, 2**31 - 1, -1, -(2**31))
_NANOSECONDS = (0, 20_000_000, 10**9, 2**32 - 1)


_TO_AND_FRO = [{"time_from_start": {"sec": sec}, "positions": [0.1 * sec] * len(_JOINTS)} for sec in range(2)]

_FOLLOW_LONG: Step = [
    "goal",
    f"{ROBOTS[0]}/{FOLLOW}",
    0,
    {"trajectory": {"joint_names": [*_JOINTS], "points": _TO_AND_FRO}},
]

_CROWD = [
    {
        "name": f"crowd{number}",
        "entity_resource": {"uri": "nao"},
        "initial_pose": {"pose": {"position": {"x": number % 6 - 2.5, "y": number // 6 - 2.0, "z": 0.39}}},
    }
    for number in range(30)
]

HEAVIEST: tuple[Step, ...] = (
    ["call", "spawn_entities", {"spawn_requests": _CROWD}],
    ["call", "spawn_entity", {"name": ROBOTS[0], "entity_resource": {"uri": "nao"}}],
    [*_FOLLOW_LONG, 5000],
    [*_FOLLOW_LONG, 10_000],
)
"""Steps that spawn 30 robots side by side, then send a valid goal of 10,000 points and a refused one of 20,000."""


def draw_goals(source: random.Random) -> list[Step]:
    """Draw goals of one action, and requests of clients about them."""
    if source.random() < 0.3:
        steps: list[Step] = [["call", "set_simulation_state", {"state": {"state": _PAUSED}}]]
        return steps + [_use(source, STEPS) for _ in range(source.randint(1, 6))]
    robot = source.choice(ROBOTS)
    steps = [["call", "spawn_entity", {"name": robot, "entity_resource": {"uri": "nao"}}]]
    steps += [_use(source, f"{robot}/{FOLLOW}") for _ in range(source.randint(1, 8))]
    if source.random() < 0.3:
        # The robot's goals end with the robot.
        steps.append(["call", "delete_entity", {"entity": robot}])
    return steps


def joints(source: random.Random) -> dict[str, Any]:
    """Draw a sensor_msgs/JointState."""
    count = source.choice((0, 1, 2, 22, 300))
    drawn: dict[str, Any] = {"name": [word(source, *_JOINTS, "joint_1") for _ in range(count)]}
    for field in source.sample(("position", "velocity", "effort"), source.randint(1, 3)):
        length = count if source.random() < 0.8 else source.randint(0, 3)
        drawn[field] = [number_text(source) for _ in range(length)]
    return drawn


def trajectory(source: random.Random) -> dict[str, Any]:
    """Draw a trajectory_msgs/JointTrajectory, which is hardly ever valid."""
    drawn = joints(source)
    fields = {"position": "positions", "velocity": "velocities", "effort": "accelerations"}
    point = {fields[field]: values for field, values in drawn.items() if field != "name"}
    times = sorted(source.choice((-1, 0, 1, 2, 2**31 - 1)) for _ in range(source.choice((0, 1, 2, 30))))
    points = [{"time_from_start": {"sec": sec, "nanosec": index}, **point} for index, sec in enumerate(times)]
    return {"joint_names": drawn["name"], "points": points}


def number_text(source: random.Random) -> str:
    """Draw the text of a number that `float` can read."""
    text = number(source)
    with contextlib.suppress(ValueError):
        float(text)
        return text
    return "0"


def _use(source: random.Random, action: str) -> Step:
    """Draw one step of a client."""
    which = source.randrange(_GOALS)
    match source.choice(("goal", "goal", "goal", "goals", "gone", "cancel", "cancel", "result", "wait")):
        case "goal":
            return ["goal", action, which, _goal(source, action), source.choice(_COPIES)]
        case "goals":
            return ["goals", action, source.choice((2, 10, 300)), _goal(source, action)]
        case "gone":
            return ["gone", action, _goal(source, action), source.choice(_COPIES)]
        case "cancel":
            known = source.choice((which, which, None, "unknown"))
            return ["cancel", action, known, _time(source) if source.random() < 0.3 else {}]
        case "result":
            return ["result", action, source.choice((which, which, "unknown")), source.choice(PAUSES)]
    return ["wait", source.choice(PAUSES)]


def _goal(source: random.Random, action: str) -> dict[str, Any]:
    if action == STEPS:
        return {"steps": source.choice((0, 1, 1, 3, 30, 1000, 2**31, 2**64 - 1))}
    goal: dict[str, Any] = {"trajectory": trajectory(source) if source.random() < 0.3 else _valid(source)}
    if source.random() < 0.3:
        goal["trajectory"]["header"] = {"stamp": _time(source), "frame_id": word(source, "", "world")}
    for name in ("path_tolerance", "goal_tolerance"):
        if source.random() < 0.4:
            goal[name] = [_tolerance(source) for _ in range(source.choice((1, 1, 2, 300)))]
    if source.random() < 0.3:
        goal["goal_time_tolerance"] = _time(source)
    return goal


def _valid(source: random.Random) -> dict[str, Any]:
    """Draw a trajectory of one or two joints, sometimes with one absurd number."""
    names = source.sample(_JOINTS, source.randint(1, 2))
    points = []
    for index in range(source.choice((1, 2, 5))):
        point: dict[str, Any] = {"time_from_start": {"sec": index, "nanosec": source.choice((1, 10**8, 999_999_999))}}
        for kind in ("positions", "velocities")[: source.randint(1, 2)]:
            point[kind] = [f"{source.uniform(-2.0, 2.0):.3f}" for _ in names]
        points.append(point)
    if source.random() < 0.2:
        points[-1]["positions"][0] = number_text(source)
    return {"joint_names": names, "points": points}


def _tolerance(source: random.Random) -> dict[str, Any]:
    limits = {name: number_text(source) for name in ("position", "velocity", "acceleration")}
    return {"name": word(source, *_JOINTS), **limits}


def _time(source: random.Random) -> dict[str, int]:
    return {"sec": source.choice(_SECONDS), "nanosec": source.choice(_NANOSECONDS)}
