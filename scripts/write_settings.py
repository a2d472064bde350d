"""Writes what follows from the declarations of settings: docs/settings.md and the defaults in config/."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import yaml

from simspark_ros.clients.match.settings import GameSettings
from simspark_ros.clients.viewer.settings import ViewerSettings
from simspark_ros.configuration.limits import ClientLimits, LimitSettings
from simspark_ros.configuration.schema import Declaration, declarations
from simspark_ros.robots.urdf.bounds import BOUNDS
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, NodeOptions, PlayerParameters
from simspark_ros.server.settings import ProxySettings, ReplaySettings, ServeSettings
from simspark_ros.simulation.settings import SimulationSettings

LIMITS = (*declarations(LimitSettings), *declarations(ClientLimits))
"""Settings with tables of their own, which come last in files."""

ROOT = Path(__file__).parents[1]

PAGE = """# Settings

`scripts/write_settings.py` writes this page from the code. A setting has the same name everywhere: as a key in YAML, as
a ROS parameter, as a launch argument, and, with hyphens, as an option of the command line (exceptions are named). What
is out of its range is refused with file, key, value and what is allowed.

Presets of engines, worlds, rule books, protocol profiles, robots and the demonstration team's files are YAML files in
`config/physics/<engine>`, `config/worlds`, `config/rules`, `config/profiles`, `config/robots` and `config/players`.
Wherever one is named, the path of a file of your own may stand instead, and such a file may begin with
`based_on: NAME` (or a path) and hold only what differs.
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
        "They belong to the simulation and are set in the same places. Each refuses what is beyond it, with a message "
        "that names it. They hold for robots from files that a client, `--robot` or the parameter `robots` names. "
        "These are read in a process of their own. Robots of the package and of a protocol profile are exempt, but "
        "count in the limits on all robots of the world (`world_...`). Where robots of the largest size fill it, "
        "a cycle takes 0.2 s on average on PyBullet and ODE (up to 1 s where all hit the ground at once), 0.02 s on "
        "MuJoCo. The number of robots is `max_robots` of the world file.",
        LimitSettings,
    ),
    (
        "Limits on clients",
        "Options of `simspark serve`, and parameters of the node `bridge`.",
        ClientLimits,
    ),
    ("`simspark serve`", "Options, beside those of the simulation.", ServeSettings),
    (
        "`simspark match`",
        "Options, and the section `game` of a tournament's file. Teams, trainer, viewer and log have options, too.",
        GameSettings,
    ),
    ("`simspark proxy`", "Options, beside `--server HOST:PORT`.", ProxySettings),
    ("`simspark replay`", "Options.", ReplaySettings),
    ("`simspark view`", "Options, and parameters of the node `simspark_viewer`.", ViewerSettings),
    ("Node `simulator`", "Parameters, beside those of the simulation.", NodeOptions),
    ("Node `bridge`", "Parameters; the most important ones are launch arguments, too.", BridgeParameters),
    ("Node `simspark_camera`", "Parameters.", CameraNodeParameters),
    ("Node `player`", "Parameters.", PlayerParameters),
)

BOUNDS_TEXT = """
## Numbers of robot files

Bounds that no setting changes, of every robot's URDF and YAML file: engines compute with what is within them.

| | allowed |
|---|---|
"""

NOTE = "# Written by scripts/write_settings.py; docs/settings.md has the same as a table.\n"


def page() -> str:
    """docs/settings.md."""
    tables = "".join(f"\n## {title}\n\n{text}\n\n{_table(cls, title)}" for title, text, cls in TABLES)
    bounds = "".join(f"| {what} | {bounds} |\n" for what, bounds in BOUNDS.items())
    return f"{PAGE}{tables}{BOUNDS_TEXT}{bounds}"


def files() -> dict[Path, str]:
    """What is written: path below the root -> content."""
    simulation = _defaults(SimulationSettings, "  ")
    return {
        Path("docs/settings.md"): page(),
        Path("config/simspark.yaml"): "# Defaults of `simspark serve` and of the simulator node. Every key can be left "
        f"out.\n{NOTE}simulation:\n{simulation}",
        Path("config/simulator.yaml"): _parameters("simulator", SimulationSettings, NodeOptions),
        Path("config/bridge.yaml"): _parameters("bridge", BridgeParameters),
        Path("config/camera.yaml"): _parameters("simspark_camera", CameraNodeParameters),
    }


def _table(cls: type[Any], title: str) -> str:
    lines = ["| setting | default | allowed | |", "|---|---|---|---|"]
    for declaration in declarations(cls):
        if not declaration.setting.help or (cls not in (LimitSettings, ClientLimits) and declaration in LIMITS):
            continue
        mark = "*" if declaration.setting.at_run_time else ""
        text = declaration.setting.help + ("" if title.startswith("Node") else _option(declaration))
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
