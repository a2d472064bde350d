"""The scene of a monitor of the league since 2026: goals and ball as plain bodies, robots under descriptions.

Links are below their robot's base, which stands first below its description; node axes are x forward, y left, z up, as
on rcssservermj.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from simspark_ros.exchange import RobotLayout
from simspark_ros.physics.model import Vector
from simspark_ros.protocol.monitor.look import Look, LookNode
from simspark_ros.protocol.monitor.scene import BALL_ROW, Labels, SceneTemplate, SceneWriter, look_of, parts_of

POST = 0.05
"""Radius of a post, half the thickness of a net, m."""

_UNTURNED = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
_CLASSIC_AXES = "0 -1 0 0 1 0 0 0 0 0 1 0"
"""Turn from the axes of looks (right, forward, up) to those of links (forward, left, up), columns of a matrix."""

_POST_COLOUR, _NET_COLOUR = "0.8 0.8 0.8 1", "1 1 1 0.2"

Sizes = Mapping[str, float | str]


def build_rsmp_scene(
    look: Look, robots: Sequence[RobotLayout], sizes: Sizes, selected: int | None = None, waiting: int = 0
) -> SceneTemplate:
    """Write the scene with these robots; sizes: numbers of the field by their names in monitors, m.

    The robot of the row `selected` has a marker; each client that waits for a robot is an empty transform after them.
    """
    writer = _Writer(selected)
    writer.say(f"(nd TRF(SLT {_UNTURNED})", "(nd")
    writer.ball(_number(sizes, "BallRadius"))
    for sign in (-1, 1):
        writer.goal(sign, sizes)
    for row, robot in enumerate(robots):
        writer.robot(look, robot, row)
    writer.say(f"(nd TRF(SLT {_UNTURNED}))" * waiting, "(nd)" * waiting)
    writer.say(")", ")")
    return writer.scene()


def origins_of(look: Look, robots: Sequence[RobotLayout]) -> list[Vector]:
    """Origins of the frames of all links that the scene with these robots moves, in its order, as `LookNode.origin`."""
    return [part.origin for robot in robots for part in parts_of(look_of(look, robot), robot)]


class _Writer(SceneWriter):
    """Writes what this scene has in another way than the classic one."""

    def ball(self, radius: float) -> None:
        self.say("(nd DSC(ball)(nd TRF", "(nd(nd")
        self.gap(BALL_ROW, "ball")
        body = f"(nd SMN(setVisible 1)(load StdUnitSphere)(sMat ball)(sSc {radius:g} {radius:g} {radius:g}))"
        self.say(f"{body}))", "(nd)))")

    def goal(self, sign: int, sizes: Sizes) -> None:
        """One goal: posts and bars, then nets."""
        depth, width, height = (_number(sizes, f"Goal{name}") for name in ("Depth", "Width", "Height"))
        self._body(sign * _number(sizes, "FieldLength") / 2, 0.0, 0.0, "")
        back = sign * depth
        bodies = [(x, side * width / 2) for x in (0.0, back) for side in (-1, 1)]
        for x, y in bodies:
            self._body(x, y, height / 2, f"StdUnitCylinder)(rgba {_POST_COLOUR})(sSc {POST} {POST} {height:g}")
        boxes = (
            (0.0, 0.0, height, 2 * POST, width, 2 * POST, _POST_COLOUR),
            (back / 2, 0.0, height, depth, width, 2 * POST, _NET_COLOUR),
            (back, 0.0, height / 2, 2 * POST, width, height, _NET_COLOUR),
            (back / 2, -width / 2, height / 2, depth, 2 * POST, height, _NET_COLOUR),
            (back / 2, width / 2, height / 2, depth, 2 * POST, height, _NET_COLOUR),
        )
        for x, y, z, a, b, c, colour in boxes:
            self._body(x, y, z, f"StdUnitBox)(rgba {colour})(sSc {a:g} {b:g} {c:g}")
        self.say(")", ")")

    def _body(self, x: float, y: float, z: float, load: str) -> None:
        """A body at a place; without a body the node stays open for others."""
        body = f"(nd SMN(setVisible 1)(load {load})))" if load else ""
        self.say(f"(nd TRF(SLT 1 0 0 0 0 1 0 0 0 0 1 0 {x:g} {y:g} {z:g} 1){body}", "(nd(nd))" if load else "(nd")

    def robot(self, look: Look, robot: RobotLayout, row: int) -> None:
        """One robot: its base, with all other parts below it."""
        appearance = look_of(look, robot)
        labels = Labels(appearance, robot)
        parts = tuple(parts_of(appearance, robot))
        name = f"agent {robot.team} {robot.unum}" if robot.team else f"robot {robot.robot}"
        self.say(f"(nd DSC({name})", "(nd")
        for part in parts:
            self.say("(nd TRF", "(nd")
            self.gap(row, part.moves)
            self._look(part, labels, row)
            if part is not parts[0]:
                self.say(")", ")")
        self.say("))" if parts else ")", "))" if parts else ")")

    def _look(self, part: LookNode, labels: Labels, row: int) -> None:
        """The look of a link in the axes of looks; a part without one has no further node."""
        if not (part.mesh or part.shape or part.light or part.children):
            return
        x, y, z = part.origin
        self.say(f"(nd TRF(SLT {_CLASSIC_AXES} {-x:g} {-y:g} {-z:g} 1)", "(nd")
        self.content(part, labels, self.is_selected(row))
        for child in part.children:
            self.node(child, labels, row)
        self.say(")", ")")


def _number(sizes: Sizes, name: str) -> float:
    value = sizes.get(name, 0.0)
    return value if isinstance(value, float) and math.isfinite(value) else 0.0
