"""A reader of monitor frames as strict as the viewer that ends at the first mistake, independent of the encoder."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(r"[()]|[^() ]+")
_KNOWN = ("TRF", "Light", "StaticMesh", "SMN")


class FormatError(Exception):
    pass


@dataclass
class Node:
    kind: str = ""
    matrix: list[float] | None = None
    visible: bool | None = None
    facts: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)

    def shape(self):
        return [child.shape() for child in self.children]

    def all(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.all()


@dataclass
class Frame:
    environment: dict[str, list[str]]
    full: bool
    scene: Node


def read(text: str) -> Frame:
    """Read a frame as strictly as the viewer that ends at the first mistake."""
    expressions = _lists(text)
    if len(expressions) != 3:
        raise FormatError(f"{len(expressions)} expressions")
    environment, header, scene = expressions
    if header not in (["RSG", "0", "1"], ["RDS", "0", "1"]):
        raise FormatError(f"header {header}")
    full = header[0] == "RSG"
    root = Node(children=[_node(item, full) for item in scene])
    return Frame(_environment(environment), full, root)


def _lists(text: str):
    stack: list[list] = [[]]
    position = 0
    for match in _TOKEN.finditer(text):
        if text[position : match.start()].strip(" "):
            raise FormatError("unexpected text")
        position = match.end()
        if match[0] == "(":
            stack.append([])
        elif match[0] == ")":
            if len(stack) == 1:
                raise FormatError("unbalanced")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(match[0])
    if len(stack) != 1:
        raise FormatError("unbalanced")
    return stack[0]


def _environment(items) -> dict[str, list[str]]:
    if not items:
        raise FormatError("empty environment")
    values = {}
    for name, *arguments in items:
        if not arguments:
            raise FormatError(f"{name} without a value")
        values[name] = arguments
    for name in ("half", "score_left", "score_right", "play_mode"):
        if name in values:
            int(values[name][0])
    if int(values.get("play_mode", ["0"])[0]) > 20:
        raise FormatError("play mode beyond the list")
    float(values["time"][0])
    return values


def _node(items, full: bool) -> Node:
    if items[0] != "nd":
        raise FormatError(f"{items[0]} where a node has to be")
    node = Node()
    rest = items[1:]
    if rest and isinstance(rest[0], str):
        node.kind, rest = rest[0], rest[1:]
        if node.kind not in _KNOWN:
            raise FormatError(f"unknown node {node.kind}")
    if full and not node.kind:
        raise FormatError("a node without a kind in a full frame")
    for item in rest:
        if item[0] == "nd":
            node.children.append(_node(item, full))
        elif item[0] == "SLT":
            node.matrix = _matrix(item[1:])
        elif item[0] == "setVisible":
            node.visible = bool(int(item[1]))
        elif item[0] in ("setTransparent", "load", "sSc", "resetMaterials", "sMat", *_LIGHT):
            node.facts[item[0]] = item[1:]
        else:
            raise FormatError(f"unknown attribute {item[0]}")
    return node


def _matrix(items) -> list[float]:
    matrix = [float(number) for number in items]
    if len(matrix) != 16 or not all(map(math.isfinite, matrix)):
        raise FormatError("a matrix of other than 16 numbers")
    return matrix


_LIGHT = ("setDiffuse", "setAmbient", "setSpecular")


@dataclass
class Board:
    """The state after a full frame and the partial ones that follow it."""

    environment: dict[str, list[str]] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)

    def show(self, frame: Frame) -> None:
        received = {
            name: value
            for name, value in frame.environment.items()
            if name != "foul" and not name.startswith("pass_mode_score_wait")
        }
        nodes = list(frame.scene.all())
        if frame.full:
            self.environment, self.nodes = received, nodes
            return
        if [len(node.children) for node in nodes] != [len(node.children) for node in self.nodes]:
            raise FormatError("a partial frame of another tree")
        self.environment.update(received)
        for known, news in zip(self.nodes, nodes, strict=True):
            known.matrix = known.matrix if news.matrix is None else news.matrix
            known.visible = known.visible if news.visible is None else news.visible
