"""Writes the frames of monitors of the league since 2026 (RSMP 1.0), as rcssservermj 0.2.1 does.

A frame is one list: version, simulated time, scene graph, state of the game, and in a full frame the environment.
RoboViz 2.1 shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.protocol.monitor.encoder import Array, Frames, MonitorEncoder, team_number, value_text
from simspark_ros.protocol.monitor.numbers import Flags
from simspark_ros.protocol.monitor.rsmp_scene import build_rsmp_scene, origins_of
from simspark_ros.protocol.monitor.scene import BALL_ROW, SceneTemplate
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
