"""Reads the frames of monitors: full ones and changes (protocol reference, section 6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_ros.protocol.sexpr import Expression, scan
from simspark_ros.robots.lights import LIGHTS_LENGTH

Array = NDArray[np.float64]

MAX_NODES = 100_000
"""Most nodes of a scene."""

HEADER = re.compile(r"\(R([SD])[GS] \d+ \d+\)")
ENTRY = re.compile(r"\((\w+) ([^()]*)\)")
_LIGHTS = re.compile(f"[0-9a-f]{{{LIGHTS_LENGTH}}}")
_MATRIX = "(SLT "
NODE = "(nd"


class FrameError(ValueError):
    """A frame cannot be read; the message says why. The state before it stays."""


@dataclass(frozen=True)
class SceneNode:
    """One node of a scene; equal nodes look equal.

    Attributes:
        parent: index of the node above it, -1 for a node at the top.
        load: its content, e.g. `models/naohead.obj` or `StdCapsule 0.015 0.08`, of a description (DSC) its words, e.g.
            `agent Lions 5`; empty for nodes without content.
        materials: names of materials, e.g. `matNum5`, `matLeft`.
    """

    parent: int
    kind: str
    load: str = ""
    scale: tuple[float, ...] = ()
    materials: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoulReport:
    """A foul in a frame, of team 1 (left) or 2 (right).

    Attributes:
        kind: kind of the foul: 0 crowding, 1 touching, 2 illegal defence, 3 illegal attack, 4 incapable, 5 kick-off,
            6 charging, 7 self collision.
    """

    index: int
    kind: int
    team: int
    unum: int


class MonitorReader:
    """The state of a monitor after some frames.

    Attributes:
        environment: values by name, e.g. `time`, `team_left`, `FieldLength`.
        nodes: nodes of the scene, parents before their children; replaced only when the scene changes.
        local: (N, 4, 4) frame of each node in its parent's frame; columns right, forward, up, position (m).
    """

    def __init__(self) -> None:
        self.environment: dict[str, str] = {}
        self.nodes: tuple[SceneNode, ...] = ()
        self.local: Array = np.zeros((0, 4, 4))
        self._fouls: list[FoulReport] = []
        self._levels: list[NDArray[np.intp]] = []
        self._parents: NDArray[np.intp] = np.zeros(0, np.intp)

    @property
    def time(self) -> float:
        """Game time, s."""
        return float(self.environment.get("time", "0"))

    @property
    def play_mode(self) -> str:
        """Name of the play mode, empty while it is unknown."""
        modes = self.environment.get("play_modes", "").split()
        index = int(self.environment.get("play_mode", "-1"))
        return modes[index] if 0 <= index < len(modes) else ""

    def show(self, frame: bytes) -> None:
        """Take a frame; after a `FrameError` (malformed, or of another scene than the last one) nothing is changed."""
        text = frame.decode("latin-1")
        header = HEADER.search(text)
        if not header:
            raise FrameError("a frame without (RSG ..) or (RDS ..)")
        environment, fouls = read_environment(text[: header.start()])
        if header[1] == "S":
            self._show_full(text[header.end() :])
            self.environment = environment
        else:
            self._show_changes(text[header.end() :])
            self.environment.update(environment)
        self._fouls += fouls

    def take_fouls(self) -> list[FoulReport]:
        """The fouls that were reported since the last call."""
        fouls, self._fouls = self._fouls, []
        return fouls

    def world(self) -> Array:
        """(N, 4, 4): frame of each node in the world frame."""
        world = self.local.copy()
        for level in self._levels:
            world[level] = world[self._parents[level]] @ self.local[level]
        return world

    def _show_full(self, scene: str) -> None:
        expressions, fault = scan(scene)
        if fault or len(expressions) != 1 or not isinstance(expressions[0], list):
            raise FrameError(f"a full frame without a scene: {fault or 'there must be exactly one list'}")
        nodes: list[SceneNode] = []
        matrices: list[list[float]] = []
        for item in expressions[0]:
            _collect(item, -1, nodes, matrices)
        self.local = _frames(matrices)
        if tuple(nodes) != self.nodes:
            self.nodes = tuple(nodes)
            self._parents = np.array([node.parent for node in nodes], np.intp)
            self._levels = list(_levels(self._parents))

    def _show_changes(self, scene: str) -> None:
        pieces = scene.split(NODE)[1:]
        if not self.nodes or len(pieces) != len(self.nodes):
            raise FrameError(f"a partial frame of {len(pieces)} nodes after a full one of {len(self.nodes)}")
        changed, texts = list[int](), list[str]()
        for number, piece in enumerate(pieces):
            if (start := piece.find(_MATRIX)) >= 0:
                changed.append(number)
                texts.append(piece[start + len(_MATRIX) : piece.find(")", start)])
        if changed:
            self.local[changed] = _frames([_numbers(text.split()) for text in texts])


def lights_of(environment: Mapping[str, str]) -> dict[int, str]:
    """Lights of robots, by number of the robot's node at the top of the scene; unreadable entries are left out."""
    words = environment.get("lights", "").split()
    pairs = zip(words[::2], words[1::2], strict=False)
    return {int(place): text for place, text in pairs if place.isdecimal() and _LIGHTS.fullmatch(text)}


def children_of(nodes: Sequence[SceneNode]) -> dict[int, list[int]]:
    """Indices of the nodes below each node, in the order of the scene; -1 = those at the top."""
    children: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        children.setdefault(node.parent, []).append(number)
    return children


def all_below(top: int, children: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yield a node and all below it, in the order of the scene."""
    yield top
    for child in children.get(top, ()):
        yield from all_below(child, children)


def read_environment(text: str) -> tuple[dict[str, str], list[FoulReport]]:
    """The values and the fouls in the list of the game; a `FrameError` names a number that cannot be read."""
    environment: dict[str, str] = {}
    fouls: list[FoulReport] = []
    try:
        for name, value in ENTRY.findall(text):
            if name == "foul":
                index, kind, team, unum = map(int, value.split())
                fouls.append(FoulReport(index, kind, team, unum))
            else:
                environment[name] = value
        float(environment.get("time", "0"))
        for name in ("half", "score_left", "score_right", "play_mode"):
            int(environment.get(name, "0"))
    except ValueError as error:
        raise FrameError(f"a number in the list of the game cannot be read: {error}") from None
    return environment, fouls


def _collect(item: Expression, parent: int, nodes: list[SceneNode], matrices: list[list[float]]) -> None:
    """Add a node and all below it."""
    if not isinstance(item, list) or len(item) < 2 or item[0] != "nd" or not isinstance(item[1], str):
        raise FrameError("a full frame with an entry that is not (nd KIND ...)")
    if len(nodes) >= MAX_NODES:
        raise FrameError(f"a scene of more than {MAX_NODES} nodes")
    values = {entry[0]: entry[1:] for entry in item[2:] if isinstance(entry, list) and entry and entry[0] != "nd"}
    words = {str(name): [str(value) for value in entry] for name, entry in values.items()}
    materials = tuple(words.get("resetMaterials", []) + words.get("sMat", []))
    told = [[word, *values] for word, values in words.items()] if item[1] == "DSC" else [words.get("load", [])]
    load, scale = " ".join(told[0] if told else ()), tuple(_numbers(words.get("sSc", [])))
    number = len(nodes)
    nodes.append(SceneNode(parent, item[1], load, scale, materials))
    matrices.append(_numbers(words["SLT"]) if "SLT" in words else np.eye(4).ravel().tolist())
    for child in item[2:]:
        if isinstance(child, list) and child and child[0] == "nd":
            _collect(child, number, nodes, matrices)


def _numbers(words: list[str]) -> list[float]:
    try:
        return [float(word) for word in words]
    except ValueError as error:
        raise FrameError(f"a number of the scene cannot be read: {error}") from None


def _frames(matrices: list[list[float]]) -> Array:
    """(n, 4, 4) matrices from numbers that are written column by column."""
    if any(len(matrix) != 16 for matrix in matrices):
        raise FrameError("a matrix that does not have 16 numbers")
    frames: Array = np.array(matrices, np.float64).reshape(-1, 4, 4).transpose(0, 2, 1)
    if not np.isfinite(frames).all():
        raise FrameError("a matrix with a number that is not finite")
    return frames


def _levels(parents: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Yield the nodes with parents, level by level from the top."""
    depth = np.zeros(len(parents), np.intp)
    for number, parent in enumerate(parents.tolist()):
        depth[number] = depth[parent] + 1 if parent >= 0 else 0
    for level in range(1, int(depth.max(initial=0)) + 1):
        yield np.flatnonzero(depth == level)
