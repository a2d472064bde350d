"""The scene of a monitor as text with gaps for the matrices of moving nodes (protocol reference, section 6).

A scene is written three times with the same tree: for full frames, and for partial frames with and without
`setVisible`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simspark_ros.exchange import RobotLayout
from simspark_ros.protocol.monitor.look import Light, Look, LookNode, RobotAppearance, SceneMesh, SceneShape, appearance
from simspark_ros.protocol.monitor.numbers import GappedText

BALL_ROW = -1
"""Row that entries of the ball have in place of a robot's row."""


@dataclass(frozen=True, eq=False)
class SceneTemplate:
    """A scene with gaps for the matrices of its moving nodes.

    Attributes:
        moving: robot's row and link of each moving node, after (BALL_ROW, "ball") for the ball.
    """

    moving: tuple[tuple[int, str], ...]
    full: GappedText
    partial: GappedText
    partial_visible: GappedText


def build_scene(
    look: Look, robots: Sequence[RobotLayout], selected: int | None = None, waiting: int = 0
) -> SceneTemplate:
    """Write the scene with these robots, each one transform with all its parts below it.

    The robot of the row `selected` has a marker; each client that waits for a robot is an empty transform after them.
    """
    writer = SceneWriter(selected)
    writer.say("(", "(")
    for node in look.scene:
        writer.node(node, None, BALL_ROW)
    for row, robot in enumerate(robots):
        robot_look = look_of(look, robot)
        writer.node(LookNode(children=tuple(parts_of(robot_look, robot))), Labels(robot_look, robot), row)
    writer.node(LookNode(count=waiting), None, BALL_ROW)
    writer.say(")", ")")
    return writer.scene()


def look_of(look: Look, robot: RobotLayout) -> RobotAppearance:
    """The look of a robot; one without a look of its own is shown by one body per link."""
    if robot.robot in look.robots:
        return appearance(look.robots[robot.robot])
    unknown = look.unknown_link
    return RobotAppearance(tuple(LookNode(moves=link, shape=unknown.shape, mesh=unknown.mesh) for link in robot.links))


def parts_of(look: RobotAppearance, robot: RobotLayout) -> Iterable[LookNode]:
    """The nodes of a look for the links that a robot has."""
    links = set(robot.links)
    return (part for part in look.parts if part.moves in links and robot.look in (part.variants or (robot.look,)))


class Labels:
    """Values of the placeholders in names of one robot."""

    def __init__(self, look: RobotAppearance, robot: RobotLayout) -> None:
        self._values = {"variant": str(robot.look), "unum": str(robot.unum or ""), "side": robot.side.capitalize()}
        self._missing = [f"{{{name}}}" for name, value in self._values.items() if not value]
        if robot.look not in look.typed_variants:
            self._missing.append("{variant}")

    def fill(self, name: str) -> str:
        """The name with the robot's values."""
        return name.format(**self._values)

    def materials(self, names: Iterable[str]) -> list[str]:
        """The materials with values for all their placeholders."""
        return [self.fill(name) for name in names if not any(missing in name for missing in self._missing)]


class SceneWriter:
    """Writes nodes into the three texts at once."""

    def __init__(self, selected: int | None) -> None:
        self._selected = selected
        self._moving: list[tuple[int, str]] = []
        self._texts: tuple[list[str], list[str], list[str]] = ([""], [""], [""])

    def scene(self) -> SceneTemplate:
        """The texts that were written."""
        full, partial, visible = map(GappedText, self._texts)
        return SceneTemplate(tuple(self._moving), full, partial, visible)

    def is_selected(self, row: int) -> bool:
        """Whether a trainer has selected the robot of a row."""
        return row == self._selected

    def say(self, full: str, partial: str, visible: str | None = None) -> None:
        """Write into full frames, partial ones, and partial ones with visibility; None = as other partial ones."""
        for pieces, text in zip(self._texts, (full, partial, partial if visible is None else visible), strict=True):
            pieces[-1] += text

    def gap(self, row: int, moves: str) -> None:
        """Leave a gap for the matrix of a robot's link, or of the ball."""
        self._moving.append((row, moves))
        for pieces in self._texts:
            pieces.append("")

    def node(self, node: LookNode, labels: Labels | None, row: int) -> None:
        """Write a node of a look with all below it."""
        for _ in range(node.count):
            self.say("(nd TRF", "(nd")
            if node.moves:
                self.gap(row, node.moves)
            else:
                self.say(f" (SLT {_matrix(node)})", "")
            self.content(node, labels, self.is_selected(row))
            for child in node.children:
                self.node(child, labels, row)
            self.say(")", ")")

    def content(self, node: LookNode, labels: Labels | None, selected: bool) -> None:
        """Write what a node shows itself."""
        if node.light:
            self.say(_light(node.light), "(nd)")
        if node.mesh:
            # RoboViz gives meshes without materials of their own the first one that these nodes name.
            kind = "SMN" if node.mesh.file.lower().endswith(".stl") else "StaticMesh"
            self.say(_mesh(kind, node.mesh, labels), f"(nd {kind})", f"(nd {kind} (setVisible 1))")
        if node.shape:
            visible = node.shape.visible or (node.shape.marker and selected)
            self.say(_shape(node.shape, visible), "(nd SMN)", f"(nd SMN (setVisible {visible:d}))")


def _matrix(node: LookNode) -> str:
    right, forward, up = (_numbers(node.rotation[i : i + 3]) for i in (0, 3, 6))
    return f"{right} 0 {forward} 0 {up} 0 {_numbers(node.at)} 1"


def _light(light: Light) -> str:
    diffuse, ambient, specular = (_numbers(colour) for colour in (light.diffuse, light.ambient, light.specular))
    return f"(nd Light (setDiffuse {diffuse}) (setAmbient {ambient}) (setSpecular {specular}))"


def _mesh(kind: str, mesh: SceneMesh, labels: Labels | None) -> str:
    file = labels.fill(mesh.file) if labels else mesh.file
    materials = labels.materials(mesh.materials) if labels else mesh.materials
    transparent = "(setTransparent) " if mesh.transparent else ""
    reset = f"(resetMaterials {' '.join(materials)})" if materials else ""
    return f"(nd {kind} (setVisible 1) {transparent}(load {file}) (sSc {_numbers(mesh.scale)}){reset})"


def _shape(shape: SceneShape, visible: bool) -> str:
    drawing = f"(setVisible {visible:d})" + (" (setTransparent)" if shape.transparent else "")
    return f"(nd SMN {drawing} (load {shape.kind}) (sSc {_numbers(shape.scale)}) (sMat {shape.material}))"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:g}" for value in values)
