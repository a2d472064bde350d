"""Writes the frames of monitors of the league since 2026 (RSMP 1.0), as rcssservermj 0.2.1 does; reads their commands.

A frame is one list: version, simulated time, scene graph, state of the game, and in a full frame the environment.
RoboViz 2.1 shows it. Links are below their robot's base, which stands first below its description; node axes are x
forward, y left, z up. Of trainers' commands a few differ from the classic ones: robots are placed in an upright home
pose, `move` has its angle in degrees from +x, `move3d` a quaternion w, x, y, z, and teams are named by side or by their
own name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Argument, GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.model import Vector
from simspark_ros.protocol.agent.actions import shown
from simspark_ros.protocol.monitor.encoder import Array, Frames, MonitorEncoder, team_number, value_text
from simspark_ros.protocol.monitor.look import Look, LookNode
from simspark_ros.protocol.monitor.numbers import Flags
from simspark_ros.protocol.monitor.scene import BALL_ROW, Labels, SceneTemplate, SceneWriter, look_of, parts_of
from simspark_ros.protocol.monitor.trainer import COMMANDS, Arguments, CommandReader, Order, TrainerError
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

_CLASSIC = [mode.value for mode in PlayMode]
_PENALTIES = [f"penalty_{kind}_{side.value}" for kind in ("kick", "shoot") for side in Side]
RSMP_PLAY_MODES = (*(mode for mode in _CLASSIC if not mode.startswith("pass_")), *_PENALTIES, "pass_left", "pass_right")
"""Play modes in the order in which these monitors index them; modes that only this server has stand last."""

_AXES = np.array([1, 0, 2, 4, 3, 5, 7, 6, 8])
"""Numbers of a rotation whose forward and left change places."""

_TURNED = slice(1, 9, 3)


class RsmpEncoder(MonitorEncoder):
    """As `MonitorEncoder`; the environment's numbers of areas come from the layout, too."""

    _bases: NDArray[np.intp] = np.zeros(0, np.intp)
    _others: NDArray[np.intp] = np.zeros(0, np.intp)
    _origins: Array = np.zeros((3, 0))

    def adopt(self, layout: Layout, waiting: int = 0) -> bool:
        """Follow another layout, as `MonitorEncoder.adopt`."""
        if not super().adopt(layout, waiting):
            return False
        first: dict[int, int] = {}
        bases = [first.setdefault(row, column) for column, (row, _) in enumerate(self._scene.moving)]
        moving = enumerate(zip(bases, self._scene.moving, strict=True))
        self._others = np.array([c for c, (base, (row, _)) in moving if row != BALL_ROW and base != c], np.intp)
        self._bases = np.array(bases, np.intp)[self._others]
        self._origins = np.array(origins_of(self._look, layout.robots)).reshape(-1, 3).T
        return True

    def _build(self, robots: Sequence[RobotLayout], environment: Mapping[str, float | str]) -> SceneTemplate:
        return build_rsmp_scene(self._look, robots, environment, self._selected, self._waiting)

    def _environment_text(self, environment: Mapping[str, float | str]) -> str:
        numbers = "".join(f"({name} {value_text(value)})" for name, value in environment.items())
        return f"((ge 1 0){numbers}(play_modes {' '.join(RSMP_PLAY_MODES)}))"

    def _places(self, poses: Poses) -> Array:
        """Places of bases in the world, of other links in the frame of their base, in the axes of this stream."""
        places = super()._places(poses)
        turns = places[:9, self._balls :].reshape(3, 3, -1)
        places[9:, self._balls :] += np.einsum("ijn,jn->in", turns, self._origins)
        others, bases = self._others, self._bases
        if len(others):
            base = places[:9, bases].reshape(3, 3, -1)
            turn = places[:9, others].reshape(3, 3, -1)
            away = places[9:, others] - places[9:, bases]
            places[:9, others] = np.einsum("kin,kjn->ijn", base, turn).reshape(9, -1)
            places[9:, others] = np.einsum("kin,kn->in", base, away)
        links = places[:9, self._balls :][_AXES]
        # `MatrixTexts` writes the opposite of left as x, and forward as y.
        links[_TURNED] *= -1.0
        places[:9, self._balls :] = links
        return places

    def _frames(self, percepts: Percepts, full: bool, still: Flags | None) -> Frames:
        head = f"((RSMP 1 0)((gt 1 0){percepts.time:.2f})((sg 1 0)"
        game = percepts.game
        fouls = "".join(f"(foul {f.kind:d} {team_number(f.side)} {f.unum})" for f in self._new_fouls(game))
        state, teams = (
            _state(game),
            f"(team_left {game.team_left or '<LEFT>'})(team_right {game.team_right or '<RIGHT>'})",
        )
        partial_frame = full_frame = None
        if still is not None:
            scene = self._scene.partial_visible if self._visible_due else self._scene.partial
            partial_frame = self._fill(f"{head}diff", scene, still) + _bytes(f"){state}{fouls}))")
        if full:
            tail = f"){state}{teams}{fouls}){self._environment})"
            full_frame = self._fill(f"{head}full", self._scene.full) + _bytes(tail)
        return Frames(full_frame, partial_frame)


def _state(game: GameSnapshot) -> str:
    mode = RSMP_PLAY_MODES.index(game.play_mode) if game.play_mode in RSMP_PLAY_MODES else 0
    score = f"(score_left {game.score_left})(score_right {game.score_right})"
    return f"((gs 1 0)(time {game.time:g})(half {game.half}){score}(play_mode {mode})"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


POST = 0.05
"""Radius of a post, half the thickness of a net, m."""

_UNTURNED = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
_CLASSIC_AXES = "0 -1 0 0 1 0 0 0 0 0 1 0"
"""Turn from the axes of looks (right, forward, up) to the axes of links (forward, left, up), columns of a matrix."""

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
    """Writes the parts of this scene that differ from the classic scene."""

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


_SIDES = {word: side for side in ("left", "right") for word in (side, side.capitalize(), side[0], side[0].upper())}

_PLACES = {"pos": 3, "move": 4, "move3d": 7}
"""Numbers of each way to place a robot; the last one given counts."""


def _agent(arguments: Arguments) -> list[Order]:
    words = [word for word in _PLACES if word in arguments]
    if not words or not {"unum", "team"} <= arguments.names:
        raise TrainerError(
            "agent: needs (unum U), (team T) and (pos x y z), (move x y z deg) or (move3d x y z w x y z)"
        )
    word = words[-1]
    x, y, z, *turn = arguments.numbers(word, _PLACES[word])
    w, qx, qy, qz = 1.0, 0.0, 0.0, 0.0
    if word == "move":
        half = math.radians(turn[0] % 360.0) / 2
        w, qz = math.cos(half), math.sin(half)
    elif word == "move3d":
        length = math.hypot(*turn)
        if length < 1e-6:
            raise TrainerError("agent: (move3d ...): the quaternion has no length")
        w, qx, qy, qz = (number / length for number in turn)
    team = arguments.named_word("team")
    return [("agent_place", (_SIDES.get(team, team), arguments.unum(), x, y, z, qx, qy, qz, w))]


def _ball(arguments: Arguments) -> list[Order]:
    if "pos" not in arguments:
        raise TrainerError("ball: needs (pos x y z), and takes (vel x y z)")
    velocity = arguments.numbers("vel", 3) if "vel" in arguments else (0.0, 0.0, 0.0)
    values: tuple[Argument, ...] = (*arguments.numbers("pos", 3), *velocity)
    return [("ball", values)]


def _kick_off(arguments: Arguments) -> list[Order]:
    team = arguments.word()
    # Only a command without any argument means either team.
    if (team or arguments.names) and team not in _SIDES:
        raise TrainerError(f"kickOff: needs Left, Right or nothing, not {shown(team)}")
    return [("kick_off", (_SIDES.get(team, ""),))]


RSMP_COMMANDS: dict[str, CommandReader] = {**COMMANDS, "agent": _agent, "ball": _ball, "kickOff": _kick_off}
"""Readers of commands, as `COMMANDS`."""
