"""The launch files: what can be known without starting anything.

Tests that load a description are skipped where the Python packages `launch` and `launch_ros` are not installed: they
come with ROS 2 installations. No test here starts a process.
"""

import ast
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from simspark_ros.clients.team import drawn_types
from simspark_ros.configuration.resources import resource
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.soccer import TEAM_SIZE
from simspark_ros.soccer.settings import field_of, load_soccer_settings
from test.launch.described import Started, source
from test.robots.formats.adaptation.makers import link, robot, write

FILES = sorted(path.name for path in resource("launch").glob("*.py"))


@pytest.fixture
def ros_launch() -> None:
    # Not `launch` itself: the folder of that name in a checkout can be imported as well.
    for module in ("launch.actions", "launch_ros.actions"):
        pytest.importorskip(module, reason="launch and launch_ros are not installed", exc_type=ImportError)


@pytest.fixture
def ros_packages(ros_launch: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """All packages are installed."""
    import ament_index_python.packages

    monkeypatch.setattr(ament_index_python.packages, "get_package_prefix", lambda package: "/opt/ros")


def composed(file: str, **arguments: str) -> Any:
    """The options of the process that is simulator and bridge."""
    from simspark_ros.cli import build_parser

    command = Started(file, **arguments).command("simspark")
    return build_parser().parse_args(command[: command.index("--ros-args")] if "--ros-args" in command else command)


def ros_arguments(file: str, **arguments: str) -> list[str]:
    """What that process gets for its nodes."""
    command = Started(file, **arguments).command("simspark")
    return command[command.index("--ros-args") :]


def rviz(file: str) -> dict[str, Any]:
    config = yaml.safe_load(resource("rviz", file).read_text(encoding="utf-8"))
    manager: dict[str, Any] = config["Visualization Manager"]
    return manager


def topics_of(file: str) -> set[str]:
    keys = ("Topic", "Description Topic")
    return {display[key]["Value"] for display in rviz(file)["Displays"] for key in keys if key in display}


PLAYERS = [f"{side}_{number}" for side in ("left", "right") for number in range(1, TEAM_SIZE + 1)]


@pytest.mark.parametrize("file", FILES)
def test_a_launch_file_is_python_with_the_function_that_launch_looks_for(file: str) -> None:
    tree = ast.parse(resource("launch", file).read_text(encoding="utf-8"), file)
    compile(tree, file, "exec")
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert not functions["generate_launch_description"].args.args
    assert "ros2 launch simspark_ros " + file in (ast.get_docstring(tree) or "")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("simspark.rviz", {"/robot_description", "/camera/image_raw", "/scan", "/ground_truth/ball", "/world_markers"}),
        ("soccer.rviz", {"/ground_truth/ball", "/ground_truth/robots", "/world_markers"}),
        ("robots.rviz", {"/ground_truth/ball", "/world_markers", *(f"/{name}/robot_description" for name in PLAYERS)}),
    ],
)
def test_the_configuration_of_rviz_shows_topics_that_there_are(file: str, expected: set[str]) -> None:
    assert topics_of(file) == expected
    manager = rviz(file)
    displays = manager["Displays"]
    # By default RViz warns that there is no frame `map` where nobody sends transforms.
    transformer = {"Transformation": {"Current": {"Class": "rviz_common/Identity"}}} if file == "soccer.rviz" else {}
    assert {key: manager[key] for key in manager if key == "Transformation"} == transformer
    # RViz moves a display of odometry only beyond its tolerance, 0.1 m by default.
    assert [d["Position Tolerance"] for d in displays if d["Class"].endswith("/Odometry")] == [0.001]
    prefixes = [display["TF Prefix"] for display in displays if "TF Prefix" in display]
    assert prefixes == (PLAYERS if file == "robots.rviz" else [])


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize("file", FILES)
def test_every_argument_has_a_description_and_a_default(file: str) -> None:
    from launch import LaunchContext

    arguments = source(file).get_launch_description(LaunchContext()).get_launch_arguments()
    names = {argument.name for argument in arguments}
    assert {"headless", "namespace", "engine", "pacing", "config", "seed", "robots", "log_level"} <= names
    for argument in arguments:
        assert len(argument.description) > 5, argument.name
        assert argument.description != "no description given", argument.name
        assert argument.default_value is not None, argument.name


@pytest.mark.usefixtures("ros_launch")
def test_the_simulator_alone_gets_what_was_given_and_nothing_else() -> None:
    started = Started("simulator.launch.py", robots="nao keeper=nao/4", seed="7", tf="none", pacing="fast")
    assert set(started.processes) == {"simulator", "camera"}
    expected = {"robots": ("nao", "keeper=nao/4"), "seed": 7, "tf": "none", "pacing": "fast", "bridge": False}
    assert started.parameters("simulator") == expected
    assert started.parameters("camera") == {"tf": "none", "seed": 7}
    assert set(Started("simulator.launch.py", headless="True").processes) == {"simulator"}
    names = [name for executable, name in Started("simulator.launch.py", cameras="3").names if executable == "camera"]
    assert names == [None, "simspark_camera_2", "simspark_camera_3"], "cameras may be shared by several processes"


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize("text", ["nao keeper=nao/4", "['nao', 'keeper=nao/4']", "[nao, keeper=nao/4]"])
def test_robots_are_words_or_a_list(text: str) -> None:
    parameters = Started("simulator.launch.py", robots=text).parameters("simulator")
    assert list(parameters["robots"]) == ["nao", "keeper=nao/4"]


@pytest.mark.usefixtures("ros_launch")
def test_the_bridge_runs_in_a_process_of_its_own_or_in_the_simulators() -> None:
    two = Started(
        "classic.launch.py", composed="false", headless="true", agent_port="0", namespace="x", silent_timeout="30"
    )
    assert set(two.processes) == {"simulator", "bridge"}
    assert two.parameters("simulator") == {"bridge": True, "profile": "measured"}
    assert two.parameters("bridge") == {
        "agent_port": 0,
        "monitor_port": 3200,
        "bind": "127.0.0.1",
        "profile": "measured",
        "trainer": "full",
        "silent_timeout": 30.0,
    }
    one = Started("classic.launch.py", headless="true", agent_port="0", pacing="lockstep", robots="nao nao/3")
    assert set(one.processes) == {"simspark"}


@pytest.mark.usefixtures("ros_launch")
def test_the_composed_form_says_the_same_on_the_command_line() -> None:
    file = "classic.launch.py"
    options = composed(file, agent_port="0", pacing="lockstep", robots="nao nao/3", seed="5")
    assert (options.agent_port, options.monitor_port, options.bind) == (0, 3200, "127.0.0.1")
    assert (options.pacing, options.robots, options.seed, options.engine) == ("lockstep", ["nao", "nao/3"], 5, None)
    assert options.silent_timeout == 10.0
    options = composed(file, referee="false", silent_timeout="0", lola="/tmp/sockets")
    assert (options.referee, options.silent_timeout, options.lola) == (False, 0.0, "/tmp/sockets")
    alone = ["-p", "share_domain:=false"]
    assert ros_arguments(file) == ["--ros-args", *alone]
    assert ros_arguments(file, ros2_control="true") == ["--ros-args", "-p", "ros2_control:=true", *alone]
    named = ["--ros-args", "-r", "__ns:=/x", "-p", "tf:='none'", *alone]
    assert ros_arguments(file, namespace="x", tf="none") == named
    assert ros_arguments(file, share_domain="true") == ["--ros-args", "-p", "share_domain:=true"]


@pytest.mark.usefixtures("ros_launch")
def test_a_viewer_gets_the_port_of_monitors() -> None:
    started = Started("classic.launch.py", viewer="true", headless="true", monitor_port="3201", world="w")
    assert set(started.processes) == {"simspark", "viewer"}
    expected = {"monitor_port": 3201, "bind": "127.0.0.1", "world": "w", "port": 8080}
    assert started.parameters("viewer") == expected


@pytest.mark.usefixtures("ros_packages")
@pytest.mark.parametrize(
    ("file", "arguments"),
    [
        ("classic.launch.py", {"composed": "false", "viewer": "true"}),
        ("simulator.launch.py", {}),
        ("soccer.launch.py", {}),
        ("soccer.launch.py", {"interface": "ros", "composed": "false"}),
        ("robot.launch.py", {"use_rviz": "true", "robot_state_publisher": "true"}),
        ("robot.launch.py", {"simulator": "false"}),
    ],
)
def test_all_processes_end_with_the_launch(file: str, arguments: dict[str, str]) -> None:
    started = Started(file, **arguments)
    assert started.ends_with and set(started.ends_with.values()) == {str(os.getpid())}


@pytest.mark.usefixtures("ros_launch")
def test_all_parameters_exist() -> None:
    from simspark_ros.ros.parameters import declared
    from simspark_ros.ros.settings import BridgeParameters

    values = {"config": "f", "engine": "e", "preset": "p", "world": "w", "wait_for_robots": "2", "tf": "none"}
    started = Started("classic.launch.py", composed="false", robots="nao", seed="1", pacing="fast", **values)
    known = {"config", *(declaration.name for declaration in declared.PARAMETERS)}
    assert set(started.parameters("simulator")) <= known
    assert set(started.parameters("bridge")) <= set(BridgeParameters.__dataclass_fields__)
    assert started.parameters("camera") == {"world": "w", "tf": "none", "seed": 1}


@pytest.mark.usefixtures("ros_launch")
def test_a_robot_is_one_of_its_own_simulator_from_the_start() -> None:
    started = Started("robot.launch.py", headless="true", name="striker", robot="nao/4", x="-1.5", robots="[nao@1,2]")
    assert set(started.processes) == {"simulator"}
    given = started.parameters("simulator")
    assert given["robots"] == ("nao@1,2", "striker=nao/4@-1.5,0.0,0.0")
    # Independent of the simulator's namespace.
    assert given["robot_namespaces"] == ("striker=/striker",)
    free = {"headless": "true", "robot_namespace": "a/b", "bridge": "composed"}
    assert composed("robot.launch.py", **free).robots == ["nao=nao"]
    assert ros_arguments("robot.launch.py", **free)[:3] == ["--ros-args", "-p", "robot_namespaces:=['nao=/a/b']"]


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize(("namespace", "robot"), [("", "/nao"), ("/a/b", "/a/b"), ("/", "")])
def test_a_robot_is_at_the_default_topics_of_all_versions_of_ros2_control(namespace: str, robot: str) -> None:
    started = Started("robot.launch.py", headless="true", ros2_control="true", robot_namespace=namespace)
    assert started.renamed["simulator"] == {
        f"{robot}/joint_command": "/robot_joint_command",
        f"{robot}/joint_commands": "/robot_joint_commands",
        f"{robot}/joint_states": "/robot_joint_states",
    }
    assert started.parameters("simulator")["robots"] == ("nao=nao",)
    assert started.parameters("simulator")["ros2_control"] is True


@pytest.mark.usefixtures("ros_packages")
@pytest.mark.parametrize(
    ("file", "shown", "arguments", "renamed"),
    [
        (
            "robot.launch.py",
            "simspark.rviz",
            {},
            {"/world_markers": "/sim/world_markers", "/robot_description": "robot_description"},
        ),
        ("soccer.launch.py", "soccer.rviz", {}, {"/ground_truth/ball": "ground_truth/ball"}),
        ("soccer.launch.py", "robots.rviz", {"tf": "global"}, {"/world_markers": "world_markers"}),
    ],
)
def test_rviz_finds_the_topics_of_its_file_in_a_namespace(
    file: str, shown: str, arguments: dict[str, str], renamed: dict[str, str]
) -> None:
    started = Started(file, use_rviz="true", namespace="sim", **arguments)
    assert started.command("rviz2")[1].endswith(shown)
    remappings = started.remappings("rviz2")
    assert topics_of(shown) <= set(remappings)
    assert renamed.items() <= remappings.items()


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize(
    ("name", "word", "value", "parameter"),
    [
        ("stamped_cmd_vel", "true", True, "stamped_cmd_vel:=true"),
        ("localization", "none", "none", "localization:='none'"),
    ],
)
def test_a_robot_takes_stamped_twists_and_may_be_localized_by_another_node(
    name: str, word: str, value: object, parameter: str
) -> None:
    assert Started("robot.launch.py", **{name: word}).parameters("simulator")[name] == value
    given = ros_arguments("robot.launch.py", bridge="composed", **{name: word})
    assert given[:3] == ["--ros-args", "-p", parameter]


@pytest.mark.usefixtures("ros_packages")
def test_beside_a_robot_state_publisher_the_simulator_sends_map_to_base_link() -> None:
    started = Started("robot.launch.py", headless="true", robot_state_publisher="true")
    assert started.parameters("simulator")["tf"] == "base"
    # Each joint state becomes transforms, as without it.
    assert started.parameters("robot_state_publisher")["publish_frequency"] == 1000.0
    # The one description in the robot's namespace is the simulator's.
    assert started.remappings("robot_state_publisher") == {
        "/tf": "tf",
        "/tf_static": "tf_static",
        "robot_description": "robot_state_publisher/robot_description",
    }
    given = Started("robot.launch.py", headless="true", robot_state_publisher="true", tf="none")
    assert given.parameters("simulator")["tf"] == "none"
    # With ros2_control the simulator's joint states are elsewhere, and no controller need run.
    controlled = Started("robot.launch.py", headless="true", robot_state_publisher="true", ros2_control="true")
    assert controlled.remappings("robot_state_publisher")["joint_states"] == "/robot_joint_states"


@pytest.mark.usefixtures("ros_launch")
def test_a_robot_joins_a_simulator_that_is_running_and_leaves_it_again() -> None:
    started = Started("robot.launch.py", simulator="false", namespace="sim")
    assert set(started.processes) == {"spawn"}
    command = " ".join(started.command("spawn"))
    assert "--remove-at-end" in command
    assert "__ns:=/sim " in command


@pytest.mark.usefixtures("ros_launch")
def test_a_match_has_a_simulator_that_kicks_off_two_teams_and_a_page() -> None:
    from simspark_ros.cli import build_parser

    started = Started("soccer.launch.py", half_time="60", changes="rules.game.goal_pause=1", viewer_port="8090")
    # The right team starts when the left one plays.
    assert set(started.processes) == {"simspark", "viewer", "left_team"}
    options = composed("soccer.launch.py", half_time="60", changes="rules.game.goal_pause=1", viewer_port="8090")
    assert options.engine is None
    assert options.changes == [
        "rules.game.automatic_kick_off=true",
        "rules.game.wait_before_kick_off=10.0",
        "rules.game.half_time=60",
        "rules.game.goal_pause=1",
    ]
    assert started.parameters("viewer")["port"] == 8090
    team = build_parser().parse_args(started.command("left_team"))
    assert (team.team, team.players, team.host, team.port, team.wait) == ("Lions", 4, "127.0.0.1", 3100, 60.0)


@pytest.mark.usefixtures("ros_launch")
def test_the_teams_of_a_match_play_through_topics_or_leave_a_side_to_others() -> None:
    match = {"namespace": "cup", "world": "spl", "changes": "['field.length=8']"}
    ros = Started("soccer.launch.py", interface="ros", composed="false", viewer="false", **match)
    assert set(ros.processes) == {"simulator", "bridge", "player"}
    given = ros.parameters("player")
    assert field_of(given.pop("world")) == load_soccer_settings("spl", {"field": {"length": 8.0}}).field
    assert given == {"team": "Lions", "players": 4}
    simulator = ros.parameters("simulator")
    assert (simulator["world"], simulator["changes"][0]) == ("spl", "rules.game.automatic_kick_off=true")
    other = Started("soccer.launch.py", left_players="0", right_players="11", right_team="Bears", viewer="false")
    assert set(other.processes) == {"simspark", "right_team"}
    assert other.command("right_team")[:4] == ["team", "Bears", "--players", "11"]
    assert field_of(other.command("right_team")[-1].removeprefix("--world=")) == load_soccer_settings().field


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize(
    ("file", "arguments", "named"),
    [
        ("simulator.launch.py", {"late_cycles": "slow"}, "late_cycles"),
        ("simulator.launch.py", {"viewer": "true"}, "'viewer' needs a port of monitors"),
        ("simulator.launch.py", {"seed": "x"}, "'seed' must be a whole number, not 'x'"),
        ("simulator.launch.py", {"cameras": "many"}, "'cameras' must be a whole number, not 'many'"),
        ("simulator.launch.py", {"headless": "maybe"}, "'headless' must be true or false, not 'maybe'"),
        ("simulator.launch.py", {"params_file": "/nowhere.yaml"}, "'params_file'"),
        ("classic.launch.py", {"composed": "perhaps"}, "composed"),
        ("soccer.launch.py", {"left_players": "12"}, "'left_players' must be a number from 0 to 11, not '12'"),
        ("soccer.launch.py", {"half_time": "long"}, "'half_time' must be a number, not 'long'"),
        ("soccer.launch.py", {"left_team": "Dragons"}, "'left_team' and 'right_team' are both 'Dragons'"),
        ("soccer.launch.py", {"agent_port": "0"}, "'agent_port'"),
        ("robot.launch.py", {"name": "9x"}, "'name'"),
        ("robot.launch.py", {"x": "far"}, "'x' must be a number, not 'far'"),
        ("robot.launch.py", {"simulator": "perhaps"}, "'simulator' must be true or false"),
        ("robot.launch.py", {"ros2_control": "true", "simulator": "false"}, "ros2_control"),
    ],
)
def test_a_wrong_argument_is_named_before_anything_starts(file: str, arguments: dict[str, str], named: str) -> None:
    # launch raises different exceptions of its own.
    with pytest.raises(Exception, match=re.escape(named)):
        Started(file, **arguments)


@pytest.mark.usefixtures("ros_launch")
def test_classic_teams_are_told_the_types_that_the_simulator_draws() -> None:
    words = Started("soccer.launch.py", random_types="7", random_type_count="6").command("left_team")
    (told,) = [word.removeprefix("--robot-types=") for word in words if word.startswith("--robot-types=")]
    assert drawn_types(told) == RobotTypes(7, 6).of("nao")


@pytest.mark.usefixtures("ros_launch")
@pytest.mark.parametrize("file", ["robot.launch.py", "soccer.launch.py"])
def test_a_missing_rviz_is_named_before_anything_starts(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import ament_index_python.packages

    def missing(package: str) -> str:
        raise ament_index_python.packages.PackageNotFoundError(package)

    monkeypatch.setattr(ament_index_python.packages, "get_package_prefix", missing)
    with pytest.raises(Exception, match="the package 'rviz2' is not installed"):
        Started(file, use_rviz="true")


@pytest.mark.usefixtures("ros_packages")
def test_a_robot_state_publisher_gets_only_solids_of_urdf(tmp_path: Path) -> None:
    solid = "<collision><geometry><capsule radius='0.1' length='0.2'/></geometry></collision>"
    path = write(tmp_path, robot(link("b", solid)))
    started = Started("robot.launch.py", robot=str(path), robot_state_publisher="true")
    described = started.parameters("robot_state_publisher")["robot_description"]
    assert "<cylinder" in described and "<capsule" not in described
