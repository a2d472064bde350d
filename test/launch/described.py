"""Descriptions of launch files, without starting what they describe."""

from collections.abc import Iterator
from typing import Any

from simspark_ros.configuration.c_library import END_WITH
from simspark_ros.configuration.resources import resource


def source(file: str) -> Any:
    from launch.launch_description_sources import PythonLaunchDescriptionSource

    return PythonLaunchDescriptionSource(str(resource("launch", file)))


class Started:
    """What a launch file would start with some arguments."""

    def __init__(self, file: str, **arguments: str) -> None:
        from launch import LaunchContext
        from launch.actions import IncludeLaunchDescription

        self._context = LaunchContext()
        self.renamed: dict[str, dict[str, str]] = {}
        self.names: list[tuple[str, str | None]] = []
        # Process with which each one ends.
        self.ends_with: dict[str, str | None] = {}
        include = IncludeLaunchDescription(source(file), launch_arguments=arguments.items())
        self.processes = {self._name(process): process for process in self._visit(include)}

    def _visit(self, entity: Any) -> Iterator[Any]:
        from launch.actions import ExecuteProcess

        if isinstance(entity, ExecuteProcess):
            # Of the group that the process is in.
            self.renamed[self._name(entity)] = dict(self._context.launch_configurations.get("ros_remaps", []))
            self.ends_with[self._name(entity)] = self._context.environment.get(END_WITH)
            self.names.append((self._name(entity), getattr(entity, "_Node__node_name", None)))
            yield entity
            return
        for child in entity.visit(self._context) or []:
            yield from self._visit(child)

    def _name(self, process: Any) -> str:
        from launch_ros.actions import Node

        return str(process.node_executable) if isinstance(process, Node) else "".join(self._text(process.name))

    def _text(self, substitutions: Any) -> str:
        from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

        return str(perform_substitutions(self._context, normalize_to_list_of_substitutions(substitutions)))

    def parameters(self, executable: str) -> dict[str, Any]:
        from launch_ros.utilities import evaluate_parameters

        files: Any = evaluate_parameters(self._context, self.processes[executable]._Node__parameters)
        return {name: value for part in files if isinstance(part, dict) for name, value in part.items()}

    def remappings(self, executable: str) -> dict[str, str]:
        pairs = self.processes[executable]._Node__remappings
        return {self._text(name): self._text(becomes) for name, becomes in pairs}

    def command(self, executable: str) -> list[str]:
        """Without the executable itself, for which the package would have to be installed."""
        return [self._text(words) for words in self.processes[executable].cmd[1:]]
