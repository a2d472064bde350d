"""The simulator node inside the process of a server; `simspark serve` starts it unless ROS is left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial

import rclpy
from rclpy.exceptions import ParameterException

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.ros.neighbours import refuse_namesake
from simspark_ros.ros.network import start_ros
from simspark_ros.ros.settings import NodeOptions
from simspark_ros.ros.simulator_node import SimulatorNode, bridge_links, report_clients, run_simulation
from simspark_ros.server.tcp.connection import ClientStatus
from simspark_ros.simulation.agent_control import AgentLink
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings


def build_with_ros(
    settings: SimulationSettings,
    robots: tuple[str, ...],
    ros_arguments: tuple[str, ...],
    links: Sequence[AgentLink],
    clients: Callable[[], Sequence[ClientStatus]],
    stack: ExitStack,
) -> tuple[Simulation, Callable[[], None], SimulationSettings, tuple[str, ...]]:
    """Build a simulation with the simulator node's topics and services; `settings` are defaults of its parameters.

    `clients` is called in the simulation's thread; `stack` closes everything at the end.

    Returns:
        The simulation, a function that runs it in the calling thread, and settings and robots, parameters included.

    Raises:
        UserError: an argument, a parameter or a robot is wrong; the message says which.
    """
    start_ros(["simspark", *ros_arguments])
    stack.callback(rclpy.try_shutdown)
    try:
        node = SimulatorNode(settings, NodeOptions(robots=robots, share_domain=True))
        stack.callback(node.destroy_node)
        for name in ("record", "lola", "game_controller"):
            if getattr(node.options, name):
                raise ConfigurationError(f"parameter '{name}': use the option --{name.replace('_', '-')}")
        simulation, _ = node.build([*links, *bridge_links(node)], stack)
        if not node.options.share_domain:
            refuse_namesake(node, node.actions, node.begun)
    except ParameterException as error:
        raise ConfigurationError(str(error)) from None
    # The engine of the end: worlds may be replaced.
    stack.callback(lambda: simulation.world.engine.close())
    report_clients(node, simulation, clients)
    return simulation, partial(run_simulation, node, simulation), node.settings, node.options.robots
