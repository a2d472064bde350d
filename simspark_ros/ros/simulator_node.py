"""The simulator node: a world of robots on ROS 2 topics, services and parameters."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros.protocol.lola.identity import read_identities
from simspark_ros.rendering.player_pictures import PlayerPictures
from simspark_ros.robots.description import RobotDescription
from simspark_ros.ros.bridge.link import DdsAgentLink
from simspark_ros.ros.conversions import set_stamp
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.diagnostics.publisher import Diagnostics, Rejections
from simspark_ros.ros.diagnostics.status import ClientDiagnostics
from simspark_ros.ros.namespaces import RobotNamespaces
from simspark_ros.ros.neighbours import UnheardPublishers, other_clocks, refuse_namesake, warning_of
from simspark_ros.ros.node_parts.services import Services
from simspark_ros.ros.node_parts.world_topics import WorldTopics
from simspark_ros.ros.parameters.declared import Parameters
from simspark_ros.ros.parameters.rule_book import RuleParameters
from simspark_ros.ros.parameters.sensors import SensorParameters
from simspark_ros.ros.process import BackgroundExecutor, run_process
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.names import TopicChecks
from simspark_ros.ros.topics.publisher import RELIABLE, TopicError
from simspark_ros.ros.topics.roster import RosterTopics
from simspark_ros.ros.topics.transforms import transform_message
from simspark_ros.server.attachments import Recording, game_controllers
from simspark_ros.server.lola.server import LolaServer
from simspark_ros.server.signals import Signals
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.simulation.agent_control import AgentControl, AgentLink
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.attachments import Attachment, Nodes, RobotsAtStart, attach_all
from simspark_ros.simulation.choices import admit_classic_agents, with_engine
from simspark_ros.simulation.loading.robot_resources import SpawnError, SpawnRefusal
from simspark_ros.simulation.logs.command_log import HashLog, Start
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.terminal import fitted

SUBSCRIBER_CHECK = 0.2
"""Seconds between two checks for new subscribers; with 22 robots a check costs a millisecond or two."""

DIAGNOSTICS_PERIOD = 1.0
"""Seconds of wall time between two messages on /diagnostics."""


class SimulatorNode(Node):
    """Node `simulator`.

    Every topic and service is in docs/reference/nodes/simulator.md; each publisher is a class in
    `simspark_ros.ros.topics` (`registry.py` says which a robot has), the services are in `simspark_ros.ros.services`.
    Topics of a robot are below `<robot>/`, its name or the namespace it was spawned with. Stamps are simulated time,
    equal to `/clock`. A topic without subscribers is neither filled nor sent.

    Parameters are the fields of `SimulationSettings` and `NodeOptions`; the arguments are their defaults.

    Attributes:
        actions: the node `simulator_actions`, for robots' actions, with an executor of its own: an action has many
            entities, each of which costs its executor time whenever anything happens.
        begun: time when the node was made, by `time.monotonic`, s.

    Raises:
        ConfigurationError: a parameter or file is wrong; the message names it.
    """

    def __init__(self, defaults: SimulationSettings | None = None, options: NodeOptions | None = None) -> None:
        # This node makes the time; with its own /clock as source it would stop.
        own_time = Parameter("use_sim_time", value=False)
        self.begun = time.monotonic()
        super().__init__("simulator", parameter_overrides=[own_time])
        # Arguments of the process that name a node mean the other one; these go before them.
        name, namespace = f"{self.get_name()}_actions", self.get_namespace()
        self.actions = Node(
            name,
            context=self.context,
            cli_args=["--ros-args", "-r", f"__node:={name}", "-r", f"__ns:={namespace}"],
            enable_rosout=False,
            start_parameter_services=False,
            parameter_overrides=[own_time],
        )
        try:
            self._declared = Parameters(self, defaults, options or NodeOptions())
            admitted = with_engine(self._declared.settings)
            if self.options.bridge:
                admitted, refusal = admit_classic_agents(self._declared.settings)
                if refusal:
                    self.get_logger().warning(f"{refusal}; monitors may watch")
            self._profile, self._engine = admitted.profile, admitted.engine
        except Exception:
            self.destroy_node()
            raise
        self._wake_loop = threading.Event()
        self._refused = Rejections(self.get_logger())
        # Missing packages are missing for all robots alike.
        self._warn_once = lru_cache(maxsize=256)(self._warn)
        if self.options.tf != "none" and transform_message() is None:
            self.get_logger().info("tf and tf_static are not published: tf2_msgs is not installed; it comes with ROS 2")

    def destroy_node(self) -> None:
        """Destroy both nodes."""
        self.actions.destroy_node()
        super().destroy_node()

    @property
    def settings(self) -> SimulationSettings:
        """Settings of the simulation, parameters included; with bridges the profile is the admitted one."""
        return replace(self._declared.settings, profile=self._profile, engine=self._engine)

    @property
    def options(self) -> NodeOptions:
        """Options of the node, parameters included."""
        return self._declared.options

    def build(self, links: Sequence[AgentLink] = (), stack: ExitStack | None = None) -> tuple[Simulation, AgentControl]:
        """Build the simulation with this node's settings and links to bridges, and connect the node to it.

        `stack` frees the attachments of the simulation; None = they are freed with the process.

        Returns the simulation, to be run in the calling thread, and its agent control.

        Raises:
            ConfigurationError, PhysicsError, RobotError: a setting cannot be used.
        """
        settings, options = self.settings, self.options
        simulation, agents = build_simulation(settings, links, time.monotonic, self._sleep, self._warn)
        self.simulation, self._links = simulation, tuple(links)
        self._update_links()
        wake = self._wake_loop.set
        self._sensors = SensorParameters(self, simulation, wake)
        self.control = self._topic_control(simulation)
        referee = simulation.node(Referee)
        self._rules = RuleParameters(self, simulation, referee, wake) if referee else None
        self._declared.others += [*([self._rules] if self._rules else []), self._sensors]
        self._world_topics = WorldTopics(self, simulation, self.control, options)
        self._world_topics.outer_clock.update(settings.pacing)
        self._topics = RosterTopics(
            self,
            self.actions,
            options,
            simulation,
            self.control,
            self._world_topics.publishers,
            self._refused,
            self._warn_once,
            wake,
        )
        checks = TopicChecks(self, self.actions, settings, simulation.world)
        self._offered = Services(self, simulation, self.control, settings, options, checks, wake, self._synchronise)
        state = self._offered.state
        self._report = Diagnostics(simulation, agents, self.control, self._refused, lambda: state.state)
        self._report_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        attach_all(self._attachments(settings, checks), simulation, stack or ExitStack())
        self._begin()
        return simulation, agents

    def _topic_control(self, simulation: Simulation) -> TopicControl:
        self._roster_changed = self.create_guard_condition(self._keep_up)
        options, cycle = self.options, Cycle(self.settings.seed, read_identities(self.options.lola_bodies))
        localized = options.localization == "ground_truth"
        control = TopicControl(options.tf, self._roster_changed.trigger, localized, self._sensors.described, cycle)
        simulation.add_node(control)
        return control

    def _attachments(self, settings: SimulationSettings, checks: TopicChecks) -> list[Attachment]:
        options = self.options
        namespaces = RobotNamespaces(options.robot_namespaces, self.control)

        def check(description: RobotDescription, name: str) -> None:
            try:
                checks.check(description, namespaces.of.get(name, name))
            except TopicError as error:
                raise SpawnError(SpawnRefusal.OPERATION_FAILED, str(error)) from None

        return [
            PlayerPictures(lambda: settings.seed, settings.renderer),
            Nodes(HashLog(Path(options.hash_log), self._warn, options.max_log) if options.hash_log else None),
            RobotsAtStart(options.robots, settings, "parameter 'robots': '{}'", check),
            namespaces,
        ]

    def _begin(self) -> None:
        """Make the first topics, before the loop starts, and begin to look for subscribers."""
        self.control.update_roster(self.simulation.world)
        self._topics.begin()
        self._sensors.follow(self.control.roster)
        self._sensors.tell_of_waiting()
        self._unheard = UnheardPublishers(self)
        # Wall time, whatever simulated time does.
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(SUBSCRIBER_CHECK, self._check, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._diagnose, clock=wall)
        self._declared.on_change(self._settings_changed)

    @property
    def idle(self) -> bool:
        """Whether every request to a service has been answered."""
        return self._offered.quiet

    def _sleep(self, seconds: float) -> None:
        """Wait for the next cycle, but wake up for requests."""
        if self._wake_loop.wait(seconds):
            self._wake_loop.clear()

    def _synchronise(self) -> None:
        """Make and remove topics as the roster says, in the executor's thread, and find new subscribers."""
        self._topics.follow()
        self._sensors.follow(self.control.roster)
        self._refresh()

    def _keep_up(self) -> None:
        """Do as `_synchronise`, but for one new robot at a time: other callbacks have their turn."""
        others_wait = self._topics.follow(1)
        self._sensors.follow(self._topics.entries)
        if others_wait:
            self._roster_changed.trigger()
        else:
            self._refresh()

    def _refresh(self) -> None:
        self._world_topics.refresh()
        self._topics.refresh()

    def _check(self) -> None:
        self._refresh()
        self._unheard.look()
        self._world_topics.drawings.refresh()
        self._offered.refresh()
        if self._rules is not None:
            self._rules.refresh()

    def _warn(self, text: str) -> None:
        self.get_logger().warning(fitted(text, sys.stderr, len("WARN: ")))

    def _diagnose(self) -> None:
        for other in other_clocks(self) if self.settings.pacing != EXTERNAL else ():
            self._warn_once(warning_of(other, self.context.get_domain_id()))
        self.simulation.requests.submit(self._publish_diagnostics)

    def _publish_diagnostics(self) -> None:
        self._report_publisher.publish(self._report.report())

    def _settings_changed(self) -> None:
        """Apply changed parameters in the simulation's thread."""
        settings, tf = self.settings, self.options.tf
        self._world_topics.outer_clock.update(settings.pacing)

        def apply() -> None:
            scheduler = self.simulation.scheduler
            # Robots that the start waited for may have come already.
            scheduler.settings = replace(settings, wait_for_robots=scheduler.settings.wait_for_robots)
            self._update_links()
            if not scheduler.paused:
                # Real time counts from now on: lateness under another pacing is not caught up.
                scheduler.resume()
            if tf != self.control.tf:
                self.control.set_tf(tf, self.simulation.world)

        self.simulation.requests.submit(apply)
        self._wake_loop.set()

    def _update_links(self) -> None:
        """Bridges hold messages back in lock-step only."""
        lockstep = self.simulation.scheduler.settings.pacing == "lockstep"
        for link in self._links:
            link.lockstep = lockstep


def run_simulation(node: SimulatorNode, simulation: Simulation) -> None:
    """Run a simulation in this thread and its node's callbacks beside it, until it is stopped."""
    executors = [BackgroundExecutor(node), BackgroundExecutor(node.actions)]
    try:
        simulation.run()
        # Open requests, the one for the end among them, get an answer.
        deadline = time.monotonic() + 1.0
        while not node.idle and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        for executor in executors:
            executor.close()


def report_clients(node: SimulatorNode, simulation: Simulation, clients: Callable[[], Sequence[ClientStatus]]) -> None:
    """Publish the diagnostics of all clients once a second, as the bridge in a process of its own does."""
    diagnostics = ClientDiagnostics("bridge")
    publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)

    def publish() -> None:
        report = DiagnosticArray(status=diagnostics.statuses(clients()))
        set_stamp(report.header.stamp, simulation.time)
        publisher.publish(report)

    # The simulation's thread owns the connections, so it does the counting.
    wall = Clock(clock_type=ClockType.STEADY_TIME)
    node.create_timer(DIAGNOSTICS_PERIOD, lambda: simulation.requests.submit(publish), clock=wall)


def bridge_links(node: SimulatorNode) -> list[AgentLink]:
    """The link to bridges in other processes, if the node's parameters ask for one."""
    options = node.options
    if not options.bridge:
        return []
    patience, silence = options.bridge_answer_timeout or None, options.bridge_timeout
    return [DdsAgentLink(node, patience, silence, options.max_bridges, options.max_bridge_message)]


def driver_links(node: SimulatorNode) -> list[LolaServer]:
    """The sockets for drivers of robots, if the node's parameters ask for them."""
    return [LolaServer(node.options, ServerContext(log=node.get_logger()))] if node.options.lola else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the simulator as a process of its own; returns the exit status, see `run_process`."""
    signals = Signals()

    def work() -> None:
        with ExitStack() as stack:
            node = SimulatorNode()
            stack.callback(node.destroy_node)
            options, log = node.options, node.get_logger()
            drivers = driver_links(node)
            for link in drivers:
                stack.callback(link.close)
            simulation, _ = node.build([*bridge_links(node), *drivers], stack)
            stack.callback(lambda: simulation.world.engine.close())
            if not options.share_domain:
                refuse_namesake(node, node.actions, node.begun)
            begun = Start(node.settings, PlayMode.BEFORE_KICK_OFF.value, options.robots)
            path = Path(options.record) if options.record else None
            attachments: list[Attachment] = [
                *drivers,
                *game_controllers(options, log.info),
                Recording(path, begun, log.warning, options.max_log),
            ]
            attach_all(attachments, simulation, stack)
            for link in drivers:
                report_clients(node, simulation, link.clients)
            signals.on_signal(simulation.stop)
            log.info(f"ready: engine {node.settings.engine}, {len(simulation.world.without_objects)} robots")
            # Objects that live as long as the node need not be searched for garbage in the middle of a match.
            gc.freeze()
            run_simulation(node, simulation)

    return run_process("simulator", arguments, work)


if __name__ == "__main__":
    sys.exit(main())
