"""A robot for a program that runs a simulation in its own process."""

from __future__ import annotations

from collections.abc import Sequence

from simspark_ros.configuration.errors import UserError
from simspark_ros.exchange import Argument
from simspark_ros.sensors.access import RobotRefusedError
from simspark_ros.sensors.container import SensorData
from simspark_ros.simulation.agent_control import AgentControl
from simspark_ros.simulation.loading.robot_resources import SpawnError, check_name, find_resource
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.senses.simulated_sensors import Draw, SimulatedSensors
from simspark_ros.worlds.errors import CommandRejectedError
from simspark_ros.worlds.robot import Robot


class ConnectedRobot:
    """A `RobotAccess` that adds a robot to a simulation; time passes while the program updates sensors.

    Args:
        simulation: the simulation, which nothing else runs.
        configuration: text of the robot's file.
        name: name of the robot.
        draw: function that takes pictures of its cameras, e.g. `Arena.view.features`; None = pictures stay empty.

    Raises:
        RobotRefusedError: the robot cannot be built; the message has the reason.
    """

    def __init__(
        self, simulation: Simulation, configuration: str, name: str = "robot", draw: Draw | None = None
    ) -> None:
        limits, world = simulation.scheduler.settings, simulation.world
        try:
            check_name(name)
            description = find_resource("", configuration).load(limits, world.types)
            self._robot: Robot = spawn(world, description, limits, name)
        except SpawnError as error:
            raise RobotRefusedError(str(error)) from None
        self.name = self._robot.name
        self._simulation = simulation
        self._filler = _Stepping(self._robot, simulation, draw)
        simulation.add_node(self._filler)
        self.sensors = self._filler.container

    def command(self, kind: str, *arguments: Argument) -> None:
        """See `RobotAccess.command`; carried out in the next cycle."""
        control = self._simulation.required(AgentControl)
        try:
            control.act(self._simulation.world, self._robot, kind, arguments)
        except CommandRejectedError as error:
            raise UserError(str(error)) from None

    def close(self) -> None:
        """Remove the robot."""
        self._filler.close(self._simulation)
        self._simulation.world.remove_robot(self._robot)


class _Stepping(SimulatedSensors):
    """Sensors that let time pass whenever their program asks for data."""

    def __init__(self, robot: Robot, simulation: Simulation, draw: Draw | None) -> None:
        super().__init__(robot, simulation.sensing, draw)
        self._simulation = simulation

    def _ask(self, data: Sequence[SensorData], patience: float) -> None:
        before = [one.stamp for one in data]
        end = self._simulation.time + patience
        while True:
            super()._ask(data, patience)
            self._simulation.run_cycle()
            is_new = all(one.stamp != stamp for one, stamp in zip(data, before, strict=True))
            if is_new or self._simulation.time >= end:
                return
