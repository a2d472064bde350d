"""Writes what follows from the declarations of settings: docs/reference/settings.md and the defaults in config/."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import yaml

from simspark_learning.settings import LearnSettings
from simspark_matches.settings import GameSettings
from simspark_recording.settings import RecordSettings, ReplaySettings
from simspark_ros.configuration import foreign, library
from simspark_ros.configuration.limits import ClientLimits, LimitSettings
from simspark_ros.configuration.names import MAX_NAME
from simspark_ros.configuration.schema import Declaration, declarations
from simspark_ros.perceptors import camera, rays
from simspark_ros.protocol import sexpr
from simspark_ros.protocol.agent import decoder
from simspark_ros.protocol.monitor import log, trainer
from simspark_ros.robots.formats.urdf.bounds import BOUNDS
from simspark_ros.robots.types import parameters
from simspark_ros.ros import action_server, limits
from simspark_ros.ros.services import steps
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, NodeOptions
from simspark_ros.server.agents.connection import AgentServerSettings
from simspark_ros.server.game_controller import server as game_controller
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.server.remote import codec, ledger
from simspark_ros.server.remote.link import ProxyLinkSettings
from simspark_ros.server.settings import ProxySettings, ServeSettings
from simspark_ros.server.tcp import client_log
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.simulation.entities import name_pattern
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.settings import SoccerWorldFile
from simspark_watching.video.settings import VideoSettings
from simspark_watching.viewer import gate

LIMITS = (*declarations(LimitSettings), *declarations(ClientLimits))
"""Settings with tables of their own, which come last in files."""

ROOT = Path(__file__).parents[1]

PAGE = """# Settings

`scripts/write_settings.py` writes this page from the code. A setting has the same name everywhere: as a key in YAML, as
a ROS parameter, as a launch argument, and, with hyphens, as an option of the command line (exceptions are named). A
value out of its range is refused, and the message has file, key, value and range.

Presets of engines, worlds, rule books, protocol profiles, robots and the demonstration team's files are YAML files in
`config/physics/<engine>`, `config/worlds`, `config/rules`, `config/profiles`, `config/robots` and `config/players`.
Wherever one is named, you may give the path of a file of your own instead. Such a file may begin with
`based_on: NAME` (or a path) and hold only the differences.

Parameters of the ROS nodes are on their [pages](nodes/README.md).
"""

TABLES = (
    (
        "The simulation",
        "Section `simulation` of a settings file (`config/simspark.yaml`, or `--config FILE`), options of `simspark "
        "serve`, parameters of the node `simulator`, launch arguments. Parameters marked * may be set at run time.",
        SimulationSettings,
    ),
    (
        "Limits",
        "Limits belong to the simulation and are set in the same places. A limit refuses everything beyond it, with a "
        "message that names it. Limits hold for robots from files that a client, `--robot` or the parameter `robots` "
        "names. Such files are read once, in a process of their own. Robots of the package and of a protocol "
        "profile are exempt, but count in the limits on all robots of the world (`world_...`). The operator's own "
        "files (`--robot`, `robots`, an `Arena`, `simspark robot`) have wider limits. A limit that you set, even to "
        "its default, holds for these files, too. In a world full of the "
        "largest robots a cycle takes 0.2 s on average on PyBullet and ODE (up to 1 s if all land at once), 0.02 s on "
        "MuJoCo; all rays that range finders may cast take 0.1 s. The sections after this one list other limits.",
        LimitSettings,
    ),
    (
        "Limits on clients",
        "Options of `simspark serve`, and parameters of the node `bridge`; the server of `match` and `tournament` has "
        "the defaults.",
        ClientLimits,
    ),
    ("Other limits", "These limits are settings of programs, nodes and files; the sections of those say more.", None),
    ("`simspark serve`", "Options, in addition to the simulation's.", ServeSettings),
    (
        "`simspark match`",
        "Options, and the section `game` of a tournament's file. Teams, trainer, viewer and log have options, too.",
        GameSettings,
    ),
    ("`simspark proxy`", "Options, in addition to `--server HOST:PORT`.", ProxySettings),
    ("`simspark record`", "Options.", RecordSettings),
    ("`simspark replay`", "Options.", ReplaySettings),
    ("`simspark learn`", "Options, in addition to the task.", LearnSettings),
    ("`simspark video`", "Options, in addition to `--output FILE` and `--size WxH`.", VideoSettings),
    ("`simspark view`", "Options, and parameters of the node `simspark_viewer`.", ViewerSettings),
)

FOUND_IN = (
    ("world file", SoccerWorldFile, ("max_robots",)),
    ("`serve`", ServeSettings, ("max_proxies", "max_proxy_message", "proxy_limit", "silent_timeout")),
    ("`serve`, `simulator`", LolaOptions, ("max_lola_message", "lola_timeout")),
    ("`simulator`", NodeOptions, ("max_bridges", "max_bridge_message", "bridge_timeout", "bridge_answer_timeout")),
    ("`simulator`", NodeOptions, ("max_trajectory_points", "service_timeout")),
    ("`bridge`", BridgeParameters, ("scene_timeout", "silent_timeout")),
    ("`serve`, `match`, `simulator`", ServeSettings, ("max_log",)),
    ("`serve`, `match`", ServeSettings, ("child_memory",)),
    ("`match`", GameSettings, ("output_limit", "join_limit", "stall_limit")),
    ("`record`", RecordSettings, ("max_size", "max_files", "max_topics", "queue")),
)
"""Limits among the settings of programs and files: where, and their names."""

OTHER_LIMITS = """| setting | default | of | |
|---|---|---|---|
"""

FIXED_TEXT = """
These are fixed: honest clients come nowhere near them.

| of | most |
|---|---|
"""

FIXED = {
    "input of an agent, monitor or driver in a cycle; the rest waits": f"{AgentServerSettings.max_input} bytes",
    "commands of an agent other than joint speeds in a cycle": AgentServerSettings.max_actions,
    "inits of an agent at a time": AgentServerSettings.max_inits,
    "robots of agents made in a cycle; further ones wait for the next cycle": AgentServerSettings.max_creations,
    "actions in a message of an agent": decoder.MAX_ACTIONS,
    "brackets open at once in a message": sexpr.MAX_DEPTH,
    "trainer commands in a message of a monitor": trainer.MAX_COMMANDS,
    "answers to GameController that are read in a cycle": game_controller.MAX_ANSWERS,
    "log lines about clients at once; others are counted": f"{client_log.BURST}, then {client_log.RATE:g} a second",
    "parameters in a robot's name": parameters.MAX_PARAMETERS,
    "cycles that a trainer command steps": trainer.MAX_STEPS,
    "an agent proxy's input in a cycle; the rest waits for the next cycle": f"{ProxyLinkSettings.max_input} bytes",
    "agents of a proxy": ProxyLinkSettings.max_agents,
    "agents of a bridge": limits.MAX_BRIDGE_AGENTS,
    "actions of a proxy's or bridge's agents in a cycle": ledger.MAX_ACTIONS,
    "message of a simulator to a proxy or bridge": f"{codec.MAX_PERCEPTS} bytes",
    "message of a browser to the viewer's page": f"{gate.LARGEST_MESSAGE} bytes",
    "browsers at the viewer's page at a time": gate.MOST_BROWSERS,
    "frame of a monitor log that is replayed": f"{log.LONGEST_FRAME} bytes",
    "record of an MCAP file that is replayed": f"{limits.LARGEST_RECORD} bytes",
    "commands on a topic of a robot in a cycle": limits.MAX_COMMANDS,
    "messages of nao_lola's effectors of a robot in a cycle": limits.MAX_LOLA_COMMANDS,
    f"goals of an action in {action_server.KEPT} s": action_server.MAX_GOALS,
    "steps of SimulateSteps whose feedback waits": steps.MAX_WAITING,
    "requests in a SpawnEntities": limits.MAX_SPAWNS,
    "sources in a GetSpawnables or GetAvailableWorlds": limits.MAX_SOURCES,
    "requests of services that are worked on at a time": limits.MAX_BACKGROUND,
    "processes that read robot and world files at a time": foreign.MAX_READERS,
    "wall time to read such a file": f"{foreign.CLOCK_TIMES} x `robot_file_time`",
    "files based on one another": library.MAX_ANCESTORS,
    "edge of a picture": f"{camera.MAX_PIXELS} pixels",
    "rays of all range finders of a robot in a cycle": rays.MAX_RAYS,
    "pattern of entity names": f"{name_pattern.MAX_LENGTH} characters",
    "name of a link, joint, perceptor, effector or visible part": f"{MAX_NAME} characters",
}
"""Limits that are constants."""

BOUNDS_TEXT = """
## Numbers of robot files

Bounds of numbers in every robot's URDF and YAML file, which no setting changes: engines can compute within them.

| | allowed |
|---|---|
"""

NOTE = "# Written by scripts/write_settings.py; settings.md and nodes/ in docs/reference/ have the same as tables.\n"


def page() -> str:
    """docs/reference/settings.md."""
    tables = "".join(
        f"\n## {title}\n\n{text}\n\n{_table(cls) if cls else _other_limits()}" for title, text, cls in TABLES
    )
    bounds = "".join(f"| {what} | {bounds} |\n" for what, bounds in BOUNDS.items())
    return f"{PAGE}{tables}{BOUNDS_TEXT}{bounds}"


def files() -> dict[Path, str]:
    """What is written: path below the root -> content."""
    simulation = _defaults(SimulationSettings, "  ")
    return {
        Path("docs/reference/settings.md"): page(),
        Path("config/simspark.yaml"): "# Defaults of `simspark serve` and of the simulator node. Every key can be left "
        f"out.\n{NOTE}simulation:\n{simulation}",
        Path("config/simulator.yaml"): _parameters("simulator", SimulationSettings, NodeOptions),
        Path("config/bridge.yaml"): _parameters("bridge", BridgeParameters),
        Path("config/camera.yaml"): _parameters("simspark_camera", CameraNodeParameters),
    }


def _other_limits() -> str:
    """All limits that are no settings of robots' files or of clients."""
    rows = ""
    for where, cls, names in FOUND_IN:
        declared = {declaration.name: declaration for declaration in declarations(cls)}
        for name in names:
            rows += f"| `{name}` | {_limit(declared[name])} | {where} | {declared[name].setting.help} |\n"
    fixed = "".join(f"| {what} | {most} |\n" for what, most in FIXED.items())
    return f"{OTHER_LIMITS}{rows}{FIXED_TEXT}{fixed}"


def _limit(declaration: Declaration) -> str:
    """A default with its unit."""
    return f"{_yaml(declaration)} {declaration.range.unit if declaration.range else ''}".rstrip()


def _table(cls: type[Any]) -> str:
    lines = ["| setting | default | allowed | |", "|---|---|---|---|"]
    tables = LimitSettings, ClientLimits
    inherited = LIMITS if cls not in tables and issubclass(cls, tables) else ()
    for declaration in declarations(cls):
        if not declaration.setting.help or declaration in inherited:
            continue
        mark = "*" if declaration.setting.at_run_time else ""
        text = declaration.setting.help + _option(declaration)
        default = _yaml(declaration) if declaration.default not in (None, "", ()) else ""
        lines.append(f"| `{declaration.name}`{mark} | {default} | {declaration.allowed} | {text} |")
    return "\n".join(lines) + "\n"


def _option(declaration: Declaration) -> str:
    """How the option is named, if it is not named as the setting."""
    if not declaration.option:
        return " (no option)"
    value = f" = {declaration.setting.switch}" if declaration.setting.switch else ""
    usual = declaration.option == f"--{declaration.name.replace('_', '-')}"
    return "" if usual else f" (option `{declaration.option}`{value})"


def _parameters(node: str, *classes: type[Any]) -> str:
    body = "".join(_defaults(cls, "    ", ros=True) for cls in classes)
    about = (
        f"# Parameters of the node `{node}` with their defaults; `ros2 param describe /{node} NAME` explains them.\n"
    )
    return f"{about}{NOTE}/**/{node}:\n  ros__parameters:\n{body}"


def _defaults(cls: type[Any], indent: str, ros: bool = False) -> str:
    lines = []
    for declaration in sorted(declarations(cls), key=LIMITS.__contains__):
        setting = declaration.setting
        allowed = f"; {declaration.allowed}" if declaration.allowed else ""
        note = f"{setting.help}{allowed}{'; at any time' if setting.at_run_time and ros else ''}"
        lines += textwrap.wrap(note, 120, initial_indent=f"{indent}# ", subsequent_indent=f"{indent}# ")
        lines.append(f"{indent}{declaration.name}: {_yaml(declaration, ros)}")
    return "\n".join(lines) + "\n"


def _yaml(declaration: Declaration, ros: bool = False) -> str:
    # ROS knows no empty list.
    value = declaration.default if declaration.kind is not tuple else list(declaration.default) or ([""] if ros else [])
    return yaml.safe_dump(value, default_flow_style=True).removesuffix("\n").removesuffix("\n...").replace("'", '"')


def main() -> None:
    """Write all files."""
    for path, content in files().items():
        (ROOT / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
