"""The grammar of cases of ROS: requests of services, messages of topics, parameters and robot files."""

from __future__ import annotations

import random
from dataclasses import is_dataclass
from typing import Any, cast

from simspark_ros import srv
from simspark_ros.configuration.schema import declarations
from simspark_ros.effectors import EFFECTORS
from simspark_ros.exchange import Argument
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.ros.parameters.declared import PARAMETERS, RULE_PREFIX
from simspark_ros.ros.parameters.sensors import sensor_parameters
from simspark_ros.ros.services.standard import installed_interfaces
from simspark_ros.ros.topics.publisher import message_type
from simspark_ros.simulation.registry import PERCEPTORS
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.foreign_robots import foreign_robot_file
from simspark_stress.fuzz.doors.robot_files import bomb_file, robot_file
from simspark_stress.fuzz.doors.worlds import draw_world
from simspark_stress.fuzz.grammar import PAUSES, word
from simspark_stress.ros.goals import ROBOTS, draw_goals, joints, number_text, trajectory

_GOALS = 0.3
"""Fraction of the cases that are goals of actions."""

_FOREIGN = 0.25
"""Fraction of the robots whose files have another format than URDF."""

_BOMBS = 0.05
"""Fraction of the robots whose files are out of all proportion; each keeps a process busy for `robot_file_time`."""

SERVICES = {
    **installed_interfaces().services,
    "game/kick_off": srv.KickOff,
    "game/drop_ball": srv.DropBall,
    "game/set_play_mode": srv.SetPlayMode,
    "game/overrule": srv.OverruleDecision,
    "game/join_team": srv.JoinTeam,
}
"""Types of a simulator's services, by name."""

_CALLED = [name for name in SERVICES if name != "unload_world"]
"""Services that cases call; `unload_world` is left out, since no good client can join without a world."""

_TRAJECTORY = "joint_trajectory_controller/joint_trajectory"
_EFFECTORS = {one.topic.name or kind: one for kind, one in EFFECTORS.items() if one.topic is not None}
_TOPICS = {
    "joint_command": "sensor_msgs/msg/JointState",
    _TRAJECTORY: "trajectory_msgs/msg/JointTrajectory",
    **{topic: one.topic.type for topic, one in _EFFECTORS.items() if one.topic is not None},
}
"""Types of the topics of commands, by name below the namespace of a robot."""

_PLACES = ("ball", "goal", "line", "robot")

_ROBOTS = (*ROBOTS, "left_1")
"""Robots of the cases, and the good client's robot, which neither topics nor goals command."""

_NAMES = 100
"""Number of names for robots with files of their own. Fast DDS keeps 3 KB for the topics of each new name."""

_LONG = "x" * 5000

_URIS = (f"{_LONG}.yaml", f"nao/{_LONG}", f"package://simspark_ros/{_LONG}", "file://[x/a.yaml", "package://\0/a.yaml")

_NUMBERS = tuple(
    f"{RULE_PREFIX}{section.name}.{number.name}"
    for section in declarations(RuleBook)
    if is_dataclass(section.kind)
    for number in declarations(cast(type[Any], section.kind))
    # This parameter would make the server end after the game, as it should.
    if number.name != "automatic_quit"
)
_SENSORS = tuple(
    one.of(robot)
    for robot in ROBOTS
    for spec in load_robot("nao", 0).perceptors
    for one in sensor_parameters(spec, PERCEPTORS[spec.kind].options)
)
_PARAMETERS = (*(declaration.name for declaration in PARAMETERS), "use_sim_time", "qos_overrides", "nothing", "")

_FORGED = (")(GS (pm GameOver)", "a b", "a\n", "x)(y", "\ud7ff", "\u202e")
"""Words that would become several or other words in an expression."""

_LISTENED = (*ROBOTS, "left_1", "game", "ground_truth", "scene", "camera", "")
"""Namespaces of topics that cases listen to."""

VALUE_FIELDS = {
    1: "bool_value",
    2: "integer_value",
    3: "double_value",
    4: "string_value",
    7: "integer_array_value",
    8: "double_array_value",
    9: "string_array_value",
}
"""Fields of ParameterValue by the type of the parameter, see rcl_interfaces/ParameterType."""

_INTEGERS = (0, 1, -1, 2, 50, 2**31, 2**63 - 1, -(2**63))
_WORDS = ("realtime", "slip", "full", "none", "nao", "true")

_DOUBLE, _TEXT = 3, 4
"""Types of parameters that are numbers and texts, see rcl_interfaces/ParameterType."""

_OTHER_CYCLE = "\ntime: {cycle: 0.012}\n"
"""End of a world's text that this simulation refuses to load: another cycle time."""

_WORLDS = ("", "based_on: nowhere", "field: {length: .nan}", "a: &a [*a, *a]", "[" * 9999, _LONG, _OTHER_CYCLE)
"""Invalid texts of worlds."""


def draw_ros(source: random.Random, quiet: bool) -> list[Step]:
    """Draw some calls, messages and parameters, or goals of an action; no case is quiet."""
    if source.random() < _GOALS:
        return draw_goals(source)
    return [_step(source) for _ in range(source.randint(1, 5))]


def draw_files(source: random.Random, quiet: bool) -> list[Step]:
    """Draw steps that spawn a robot from a drawn file or text, and perhaps command it."""
    name = f"r{source.randrange(_NAMES)}"
    draw = source.choices((robot_file, foreign_robot_file, bomb_file), (1.0 - _FOREIGN - _BOMBS, _FOREIGN, _BOMBS))[0]
    files = draw(source, name)
    steps: list[Step] = [["file", file, text] for file, text in files.items()]
    # A robot given as a text cannot name a model in another file.
    resource = {"uri": "file:" + next(iter(files))}
    if source.random() < 0.3:
        resource = {"resource_string": list(files.values())[-1]}
    steps.append(["call", "spawn_entity", {"name": name, "entity_resource": resource, "initial_pose": _pose(source)}])
    if source.random() < 0.5:
        steps.append(["listen", name])
    if source.random() < 0.5:
        steps.append(["publish", f"{name}/joint_command", _TOPICS["joint_command"], joints(source)])
        steps.append(["wait", source.choice(PAUSES)])
    steps.append(["call", "delete_entity", {"entity": name}])
    return steps


def _step(source: random.Random) -> Step:
    share = source.random()
    if share < 0.5:
        service = source.choice(_CALLED)
        return ["call", service, _request(source, service)]
    if share < 0.85:
        topic = source.choice(list(_TOPICS))
        return ["publish", f"{source.choice(ROBOTS)}/{topic}", _TOPICS[topic], _message(source, topic)]
    if share < 0.9:
        return ["listen", source.choice(_LISTENED)]
    kind = source.choice(list(VALUE_FIELDS))
    name = source.choice(_PARAMETERS)
    if source.random() < 0.6:
        name, kind = source.choice((*_NUMBERS, *_SENSORS)), source.choice((kind, _DOUBLE))
    return ["parameter", name, kind, _value(source, VALUE_FIELDS[kind])]


def _value(source: random.Random, field: str) -> Any:
    """Draw a value of a parameter; `field` is the name of its field."""
    if field.endswith("_array_value"):
        item = field.replace("_array", "")
        return [_value(source, item) for _ in range(source.choice((0, 1, 3, 1000)))]
    match field:
        case "bool_value":
            return source.random() < 0.5
        case "integer_value":
            return source.choice(_INTEGERS)
        case "double_value":
            return number_text(source)
    return word(source, *_WORDS)


def _request(source: random.Random, service: str) -> dict[str, Any]:
    """A request of a service; empty if the service takes none."""
    return _entity_request(source, service) or _world_request(source, service) or _game_request(source, service)


def _entity_request(source: random.Random, service: str) -> dict[str, Any]:
    match service:
        case "spawn_entity":
            return _spawning(source)
        case "spawn_entities":
            return {"spawn_requests": [_spawning(source) for _ in range(source.choice((0, 1, 2, 200)))]}
        case "delete_entity" | "get_entity_state" | "get_entity_info" | "get_entity_bounds":
            return {"entity": word(source, *_ROBOTS, "ball", "field", _LONG)}
        case "get_entities" | "get_entities_states":
            return {"filters": _filters(source)}
        case "set_entity_state":
            # The good client's robot must not be moved.
            flags = {name: source.random() < 0.7 for name in ("set_pose", "set_twist", "set_acceleration")}
            return {"entity": word(source, *ROBOTS, "ball", "field"), "state": _state(source), **flags}
        case "set_entity_info":
            # Most lists are short, since DDS keeps the last requests of a service in memory.
            tags = source.choice(([], ["a"], [_LONG], ["a"] * 40, ["t"] * 2000))
            info = {
                "category": {"category": source.choice((0, 1, 5, 99))},
                "description": word(source, _LONG),
                "tags": tags,
            }
            return {"entity": word(source, *_ROBOTS, "ball"), "info": info}
    return {}


def _spawning(source: random.Random) -> dict[str, Any]:
    long = "x" * source.randrange(150, 256, 5)
    namespaces = ("", "", "/", "a/b", "9", long, "left-foot", "r1", "\u00e4")
    uri = word(source, "nao", "nao/4", *robot_names(), "nao/99", "/etc/passwd", "file:nothing", *_URIS)
    return {
        "name": word(source, *_ROBOTS, "", "x" * 260),
        "allow_renaming": source.random() < 0.5,
        "entity_resource": {"uri": uri},
        "entity_namespace": source.choice(namespaces),
        "initial_pose": _pose(source),
    }


def _world_request(source: random.Random, service: str) -> dict[str, Any]:
    match service:
        case "get_named_poses":
            return {"tags": _tags(source)}
        case "get_named_pose_bounds":
            return {"name": word(source, "centre", "left_goal", _LONG)}
        case "get_spawnables":
            return {"sources": [word(source, "nao", *_URIS) for _ in range(source.choice((0, 1, 3, 100)))]}
        case "load_world":
            # None of these worlds can be loaded, since a good client may be about to join.
            uri = word(source, "", "", "nowhere", "/etc/passwd", *_URIS)
            text = source.choice(_WORLDS) if source.random() < 0.5 else draw_world(source) + _OTHER_CYCLE
            return {"world_resource": {"uri": uri, "resource_string": text}}
        case "get_available_worlds":
            more = [word(source, "msl", *_URIS) for _ in range(source.choice((0, 1, 40)))]
            return {"additional_sources": more, "filter": _tags(source), "continue_on_error": source.random() < 0.5}
        case "reset_simulation":
            # Time is not reset, since the good client watches it.
            return {"scope": source.choice((2, 4, 6, 8, 254))}
        case "set_simulation_state":
            # The state "stopped" is left out because it sets time back, and "quitting" because it ends the server.
            return {"state": {"state": source.choice((1, 2, 4, 5, 255))}}
        case "step_simulation":
            return {"steps": source.choice((0, 1, 10, 2**32, 2**64 - 1))}
    return {}


def _game_request(source: random.Random, service: str) -> dict[str, Any]:
    match service:
        case "game/join_team":
            return {
                "entity": word(source, *_ROBOTS),
                "team": word(source, "Hostile", "Hostile", *_FORGED),
                "unum": source.choice((0, 2, 11, 12, 255)),
            }
        case "game/kick_off":
            return {"team": source.choice((0, 1, 2, 3, 255))}
        case "game/set_play_mode":
            return {"play_mode": word(source, "PlayOn", "BeforeKickOff", "GameOver")}
        case "game/overrule":
            return {"number": source.choice((0, 1, 5, 2**64 - 1))}
    return {}


def _message(source: random.Random, topic: str) -> dict[str, Any]:
    makers = {"joint_command": joints, _TRAJECTORY: trajectory, "cmd_vel": _twist}
    if topic in makers:
        return makers[topic](source)
    effector, known = _EFFECTORS[topic], message_type(_TOPICS[topic]).get_fields_and_field_types()
    names = effector.topic.fields if effector.topic else {}
    fields = {names.get(one.name, one.name): one.type for one in effector.signature.parameters}
    return {name: _argument(source, kind) for name, kind in fields.items() if name in known}


def _argument(source: random.Random, kind: type[Argument]) -> Any:
    if kind is str:
        return word(source, "hello", "x" * 21, "\u00e4", *_PLACES, *_FORGED)
    return source.random() < 0.5 if kind is bool else number_text(source)


def _filters(source: random.Random) -> dict[str, Any]:
    points = [{axis: number_text(source) for axis in "xyz"} for _ in range(source.choice((0, 1, 2, 2, 3, 4, 100)))]
    return {
        "filter": word(source, "", "r[0-9]+", "(a*)*b", "((a{9}){9}){9}", "[[:alpha:]]*", "(" * 300, "\\1", _LONG),
        "categories": [{"category": source.choice((0, 1, 4, 5, 77))} for _ in range(source.choice((0, 0, 1, 3000)))],
        "tags": _tags(source),
        "bounds": {"type": source.choice((0, 0, 1, 2, 3, 255)), "points": points},
    }


def _tags(source: random.Random) -> dict[str, Any]:
    tags = source.choice(([], [], ["nao"], ["player", "goal"], [_LONG], ["t"] * 3000))
    return {"tags": tags, "filter_mode": source.choice((0, 0, 1, 9))}


def _state(source: random.Random) -> dict[str, Any]:
    twist = _twist(source)
    return {**_pose(source), "twist": twist, "acceleration": twist if source.random() < 0.3 else {}}


def _twist(source: random.Random) -> dict[str, Any]:
    return {part: {axis: number_text(source) for axis in "xyz"} for part in ("linear", "angular")}


def _pose(source: random.Random) -> dict[str, Any]:
    kind = source.random()
    if kind < 0.5:
        return {}
    if kind < 0.8:
        return {"pose": {"position": {axis: source.uniform(-9.0, 9.0) for axis in "xyz"}}}
    place = {axis: number_text(source) for axis in "xyz"}
    turn = {axis: number_text(source) for axis in "xyzw"}
    return {"header": {"frame_id": word(source, "", "world", "map")}, "pose": {"position": place, "orientation": turn}}
