"""A reader of the monitor stream RSMP 1.0, as strict as RoboViz 2.1: any departure from the form is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_TOKEN = re.compile(r"[()]|[^() ]+")


class FormError(Exception):
    """A frame has another form than RSMP 1.0."""


@dataclass
class Node:
    """A node of the scene: its kind (`TRF`, `SMN`, `StaticMesh`, `DSC`), its lists by name, its own transform."""

    kind: str
    facts: dict[str, list[str]] = field(default_factory=dict)
    matrix: Matrix | None = None
    children: list[Node] = field(default_factory=list)

    def all(self) -> Iterator[Node]:
        """The node and all below it."""
        yield self
        for child in self.children:
            yield from child.all()


class Screen:
    """What a monitor knows after the frames that it was shown.

    Attributes:
        time: simulated time, s.
        environment: numbers and words of the environment by name.
        game: state of the game by name.
        fouls: numbers of type, team and player of all fouls so far.
        full: whether the last frame was a full one.
        scene: root of the scene; None before the first full frame.
    """

    def __init__(self) -> None:
        self.time = 0.0
        self.environment: dict[str, list[str]] = {}
        self.game: dict[str, str] = {}
        self.fouls: list[tuple[int, ...]] = []
        self.full = False
        self.scene: Node | None = None

    def show(self, payload: bytes) -> None:
        """Follow a frame; raises a `FormError` if it is none."""
        expressions = _lists(payload.decode("utf-8"))
        if len(expressions) != 1 or expressions[0][:1] != [["RSMP", "1", "0"]]:
            raise FormError("no single list that begins with (RSMP 1 0)")
        seen = set()
        for component in expressions[0][1:]:
            (name, *version), content = component[0], component[1:]
            if version != ["1", "0"] or name in seen:
                raise FormError(f"component {component[0]}")
            seen.add(name)
            if name == "gt":
                self.time = float(content[0])
            elif name == "sg":
                self._show_scene(content)
            elif name == "gs":
                self._show_game(content)
            elif name == "ge":
                self.environment = {entry[0]: entry[1:] for entry in content}
            else:
                raise FormError(f"component {name}")
        if seen != ({"gt", "sg", "gs", "ge"} if self.full else {"gt", "sg", "gs"}):
            raise FormError(f"components {sorted(seen)} in a {'full' if self.full else 'partial'} frame")

    @property
    def play_mode(self) -> str:
        """Name of the play mode."""
        return self.environment["play_modes"][int(self.game["play_mode"])]

    @property
    def score(self) -> tuple[int, int]:
        """Goals of both teams."""
        return int(self.game["score_left"]), int(self.game["score_right"])

    def poses(self) -> dict[tuple[str, ...], Matrix]:
        """The (4, 4) pose of the first node below each description: `("ball",)`, `("agent", TEAM, NUMBER)`."""
        found: dict[tuple[str, ...], Matrix] = {}
        if self.scene is not None:
            _collect(self.scene, np.eye(4), found)
        return found

    def _show_scene(self, content: list[Any]) -> None:
        kind, *nodes = content
        self.full = kind == "full"
        if self.full:
            if len(nodes) != 1:
                raise FormError(f"{len(nodes)} roots")
            self.scene = _node(nodes[0])
        elif kind != "diff" or self.scene is None:
            raise FormError(f"scene {kind}")
        else:
            _update(self.scene, nodes[0])

    def _show_game(self, content: list[Any]) -> None:
        for name, *values in content:
            if name == "foul":
                self.fouls.append(tuple(map(int, values)))
            elif len(values) != 1:
                raise FormError(f"game state {name}")
            else:
                self.game[name] = values[0]


def _lists(text: str) -> list[Any]:
    stack: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) != 1:
        raise FormError("brackets")
    return stack[0]


def _matrix(entry: list[str]) -> Matrix:
    if entry[0] != "SLT" or len(entry) != 17:
        raise FormError(f"matrix {entry[:1]} of {len(entry)}")
    matrix = np.array([float(number) for number in entry[1:]]).reshape(4, 4).T
    if not np.isfinite(matrix).all():
        raise FormError("a number that is not finite")
    return matrix


def _node(entry: list[Any]) -> Node:
    if entry[0] != "nd" or len(entry) < 2 or entry[1] not in ("TRF", "SMN", "StaticMesh", "DSC"):
        raise FormError(f"node {entry[:2]}")
    node = Node(entry[1])
    for item in entry[2:]:
        if item[0] == "nd":
            node.children.append(_node(item))
        else:
            node.facts[item[0]] = item[1:]
            if item[0] == "SLT":
                node.matrix = _matrix(item)
    if node.kind == "TRF" and node.matrix is None:
        raise FormError("a transform without its matrix")
    return node


def _update(node: Node, entry: list[Any]) -> None:
    children = [item for item in entry if isinstance(item, list) and item[0] == "nd"]
    if len(children) != len(node.children):
        raise FormError(f"{len(children)} nodes in place of {len(node.children)}")
    for item in entry:
        if isinstance(item, list) and item[0] == "SLT":
            node.matrix = _matrix(item)
    for child, item in zip(node.children, children, strict=True):
        _update(child, item)


def _collect(node: Node, above: Matrix, found: dict[tuple[str, ...], Matrix]) -> None:
    pose = above if node.matrix is None else above @ node.matrix
    if node.kind == "DSC" and node.children:
        first = node.children[0]
        for name, values in node.facts.items():
            words = (name, *values)
            found[words] = pose if first.matrix is None else pose @ first.matrix
    for child in node.children:
        _collect(child, pose, found)
