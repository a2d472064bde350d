"""The simulator node: a world of robots on ROS 2 topics, services and parameters."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter

from simspark_ros import __version__
from simspark_ros.clients.live_line import fitted
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.ros.bridge.link import DdsAgentLink
from simspark_ros.ros.clocks.comparison import ClockAnswers
from simspark_ros.ros.conversions import set_stamp
from simspark_ros.ros.diagnostic_status import ClientDiagnostics
from simspark_ros.ros.diagnostics import Diagnostics, Rejections
from simspark_ros.ros.executor import BackgroundExecutor
from simspark_ros.ros.lifecycle import LifecycleServices
from simspark_ros.ros.neighbours import other_clocks, warning_of
from simspark_ros.ros.parameters import Parameters
from simspark_ros.ros.process import run_process
from simspark_ros.ros.rule_parameters import RuleParameters
from simspark_ros.ros.sensor_parameters import SensorParameters
from simspark_ros.ros.services.entities import EntityServices
from simspark_ros.ros.services.features import FeatureService
from simspark_ros.ros.services.game import offer_game_services
from simspark_ros.ros.services.lifecycle import ManagedSimulation
from simspark_ros.ros.services.offer import StandardOffer
from simspark_ros.ros.services.places import PlaceServices
from simspark_ros.ros.services.server import ServiceServer
from simspark_ros.ros.services.simulation import SimulationServices
from simspark_ros.ros.services.spawning import SpawnServices
from simspark_ros.ros.services.standard import installed_interfaces
from simspark_ros.ros.services.steps import StepServices
from simspark_ros.ros.services.worlds import WorldServices
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.checks import TopicChecks
from simspark_ros.ros.topics.publisher import RELIABLE, TopicError, TopicPublisher
from simspark_ros.ros.topics.roster import RosterTopics
from simspark_ros.ros.topics.transforms import transform_message
from simspark_ros.ros.topics.unheard import UnheardPublishers
from simspark_ros.ros.topics.world.clock import ClockPublisher, FineClock
from simspark_ros.ros.topics.world.drawings import DrawingTopics
from simspark_ros.ros.topics.world.game import GameTopics
from simspark_ros.ros.topics.world.ground_truth import BallPublisher, RobotsPublisher
from simspark_ros.ros.topics.world.outer_clock import OuterClock
from simspark_ros.ros.topics.world.scene_poses import ScenePosesControl
from simspark_ros.ros.topics.world.speed import SpeedPublisher
from simspark_ros.server.game_controller.server import GameController, game_controllers
from simspark_ros.server.lola.server import LolaServer
from simspark_ros.server.pictures.player_pictures import PlayerPictures
from simspark_ros.server.signals import Signals
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.server.tcp.framed_server import ServerContext
from simspark_ros.simulation.agent_control import AgentControl, AgentLink
from simspark_ros.simulation.assembly import admit_classic_agents, build_simulation
from simspark_ros.simulation.logs.command_log import CommandLog, Start
from simspark_ros.simulation.logs.hash_log import HashLog
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.external import EXTERNAL
from simspark_ros.simulation.player_plugins.host import PlayerHost
from simspark_ros.simulation.referee import Referee
from simspark_ros.simulation.robot_resources import SpawnError
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.spawning import spawn_text
from simspark_ros.simulation.speed import SpeedEstimator
from simspark_ros.soccer.game_state import PlayMode

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

    Raises:
        ConfigurationError: a parameter or file is wrong; the message names it.
    """

    def __init__(self, defaults: SimulationSettings | None = None, options: NodeOptions | None = None) -> None:
        # This node makes the time; with its own /clock as source it would stop.
        own_time = Parameter("use_sim_time", value=False)
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
            self._profile = self._declared.settings.profile
            if self.options.bridge:
                admitted, refusal = admit_classic_agents(self._declared.settings)
                self._profile = admitted.profile
                if refusal:
                    self.get_logger().warning(f"{refusal}; monitors may watch")
        except Exception:
            self.destroy_node()
            raise
        self._wake_loop = threading.Event()
        self._refused = Rejections(self.get_logger())
        # What is missing is missing for all robots alike.
        self._warn_once = lru_cache(maxsize=256)(self._warn)
        if self.options.tf != "none" and transform_message() is None:
            self.get_logger().info("no tf, tf_static: tf2_msgs is not installed; it comes with ROS 2")

    def destroy_node(self) -> None:
        """Destroy both nodes."""
        self.actions.destroy_node()
        super().destroy_node()

    @property
    def settings(self) -> SimulationSettings:
        """Of the simulation, parameters included; with bridges such that classic agents can join, if they can."""
        return replace(self._declared.settings, profile=self._profile)

    @property
    def options(self) -> NodeOptions:
        """Of the node, parameters included."""
        return self._declared.options

    def build(self, links: Sequence[AgentLink] = ()) -> tuple[Simulation, AgentControl]:
        """Build the simulation with this node's settings and links to bridges, and connect the node to it.

        Returns the simulation, to be run in the calling thread, and its agent control.

        Raises:
            ConfigurationError, PhysicsError, RobotError: a setting cannot be used.
        """
        settings = self.settings
        simulation, agents = build_simulation(settings, links, time.monotonic, self._sleep, self._warn)
        self.simulation = simulation
        simulation.required(PlayerHost).draw = PlayerPictures(simulation, settings.seed)
        self._links = tuple(links)
        self._update_links()
        guard = self.create_guard_condition(self._synchronise)
        self._sensors = SensorParameters(self, simulation, self._wake_loop.set)
        localized = self.options.localization == "ground_truth"
        self.control = TopicControl(self.options.tf, guard.trigger, localized, self._sensors.described)
        simulation.add_node(self.control)
        referee = simulation.node(Referee)
        self._rules = RuleParameters(self, simulation, referee, self._wake_loop.set) if referee else None
        self._declared.others += [self._rules] if self._rules else []
        self._declared.others.append(self._sensors)
        match, types = referee.match if referee else None, simulation.world.types.as_json()
        self._game_topics = GameTopics(self, match, self.control.namespaces, types)
        simulation.add_node(self._game_topics)
        self._scene_poses = ScenePosesControl(self, self.control.namespaces, self.options.pose_rate or None)
        simulation.add_node(self._scene_poses)
        world, cycle = simulation.world, self.control.cycle
        clock, speed = ClockPublisher(cycle), SpeedEstimator(time.monotonic)
        simulation.add_node(speed)
        ClockAnswers(self, speed.now)
        if self.options.clock_rate:
            simulation.add_node(FineClock(clock, self.options.clock_rate, speed))
        world_topics: list[TopicPublisher] = [clock, RobotsPublisher(cycle), SpeedPublisher(cycle, speed)]
        if world.scene.ball is not None:
            world_topics.append(BallPublisher(cycle))
        for publisher in world_topics:
            publisher.open(self)
        self._drawings = DrawingTopics(self, simulation.drawings)
        self._outer_clock = OuterClock(self, simulation.scheduler, clock)
        self._outer_clock.update(settings.pacing)
        self._topics = RosterTopics(
            self,
            self.actions,
            self.options,
            simulation,
            self.control,
            world_topics,
            self._refused,
            self._warn_once,
            self._wake_loop.set,
        )
        self._service_server = ServiceServer(
            self, simulation, self.options.service_timeout, self._wake_loop.set, self._synchronise
        )
        checks = TopicChecks(self, self.actions, settings, world)
        state = self._offer_standard(simulation, settings, checks)
        offer_game_services(self._service_server, simulation)
        self._report = Diagnostics(simulation, agents, self.control, self._refused, lambda: state.state)
        self._report_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", RELIABLE)
        if self.options.hash_log:
            simulation.add_node(HashLog(Path(self.options.hash_log), self._warn, self.options.max_log))
        self._spawn_robots(simulation, settings, checks)
        self.control.update_roster(world)
        # The first topics are there before the loop starts.
        self._topics.begin()
        self._sensors.follow(self.control.roster)
        self._sensors.tell_of_waiting()
        self._begin_checks()
        self._declared.on_change(self._settings_changed)
        return simulation, agents

    def _spawn_robots(self, simulation: Simulation, settings: SimulationSettings, checks: TopicChecks) -> None:
        for text in self.options.robots:
            try:
                spawn_text(simulation.world, text, settings, checks.check)
            except (SpawnError, TopicError) as error:
                raise ConfigurationError(f"parameter 'robots': '{text}': {error}") from None

    def _begin_checks(self) -> None:
        self._unheard = UnheardPublishers(self)
        # Wall time, whatever simulated time does.
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(SUBSCRIBER_CHECK, self._check, clock=wall)
        self.create_timer(DIAGNOSTICS_PERIOD, self._diagnose, clock=wall)

    def _offer_standard(
        self, simulation: Simulation, settings: SimulationSettings, checks: TopicChecks
    ) -> SimulationServices:
        """Offer the services of simulation_interfaces, and those of managed nodes."""
        interfaces, namespace = installed_interfaces(), self.options.services_namespace
        offer = StandardOffer(self, self._service_server, interfaces, namespace)
        spawning = SpawnServices(offer, simulation, self.control, settings, checks)
        state = SimulationServices(offer, simulation, self.control, spawning)
        StepServices(offer, simulation, self.control, state)
        EntityServices(offer, simulation, self.control)
        PlaceServices(offer, simulation)
        worlds = WorldServices(offer, simulation, state, settings)
        self._lifecycle = LifecycleServices(
            self, self._service_server.offer_coroutine, ManagedSimulation(state, worlds)
        )
        FeatureService(offer, f"simspark_ros {__version__}, engine {settings.engine}, types of {interfaces.package}")
        return state

    @property
    def idle(self) -> bool:
        """Whether every request to a service has been answered."""
        return self._service_server.quiet

    def _sleep(self, seconds: float) -> None:
        """Wait for the next cycle, but wake up for requests."""
        if self._wake_loop.wait(seconds):
            self._wake_loop.clear()

    def _synchronise(self) -> None:
        """Make and remove topics as the roster says, in the executor's thread, and find new subscribers."""
        self._topics.follow()
        self._sensors.follow(self.control.roster)
        self._refresh()

    def _refresh(self) -> None:
        self._game_topics.refresh()
        self._scene_poses.refresh()
        self._topics.refresh()

    def _check(self) -> None:
        self._refresh()
        self._unheard.look()
        self._drawings.refresh()
        self._service_server.expire()
        self._lifecycle.refresh()
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
        """Have changed parameters applied in the simulation's thread."""
        settings, tf = self.settings, self.options.tf
        self._outer_clock.update(settings.pacing)

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
        node = SimulatorNode()
        controllers: list[GameController] = []
        try:
            controllers += game_controllers(node.options, node.get_logger().info)
            drivers = driver_links(node)
            simulation, _ = node.build([*bridge_links(node), *drivers])
            for link in drivers:
                link.attach(simulation)
                report_clients(node, simulation, link.clients)
            for controller in controllers:
                simulation.add_node(controller)
            if node.options.record:
                begun = Start(node.settings, PlayMode.BEFORE_KICK_OFF.value, node.options.robots)
                path, warn = Path(node.options.record), node.get_logger().warning
                CommandLog(path, begun, warn, node.options.max_log).attach(simulation)
            signals.on_signal(simulation.stop)
            robots = len(simulation.world.without_objects)
            node.get_logger().info(f"ready: engine {node.settings.engine}, {robots} robots")
            run_simulation(node, simulation)
            simulation.world.engine.close()
        finally:
            for controller in controllers:
                controller.close()
            node.destroy_node()

    return run_process("simulator", arguments, work)


if __name__ == "__main__":
    sys.exit(main())
