"""The control node of classic agents: takes their commands from links and sends them their perception."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

from simspark_ros.configuration.errors import shown
from simspark_ros.effectors import Effector
from simspark_ros.effectors.create import CREATING, LEAVE
from simspark_ros.effectors.hinge import command_velocities
from simspark_ros.effectors.motor import command_motors
from simspark_ros.exchange import Action, Argument, Commands, Notice, Percepts
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.robots.catalogue import loaded_robot
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

_READY, _PARTICIPANTS, _KIND = attrgetter("ready"), attrgetter("participants"), attrgetter("kind")


class AgentLink(Protocol):
    """A link to servers of agents, in this process, over TCP or over DDS."""

    lockstep: bool
    """Whether the simulation waits for all participants; kept up to date where the pacing changes."""

    def wait(self, timeout: float) -> None:
        """Let the link work until something came in or the timeout (s) has passed."""

    @property
    def participants(self) -> int:
        """Number of clients that lock-step has to wait for."""

    @property
    def ready(self) -> bool:
        """Whether every participant has answered the last perception."""

    def take(self) -> Commands:
        """Everything that came in since the last call."""

    def deliver(self, percepts: Percepts) -> None:
        """Send perception to all clients. Must not touch the world."""

    def close(self) -> None:
        """Release connections."""


class LinkParticipants:
    """The clients of all links, as the scheduler sees them; `sleep` waits (s) if there are no links."""

    def __init__(self, links: Sequence[AgentLink], sleep: Callable[[float], None]) -> None:
        self._links, self._sleep = links, sleep

    def wait(self, timeout: float) -> None:
        """Serve all links; with several of them the timeout (s) is shared."""
        for link in self._links:
            link.wait(timeout / len(self._links))
        if timeout > 0 and not self._links:
            self._sleep(timeout)

    @property
    def count(self) -> int:
        """Clients with a robot on all links."""
        return sum(map(_PARTICIPANTS, self._links))

    @property
    def ready(self) -> bool:
        """Whether all links have everything."""
        return all(map(_READY, self._links))


class AgentControl(ControlNode):
    """Serves any number of links, in their order.

    `refusal` says, for the length of the world's cycles, s, why clients get no robot; empty = they get one.

    Attributes:
        rejected: number of rejected inputs by reason.
        effectors: the effectors that agents may command, by kind.
    """

    def __init__(
        self, links: list[AgentLink], effectors: Mapping[str, Effector[Any]], refusal: Callable[[float], str]
    ) -> None:
        self.links = links
        self._refusal = refusal
        self.rejected: Counter[str] = Counter()
        self.effectors = effectors
        self._commands: list[Commands] = []
        # Actions of clients whose robots come or go when the engine is ready for that.
        self._held: tuple[Action, ...] = ()
        self._awaited: set[str] = set()
        self._ready: Future[object] | None = None

    def act(self, world: World, robot: Robot, kind: str, arguments: Sequence[Argument]) -> None:
        """Use an effector of a robot that has no client.

        Raises:
            CommandRejectedError: the robot has no such effector, or it refuses the command.
        """
        if kind not in self.effectors:
            known = ", ".join(sorted({spec.kind for spec in robot.description.effectors}))
            raise CommandRejectedError(f"there is no effector {shown(kind)}; robot '{robot.name}' has: {known}")
        self.effectors[kind].act(world, robot, arguments)

    def start_cycle(self, simulation: Simulation) -> None:
        """Take the clients' commands."""
        for link in self.links:
            commands = link.take()
            self._commands.append(commands)
            if commands.wants_poses:
                simulation.request_poses()

    def act_agent(self, simulation: Simulation) -> None:
        """Carry out the clients' commands."""
        for commands in self._commands:
            if commands.actions or self._held:
                commands = replace(commands, actions=self._admitted(commands.actions, simulation))
            if commands.rejected:
                self.rejected.update(commands.rejected)
            if simulation.recorder and (len(commands.handles) or commands.motors or commands.actions):
                simulation.recorder.note_commands(commands)
            self.carry_out(commands, simulation)
        self._commands.clear()

    def carry_out(self, commands: Commands, simulation: Simulation) -> None:
        """Joint commands first, then everything else in the order of the clients."""
        if len(commands.handles):
            unknown = command_velocities(simulation.world, commands.handles, commands.joints, commands.velocities)
            if unknown:
                self.rejected["joint command for a robot or joint that is gone"] += unknown
        if (motors := commands.motors) is not None:
            unknown = command_motors(simulation.world, motors.handles, motors.joints, motors.numbers)
            if unknown:
                self.rejected["motor command for a robot or joint that is gone"] += unknown
        for kind, actions in groupby(commands.actions, _KIND):
            if kind == LEAVE:
                clients, world = {action.client for action in actions}, simulation.world
                world.remove_robots([robot for robot in world.robots.values() if robot.client in clients])
            else:
                for action in actions:
                    self._carry_out(action, simulation)

    def send_percepts(self, percepts: Percepts) -> None:
        """Send to all links."""
        for link in self.links:
            link.deliver(percepts)

    def done(self, simulation: Simulation) -> None:
        """Close the links."""
        for link in self.links:
            link.close()

    def _admitted(self, actions: tuple[Action, ...], simulation: Simulation) -> tuple[Action, ...]:
        """The actions for now: those of clients whose robots come or go wait for the engine, but in lock-step."""
        every = self._held + actions
        moving = {action.client for action in every if action.kind in (*CREATING, LEAVE)}
        if simulation.is_past or any(link.lockstep for link in self.links):
            self._awaited, self._ready = moving, None
        elif moving and self._ready is None:
            self._ready = simulation.world.engine.prepare(_models_after(every, simulation.world))
            self._awaited = moving
        if self._ready is not None and not self._ready.done():
            late = moving
        else:
            # The engine is not ready for clients that have come since.
            late, self._ready = moving - self._awaited, None
        self._held = tuple(action for action in every if action.client in late)
        return tuple(action for action in every if action.client not in late)

    def _carry_out(self, action: Action, simulation: Simulation) -> None:
        try:
            if action.kind in TRAINER_COMMANDS:
                if told := TRAINER_COMMANDS[action.kind].command(trainer_of(simulation), action.arguments):
                    simulation.notice(Notice(action.client, told))
            elif action.kind in CREATING and (why := self._refusal(simulation.world.engine.cycle_time)):
                raise CommandRejectedError(why)
            elif action.kind in self.effectors:
                self.effectors[action.kind].command(simulation.world, action.client, action.arguments)
            else:
                raise CommandRejectedError(f"no effector of kind {shown(action.kind)}")
        except CommandRejectedError as error:
            # Remote sides may invent any number of kinds.
            is_known = action.kind in TRAINER_COMMANDS or action.kind in self.effectors
            self.rejected[action.kind if is_known else "unknown kind of action"] += 1
            simulation.notice(Notice(action.client, str(error)))


def _models_after(actions: Sequence[Action], world: World) -> tuple[ArticulatedModel, ...]:
    """Models of all robots when these actions have been carried out, unless one is refused then."""
    models = {robot.client or str(handle): robot.description.model for handle, robot in world.robots.items()}
    for action in actions:
        if action.kind == LEAVE:
            models.pop(action.client, None)
        # Other sides may send any arguments.
        with suppress(Exception):
            if action.kind in CREATING and len(models) < world.settings.max_robots:
                wish: Any = (*action.arguments, 0)[:2]
                models.setdefault(action.client, loaded_robot(world.types.name(*wish), wish[1]).model)
    return tuple(models.values())
