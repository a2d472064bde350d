"""Namespaces of the topics of robots at the start."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.ros.topic_control import TopicControl
from simspark_ros.ros.topics.names import checked_namespace
from simspark_ros.ros.topics.publisher import TopicError
from simspark_ros.simulation.loop import Simulation

_PLACE = "parameter 'robot_namespaces': "


class RobotNamespaces:
    """Gives robots their namespaces, after they have been spawned.

    Args:
        texts: a word `name=namespace` for each robot whose namespace is not its name.
        control: the control node that has the roster.

    Attributes:
        of: namespaces by names of robots.

    Raises:
        ConfigurationError: a word is no such text, or no ROS name.
    """

    def __init__(self, texts: Sequence[str], control: TopicControl) -> None:
        self.of: dict[str, str] = {}
        self._control = control
        for text in texts:
            name, _, namespace = text.partition("=")
            try:
                self.of[name] = checked_namespace(namespace)
            except TopicError as error:
                raise ConfigurationError(f"{_PLACE}'{text}': {error}; give name=namespace") from None

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """Give them."""
        for name, namespace in self.of.items():
            robot = simulation.world.robot_named(name)
            if robot is None:
                raise ConfigurationError(f"{_PLACE}there is no robot '{name}' at the start")
            self._control.give_namespace(simulation.world, robot, namespace)
