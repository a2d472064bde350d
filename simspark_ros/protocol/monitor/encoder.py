"""Writes frames for monitors: full ones and changes (protocol reference, section 6)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.look import Look
from simspark_ros.protocol.monitor.numbers import Flags, GappedText, MatrixTexts
from simspark_ros.protocol.monitor.scene import BALL_ROW, SceneTemplate, build_scene
from simspark_ros.soccer.game_state import Foul, PlayMode
from simspark_ros.soccer.teams import Side

Array = NDArray[np.float64]

HYSTERESIS = 0.005
"""Least change of a number of a matrix (m for positions) at which the matrix is sent again."""

BALL_FRAMES = 10
"""Partial frames that still have the ball after it came to rest; rcssserver3d's ball settles for as long."""

NEWER = frozenset(
    ("CenterCircleRadius", *(f"{area}Area{size}" for area in ("Goalie", "Penalty") for size in ("Length", "Width")))
) | {"PenaltySpotDistance"}
"""Numbers of a field that classic monitors are not sent."""

PLAY_MODES = tuple(mode.value for mode in PlayMode)


class Frames(NamedTuple):
    """One moment, for monitors without the scene (full) and with the scene (partial); None = not asked for."""

    full: bytes | None
    partial: bytes | None


class MonitorEncoder:
    """Writes frames for any number of monitors that share one memory of sent values.

    A monitor has to get every partial frame after its full one, or a full one again. Each frame is a payload without
    its length. The layout's numbers of the world win over the environment of the look, and the argument `environment`
    wins over both.
    """

    def __init__(self, look: Look, environment: Mapping[str, float | str] | None = None) -> None:
        self._look = look
        self._given = dict(environment or {})
        self._environment = ""
        self._sizes: Mapping[str, float | str] = {}
        self._layout: Layout | None = None
        self._selected: int | None = None
        self._marked = -1
        self._waiting = 0
        self._last_foul = 0
        self._texts = MatrixTexts()
        self._scene = self._build((), {})
        self._links = self._balls = 0
        self._ball_rests = BALL_FRAMES
        self._sources: NDArray[np.intp] = np.zeros(0, np.intp)
        self._sent: Array = np.zeros((12, 0))
        self._sent_game: dict[str, str] = {}
        self._visible_due = True

    def adopt(self, layout: Layout, waiting: int = 0) -> bool:
        """Follow another layout or number of clients without a robot; return whether all monitors need a full frame."""
        if self._layout is not None and layout.revision == self._layout.revision and waiting == self._waiting:
            return False
        self._layout, self._waiting = layout, waiting
        self._selected, self._marked = None, -1
        self._sizes = environment = {**self._look.environment, **dict(layout.environment), **self._given}
        self._environment = self._environment_text(environment)
        self._scene = self._build(layout.robots, environment)
        first_link: list[int] = []
        count = 0
        for robot in layout.robots:
            first_link.append(count)
            count += len(robot.links)
        self._links = count
        known = self._sent[:, : self._balls]
        # Balls come before robots.
        self._balls = sum(row == BALL_ROW for row, _ in self._scene.moving)
        self._sources = np.array(
            [first_link[row] + layout.robots[row].links.index(link) for row, link in self._scene.moving[self._balls :]],
            np.intp,
        )
        upright = np.vstack([_turn_of_ball(0.0, 0.0, 0.0, 1.0), np.zeros((3, 1))])
        self._sent = np.tile(upright, len(self._scene.moving))
        self._sent[:, : known.shape[1]] = known
        return True

    def encode(self, percepts: Percepts, *, full: bool, partial: bool) -> Frames:
        """Write the frames of one moment and remember the sent values. After `adopt` is True, write a full one.

        Raises:
            ValueError: the percepts carry no poses, or poses of other robots than their layout says.
        """
        if percepts.poses is None:
            raise ValueError("monitors need percepts with poses: ask for poses by Commands.wants_poses")
        places = self._places(percepts.poses)
        change = places - self._sent
        still = np.maximum.reduce(np.abs(change, change)) <= HYSTERESIS
        # Some tools of trainers skip frames, full ones too, and would never read that the ball was placed.
        if not still[: self._balls].all():
            self._ball_rests = 0 if self._sent_game else BALL_FRAMES
        elif partial:
            self._ball_rests += 1
        if partial:
            still[: self._balls] &= self._ball_rests > BALL_FRAMES
            np.copyto(places, self._sent, where=still)
        self._sent = places
        self._mark(percepts.game.selected)
        frames = self._frames(percepts, full, still if partial else None)
        self._visible_due = full
        return frames

    def _build(self, robots: Sequence[RobotLayout], environment: Mapping[str, float | str]) -> SceneTemplate:
        """Write the scene with these robots; the environment has the sizes of the field."""
        return build_scene(self._look, robots, self._selected, self._waiting)

    def _environment_text(self, environment: Mapping[str, float | str]) -> str:
        return "".join(f"({name} {value_text(value)})" for name, value in environment.items() if name not in NEWER)

    def _frames(self, percepts: Percepts, full: bool, still: Flags | None) -> Frames:
        """Write the frames, and remember the game; still: nodes at rest, None = no partial frame."""
        game = percepts.game
        state = _game_state(
            game.team_left, game.team_right, game.half, game.score_left, game.score_right, game.play_mode
        )
        state = self._with_lights(state, game)
        time = f"(time {game.time:g})"
        partial_frame = None
        if still is not None:
            partial_frame = self._partial(time + self._news(state) + self._events(game), still)
        full_frame = self._full(time, state) if full else None
        self._sent_game = state
        return Frames(full_frame, partial_frame)

    def _mark(self, handle: int) -> None:
        """Follow a change of the selected robot, which alters visibility but not the tree."""
        if handle == self._marked:
            return
        self._marked = handle
        robots = self._layout.robots if self._layout else ()
        row = next((row for row, robot in enumerate(robots) if robot.handle == handle), None)
        if row != self._selected:
            self._selected = row
            self._scene = self._build(robots, self._sizes)
            self._visible_due = True

    def _with_lights(self, state: dict[str, str], game: GameSnapshot) -> dict[str, str]:
        """Add the lights of robots, each by the number of its node at the top of the scene, if there ever were any."""
        if not (game.lights or "lights" in self._sent_game):
            return state
        first = sum(node.count for node in self._look.scene)
        rows = {robot.handle: row for row, robot in enumerate(self._layout.robots if self._layout else ())}
        lit = (f"{first + rows[handle]} {text}" for handle, text in game.lights if handle in rows)
        return {**state, "lights": " ".join(lit)}

    def _events(self, game: GameSnapshot) -> str:
        """Write the entries that only partial frames have: new fouls, and times until teams may score after a pass."""
        if not (game.fouls or self._last_foul or game.score_wait_left > 0 or game.score_wait_right > 0):
            return ""
        waits = (("left", game.score_wait_left), ("right", game.score_wait_right))
        return "".join(
            [f"(pass_mode_score_wait_{side} {wait:g})" for side, wait in waits if wait > 0]
            + [f"(foul {f.index} {f.kind:d} {team_number(f.side)} {f.unum})" for f in self._new_fouls(game)]
        )

    def _new_fouls(self, game: GameSnapshot) -> list[Foul]:
        """The fouls since the last call."""
        sent, self._last_foul = self._last_foul, game.fouls[-1].index if game.fouls else 0
        # A new game counts from 1 again.
        return [foul for foul in game.fouls if foul.index > sent or sent > self._last_foul]

    def _places(self, poses: Poses) -> Array:
        """(12, M): rotation row by row and position of the body of every moving node."""
        links, rotations = len(poses.positions), poses.rotations
        if links != len(rotations) or links < self._links:
            raise ValueError(f"poses of {links} links do not fit the layout")
        balls = self._balls
        places = np.empty((12, balls + len(self._sources)))
        places[:9, :balls] = _turn_of_ball(*poses.ball_quaternion.tolist())
        places[9:, :balls] = poses.ball[:, None]
        places[:9, balls:] = rotations.reshape(-1, 9).take(self._sources, 0).T
        places[9:, balls:] = poses.positions.take(self._sources, 0).T
        if math.isfinite(np.vdot(places, places)):
            return places
        # A number that is not finite would end a monitor's reader: the last good number stays.
        return np.where(np.isfinite(places), places, self._sent)

    def _news(self, state: Mapping[str, str]) -> str:
        if state is self._sent_game:
            return ""
        return "".join(f"({name} {value})" for name, value in state.items() if self._sent_game.get(name) != value)

    def _full(self, time: str, state: Mapping[str, str]) -> bytes:
        known = "".join(f"({name} {value})" for name, value in state.items())
        head = f"({self._environment}(play_modes {' '.join(PLAY_MODES)}){time}{known})(RSG 0 1)"
        return self._fill(head, self._scene.full)

    def _partial(self, news: str, still: Flags) -> bytes:
        text = self._scene.partial_visible if self._visible_due else self._scene.partial
        return self._fill(f"({news})(RDS 0 1)", text, still)

    def _fill(self, head: str, text: GappedText, still: Flags | None = None) -> bytes:
        """Put the matrices of moving nodes into the gaps of the scene, except nodes at rest, behind the head.

        In a match nearly all nodes move: selecting them would cost more than writing all matrices.
        """
        return text.fill(head.encode("latin-1", "replace"), self._texts.write(self._sent), still)


@lru_cache(maxsize=1)
def _turn_of_ball(x: float, y: float, z: float, w: float) -> Array:
    """(9, 1): the ball's rotation row by row, turned from the axes of its node to the axes of links.

    The ball nearly always has no spin, so the last answer is kept.
    """
    right, forward, up = rotations_from_quaternions(np.array([[x, y, z, w]]))[0].T
    return np.column_stack([forward, -right, up]).reshape(9, 1)


@lru_cache(maxsize=1)
def _game_state(left: str, right: str, half: int, score_left: int, score_right: int, mode: str) -> dict[str, str]:
    """Entries of the game after its time, in the order of a full frame; a team without a name is left out.

    The game is nearly always the same as in the frame before, so the last answer is kept.
    """
    values = {
        "team_left": left,
        "team_right": right,
        "half": str(half),
        "score_left": str(score_left),
        "score_right": str(score_right),
        # Monitors fail on an index beyond their list, so a mode unknown to them must not be sent.
        "play_mode": str(PLAY_MODES.index(mode)) if mode in PLAY_MODES else "",
    }
    return {name: value for name, value in values.items() if value}


def team_number(side: Side) -> int:
    """Number of a team in fouls."""
    return 1 if side is Side.LEFT else 2


def value_text(value: float | str) -> str:
    """A number or word of the environment, as monitors read it."""
    return value if isinstance(value, str) else f"{value:g}"
