"""Limits on demands of clients and files, as settings; exceeding one is refused and never stops a match."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, TypeVar

from simspark_ros.configuration.schema import Checked, Range, Setting

LogSize = Annotated[
    float,
    Range(0.001, 1e6, "MB"),
    Setting("largest size of each file that a run is written to; at this size the file ends, and the run goes on"),
]
LOG_SIZE = 10_000.0
"""Default size of a log, MB: the largest file of `simspark record`."""

REMOTE_MESSAGE = 1 << 20
"""Bytes of a message with the commands of all agents of a proxy or bridge; 64 agents with all joints need 20 kB."""

REMOTE_MESSAGES = Range(64 * 1024, 64 * 1024**2, "bytes")

ChildMemory = Annotated[
    int,
    Range(0, 1_000_000, "MB"),
    Setting("memory of each process that a server or a match starts: camera, viewer, players; 0 = no limit"),
]
CHILD_MEMORY = 8000
"""Default memory of a child process, MB: OpenBLAS takes up to 5 GB of address space on machines with 128 cores."""


MaxClients = Annotated[int, Range(1, 1000), Setting("agents connected at a time")]
MaxMonitors = Annotated[int, Range(1, 1000), Setting("monitors connected at a time")]
MaxMessage = Annotated[
    int, Range(1024, 16 * 1024**2, "bytes"), Setting("longest message of an agent; a longer one disconnects it")
]
MaxMonitorMessage = Annotated[
    int, Range(1024, 16 * 1024**2, "bytes"), Setting("longest message of a monitor; a longer one disconnects it")
]
MAX_CLIENTS, MAX_MONITORS = 64, 16
MAX_MESSAGE, MAX_MONITOR_MESSAGE = 64 * 1024, 16 * 1024


@dataclass(frozen=True)
class ClientLimits(Checked):
    """Limits on clients of the TCP ports of a server or a bridge; part of their settings."""

    max_clients: MaxClients = MAX_CLIENTS
    max_monitors: MaxMonitors = MAX_MONITORS
    max_message: MaxMessage = MAX_MESSAGE
    max_monitor_message: MaxMonitorMessage = MAX_MONITOR_MESSAGE


class _Usual:
    """Mark of a limit that nobody has set."""


class Count(_Usual, int):
    """A number that nobody has set; the operator's own files have a wider limit."""


class Time(_Usual, float):
    """A time that nobody has set, s; the operator's own files have a longer one."""


@dataclass(frozen=True)
class LimitSettings(Checked):
    """Limits on robots that are loaded from files while the simulator runs, or named at its start.

    Robots of the package are exempt, but count in the limits on the world. The limits are part of the settings of the
    simulation, and were chosen by measurement: if robots of the largest size fill the world, a cycle takes 0.2 s.
    """

    max_links: Annotated[
        int, Range(1, 10_000), Setting("links of a robot with mass; together with frames four times as many")
    ] = Count(128)
    max_joints: Annotated[
        int, Range(0, 10_000), Setting("joints of a robot that move; ODE's time grows with the cube of their number")
    ] = Count(64)
    max_shapes: Annotated[int, Range(0, 100_000), Setting("solids of a robot, for collisions and for pictures")] = (
        Count(256)
    )
    max_colliding: Annotated[
        int,
        Range(0, 10_000),
        Setting("colliding solids of a robot, `msl` has 35; time on PyBullet and ODE grows with their number cubed"),
    ] = Count(36)
    max_devices: Annotated[
        int, Range(0, 10_000), Setting("perceptors and effectors of a robot, and names that its file gives to parts")
    ] = Count(256)
    max_topics: Annotated[
        int, Range(0, 100_000), Setting("topics of a robot, pictures included; an action counts as one")
    ] = Count(256)
    robot_file_size: Annotated[
        int,
        Range(1_000, 1_000_000_000, "bytes"),
        Setting("size of each YAML or model file of a robot and of each world file, also if sent as text"),
    ] = Count(1_000_000)
    mesh_file_size: Annotated[
        int, Range(1_000, 1_000_000_000, "bytes"), Setting("size of a mesh file that a robot's file names")
    ] = Count(20_000_000)
    mesh_triangles: Annotated[
        int, Range(4, 100_000_000), Setting("triangles of a mesh file; hulls have 64 corners at most")
    ] = Count(500_000)
    robot_file_time: Annotated[
        float,
        Range(0.1, 3600.0, "s"),
        Setting("processor time of the process that reads a robot's or a world's files; rounded up to seconds"),
    ] = Time(10.0)
    robot_file_memory: Annotated[
        int, Range(200, 1_000_000, "MB"), Setting("memory of the process that reads a robot's or a world's files")
    ] = Count(512)
    request_time: Annotated[
        float,
        Range(0.0, 3600.0, "s"),
        Setting("wall time for service requests between two cycles; one request is always served"),
    ] = 0.05
    saved_world_files: Annotated[
        int, Range(1, 1_000_000), Setting("worlds that trainers may have saved in the folder of `saved_worlds`")
    ] = 100
    world_things: Annotated[int, Range(0, 100_000), Setting("obstacles and objects in the world file of a client")] = (
        256
    )
    world_robots: Annotated[int, Range(0, 1000), Setting("robots in the world file of a client")] = 22
    world_points: Annotated[
        int, Range(0, 100_000_000), Setting("points of all height fields in the world file of a client")
    ] = 65_536
    world_links: Annotated[int, Range(1, 1_000_000), Setting("links of all robots in the world; 22 Naos have 792")] = (
        Count(1600)
    )
    world_joints: Annotated[
        int,
        Range(0, 1_000_000),
        Setting("joints of all robots in the world, including fixed joints between links with mass; 22 Naos have 484"),
    ] = Count(640)
    world_colliding: Annotated[
        int, Range(0, 1_000_000), Setting("colliding solids of all robots in the world; 22 Naos have 286")
    ] = Count(416)
    world_rays: Annotated[
        int,
        Range(0, 10_000_000),
        Setting("rays of the range finders of all robots in a cycle; 22 robots nao_sensors have 6666"),
    ] = 32_768
    world_topics: Annotated[
        int,
        Range(0, 10_000_000),
        Setting("topics of all robots in the world, 25 kB of memory each; 22 robots nao_sensors have 1254"),
    ] = 8_000


@dataclass(frozen=True)
class OwnFileLimits(LimitSettings):
    """Limits on files that the operator names, which may name any file in the folder above their own."""


_OWN_FILES = LimitSettings(
    max_links=2_000,
    max_joints=500,
    max_shapes=20_000,
    max_colliding=2_000,
    max_devices=5_000,
    max_topics=5_000,
    robot_file_size=50_000_000,
    mesh_file_size=500_000_000,
    mesh_triangles=10_000_000,
    robot_file_time=60.0,
    robot_file_memory=4_000,
    world_links=20_000,
    world_joints=5_000,
    world_colliding=5_000,
)


def for_own_files(limits: LimitSettings) -> OwnFileLimits:
    """Limits on robots of files that the operator names: wide ones, but for limits that somebody has set."""
    names = [field.name for field in fields(LimitSettings)]
    usual = {name for name in names if isinstance(getattr(limits, name), _Usual)}
    return OwnFileLimits(**{name: getattr(_OWN_FILES if name in usual else limits, name) for name in names})


Limits = TypeVar("Limits", bound=LimitSettings)


def unset(limits: Limits, names: Iterable[str]) -> Limits:
    """The same limits; limits of these names with their defaults count as set by nobody."""
    defaults = {field.name: field.default for field in fields(LimitSettings)}
    usual: dict[str, Any] = {name: defaults[name] for name in names if getattr(limits, name) == defaults.get(name)}
    return replace(limits, **usual)


def only_limits(settings: LimitSettings) -> LimitSettings:
    """The limits among settings, which may be settings of a whole simulation."""
    kind = OwnFileLimits if isinstance(settings, OwnFileLimits) else LimitSettings
    return kind(**{field.name: getattr(settings, field.name) for field in fields(LimitSettings)})
