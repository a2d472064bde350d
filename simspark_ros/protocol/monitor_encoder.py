"""Writes what monitors are shown: full frames and the changes since (protocol reference, section 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor_look import Look
from simspark_ros.protocol.monitor_numbers import MatrixTexts, Pieces
from simspark_ros.protocol.monitor_scene import BALL_ROW, build_scene
from simspark_ros.simulation.exchange import GameSnapshot, Layout, Percepts, Poses
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

Array = NDArray[np.float64]

HYSTERESIS = 0.005
"""A matrix is sent again when one of its numbers (m for positions) has changed by more than this."""

PLAY_MODES = tuple(mode.value for mode in PlayMode)


@dataclass(frozen=True)
class Frames:
    """The same moment for monitors that know the scene and for those that don't.

    Attributes:
        full: everything, or None if nobody needs it.
        partial: what changed, or None if nobody needs it.
    """

    full: bytes | None
    partial: bytes | None


class MonitorEncoder:
    """Writes frames for any number of monitors that share one memory of what was sent.

    A monitor has to be given every partial frame after its full one, or a full one again. Each frame is a payload
    without its length.
    """

    def __init__(self, look: Look, environment: Mapping[str, float | str] | None = None) -> None:
        """Create an encoder that has sent nothing yet.

        Args:
            look: how everything is shown. What the layout says of the world takes the place of its environment.
            environment: values that take the place of both, e.g. FieldLength.
        """
        self._look = look
        self._given = dict(environment or {})
        self._environment = ""
        self._layout: Layout | None = None
        self._selected: int | None = None
        self._waiting = 0
        self._told_foul = 0
        self._texts = MatrixTexts()
        self._scene = build_scene(look, ())
        self._sources: NDArray[np.intp] = np.zeros(0, np.intp)
        self._sent: Array = np.zeros((0, 12))
        self._sent_game: dict[str, str] = {}
        self._visible_due = True

    def adopt(self, layout: Layout, waiting: int = 0) -> bool:
        """Follow a change of the scene's structure.

        Args:
            layout: of the percepts that follow.
            waiting: clients without a robot.

        Returns:
            Whether there was one, so that every monitor needs a full frame.
        """
        if self._layout is not None and layout.revision == self._layout.revision and waiting == self._waiting:
            return False
        self._layout, self._selected, self._waiting = layout, None, waiting
        environment = {**self._look.environment, **dict(layout.environment), **self._given}
        self._environment = "".join(f"({name} {_value(value)})" for name, value in environment.items())
        self._scene = build_scene(self._look, layout.robots, waiting=waiting)
        first_link: list[int] = []
        count = 0
        for robot in layout.robots:
            first_link.append(count)
            count += len(robot.links)
        ball = count
        self._sources = np.array(
            [
                ball if row == BALL_ROW else first_link[row] + layout.robots[row].links.index(link)
                for row, link in self._scene.moving
            ],
            np.intp,
        )
        self._sent = np.tile(np.eye(4, 3).ravel(), (len(self._sources), 1))
        return True

    def encode(self, percepts: Percepts, *, full: bool, partial: bool) -> Frames:
        """Write the frames of one moment and remember what was sent.

        Args:
            percepts: with poses.
            full: whether some monitor needs a full frame.
            partial: whether some monitor is to get the changes; impossible right after `adopt` returned True.

        Raises:
            ValueError: the percepts carry no poses, or poses of other robots than their layout says.
        """
        if percepts.poses is None:
            raise ValueError("percepts without poses cannot be shown to monitors: ask for them by Commands.wants_poses")
        matrices = self._matrices(percepts.poses)
        if partial:
            changed = np.flatnonzero((np.abs(matrices - self._sent) > HYSTERESIS).any(1))
            self._sent[changed] = matrices[changed]
        else:
            self._sent = matrices
        self._mark(percepts.game.selected)
        game = _game_state(percepts.game)
        partial_frame = self._partial(game, changed, self._events(percepts.game)) if partial else None
        full_frame = self._full(game) if full else None
        self._sent_game = game
        self._visible_due = full
        return Frames(full_frame, partial_frame)

    def _mark(self, handle: int) -> None:
        """Follow a change of the selected robot, which alters what is visible but not the tree."""
        robots = self._layout.robots if self._layout else ()
        row = next((row for row, robot in enumerate(robots) if robot.handle == handle), None)
        if row != self._selected:
            self._selected = row
            self._scene = build_scene(self._look, robots, row, self._waiting)
            self._visible_due = True

    def _events(self, game: GameSnapshot) -> str:
        """Return what partial frames alone tell: fouls that are new, and who may not score yet after pass mode."""
        waits = (("left", game.score_wait_left), ("right", game.score_wait_right))
        told, self._told_foul = self._told_foul, game.fouls[-1].index if game.fouls else 0
        # A game that begins anew counts from 1 again.
        fouls = (foul for foul in game.fouls if foul.index > told or told > self._told_foul)
        return "".join(
            [f"(pass_mode_score_wait_{side} {wait:g})" for side, wait in waits if wait > 0]
            + [f"(foul {f.index} {f.kind:d} {1 if f.side is Side.LEFT else 2} {f.unum})" for f in fouls]
        )

    def _matrices(self, poses: Poses) -> Array:
        """Return (M, 12): columns right, forward, up and position of every moving node."""
        links, rotations = len(poses.positions), poses.rotations
        if links != len(rotations) or links < self._sources.max(initial=0):
            raise ValueError(f"poses of {links} links do not fit the layout")
        everything = np.empty((links + 1, 12))
        # Axes of links are forward, left, up; those of nodes right, forward, up.
        np.negative(rotations[:, :, 1], out=everything[:-1, :3])
        everything[:-1, 3:6], everything[:-1, 6:9] = rotations[:, :, 0], rotations[:, :, 2]
        everything[:-1, 9:] = poses.positions
        everything[-1, :9] = _axes(*poses.ball_quaternion.tolist())
        everything[-1, 9:] = poses.ball
        matrices: Array = everything.take(self._sources, 0)
        finite = np.isfinite(matrices)
        # A number that is none would end a monitor's reader: the last good one stays.
        return matrices if finite.all() else np.where(finite, matrices, self._sent)

    def _full(self, game: Mapping[str, str]) -> bytes:
        known = "".join(f"({name} {value})" for name, value in game.items())
        head = f"({self._environment}(play_modes {' '.join(PLAY_MODES)}){known})(RSG 0 1)"
        return self._join(head, self._scene.full, np.arange(len(self._sent)))

    def _partial(self, game: Mapping[str, str], changed: NDArray[np.intp], events: str) -> bytes:
        news = "".join(
            f"({name} {value})" for name, value in game.items() if name == "time" or self._sent_game.get(name) != value
        )
        pieces = self._scene.partial_visible if self._visible_due else self._scene.partial
        return self._join(f"({news}{events})(RDS 0 1)", pieces, changed)

    def _join(self, head: str, pieces: Pieces, told: NDArray[np.intp]) -> bytes:
        """Put the matrices of some moving nodes, ascending, between the pieces of the scene."""
        texts = np.empty((len(told), 2), object)
        texts[:, 0], texts[:, 1] = pieces[told], self._texts.write(self._sent[told])
        start_of_piece = np.concatenate([[0], told + 1])
        for gap in np.flatnonzero(np.diff(start_of_piece) > 1).tolist():
            texts[gap, 0] = "".join(pieces[start_of_piece[gap] : start_of_piece[gap + 1]])
        rest = pieces[start_of_piece[-1] :]
        return "".join([head, *texts.ravel().tolist(), *rest]).encode("latin-1", "replace")


@lru_cache(maxsize=1)
def _axes(x: float, y: float, z: float, w: float) -> Array:
    """Return (9,): the axes x, y, z of the ball, which is nearly always shown without its spin."""
    axes: Array = rotations_from_quaternions(np.array([[x, y, z, w]]))[0].T.ravel()
    return axes


def _game_state(game: GameSnapshot) -> dict[str, str]:
    """Return what monitors are told of the game, in the order of a full frame; a team without a name is left out."""
    values = {
        "time": f"{game.time:g}",
        "team_left": game.team_left,
        "team_right": game.team_right,
        "half": str(game.half),
        "score_left": str(game.score_left),
        "score_right": str(game.score_right),
        # Monitors fail on an index beyond their list, so that a mode unknown to them must not be sent.
        "play_mode": str(PLAY_MODES.index(game.play_mode)) if game.play_mode in PLAY_MODES else "",
    }
    return {name: value for name, value in values.items() if value}


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
