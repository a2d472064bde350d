"""Operations of scripts and the console on a simulation; all are recorded, like inputs of other clients."""

from __future__ import annotations

from simspark_ros.configuration.errors import UserError
from simspark_ros.protocol.monitor.trainer import TIME_COMMANDS, parse
from simspark_ros.robots.motors.commands import MotorMode
from simspark_ros.simulation.inputs import INPUTS
from simspark_ros.simulation.loading.robot_resources import RobotWord
from simspark_ros.simulation.loading.spawning import pose_of, spawn_text
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.pacing.time_control import SimulationTime
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.robot import Robot
from simspark_ros.worlds.world import World

CLIENT = "script"


class OperatorError(UserError):
    """A script asks for the impossible; the message says what and why."""


class Operator:
    """The operations of a script on its simulation. To be used in the simulation's thread.

    Attributes:
        simulation: the simulation, with its scheduler, referee and percepts. Direct changes to it are not recorded.
    """

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation

    @property
    def world(self) -> World:
        """Robots, game and engine, as of now."""
        return self.simulation.world

    def trainer(self, text: str) -> None:
        """Carry out trainer commands such as `(playMode PlayOn)`, all that monitors know: docs/reference/monitor.md.

        Raises:
            OperatorError: a command is unknown or wrong; none is carried out.
            CommandRejectedError: a command cannot be carried out now; it and all later ones are left out.
        """
        message = parse(CLIENT, text.encode())
        if message.rejected or not message.actions:
            problem = message.rejected[0][1] if message.rejected else "the text has no command"
            raise OperatorError(f"trainer: {problem}")
        for action in message.actions:
            if action.kind in TIME_COMMANDS:
                SimulationTime(self.simulation).order(action)
            else:
                self.simulation.note("trainer", action.kind, list(action.arguments))
                TRAINER_COMMANDS[action.kind].command(trainer_of(self.simulation), action.arguments)

    def robot(self, name: str) -> Robot:
        """The robot of that name, e.g. `nao` or `left_1`; an `OperatorError` lists those there are."""
        robot = self.world.robot_named(name)
        if robot is None:
            known = ", ".join(robot.name for robot in self.world.robots.values()) or "none"
            raise OperatorError(f"there is no robot '{name}'; there are: {known}")
        return robot

    def spawn(self, text: str) -> Robot:
        """Add a robot, `[NAME=]MODEL[/TYPE][@X,Y[,HEADING]]` as in `serve --robot`, there or at a free place.

        Raises:
            SpawnError: there is no such robot, or it cannot be added.
        """
        robot = spawn_text(self.world, text, self.simulation.scheduler.settings)
        robot.is_guest = True
        pose = pose_of(text)
        self.simulation.note("spawned", RobotWord.of(text).uri, robot.name, pose and [pose.position, pose.quaternion])
        return robot

    def remove(self, name: str) -> None:
        """Take a robot out of the world; errors as in `robot`."""
        self._enter("removed", self.robot(name).handle)

    def joints(self, name: str) -> dict[str, float]:
        """Angles of a robot's joints, rad or m; errors as in `robot`."""
        robot, state = self.robot(name), self.world.engine.state
        first = int(state.joint_offset[state.row(robot.handle)])
        names = [joint.name for joint in robot.description.model.joints]
        return dict(zip(names, state.joint_position[first : first + len(names)].tolist(), strict=True))

    def command(self, name: str, **positions: float) -> None:
        """Let joints of a robot go to angles, rad or m, as its ideal servos do; errors as in `robot`."""
        robot = self.robot(name)
        names = [joint.name for joint in robot.description.model.joints]
        unknown = [joint for joint in positions if joint not in names]
        if unknown:
            raise OperatorError(f"robot '{name}' has no joint '{unknown[0]}'; it has: {', '.join(names)}")
        target = (MotorMode.POSITION.value, [names.index(joint) for joint in positions], [*positions.values()])
        self._enter("motors", robot.handle, [target])

    def _enter(self, name: str, *arguments: object) -> None:
        self.simulation.note(name, *arguments)
        INPUTS[name](self.simulation, *arguments)
