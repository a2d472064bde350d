"""Writes docs/reference/nodes/, what each node offers, from the nodes themselves and the files of interfaces.

Run it from the checkout: `python -m scripts.write_node_pages`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from scripts import recorded_nodes
from scripts.node_texts import EXAMPLES, LINES, OPTIONAL, STANDARD
from scripts.recorded_nodes import Endpoint
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import Declaration, declarations
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.ros.parameters.declared import PARAMETERS, RULE_PREFIX
from simspark_ros.ros.parameters.rule_book import rule_declarations
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, PlayerParameters
from simspark_ros.server.viewer_settings import ViewerSettings
from simspark_ros.soccer.referee.rulebook import load_rule_book
from simspark_ros.soccer.referee.rules import RULES, rule_numbers

ROOT = Path(__file__).parents[1]
PAGES = Path("docs/reference/nodes")

LIMITS = declarations(LimitSettings)
"""They come last."""

OWN = "simspark_ros/"

NOTE = "`scripts/write_node_pages.py` writes this page from the code."
_TYPES = {bool: "bool", int: "int", float: "double", str: "string", tuple: "string[]"}


@dataclass(frozen=True)
class Page:
    """The page of a node.

    Attributes:
        about: sentences on it.
        more: pages with the rest, as links.
    """

    node: str
    executable: str
    about: str
    more: str
    parameters: Sequence[Declaration]
    endpoints: Callable[[], list[Endpoint]]


def _of_rule_book() -> Iterator[Declaration]:
    """The parameters of the default rule book, with its values."""
    for declaration, value in rule_declarations(rule_numbers(load_rule_book(), RULES)).values():
        yield declaration._replace(default=value)


NODE_PAGES = (
    Page(
        "simulator",
        "simulator",
        "A world of robots on topics, services and parameters. Topics of robots are sent once a cycle (50 times a "
        "simulated second in the worlds of the package) unless a line says otherwise, and only while they have "
        "subscribers; headers have the simulated time of the data. `simulator_actions`, in the same process, is the "
        "node of robots' actions. Services and the action of simulation_interfaces have the types of that package "
        "where it is installed, and are below `services_namespace`. In the same way detectors' topics have the types "
        "of soccer_vision_2d_msgs, soccer_vision_3d_msgs and soccer_model_msgs, and the joint trajectory's action has "
        "the type of control_msgs.",
        "[ros_interface.md](../ros_interface.md), [sensors.md](../sensors.md), [lola.md](../../how_to/lola.md), "
        "[simulation_interfaces.md](../simulation_interfaces.md), [referee.md](../referee.md)",
        (*PARAMETERS, *_of_rule_book()),
        recorded_nodes.simulator,
    ),
    Page(
        "bridge",
        "bridge",
        "Lets classic agents and monitors take part, over TCP, in a simulation in another process or on another "
        "machine. Start the simulator with `bridge:=true`. The bridge is a managed node, active from the start. While "
        "it is active, its ports are open. Otherwise they are closed, agents and monitors are disconnected, their "
        "robots are gone, and the system refuses new connections.",
        "[legacy_agents.md](../../appendix/legacy_agents.md), [ros_interface.md](../ros_interface.md)",
        declarations(BridgeParameters),
        recorded_nodes.bridge,
    ),
    Page(
        "simspark_camera",
        "camera",
        "Draws the pictures of robots' cameras while their topics have subscribers. A camera that has a name uses it "
        "in place of `camera`. The robot's file sets the rate of pictures, and says which cameras have topics of "
        "depth and segmentation.",
        "[sensors.md](../sensors.md#cameras)",
        declarations(CameraNodeParameters),
        recorded_nodes.camera,
    ),
    Page(
        "simspark_viewer",
        "viewer",
        "Reads its parameters and becomes `simspark view`, a page for browsers. That process is not a node but a "
        "client of the monitor port.",
        "[viewer.md](../../how_to/viewer.md)",
        [declaration for declaration in declarations(ViewerSettings) if declaration.option],
        list,
    ),
    Page(
        "player",
        "player",
        "Players of the demonstration team that use public topics and services alone: the node calls `spawn_entity`, "
        "`game/join_team` and `delete_entity` of the [simulator](simulator.md). Each of its robots has these topics.",
        "[demonstration_team.md](../../explanation/demonstration_team.md)",
        declarations(PlayerParameters),
        recorded_nodes.player,
    ),
)

INDEX = f"""# Nodes

{NOTE} Each page has the topics, services, actions and
parameters of a node; conventions common to all are in [ros_interface.md](../ros_interface.md), the settings of the
command line in [settings.md](../settings.md). Topics and services may be remapped, and nodes started in a namespace.

| node | executable (`ros2 run simspark_ros ...`) | |
|---|---|---|
"""

OTHERS = """
`simspark` is the command line. `simspark serve` is simulator and bridge in one process, in the node `simulator`. The
nodes `simspark_recorder` of `simspark record` and `simspark_replay` of `simspark replay` have no parameters; they
subscribe to, or publish, the topics of a [recording](../../how_to/recording.md). Launch files start the nodes together;
`ros2 launch simspark_ros simulator.launch.py --show-args` lists their arguments.

Every node with parameters has the services of parameters (`ros2 param list /simulator`), and publishes `/rosout` and
`/parameter_events`.

## What to install

With rosdep, in a workspace with this repository under `src/`:

```
rosdep install --from-paths src --ignore-src -y
```

| rosdep key | apt | |
|---|---|---|
"""


CALL_TEXT = """
The examples are for `ros2 run simspark_ros simulator --ros-args -p "robots:=['nao']"`. `keeper` is the robot of the
first example, until the example of `delete_entity`. Steps need a paused simulation, as after the example of
`set_simulation_state`. Most other examples need a world; the example of `unload_world` removes it with
all robots. `ros2 action` waits without end for the action of a robot that is gone.
"""

BOOK_TEXT = """
### Numbers of the rule book

The numbers of the world's [rule book](../referee.md), here `rcssserver3d`'s. Set them at the start, as by `changes`, or
at any time, in effect from the next cycle; a command log has the changes. A loaded world brings its own book, and these
parameters take over its values. Impossible values are refused with the reason.

```
ros2 param set /simulator rule_book.game.half_time 60.0
ros2 param set /simulator rule_book.order.offside true
```

"""

SENSOR_TEXT = """
### Sensors of robots

`sensors.ROBOT.KIND.KEY` or `sensors.ROBOT.KIND.NAME.KEY` is a setting of a robot's sensor, as in the robot's file. Set
it at the start, also for robots that come later, or (except `link`) at any time: [sensors.md](../sensors.md).
"""

MORE = """
Optional, where the distribution has them:

| rosdep key | apt | adds |
|---|---|---|
"""


def files() -> dict[Path, str]:
    """What is written: path below the root -> content."""
    pages = {PAGES / f"{page.node}.md": _page(page) for page in NODE_PAGES}
    rows = "".join(
        f"| [{page.node}]({page.node}.md) | `{page.executable}` | {page.about.partition('. ')[0].removesuffix('.')} |\n"
        for page in NODE_PAGES
    )
    return {PAGES / "README.md": f"{INDEX}{rows}{OTHERS}{_packages()}", **pages}


def _page(page: Page) -> str:
    endpoints = page.endpoints()
    about = textwrap.fill(f"{page.about} More: {page.more}.", 120, break_long_words=False, break_on_hyphens=False)
    run = f"```\nros2 run simspark_ros {page.executable} --ros-args -p PARAMETER:=VALUE\n```\n"
    parts = [f"# Node `{page.node}`\n\n{NOTE}\n\n{about}\n\n{run}"]
    for title, role in (("Topics published", "publisher"), ("Topics subscribed to", "subscription")):
        parts += _topics(title, [one for one in endpoints if one.role == role])
    for title, role in (("Services", "service"), ("Actions", "action")):
        chosen = [one for one in endpoints if one.role == role]
        text = CALL_TEXT if page.node == "simulator" and role == "service" else ""
        parts += [f"\n## {title}\n{text}"] * bool(chosen) + [_call(one) for one in chosen]
    parts.append(_parameters(page))
    return "".join(parts)


def _topics(title: str, endpoints: list[Endpoint]) -> Iterable[str]:
    for heading, own in ((title, False), (f"{title}, of each robot", True)):
        chosen = [one for one in endpoints if one.name.startswith("<robot>") is own]
        if not chosen:
            continue
        of_robots = any(one.robots for one in chosen)
        head = "| topic | type | QoS |" + " robots |" * of_robots + " |\n|---|---|---|" + "---|" * of_robots + "---|\n"
        rows = []
        for one in chosen:
            robots = "all" if len(one.robots) == len(robot_names()) else ", ".join(one.robots) or "your own"
            cells = [f"`{one.name}`", one.type, one.qos, *([robots] if of_robots else []), _line(one)]
            rows.append(f"| {' | '.join(cells)} |\n")
        yield f"\n## {heading}\n\n{head}{''.join(rows)}"


def _call(one: Endpoint) -> str:
    """The section of a service or an action."""
    command = "service call" if one.role == "service" else "action send_goal --feedback"
    name = one.name.replace("<robot>", "/nao")
    example = EXAMPLES.get(one.name.removeprefix("/"), "")
    words = f' "{example}"' if example else ""
    part = one.kind.Request if one.role == "service" else one.kind.Goal
    fields = _flow(_request(one.type) if one.type.startswith(OWN) else _defaults(part()))
    given = f"\nFields with their defaults: `{fields}`\n" if fields != "{}" else ""
    line = f"\n### `{one.name}`\n\n{one.type}: {_line(one)}\n"
    return f"{line}\n```\nros2 {command} {name} {one.type}{words}\n```\n{given}"


def _request(type_name: str) -> dict[str, Any]:
    """The fields of a message of ours, or of the first part of a service or action, with their defaults.

    From the file: the installed classes are as old as the installation.
    """
    values: dict[str, Any] = {}
    for line in _file(type_name).read_text(encoding="utf-8").split("---")[0].splitlines():
        kind, name, *default = line.partition("#")[0].split(maxsplit=2) or ("", "")
        is_constant = "=" in name or (default and default[0].startswith("="))
        if name and not is_constant:
            values[name] = yaml.safe_load(default[0]) if default else _default(kind)
    return values


def _default(kind: str) -> Any:
    """The default of a field by its type."""
    if kind.endswith("]"):
        return []
    if "/" in kind:
        package, name = kind.split("/")
        return _defaults(getattr(import_module(f"{package}.msg"), name)())
    if kind[0].isupper():
        return _request(f"{OWN}msg/{kind}")
    return {"bool": False, "string": "", "float64": 0.0, "float32": 0.0}.get(kind, 0)


def _defaults(message: Any) -> Any:
    """A message of another package as YAML has it."""
    if isinstance(message, bool | int | float | str):
        return message
    if not hasattr(message, "get_fields_and_field_types"):
        return list(message)
    fields = message.get_fields_and_field_types()
    # A request without fields has this one in some distributions.
    return {name: _defaults(getattr(message, name)) for name in fields if name != "structure_needs_at_least_one_member"}


def _flow(value: Any) -> str:
    return str(yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=100_000)).strip()


def _line(one: Endpoint) -> str:
    for pattern, line in LINES.items():
        if fnmatchcase(f"{one.role} {one.name}", pattern):
            return f"{line}."
    line = one.line or _comment(one.type)
    if not line:
        raise SystemExit(f"nothing is said about the {one.role} {one.name}: add it to LINES in scripts/node_texts.py")
    return f"{line[0].upper()}{line[1:].removesuffix('.')}."


def _comment(type_name: str) -> str:
    """The comment at the beginning of a message's, service's or action's file, if it is ours."""
    lines: list[str] = []
    if not type_name.startswith(OWN):
        return ""
    for line in _file(type_name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)


def _file(type_name: str) -> Path:
    _, part, name = type_name.split("/")
    return ROOT / part / f"{name}.{part}"


def _parameters(page: Page) -> str:
    of_book = [one for one in page.parameters if one.name.startswith(RULE_PREFIX)]
    others = [one for one in page.parameters if one not in of_book]
    text = f"\n## Parameters\n\n{_parameter_table(sorted(others, key=LIMITS.__contains__))}"
    return f"{text}{BOOK_TEXT}{_parameter_table(of_book)}{SENSOR_TEXT}" if of_book else text


def _parameter_table(parameters: Iterable[Declaration]) -> str:
    lines = ["| parameter | type | default | allowed | set | |\n|---|---|---|---|---|---|\n"]
    for declaration in parameters:
        setting = declaration.setting
        when = "at any time" if setting.at_run_time else "at the start"
        default = declaration.default if declaration.kind is not tuple else list(declaration.default) or [""]
        cells = (f"`{declaration.name}`", _TYPES[declaration.kind], f"`{_value(default)}`", declaration.allowed, when)
        lines.append(f"| {' | '.join(cells)} | {setting.help} |\n")
    return "".join(lines)


def _value(value: Any) -> str:
    return _flow(value).removesuffix("...").strip().replace("'", '"')


def _packages() -> str:
    """The tables of packages: those that package.xml names, and those that add something."""
    document = ElementTree.parse(ROOT / "package.xml").getroot()
    uses = {"depend": "built and run", "exec_depend": "run", "buildtool_depend": "built"}
    rows = []
    for tag, when in uses.items():
        for one in document.findall(tag):
            key, condition = str(one.text), one.get("condition", "").replace("$ROS_DISTRO != ", "; not in ")
            use = f"{when}: {STANDARD[key]}{condition}" if key in STANDARD else when
            rows.append(f"| `{key}` | {_apt(key)} | {use} |\n")
    apt = [match[1] for row in rows if (match := re.match(r"\| `\S+` \| `(\S+)`", row))]
    command = textwrap.fill(f"sudo apt install {' '.join(apt)}", 116, break_on_hyphens=False).replace("\n", " \\\n    ")
    optional = "".join(f"| `{key}` | {_apt(key)} | {what} |\n" for key, what in OPTIONAL.items())
    return f"{''.join(rows)}\nThe same without rosdep:\n\n```\n{command}\n```\n{MORE}{optional}"


def _apt(key: str) -> str:
    if key == "opende":
        return "`libode-dev`"
    return f"`{key}`" if key.startswith("python3-") else f"`ros-$ROS_DISTRO-{key.replace('_', '-')}`"


def main() -> None:
    """Write all files."""
    (ROOT / PAGES).mkdir(exist_ok=True)
    for path, content in files().items():
        (ROOT / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
