"""Attachments of a served simulation: its logs, ends, drivers, GameController, scripts, monitors and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.rsmp import RsmpEncoder
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.server.agents.drawings import AgentDrawings
from simspark_ros.server.child_processes import check_drawing, start_pictures
from simspark_ros.server.classic_server import ClassicServer
from simspark_ros.server.game_controller.settings import GameControllerOptions
from simspark_ros.server.inspection import Inspector
from simspark_ros.server.monitor_log import MonitorLog
from simspark_ros.server.pictures.source import AgentPictures
from simspark_ros.server.settings import PRINTED, ServeSettings
from simspark_ros.server.status_line import SaidEvents
from simspark_ros.server.tcp.client_log import LOG
from simspark_ros.simulation.agent_control import AgentLink
from simspark_ros.simulation.attachments import Attachment, EndAfter, EndWithGame, Nodes
from simspark_ros.simulation.logs.command_log import CommandLog, HashLog, Start
from simspark_ros.simulation.logs.event_log import EventLog
from simspark_ros.simulation.logs.log_file import LogFile
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.time_control import SimulationTime
from simspark_ros.simulation.settings import SimulationSettings

if TYPE_CHECKING:
    from simspark_ros.server.game_controller.server import GameController


class Logs:
    """Hashes, frames of monitors and events, in the files that options name."""

    def __init__(self, options: ServeSettings) -> None:
        self._options = options

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Open the files."""
        options, largest = self._options, self._options.max_log
        if options.hash_log is not None:
            simulation.add_node(HashLog(options.hash_log, LOG.warning, largest))
        if options.log is not None:
            encoder = RsmpEncoder if options.log_protocol == "rsmp" else MonitorEncoder
            simulation.add_node(MonitorLog(options.log, options.log_interval, LOG.warning, largest, encoder))
        if options.events is not None:
            printed = str(options.events) == PRINTED
            sink = SaidEvents() if printed else LogFile(options.events, "event log", LOG.warning, largest)
            simulation.add_node(EventLog(sink))


class Recording:
    """The command log of a run that begins now; without a file there is no log. `warn` takes lines for the operator."""

    def __init__(self, path: Path | None, start: Start, warn: Callable[[str], object], largest: float) -> None:
        self._path, self._start, self._warn, self._largest = path, start, warn, largest

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Record after all nodes that are there already."""
        if self._path is not None:
            CommandLog(self._path, self._start, self._warn, self._largest).attach(simulation)


def ends(options: ServeSettings) -> Nodes:
    """The control nodes that end a run by themselves."""
    game, duration = options.end_with_game, options.duration
    return Nodes(None if game is None else EndWithGame(game), None if duration is None else EndAfter(duration))


class Scripts:
    """Scripts, which begin at once unless the run has begun before, and the console."""

    def __init__(self, options: ServeSettings, begins: bool) -> None:
        self._options, self._begins = options, begins

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Read the scripts and open the console."""
        for path in self._options.scripts:
            from simspark_ros.server.scripting.script import Script

            Script(Path(path), LOG.warning).attach(simulation, self._begins)
        if self._options.console is not None:
            from simspark_ros.server.scripting.console import Console

            stack.callback(Console(self._options.console, simulation).close)


class Monitors:
    """Privileges of monitors of the same process: they control time, look into robots and see drawings."""

    def __init__(self, core: ClassicServer) -> None:
        self._monitors, self._rsmp = core.monitors, core.rsmp

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Give them to the port of monitors, if there is one; monitors of RSMP control time only."""
        if self._rsmp:
            self._rsmp.time_control = SimulationTime(simulation)
        if self._monitors:
            self._monitors.time_control = SimulationTime(simulation)
            self._monitors.inspector = Inspector(simulation)
            self._monitors.drawings = simulation.drawings
            simulation.add_node(self._monitors.inspector)


class Reloading:
    """Files of robots and worlds that are loaded again when they change."""

    def __init__(self, settings: SimulationSettings) -> None:
        self._settings = settings

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Follow the files from now on."""
        from simspark_ros.server.reloading import Reloader

        reloader = Reloader(simulation, self._settings, LOG.info)
        reloader.start()
        stack.callback(reloader.close)


class PicturesForAgents:
    """Pictures for agents, drawn by a process of its own, if their profile has them; `memory` is its limit, MB.

    Seed and renderer are those of the simulation.
    """

    def __init__(self, core: ClassicServer, settings: SimulationSettings, memory: int) -> None:
        self._core, self._settings, self._memory = core, settings, memory

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Start the process."""
        form = self._core.profile.pictures
        if form is None:
            return
        check_drawing(self._settings.renderer)
        child, connection = start_pictures((form, simulation.world.settings, self._settings), self._memory)

        def robots() -> list[tuple[int, RobotDescription, tuple[PerceptorSpec, ...]]]:
            there, mounted = simulation.world.robots.values(), simulation.sensing.mounted
            return [(robot.handle, robot.description, mounted(robot)) for robot in there]

        pictures = AgentPictures(connection, form.rate, robots, lambda: simulation.world.settings)
        self._core.agents.pictures = pictures
        stack.callback(pictures.close)
        # Ends first, as a request may wait for it.
        stack.enter_context(child)


def game_controllers(options: GameControllerOptions, say: Callable[[str], object]) -> list[GameController]:
    """The GameController that options ask for, or none; `say` takes lines for people, errors as in `GameController`."""
    if not options.game_controller:
        return []
    from simspark_ros.server.game_controller.server import GameController

    return [GameController(options, say)]


def attachments_of_server(
    settings: SimulationSettings, options: ServeSettings, core: ClassicServer, links: Sequence[AgentLink], begun: Start
) -> tuple[list[Attachment], list[GameController]]:
    """The attachments of a server in the order of their events in a cycle, and its GameController, or none."""
    controllers = game_controllers(options, LOG.info)
    attachments: list[Attachment] = [
        Logs(options),
        ends(options),
        *(link for link in links if isinstance(link, Attachment)),
        *controllers,
        Recording(options.record, begun, LOG.warning, options.max_log),
        Scripts(options, begins=options.continued is None and options.verify is None),
        Monitors(core),
        *([] if options.draw_port is None else [AgentDrawings(options.bind, options.draw_port, LOG.info)]),
        *([Reloading(settings)] if options.reload else []),
    ]
    return attachments, controllers
