"""Parameters of the ROS nodes, beside the simulation's; without ROS, so that launch files can read them too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from simspark_ros.clients.team_settings import Players, Squad
from simspark_ros.configuration.limits import LOG_SIZE, REMOTE_MESSAGE, REMOTE_MESSAGES, ClientLimits, LogSize
from simspark_ros.configuration.ports import (
    AGENT_PORT,
    LOOPBACK,
    MONITOR_PORT,
    AgentPort,
    Bind,
    SilentTimeout,
    TrainerPermissions,
)
from simspark_ros.configuration.schema import PORTS, Checked, Range, Setting
from simspark_ros.perceptors.camera import MAX_FOV_DEG, MAX_PIXELS, MAX_RATE_HZ, MIN_FOV_DEG
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.simulation.settings import CONFIG, Renderer

ServicesNamespace = Annotated[
    str, Setting("namespace of the services of simulation_interfaces, e.g. gzserver; empty = the node's namespace")
]


@dataclass(frozen=True)
class NodeOptions(LolaOptions, GameControllerOptions):
    """Options of the node `simulator`, beside the settings of the simulation."""

    config: Annotated[str, CONFIG] = ""
    tf: Annotated[
        Literal["namespaced", "base", "global", "none"],
        Setting(
            "transforms: namespaced = on ROBOT/tf with plain frame ids; base = the same, but only map, odom and "
            "base_link, while a robot_state_publisher sends the others; global = on /tf with frame ids ROBOT/...; none",
            at_run_time=True,
        ),
    ] = "namespaced"
    localization: Annotated[
        Literal["ground_truth", "none"],
        Setting(
            "transform from map to odom: ground_truth = the simulator sends it and corrects the odometry, so robots "
            "have their true places in map; none = another node sends it, which localizes the robot"
        ),
    ] = "ground_truth"
    clock_rate: Annotated[
        float,
        Range(0.0, 1000.0, "1/s"),
        Setting(
            "messages on /clock per simulated second, at least one a cycle; those between cycles are interpolated, if "
            "the simulator leaves time for them; 0 = one a cycle"
        ),
    ] = 0.0
    ros2_control: Annotated[
        bool, Setting("robot_description has a tag ros2_control, for a controller_manager in the robot's namespace")
    ] = False
    stamped_cmd_vel: Annotated[
        bool, Setting("cmd_vel takes TwistStamped, as newer navigation stacks send it, instead of Twist")
    ] = False
    max_trajectory_points: Annotated[int, Range(1, 1_000_000), Setting("most points of a joint trajectory")] = 10_000
    robots: Annotated[
        tuple[str, ...],
        Setting(
            "robots to spawn at the start, each '[name=]robot[/type][@x,y[,heading]]' (m, rad); empty texts are ignored"
        ),
    ] = ()
    robot_namespaces: Annotated[
        tuple[str, ...],
        Setting("namespaces of the topics of robots at the start, each 'name=namespace'; others = their names"),
    ] = ()
    share_domain: Annotated[
        bool,
        Setting(
            "start even if the ROS domain has another simulator of this name and namespace; both then take each "
            "other's commands"
        ),
    ] = False
    bridge: Annotated[bool, Setting("classic agents can join through a bridge node in another process")] = False
    pose_rate: Annotated[
        float,
        Range(0.0, 1000.0, "1/s"),
        Setting(
            "states per simulated second for the camera process, and so its most pictures per second; 0 = as many as "
            "the fastest camera of any robot needs"
        ),
    ] = 0.0
    bridge_answer_timeout: Annotated[
        float,
        Range(0.0, 86400.0, "s"),
        Setting(
            "lock-step drops a bridge that is alive but has not answered for this long, or has delayed others by six "
            "times this in all; 0 = never; choose more than the bridge's own `silent_timeout` for agents"
        ),
    ] = 30.0
    bridge_timeout: Annotated[
        float,
        Range(0.5, 3600.0, "s"),
        Setting(
            "a bridge that is silent for this long is dropped; choose 10 or more if the network loses packets, since "
            "Fast DDS repeats them only after up to 3 s"
        ),
    ] = 3.0
    max_bridges: Annotated[int, Range(1, 1000), Setting("most bridges at a time; each may have 1024 agents")] = 16
    max_bridge_message: Annotated[
        int, REMOTE_MESSAGES, Setting("longest message of a bridge; longer ones are refused and counted")
    ] = REMOTE_MESSAGE
    hash_log: Annotated[str, Setting("file for a fingerprint of every cycle, to compare runs; empty = none")] = ""
    record: Annotated[
        str,
        Setting(
            "file for everything that enters the simulation, compressed if it ends in .gz, to continue it by `simspark "
            "serve --continue`; empty = none"
        ),
    ] = ""
    max_log: LogSize = LOG_SIZE
    services_namespace: ServicesNamespace = ""
    service_timeout: Annotated[
        float, Range(0.1, 3600.0, "s"), Setting("longest wait of a service for the next cycle")
    ] = 10.0


@dataclass(frozen=True)
class BridgeParameters(ClientLimits):
    """Parameters of the node `bridge`."""

    agent_port: AgentPort = AGENT_PORT
    monitor_port: Annotated[
        int, Range(-1, PORTS.high), Setting("TCP port of monitors, 0 = any free one, -1 = none")
    ] = MONITOR_PORT
    bind: Bind = LOOPBACK
    profile: Annotated[str, Setting("protocol profile of agents, a name or a YAML file")] = "measured"
    scene_timeout: Annotated[
        float, Range(0.1, 86400.0, "s"), Setting("an agent without a robot is disconnected after this time")
    ] = 30.0
    silent_timeout: SilentTimeout = 10.0
    trainer: TrainerPermissions = "full"
    monitor_period: Annotated[
        float,
        Range(0.001, 60.0, "s"),
        Setting("shortest simulated time between monitor frames; the simulation's `monitor_interval` also limits it"),
    ] = 0.04
    bridge_name: Annotated[
        str, Setting("first part of the names of this bridge's clients, unique to this bridge; empty = a random one")
    ] = ""


_OWN = "0 = as the robot's file says"


@dataclass(frozen=True)
class CameraNodeParameters(Checked):
    """Parameters of the node `simspark_camera`."""

    width: Annotated[int, Range(0, MAX_PIXELS, "pixels"), Setting(f"width of pictures; {_OWN}", at_run_time=True)] = 0
    height: Annotated[int, Range(0, MAX_PIXELS, "pixels"), Setting(f"height of pictures; {_OWN}", at_run_time=True)] = 0
    rate: Annotated[
        float,
        Range(0.0, MAX_RATE_HZ, "1/s"),
        Setting(
            f"pictures per simulated second, at most as many as the simulator sends poses; {_OWN}", at_run_time=True
        ),
    ] = 0.0
    horizontal_fov: Annotated[
        float,
        Range(0.0, MAX_FOV_DEG, "degrees"),
        Setting(f"field of view across the width; {_OWN}, otherwise at least {MIN_FOV_DEG:g}", at_run_time=True),
    ] = 0.0
    compressed_format: Annotated[
        Literal["jpeg", "png"], Setting("format of the pictures on image_raw/compressed", at_run_time=True)
    ] = "jpeg"
    jpeg_quality: Annotated[int, Range(1, 100), Setting("quality of compressed JPEG pictures", at_run_time=True)] = 95
    tf: Annotated[
        Literal["namespaced", "base", "global", "none"],
        Setting("the simulator's parameter tf: with global, frame ids of pictures begin with ROBOT/, too"),
    ] = "namespaced"
    renderer: Renderer = "auto"
    shadows: Annotated[bool, Setting("draw shadows on the ground, which takes half of the time")] = True
    body_shadows: Annotated[bool, Setting("draw shadows on things, too, which takes at least as long again")] = False
    seed: Annotated[int, Range(0, 2**31 - 1), Setting("seed of the pictures' noise, as the simulator's")] = 1
    world: Annotated[str, Setting("world to draw until the simulator tells its own, a name or a YAML file")] = ""


@dataclass(frozen=True)
class PlayerParameters(Squad):
    """Parameters of the node `player`."""

    team: Annotated[str, Setting("name of the team")] = "Ros"
    players: Players = 1
    services_namespace: ServicesNamespace = ""
    world: Annotated[
        str, Setting("field that is played on: a world's name or file, or a text of soccer.launch.py; empty = soccer")
    ] = ""
