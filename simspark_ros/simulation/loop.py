"""The update loop: discrete cycles, control nodes and their events, in the measured order of the reference.

One cycle (protocol reference, section 2): start cycle, act agent, send the perception of the *previous* cycle,
physics, sense agent, end cycle. A command that answers message k is therefore visible first in message k + 2.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.exchange import Commands, Notice, Percepts
from simspark_ros.simulation.drawings import Drawings
from simspark_ros.simulation.pacing.scheduler import Scheduler
from simspark_ros.simulation.senses.sensing import Sensing
from simspark_ros.soccer.settings import SoccerSettings, WorldText
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.trainer.base import PlayerControl, SceneEditor, WorldKeeper

T = TypeVar("T")
N = TypeVar("N", bound="ControlNode")
Work = Collection[object]
ALWAYS: tuple[Work, Work] = ((None,), ())


@dataclass
class Requests:
    """Work that other threads want done by the thread of the simulation, between two cycles."""

    _queue: deque[Callable[[], None]] = field(default_factory=deque)

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue work; safe from any thread. The future carries its result or its exception."""
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:
                future.set_exception(error)

        self._queue.append(run)
        return future

    def run(self, clock: Callable[[], float] = lambda: 0.0, seconds: float = math.inf) -> None:
        """Do at least one queued piece of work, then more for some time, s: clients may queue more all the time."""
        if not self._queue:
            return
        end = clock() + seconds
        while self._queue:
            self._queue.popleft()()
            if clock() >= end:
                return


class ControlNode:
    """Base of control nodes, which take part in the update loop (user manual, "Simulation Update Loop").

    Override the events that matter; only those are called that are overridden when the node is added, those of a cycle
    only while the node has `work`. An exception of a plug-in's node ends its part in the simulation; an exception of
    any other node ends the simulation.

    One cycle is: start_cycle, act_agent, send_percepts, physics, sense_agent, end_cycle. Nodes are called in the
    order in which they were added. All events but `send_percepts` may read and change the world.
    """

    @property
    def itself(self) -> ControlNode:
        """The node that `Simulation.node` finds: this one, or the node that it wraps."""
        return self

    def work(self, simulation: Simulation) -> tuple[Work, Work]:
        """Two collections, the same ones for ever: a cycle calls the node only while one of them has anything.

        Nodes of entry points are always called.
        """
        return ALWAYS

    def init(self, simulation: Simulation) -> None:
        """The loop starts."""

    def start_cycle(self, simulation: Simulation) -> None:
        """Take the inputs from outside since the last cycle."""

    def act_agent(self, simulation: Simulation) -> None:
        """Let effectors act on the world."""

    def send_percepts(self, percepts: Percepts) -> None:
        """Send the perception of the previous cycle, so that agents think while physics works.

        In the multi-threaded mode this runs beside physics: it must not touch the world.
        """

    def sense_agent(self, simulation: Simulation) -> None:
        """Physics is done, perception is not: change what robots are about to perceive (rules, referee)."""

    def end_cycle(self, simulation: Simulation) -> None:
        """Perception is complete (`simulation.percepts`): publish."""

    def reset(self) -> None:
        """The game restarts: forget the old one."""

    def done(self, simulation: Simulation) -> None:
        """The loop ends."""


class InputRecorder(Protocol):
    """Takes the inputs of a simulation, in order; see `simspark_ros.simulation.inputs`."""

    def note(self, name: str, *arguments: Any) -> None:
        """Take an input."""

    def note_commands(self, commands: Commands) -> None:
        """Take the commands of a link."""


class WorldControl(Protocol):
    """Replaces the world of a simulation; see `simspark_ros.simulation.loading.world_loading.WorldLoader`.

    Attributes:
        current: the world that is loaded, None if there is none.
        drawn: text of that world for those who draw it; empty if there is none.
    """

    current: WorldText | None

    @property
    def drawn(self) -> str:
        """Text of the current world for programs that draw it."""

    def find(self, uri: str, text: str, limits: LimitSettings) -> Callable[[], WorldText]:
        """Return a function that reads a world."""

    def settings(self, text: WorldText) -> SoccerSettings:
        """Return the settings of a world."""

    def prepare(
        self, simulation: Simulation, text: WorldText, limits: LimitSettings | None = None
    ) -> Callable[[], None]:
        """Try a world in any thread; returns the function that replaces the present one by it."""

    def unload(self, simulation: Simulation) -> None:
        """Remove the world with all robots."""


class Simulation:
    """A world, its perception and the control nodes around them, in the order of their events.

    With two `threads`, perception is sent beside physics: same results, faster only where physics releases the
    interpreter.

    Attributes:
        world: the simulated world; only the thread that runs the loop touches it, others use `requests`.
        percepts: percepts of the last cycle; None before the first.
        recorder: taker of all inputs; None = they are not recorded.
        worlds: loader that replaces the world; it is attached before the loop starts.
        players: host of player plug-ins, which starts and stops them; None = there are none.
        drawings: drawings of programs, for people who watch.
        past: quanta of each recorded cycle to run before any input from outside; a control node repeats their inputs.
        is_past: whether such recorded cycles run now.
        sequential: whether perception is sent at the end of its cycle, so that the next commands act on it.
    """

    def __init__(self, world: SoccerWorld, sensing: Sensing, scheduler: Scheduler, threads: int = 1) -> None:
        self.world = world
        self.scheduler = scheduler
        self.requests = Requests()
        self.time = 0.0
        self.percepts: Percepts | None = None
        self.sensing = sensing
        self.recorder: InputRecorder | None = None
        self.worlds: WorldControl
        self.players: PlayerControl | None = None
        self.drawings = Drawings()
        self.saving: WorldKeeper | None = None
        self.editing: SceneEditor | None = None
        self.past: Iterable[int] = ()
        self.is_past = False
        self.sequential = False
        self._nodes: list[ControlNode] = []
        self._list_nodes()
        self._notices: list[Notice] = []
        self._beside = ThreadPoolExecutor(1, "percepts") if threads > 1 else None
        self._stop = threading.Event()
        self._quanta_run = 0
        self._time_before = 0.0
        self._poses_requested = False
        self._revision = 0

    def add_node(self, node: ControlNode, *, first: bool = False) -> None:
        """Add a control node after the others or before them, before the loop starts."""
        self._nodes.insert(0 if first else len(self._nodes), node)
        self._list_nodes()

    def node(self, kind: type[N]) -> N | None:
        """The first control node of a class."""
        return next((found for node in self._nodes if isinstance(found := node.itself, kind)), None)

    def required(self, kind: type[N]) -> N:
        """The first control node of a class that every assembled simulation has."""
        node = self.node(kind)
        assert node is not None
        return node

    def stop(self) -> None:
        """Let `run` return after the current cycle; safe from any thread and from signal handlers."""
        self._stop.set()

    @property
    def stopping(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.is_set()

    @property
    def has_world(self) -> bool:
        """Whether a world is loaded; without one no time passes, and no robot may be added."""
        return not self.scheduler.halted

    def note(self, name: str, *arguments: Any) -> None:
        """Record an input, if inputs are recorded; its name and arguments are as in `INPUTS`."""
        if self.recorder is not None:
            self.recorder.note(name, *arguments)

    def notice(self, notice: Notice) -> None:
        """Tell the operator of a client something, with the next perception."""
        self._notices.append(notice)

    def take_notices(self, clients: Collection[str]) -> list[Notice]:
        """The notices for some clients, which the next perception then does not have."""
        taken = [notice for notice in self._notices if notice.client in clients]
        self._notices = [notice for notice in self._notices if notice.client not in clients]
        return taken

    def request_poses(self) -> None:
        """Request poses in the next percepts if percepts are due; for control nodes at the start of a cycle."""
        self._poses_requested = True

    def reset(self) -> None:
        """Begin again: what clients have added goes, then as `reset_state` and `reset_time`."""
        if self.editing is not None:
            self.editing.clear()
        self.reset_state()
        self.reset_time()

    def reset_state(self) -> None:
        """Bring robots home with their joints at zero, the ball to the centre and the game to its start."""
        self.world.reset_state()
        self.reset_nodes()

    def reset_nodes(self) -> None:
        """Reset the control nodes, which then forget the game."""
        for node in self._nodes:
            node.reset()

    def reset_time(self) -> None:
        """Set simulated time back to zero; cycle numbers go on."""
        self.set_time(0.0)
        self.scheduler.restart()

    def set_time(self, seconds: float) -> None:
        """Let simulated time go on from `seconds`; cycle numbers go on."""
        self._quanta_run = 0
        self.time = self._time_before = seconds

    def change_cycle_time(self) -> None:
        """From now on count time by the cycles of the world's new engine, which last longer or shorter."""
        self._time_before, self._quanta_run = self.time, 0
        self.scheduler.cycle_time = self.world.engine.cycle_time

    def run(self, cycles: int | None = None) -> None:
        """Run until `stop`, or for a number of cycles that have physics."""
        self.begin()
        try:
            self._run_past()
            done = 0
            while not self._stop.is_set() and (cycles is None or done < cycles):
                self.requests.run(self.scheduler.clock, self.scheduler.settings.request_time)
                players = 0 if self.scheduler.started else self._players()
                quanta = self.scheduler.quanta_due(players)
                if self.scheduler.jump is not None:
                    self._jump(self.scheduler.jump)
                if quanta is not None:
                    self.run_cycle(quanta)
                    done += bool(quanta)
        finally:
            self.end()

    def begin(self) -> None:
        """Tell the control nodes that the loop starts; for programs that call `run_cycle` themselves."""
        for node in self._nodes:
            node.init(self)

    def end(self) -> None:
        """Tell the control nodes that the loop has ended, and do all work that is still requested."""
        for node in reversed(self._nodes):
            node.done(self)
        self.requests.run()
        if self._beside:
            self._beside.shutdown()

    def _run_past(self) -> None:
        self.is_past = True
        for quanta in self.past:
            if self._stop.is_set():
                break
            self.run_cycle(quanta)
        self.is_past = False

    # One piece: a call for each event would cost as much as those that are saved.
    def run_cycle(self, quanta: int = 1) -> None:  # noqa: C901
        """Run one cycle of some time quanta; with 0 only inputs are served, no time passes and nothing is sent."""
        self._poses_requested = False
        for node, work, more in self._start_cycle:
            if work or more:
                node.start_cycle(self)
        for node, work, more in self._act_agent:
            if work or more:
                node.act_agent(self)
        if quanta == 0:
            return
        if self.sequential:
            self.world.step(quanta)
        else:
            self._send_and_step(quanta)
        self._quanta_run += quanta
        self.time = self._time_before + self._quanta_run * self.world.engine.cycle_time
        for node, work, more in self._sense_agent:
            if work or more:
                node.sense_agent(self)
        notices, self._notices = tuple(self._notices), []
        self.percepts = self.sensing.sense(self.world, self.time, notices, self._poses_requested)
        for node, work, more in self._end_cycle:
            if work or more:
                node.end_cycle(self)
        if self.sequential:
            self._send(self.percepts)

    def _jump(self, time: float) -> None:
        """Go on from the time that a clock of another program says."""
        self.scheduler.jump = None
        self.note("set_time", time)
        self.set_time(time)

    def _players(self) -> int:
        return sum(1 for robot in self.world.robots.values() if robot.client)

    def _send_and_step(self, quanta: int) -> None:
        percepts, world = self.percepts, self.world
        if world.revision != self._revision:
            # Robots may have come or gone: the engine gets ready while percepts are sent.
            self._revision = world.revision
            world.engine.prepare(world.engine.state.models)
        if self._beside is None or percepts is None:
            if percepts is not None:
                self._send(percepts)
            self.world.step(quanta)
            return
        sending = self._beside.submit(self._send, percepts)
        try:
            self.world.step(quanta)
        finally:
            # After an error sockets are closed, whose numbers may come again.
            sending.result()

    def _send(self, percepts: Percepts) -> None:
        for node, work, more in self._send_percepts:
            if work or more:
                node.send_percepts(percepts)

    def _list_nodes(self) -> None:
        """List the nodes by the events of a cycle that they take: an event costs nothing where nobody does."""
        self._start_cycle = self._takers("start_cycle")
        self._act_agent = self._takers("act_agent")
        self._send_percepts = self._takers("send_percepts")
        self._sense_agent = self._takers("sense_agent")
        self._end_cycle = self._takers("end_cycle")

    def _takers(self, event: str) -> list[tuple[ControlNode, Work, Work]]:
        nothing = getattr(ControlNode, event)
        takers = (node for node in self._nodes if getattr(getattr(node, event), "__func__", None) is not nothing)
        return [(node, *node.work(self)) for node in takers]
