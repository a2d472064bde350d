"""Sockets for the drivers of all robots that have the sensors of LoLA."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from simspark_ros.effectors.lola import drive_device
from simspark_ros.exchange import Commands, Layout, Percepts
from simspark_ros.kernels.sockets import Selector
from simspark_ros.protocol.lola.identity import identity_of, read_identities
from simspark_ros.protocol.lola.sensors import SensorEncoder
from simspark_ros.robots.lola import COLUMNS
from simspark_ros.server.lola.robot_socket import RobotSocket, SocketSettings
from simspark_ros.server.lola.settings import LolaOptions
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import ALONE, CHECK_INTERVAL, ServerContext
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.simulation.agent_control import AgentLink
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

KIND = "lola"
"""The perceptor of robots that get a socket."""


class LolaServer(AgentLink, ControlNode):
    """A socket in a directory for each robot that has a name and no classic client, as long as it is there.

    As a link it makes the scheduler wait for drivers. As a control node it follows the robots, carries out drivers'
    commands, and sends them their robots' readings at the end of a cycle; they have until the next one to answer.

    Raises:
        PortError: the directory cannot be made.
    """

    def __init__(self, options: LolaOptions, context: ServerContext = ALONE) -> None:
        self.lockstep = False
        self.directory = Path(options.lola)
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PortError(f"--lola {self.directory}: cannot make that directory: {error.strerror}") from None
        self._options = options
        self._identities = read_identities(options.lola_bodies)
        self._own_selector = None if context.selector else Selector()
        self._context = context._replace(selector=context.selector or self._own_selector)
        self._sockets: dict[int, tuple[str, RobotSocket | None]] = {}
        self._driven: frozenset[int] = frozenset()
        self._places: dict[int, tuple[int, int]] = {}
        self._world_revision = self._layout_revision = -1

    def announced(self, host: str) -> str:
        """The line of the server's announcement."""
        paths = ", ".join(self.told()["lola"])
        return f"  drivers   {paths or f'{self.directory}/ROBOT, once the world has such a robot: --robot nao_lola'}"

    def told(self) -> dict[str, list[str]]:
        """The entry of the server's announcement for programs."""
        return {"lola": [str(path) for path in self.paths]}

    @property
    def participants(self) -> int:
        """How many drivers lock-step has to wait for."""
        return sum(robot.participants for robot in self._open)

    @property
    def ready(self) -> bool:
        """Whether every driver has answered."""
        return all(robot.is_ready for robot in self._open)

    @property
    def paths(self) -> list[Path]:
        """Paths of the open sockets."""
        return [Path(robot.place) for robot in self._open]

    def wait(self, timeout: float) -> None:
        """Serve drivers until something came in or the timeout (s) has passed; at once if another link polls."""
        if self._own_selector:
            self._own_selector.serve(min(timeout, CHECK_INTERVAL))
        for robot in self._open:
            robot.check(self.lockstep)

    def take(self) -> Commands:
        """Return nothing: drivers' commands are not commands of classic agents."""
        return Commands()

    def deliver(self, percepts: Percepts) -> None:
        """Do nothing: these percepts were sent at the end of their cycle."""

    def clients(self) -> list[ClientStatus]:
        """Return diagnostics of all drivers."""
        return [status for robot in self._open for status in robot.clients()]

    def close(self) -> None:
        """Disconnect all drivers and take the sockets away; repeated calls do nothing."""
        for robot in self._open:
            robot.close()
        self._sockets.clear()
        if self._own_selector:
            self._own_selector.close()

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Take part in a simulation's cycles, and open the sockets of the robots that are there; see `Attachment`.

        Raises:
            PortError: a socket cannot be opened; later ones that cannot are reported and left out.
        """
        simulation.add_node(self)
        for robot in simulation.world.robots.values():
            if _has_driver(robot):
                self._sockets[robot.handle] = robot.name, self._opened(robot.name)

    def start_cycle(self, simulation: Simulation) -> None:
        """Follow robots that came, went or got another name, and sense all robots with a driver."""
        self._follow(simulation.world)
        driven = frozenset(handle for handle, (_, one) in self._sockets.items() if one and one.has_driver)
        if driven != self._driven:
            self._driven, robots = driven, simulation.world.robots
            specs = ((handle, spec) for handle in driven for spec in robots[handle].description.perceptors)
            simulation.sensing.demand({(handle, KIND, spec.name) for handle, spec in specs if spec.kind == KIND}, self)

    def act_agent(self, simulation: Simulation) -> None:
        """Carry out drivers' commands, in the order of their robots."""
        world = simulation.world
        if simulation.is_past:
            return
        for handle, (_, robot_socket) in self._sockets.items():
            robot = world.robots.get(handle)
            # A trainer may have removed it in this cycle.
            if robot is None or robot_socket is None:
                continue
            for command in robot_socket.take():
                simulation.note("device", handle, *command)
                drive_device(world, robot, command)

    def end_cycle(self, simulation: Simulation) -> None:
        """Send the robots' readings."""
        percepts = simulation.percepts
        assert percepts is not None
        if percepts.layout.revision != self._layout_revision:
            self._layout_revision = percepts.layout.revision
            self._places = _places(percepts.layout)
        if simulation.is_past:
            return
        for handle, (_, robot_socket) in self._sockets.items():
            start, flag = self._places.get(handle, (-1, -1))
            if robot_socket and flag >= 0 and percepts.present[flag]:
                others = len(percepts.layout.robots) > 1
                robot_socket.deliver(percepts.values[start : start + len(COLUMNS)], others)

    @property
    def _open(self) -> list[RobotSocket]:
        return [robot for _, robot in self._sockets.values() if robot]

    def _follow(self, world: World) -> None:
        if world.revision == self._world_revision:
            return
        self._world_revision = world.revision
        wanted = {robot.handle: robot.name for robot in world.robots.values() if _has_driver(robot)}
        for handle, (name, robot_socket) in list(self._sockets.items()):
            if wanted.get(handle) != name:
                del self._sockets[handle]
                if robot_socket:
                    robot_socket.close()
        for handle, name in wanted.items():
            if handle not in self._sockets:
                try:
                    self._sockets[handle] = name, self._opened(name)
                except PortError as error:
                    self._sockets[handle] = name, None
                    self._context.log.warning(f"robot '{name}' has no driver: {error}")

    def _opened(self, name: str) -> RobotSocket:
        options = self._options
        settings = SocketSettings(
            path=self.directory / name,
            kind=f"driver of {name}",
            max_message=options.max_lola_message,
            silent_timeout=options.lola_timeout or None,
        )
        identity = self._identities.get(name) or identity_of(name)
        encoder = SensorEncoder(identity, options.lola_pressure == "kilograms")
        return RobotSocket(settings, encoder, self._context)


def _has_driver(robot: Robot) -> bool:
    kinds = (spec.kind for spec in robot.description.perceptors)
    return bool(robot.name) and not robot.client and KIND in kinds


def _places(layout: Layout) -> dict[int, tuple[int, int]]:
    """Start of the values of LoLA's sensors, and index of their presence, by robot."""
    slots = ((robot.handle, slot) for robot in layout.robots for slot in robot.slots)
    return {handle: (slot.start, flag) for flag, (handle, slot) in enumerate(slots) if slot.kind == KIND}
