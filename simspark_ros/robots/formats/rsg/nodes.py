"""The scene graph of RSG files: nodes with the calls that set them up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from simspark_ros.configuration.errors import shown
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.rsg.arithmetic import Value


@dataclass(frozen=True)
class Call:
    """A call of a method of a node, as `(setName torso)`."""

    method: str
    arguments: tuple[Value, ...]
    line: int


@dataclass(eq=False)
class Node:
    """A node and what is below it."""

    kind: str
    file: Path
    line: int
    parent: Node | None = None
    calls: list[Call] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name from `setName`, else the node's kind."""
        found = self.call("setName")
        return str(found.arguments[0]) if found and found.arguments else self.kind

    def call(self, method: str) -> Call | None:
        """The last call of a method."""
        return next((call for call in reversed(self.calls) if call.method == method), None)

    def numbers(self, method: str, count: int) -> tuple[float, ...] | None:
        """The arguments of the last call of a method; None if there was none.

        Raises:
            RobotError: the arguments are not that many numbers.
        """
        call = self.call(method)
        return None if call is None else self.numbers_of(call, count)

    def numbers_of(self, call: Call, count: int) -> tuple[float, ...]:
        """The arguments of a call; errors as `numbers`."""
        try:
            values = tuple(float(value) for value in call.arguments[:count])
        except ValueError:
            values = ()
        if len(values) != count:
            given = " ".join(map(str, call.arguments))
            wanted = "a number" if count == 1 else f"{count} numbers"
            raise RobotError(f"{self.file}:{call.line}: ({call.method} {given[:80]}): needs {wanted}")
        return values

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def at(self, path: str) -> Node | None:
        """The node at a path such as `../../body/boxBody`, seen from this node."""
        node: Node | None = self
        for part in path.split("/"):
            if node is None or part in ("", "."):
                continue
            node = node.parent if part == ".." else next((one for one in node.children if one.name == part), None)
        return node

    def fail(self, problem: str) -> RobotError:
        """The error to raise."""
        return RobotError(f"{self.file}:{self.line}: {self.kind} {shown(self.name)}: {problem}")
