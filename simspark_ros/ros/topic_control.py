"""The control node of topics: commands in, data out, in the thread of the simulation."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from simspark_ros.exchange import Percepts
from simspark_ros.perceptors.base import MountKey
from simspark_ros.perceptors.readings import Detections
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry, TopicPublisher
from simspark_ros.ros.topics.robot import RobotTopics
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World


@dataclass
class Steps:
    """Steps that are being made for a client, with the cycles left to run.

    `done` is completed with None when none are left, or with a text that says why not all were made. The simulation's
    thread calls `on_step` after each.
    """

    left: int
    done: Future[str | None]
    on_step: Callable[[], object] = lambda: None


class TopicControl(ControlNode):
    """Takes commands from the robots' inboxes and fills the topics that have subscribers.

    Everything here belongs to the thread of the simulation, unless said otherwise. `roster_changed` is called after a
    change of `roster`, and must return at once; `described` gives a robot's description as its topics are to have it.

    Attributes:
        cycle: the last cycle in which something was published.
        roster: robots that have, or are about to get, topics; replaced as a whole, read by the executor's thread.
        namespaces: topic namespace of robots, by handle, where it differs from the name.
        simulated: seconds simulated since the start; unlike the simulation's time never set back.
        late_cycles: cycles in real time that began more than half a cycle late.
        commands: cycles in which a robot was commanded by topic, by handle.
    """

    def __init__(
        self,
        tf: str,
        roster_changed: Callable[[], None],
        localized: bool = True,
        described: Callable[[Robot], RobotDescription] = lambda robot: robot.description,
        cycle: Cycle | None = None,
    ) -> None:
        self.cycle = cycle or Cycle()
        self.roster: tuple[RobotEntry, ...] = ()
        self.namespaces: dict[int, str] = {}
        self.tf = tf
        self.simulated = 0.0
        self.late_cycles = 0
        self.commands: Counter[int] = Counter()
        self.steps: Steps | None = None
        self._roster_changed, self._localized, self._described = roster_changed, localized, described
        self._roster_revision = -1
        self._bound_revision = -1
        self._world_topics: tuple[TopicPublisher, ...] = ()
        self._offered: tuple[RobotTopics, ...] = ()
        self._topics: list[RobotTopics] = []
        # Topics adopted since the last cycle.
        self._unbound: list[RobotTopics] = []
        self._last_start = 0.0
        self._demanded: frozenset[MountKey] = frozenset()

    def adopt(self, topics: Iterable[RobotTopics], world_topics: Iterable[TopicPublisher]) -> None:
        """Use these topics and no others from now on; the others may be destroyed then."""
        before = set(map(id, self._offered))
        self._offered, self._world_topics = tuple(topics), tuple(world_topics)
        self._topics = self._present(self._offered)
        self._unbound += [topics for topics in self._offered if id(topics) not in before]

    def give_namespace(self, world: World, robot: Robot, namespace: str) -> None:
        """Put the topics of a new robot into a namespace other than its name."""
        self.namespaces[robot.handle] = namespace
        world.reserved_names.add(namespace.strip("/"))

    def update_roster(self, world: World) -> None:
        """Follow robots that came, went or were renamed."""
        if world.revision == self._roster_revision:
            return
        self._roster_revision = world.revision
        roster = tuple(
            RobotEntry(
                robot.handle,
                robot.name,
                self.namespaces.get(robot.handle, robot.name),
                self._described(robot),
                self.tf,
                world.generation,
                self._localized,
            )
            for robot in world.robots.values()
            if robot.name and not robot.description.is_object
        )
        for gone in [handle for handle in self.namespaces if handle not in world.robots]:
            world.reserved_names.discard(self.namespaces.pop(gone).strip("/"))
        for gone in [handle for handle in self.commands if handle not in world.robots]:
            del self.commands[gone]
        if roster != self.roster:
            self.roster = roster
            self._topics = self._present(self._topics)
            self._roster_changed()

    def set_tf(self, tf: str, world: World) -> None:
        """Change the mode of transforms: all robots get new topics."""
        self.tf = tf
        self._roster_revision = -1
        self.update_roster(world)

    def start_cycle(self, simulation: Simulation) -> None:
        """Measure lateness."""
        now = time.perf_counter()
        scheduler = simulation.scheduler
        if scheduler.settings.pacing == "realtime" and not scheduler.paused:
            self.late_cycles += now - self._last_start > 1.5 * simulation.world.engine.cycle_time
        self._last_start = now

    def act_agent(self, simulation: Simulation) -> None:
        """Hand commands to the motors, in the order of robots."""
        if simulation.is_past:
            return
        world = simulation.world
        state = world.engine.state
        if self._unbound or world.revision != self._bound_revision:
            # Robots have come or gone since the last cycle; percepts, and so `_bind`, come after physics.
            offsets = dict(zip(state.handles, state.joint_offset.tolist(), strict=False))
            for topics in self._topics:
                topics.first_joint = offsets.get(topics.entry.handle, -1)
            self._topics.sort(key=lambda topics: topics.first_joint)
        for topics in self._topics:
            joints = topics.inbox.waiting or topics.trajectory.active
            if not (joints or topics.effectors.waiting or topics.driver.waiting):
                continue
            handle = topics.entry.handle
            others = topics.effectors.waiting or topics.driver.waiting
            if (topics.first_joint >= 0 and self._command_joints(simulation, topics)) or others:
                self.commands[handle] += 1
            robot = world.robots.get(handle)
            if robot is not None:
                topics.effectors.apply(world, robot, partial(simulation.note, "effector", handle))
                topics.driver.apply(world, robot, partial(simulation.note, "device", handle))

    def _command_joints(self, simulation: Simulation, topics: RobotTopics) -> bool:
        """Apply trajectory and joint commands of a robot; whether there were any."""
        motors, engine, first = simulation.world.motors, simulation.world.engine, topics.first_joint
        state, seconds = engine.state, engine.cycle_time
        applied = topics.trajectory.apply(motors, first, state, seconds, simulation.time, self.simulated)
        # Later ones win: a command for a joint goes before its trajectory.
        applied += topics.inbox.apply(motors, first, state, seconds)
        if applied and simulation.recorder:
            targets = [(int(mode), joints.tolist(), values.tolist()) for mode, joints, values in applied]
            simulation.note("motors", topics.entry.handle, targets)
        return bool(applied)

    def sense_agent(self, simulation: Simulation) -> None:
        """Demand the perceptors whose topics have subscribers."""
        demanded = frozenset(key for topics in self._topics for key in topics.demanded)
        if demanded != self._demanded:
            self._demanded = demanded
            simulation.sensing.demand(demanded, self)

    def reset(self) -> None:
        """Follow no trajectory from before."""
        for topics in self._topics:
            topics.trajectory.put(None, "the simulation was reset")

    def end_cycle(self, simulation: Simulation) -> None:
        """Publish, `/clock` first: no data is newer than the clock."""
        world, percepts = simulation.world, simulation.percepts
        assert percepts is not None
        self.update_roster(world)
        if self._unbound or world.revision != self._bound_revision:
            self._bind(simulation)
        self.simulated += world.elapsed
        self._publish(world, percepts, simulation.sensing.detections)
        if self.steps is not None:
            self.steps.left -= 1
            self.steps.on_step()
            if self.steps.left == 0:
                self.end_steps(None)

    def done(self, simulation: Simulation) -> None:
        """Answer an open StepSimulation."""
        self.end_steps("the simulator is shutting down")

    def end_steps(self, reason: str | None) -> None:
        """Answer an open StepSimulation; None: all steps were made."""
        if self.steps is not None:
            self.steps.done.set_result(reason)
            self.steps = None

    @property
    def skipped(self) -> dict[int, int]:
        """Numbers of joints that commands by topic named with NaN alone, which is no command, by robot's handle."""
        return {topics.entry.handle: topics.inbox.skipped for topics in self._topics}

    @property
    def published(self) -> int:
        """Messages published by the topics that exist now."""
        robots = sum(publisher.published for topics in self._offered for publisher in topics.publishers)
        return robots + sum(publisher.published for publisher in self._world_topics)

    def _publish(self, world: World, percepts: Percepts, detections: Mapping[MountKey, Detections]) -> None:
        world_topics = [publisher for publisher in self._world_topics if publisher.active]
        robots = [topics for topics in self._topics if topics.active]
        if not world_topics and not robots:
            return
        self.cycle.update(world, percepts, detections)
        for publisher in world_topics:
            publisher.run_or_switch_off(publisher.publish)
        for topics in robots:
            topics.publish()

    def _present(self, offered: Iterable[RobotTopics]) -> list[RobotTopics]:
        """Those of some topics whose robots are in the roster."""
        roster = set(self.roster)
        return [topics for topics in offered if topics.entry in roster]

    def _bind(self, simulation: Simulation) -> None:
        world, percepts = simulation.world, simulation.percepts
        assert percepts is not None
        new, self._unbound = set(map(id, self._unbound)), []
        changed = world.revision != self._bound_revision
        if changed:
            self.cycle.bind(world, percepts)
        self._topics = self._present(self._topics)
        self._topics.sort(key=lambda topics: self.cycle.row(topics.entry.handle))
        for topics in self._topics:
            if changed or id(topics) in new:
                topics.bind(self.cycle, simulation.sensing.mounted(world.robots[topics.entry.handle]))
        self._bound_revision = world.revision
