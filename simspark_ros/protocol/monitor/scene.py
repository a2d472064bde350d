"""The scene of a monitor as text with gaps for the matrices of moving nodes (protocol reference, section 6).

A scene is written three times with the same tree: for full frames, and for partial frames with and without
`setVisible`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simspark_ros.exchange import RobotLayout
from simspark_ros.protocol.monitor.look import Light, Look, LookNode, RobotAppearance, SceneMesh, SceneShape
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
    writer = _Writer(selected)
    writer.say("(", "(")
    for node in look.scene:
        writer.node(node, None, BALL_ROW)
    for row, robot in enumerate(robots):
        robot_look = look.robots.get(robot.robot) or _unknown_look(look, robot)
        writer.node(LookNode(children=tuple(_parts(robot_look, robot))), _Labels(robot_look, robot), row)
    writer.node(LookNode(count=waiting), None, BALL_ROW)
    writer.say(")", ")")
    return writer.scene()


def _unknown_look(look: Look, robot: RobotLayout) -> RobotAppearance:
    """Show a robot without a look of its own by one body per link."""
    unknown = look.unknown_link
    return RobotAppearance(
        (robot.robot,), tuple(LookNode(moves=link, shape=unknown.shape, mesh=unknown.mesh) for link in robot.links)
    )


def _parts(look: RobotAppearance, robot: RobotLayout) -> Iterable[LookNode]:
    links = set(robot.links)
    return (part for part in look.parts if part.moves in links and robot.look in (part.variants or (robot.look,)))


class _Labels:
    """Values of the placeholders in names of one robot."""

    def __init__(self, look: RobotAppearance, robot: RobotLayout) -> None:
        self._values = {"variant": str(robot.look), "unum": str(robot.unum or ""), "side": robot.side.capitalize()}
        self._missing = [f"{{{name}}}" for name, value in self._values.items() if not value]
        if robot.look not in look.typed_variants:
            self._missing.append("{variant}")

    def fill(self, name: str) -> str:
        return name.format(**self._values)

    def materials(self, names: Iterable[str]) -> list[str]:
        """The materials with values for all their placeholders."""
        return [self.fill(name) for name in names if not any(missing in name for missing in self._missing)]


class _Writer:
    """Writes nodes into the three texts at once."""

    def __init__(self, selected: int | None) -> None:
        self._selected = selected
        self._moving: list[tuple[int, str]] = []
        self._texts: tuple[list[str], list[str], list[str]] = ([""], [""], [""])

    def scene(self) -> SceneTemplate:
        full, partial, visible = map(GappedText, self._texts)
        return SceneTemplate(tuple(self._moving), full, partial, visible)

    def say(self, full: str, partial: str, visible: str | None = None) -> None:
        for pieces, text in zip(self._texts, (full, partial, partial if visible is None else visible), strict=True):
            pieces[-1] += text

    def node(self, node: LookNode, labels: _Labels | None, row: int) -> None:
        for _ in range(node.count):
            self.say("(nd TRF", "(nd")
            if node.moves:
                self._moving.append((row, node.moves))
                for pieces in self._texts:
                    pieces.append("")
            else:
                self.say(f" (SLT {_matrix(node)})", "")
            self._content(node, labels, row == self._selected)
            for child in node.children:
                self.node(child, labels, row)
            self.say(")", ")")

    def _content(self, node: LookNode, labels: _Labels | None, selected: bool) -> None:
        if node.light:
            self.say(_light(node.light), "(nd)")
        if node.mesh:
            self.say(_mesh(node.mesh, labels), "(nd StaticMesh)", "(nd StaticMesh (setVisible 1))")
        if node.shape:
            visible = node.shape.visible or (node.shape.marker and selected)
            self.say(_shape(node.shape, visible), "(nd SMN)", f"(nd SMN (setVisible {visible:d}))")


def _matrix(node: LookNode) -> str:
    right, forward, up = (_numbers(node.rotation[i : i + 3]) for i in (0, 3, 6))
    return f"{right} 0 {forward} 0 {up} 0 {_numbers(node.at)} 1"


def _light(light: Light) -> str:
    diffuse, ambient, specular = (_numbers(colour) for colour in (light.diffuse, light.ambient, light.specular))
    return f"(nd Light (setDiffuse {diffuse}) (setAmbient {ambient}) (setSpecular {specular}))"


def _mesh(mesh: SceneMesh, labels: _Labels | None) -> str:
    file, materials = mesh.file, list(mesh.materials)
    if labels:
        file = labels.fill(file)
        materials = labels.materials(materials)
    transparent = "(setTransparent) " if mesh.transparent else ""
    reset = f"(resetMaterials {' '.join(materials)})" if materials else ""
    return f"(nd StaticMesh (setVisible 1) {transparent}(load {file}) (sSc {_numbers(mesh.scale)}){reset})"


def _shape(shape: SceneShape, visible: bool) -> str:
    drawing = f"(setVisible {visible:d})" + (" (setTransparent)" if shape.transparent else "")
    return f"(nd SMN {drawing} (load {shape.kind}) (sSc {_numbers(shape.scale)}) (sMat {shape.material}))"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:g}" for value in values)
