"""Processes that a server starts beside itself, camera, viewer and demonstration teams; they end with it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import IO, Any

from simspark_ros.clients.processes import end, limit_memory
from simspark_ros.configuration.c_library import die_with_parent
from simspark_ros.configuration.errors import MissingPackageError
from simspark_ros.protocol.agent.profile import PictureFormat
from simspark_ros.robots.types.parameters import TypesJson
from simspark_ros.server.tcp.client_log import LOG
from simspark_ros.server.viewer_settings import TOKEN_VARIABLE, ViewerSettings
from simspark_ros.simulation.settings import Renderer, SimulationSettings
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.settings import SoccerSettings, field_text

DEMO_TEAMS = ("Lions", "Dragons")
"""Names of the demonstration teams, left and right."""

EVERYWHERE = ("", "0.0.0.0", "::")
"""Bind addresses of a server that listens on all addresses of its machine."""


class Child(contextlib.AbstractContextManager["Child"]):
    """A process beside the server; `with` ends it. If it fails before, a warning says so, and the match goes on.

    It dies with the server, however the server ends. To Linux the parent is the thread that starts the process, so this
    has to be the main thread.

    Args:
        name: the process's name in warnings.
        loss: end of the warning, about the part that is missing now, e.g. `without pictures`.
        grace: time in which it may end by itself, s.
        memory: most memory that it may take, MB; 0 = no limit.
        output: file or descriptor for its output; None = the server's.
        environment: variables beside the server's.
        files: file descriptors that it inherits.
    """

    def __init__(
        self,
        name: str,
        module_and_arguments: list[str],
        loss: str,
        memory: int,
        grace: float = 0.0,
        output: IO[Any] | int | None = None,
        environment: Mapping[str, str] | None = None,
        files: Sequence[int] = (),
    ) -> None:
        self._name, self._loss, self._grace = name, loss, grace
        self._is_over = False
        # A session of its own: Ctrl-C reaches the server, which then ends its children in order.
        self._process = subprocess.Popen(
            [sys.executable, "-m", *module_and_arguments],
            start_new_session=True,
            preexec_fn=partial(die_with_parent, os.getpid()),
            stdout=output,
            env={**os.environ, **(environment or {})},
            pass_fds=files,
        )
        limit_memory(self._process, memory)
        self._watcher = threading.Thread(target=self._watch, name=f"watches {name}", daemon=True)
        self._watcher.start()

    def __exit__(self, *error: object) -> None:
        """End it, by force if need be."""
        self._is_over = True
        end(self._process, grace=self._grace)
        self._watcher.join()

    def _watch(self) -> None:
        status = self._process.wait()
        if status and not self._is_over:
            how = f"by signal {-status}" if status < 0 else f"with status {status}"
            LOG.warning(f"{self._name}: has ended {how}; the match goes on {self._loss}")


def start_viewer(settings: ViewerSettings, memory: int) -> Child:
    """Start the page, whose address the server announces; it asks for poses only while a browser looks."""
    options = {"host": _reach(settings.host), "monitor-port": settings.monitor_port, "world": settings.world}
    options |= {"bind": settings.bind, "port": settings.port}
    options |= {"follow": settings.follow, "distance": settings.distance}
    given = [f"--{name}={value}" for name, value in options.items()]
    loss = f"without its page; `simspark view --monitor-port {settings.monitor_port}` opens one"
    token = {TOKEN_VARIABLE: settings.token}
    return Child(
        "viewer", ["simspark_ros.cli", "view", *given], loss, memory, output=subprocess.DEVNULL, environment=token
    )


def check_drawing(renderer: Renderer) -> None:
    """Whether something draws is known here, before the process that draws starts.

    Raises:
        MissingPackageError: PyBullet is to draw, as no OpenGL starts or is wanted, and is not installed.
    """
    # OpenGL takes memory where it is tried.
    if not find_spec("pybullet"):
        from simspark_ros.rendering.drawing.opengl import chooses_opengl

        if not chooses_opengl(renderer)[0]:
            import_module("simspark_ros.rendering.drawing.tiny")


def start_camera(
    ros_arguments: tuple[str, ...], settings: SimulationSettings, memory: int
) -> contextlib.AbstractContextManager[object]:
    """Start the process that draws robots' cameras, with the simulation's seed and renderer; or say why not."""
    try:
        check_drawing(settings.renderer)
    except MissingPackageError as error:
        LOG.warning(f"cameras have no pictures: {error}")
        return contextlib.nullcontext()
    loss = "without pictures; `ros2 run simspark_ros camera` draws them again"
    arguments = [*ros_arguments, "--ros-args", "-p", f"seed:={settings.seed}", "-p", f"renderer:={settings.renderer}"]
    return Child("camera", ["simspark_ros.ros.camera.node", *arguments], loss, memory)


def start_pictures(
    start: tuple[PictureFormat, SoccerSettings, SimulationSettings], memory: int
) -> tuple[Child, Connection]:
    """Start what draws agents' pictures, by form, world and settings; returns the process and its connection."""
    ours, its = Pipe()
    # The message waits in the connection, also for a process that never reads it.
    ours.send(start)
    loss = "without pictures for agents"
    child = Child(
        "pictures", ["simspark_ros.server.pictures.process", str(its.fileno())], loss, memory, files=[its.fileno()]
    )
    its.close()
    return child, ours


def start_demo_team(
    name: str, players: int, bind: str, agent_port: int, field: Field, types: TypesJson, memory: int, robot: str = "nao"
) -> Child:
    """Start a demonstration team of this number of players on a field; `types` see `RobotTypes.as_json`."""
    command = ["simspark_ros.cli", "team", name, "--players", str(players), "--robot", robot]
    command.append(f"--world={field_text(field)}")
    if types:
        command.append(f"--robot-types={json.dumps(types)}")
    address = ["--host", _reach(bind), "--port", str(agent_port)]
    # Teams end with their connections, and have a last line to print.
    return Child(f"team {name}", [*command, *address], "without it", memory, grace=1.0, output=sys.stderr)


def _reach(bind: str) -> str:
    """Address at which a server bound to `bind` is reached from its own machine."""
    return "127.0.0.1" if bind in EVERYWHERE else bind
