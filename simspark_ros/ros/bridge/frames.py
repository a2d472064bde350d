"""`Percepts` and `Commands` to the messages between simulator and bridge and back: pure functions, exact both ways."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import Action, Commands, GameSnapshot, Layout, Notice, Percepts, Poses
from simspark_ros.msg import CommandFrame, PerceptFrame
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.ros.bridge.flat_arrays import (
    MAX_ENTRIES,
    FrameError,
    doubles,
    expect,
    expect_offsets,
    expect_range,
    flags,
    from_doubles,
    from_ints,
    ints,
    longs,
    text,
    texts,
)
from simspark_ros.ros.bridge.layout_frames import read_layout, write_layout
from simspark_ros.server.remote.frames import join_arguments, split_arguments
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side

_SIDES = (None, Side.LEFT, Side.RIGHT)
"""By their numbers in messages."""


class LayoutMissingError(FrameError):
    """A frame is meant for a layout that the reader does not have; it has to ask for it."""


def write_percepts(
    percepts: Percepts,
    session: int,
    *,
    waits: bool = False,
    bridges: Mapping[str, int] | None = None,
    layout: bool = True,
) -> Any:
    """Make a `PerceptFrame`.

    Args:
        percepts: of one cycle.
        session: identity of this run of the simulator.
        waits: whether the simulator waits for the answer.
        bridges: that the simulator knows, with the serial number of their welcome.
        layout: whether the layout goes with it.
    """
    bridges = bridges or {}
    game = percepts.game
    frame = PerceptFrame(
        session=session,
        cycle=percepts.cycle,
        time=percepts.time,
        waits=waits,
        bridges=texts(bridges),
        welcomes=longs(list(bridges.values())),
        game_time=game.time,
        play_mode=text(game.play_mode),
        score_left=game.score_left,
        score_right=game.score_right,
        half=game.half,
        team_left=text(game.team_left),
        team_right=text(game.team_right),
        score_wait_left=game.score_wait_left,
        score_wait_right=game.score_wait_right,
        selected=game.selected,
        values=doubles(percepts.values),
        present=flags(percepts.present),
        layout_revision=percepts.layout.revision,
    )
    if game.fouls:
        frame.fouls = ints(
            [n for foul in game.fouls for n in (foul.index, foul.kind, _SIDES.index(foul.side), foul.unum)]
        )
    if percepts.sight is not None:
        _write_sight(percepts.sight, frame)
    if percepts.heard:
        _write_heard(percepts.heard, frame)
    if percepts.poses is not None:
        _write_poses(percepts.poses, frame)
    if percepts.notices:
        frame.notice_clients = texts(notice.client for notice in percepts.notices)
        frame.notice_texts = texts(notice.text for notice in percepts.notices)
    if layout:
        write_layout(percepts.layout, frame)
    return frame


class PerceptReader:
    """Makes `Percepts` of frames and remembers the layout. One for each bridge.

    Revisions of layouts are those of the simulator, unless another simulator takes over: then they go on increasing.

    Attributes:
        layout: of the last frame that was understood, None before the first.
    """

    def __init__(self, prefix: str = "") -> None:
        """Create a reader that has no layout.

        Args:
            prefix: of the names of the own clients; the robots of others are read as robots without a client.
        """
        self.layout: Layout | None = None
        self._prefix = prefix
        self._session = 0
        self._shift = 0
        self._values = self._flags = self._targets = self._links = 0

    def read(self, frame: Any) -> Percepts:
        """Understand a `PerceptFrame`.

        Raises:
            LayoutMissingError: the frame belongs to a layout that was never seen.
            FrameError: it is malformed; nothing of it is kept.
        """
        if frame.has_layout:
            self._adopt(frame)
        layout = self.layout
        if layout is None or frame.session != self._session or frame.layout_revision + self._shift != layout.revision:
            raise LayoutMissingError(f"layout {frame.layout_revision} is not known yet")
        if len(frame.values) < self._values:
            raise FrameError(f"values has {len(frame.values)} entries, not {self._values}")
        expect("present", len(frame.present), self._flags)
        expect("notice_texts", len(frame.notice_texts), len(frame.notice_clients))
        return Percepts(
            cycle=frame.cycle,
            time=frame.time,
            layout=layout,
            game=GameSnapshot(
                frame.game_time,
                frame.play_mode,
                frame.score_left,
                frame.score_right,
                frame.half,
                frame.team_left,
                frame.team_right,
                frame.score_wait_left,
                frame.score_wait_right,
                _read_fouls(frame) if len(frame.fouls) else (),
                frame.selected,
            ),
            values=from_doubles(frame.values),
            present=np.asarray(frame.present, np.uint8).astype(np.bool_),
            sight=self._sight(frame) if frame.has_sight else None,
            heard=_read_heard(frame) if len(frame.heard_handles) else (),
            poses=self._poses(frame) if frame.has_poses else None,
            notices=tuple(map(Notice, frame.notice_clients, frame.notice_texts)),
        )

    def _adopt(self, frame: Any) -> None:
        known = self.layout
        if known and frame.session == self._session and frame.layout_revision + self._shift == known.revision:
            return
        layout = read_layout(frame)
        others = [robot.client and not robot.client.startswith(self._prefix) for robot in layout.robots]
        robots = tuple(
            replace(robot, client="") if other else robot for robot, other in zip(layout.robots, others, strict=True)
        )
        if known and frame.session != self._session:
            self._shift = known.revision + 1 - layout.revision
        self._session = frame.session
        slots = [slot for robot in robots for slot in robot.slots]
        self._values = max((slot.start + len(slot.columns) for slot in slots), default=0)
        self._flags = len(slots)
        self._targets = len(layout.targets)
        self._links = sum(len(robot.links) for robot in robots)
        self.layout = replace(layout, revision=layout.revision + self._shift, robots=robots)

    def _sight(self, frame: Any) -> Sight:
        assert self.layout is not None
        observers, targets = from_ints(frame.sight_observers), from_ints(frame.sight_object_targets)
        object_offset, line_offset = from_ints(frame.sight_object_offsets), from_ints(frame.sight_line_offsets)
        objects, lines = _rows("sight_object_polar", frame, 3), _rows("sight_line_polar", frame, 6)
        expect_range("sight_observers", observers, len(self.layout.robots))
        expect_range("sight_object_targets", targets, self._targets)
        expect("sight_object_polar", len(objects), len(targets))
        expect_offsets("sight_object_offsets", object_offset, len(observers), len(objects))
        expect_offsets("sight_line_offsets", line_offset, len(observers), len(lines))
        return Sight(observers, object_offset, targets, objects, line_offset, lines.reshape(-1, 2, 3))

    def _poses(self, frame: Any) -> Poses:
        positions, quaternions = _rows("pose_positions", frame, 3), _rows("pose_quaternions", frame, 4)
        expect("pose_positions", len(positions), self._links)
        expect("pose_quaternions", len(quaternions), self._links)
        expect("pose_ball", len(frame.pose_ball), 7)
        ball = from_doubles(frame.pose_ball)
        return Poses.from_quaternions(positions, quaternions, ball[:3], ball[3:])


def write_commands(
    commands: Commands,
    bridge: str,
    session: int,
    *,
    received: int = 0,
    needs_layout: bool = False,
    closing: bool = False,
) -> Any:
    """Make a `CommandFrame`.

    Args:
        commands: what clients sent.
        bridge: identity of the bridge.
        session: of the simulator for which they are meant, 0 = none yet.
        received: cycle of the last percepts received.
        needs_layout: whether the bridge waits for the layout.
        closing: whether the bridge ends.
    """
    frame = CommandFrame(
        bridge=bridge,
        session=session,
        received=received,
        answers=commands.answers,
        participants=commands.participants,
        needs_layout=needs_layout,
        wants_poses=commands.wants_poses,
        closing=closing,
    )
    if len(commands.handles):
        frame.handles = longs(commands.handles)
        frame.joints = ints(commands.joints)
        frame.velocities = doubles(commands.velocities)
    if commands.actions:
        actions = commands.actions
        frame.action_clients = texts(action.client for action in actions)
        frame.action_kinds = texts(action.kind for action in actions)
        split = [split_arguments(action) for action in actions]
        frame.action_counts = ints([n for words, numbers in split for n in (len(words), len(numbers))])
        frame.action_words = texts(word for words, _ in split for word in words)
        frame.action_numbers = doubles([number for _, numbers in split for number in numbers])
    if commands.rejected:
        frame.rejected_reasons = texts(commands.rejected)
        frame.rejected_counts = ints(list(commands.rejected.values()))
    return frame


def read_commands(frame: Any) -> Commands:
    """Understand a `CommandFrame`.

    Raises:
        FrameError: it is malformed, or has numbers that no bridge sends.
    """
    count = len(frame.handles)
    if count > MAX_ENTRIES:
        raise FrameError(f"handles has more than {MAX_ENTRIES} entries")
    expect("joints", len(frame.joints), count)
    expect("velocities", len(frame.velocities), count)
    joints, velocities = from_ints(frame.joints), from_doubles(frame.velocities)
    if count and joints.min() < 0:
        raise FrameError("joints has a negative entry")
    if np.isnan(velocities).any():
        raise FrameError("velocities has an entry that is not a number")
    if frame.participants < 0 or frame.answers < 0 or frame.received < 0:
        raise FrameError("participants, answers or received is negative")
    expect("rejected_counts", len(frame.rejected_counts), len(frame.rejected_reasons))
    if any(number < 0 for number in frame.rejected_counts):
        raise FrameError("rejected_counts has a negative entry")
    return Commands(
        answers=frame.answers,
        participants=frame.participants,
        handles=from_ints(frame.handles),
        joints=joints,
        velocities=velocities,
        actions=_read_actions(frame) if frame.action_clients else (),
        wants_poses=frame.wants_poses,
        rejected=dict(zip(frame.rejected_reasons, frame.rejected_counts, strict=True)),
    )


def _read_actions(frame: Any) -> tuple[Action, ...]:
    count = len(frame.action_clients)
    if count > MAX_ENTRIES:
        raise FrameError(f"action_clients has more than {MAX_ENTRIES} entries")
    expect("action_kinds", len(frame.action_kinds), count)
    expect("action_counts", len(frame.action_counts), 2 * count)
    counts = frame.action_counts.tolist()
    if min(counts) < 0:
        raise FrameError("action_counts has a negative entry")
    words, numbers = frame.action_words, frame.action_numbers.tolist()
    expect("action_words", len(words), sum(counts[::2]))
    expect("action_numbers", len(numbers), sum(counts[1::2]))
    if not all(map(math.isfinite, numbers)):
        raise FrameError("action_numbers has an entry that is not finite")
    actions = []
    word = number = 0
    for client, kind, n, m in zip(frame.action_clients, frame.action_kinds, counts[::2], counts[1::2], strict=True):
        try:
            arguments = join_arguments(words[word : word + n], numbers[number : number + m])
        except ValueError as error:
            raise FrameError(f"action_words has {error}") from None
        actions.append(Action(client, kind, arguments))
        word, number = word + n, number + m
    return tuple(actions)


def _write_sight(sight: Sight, frame: Any) -> None:
    frame.has_sight = True
    frame.sight_observers = ints(sight.observers)
    frame.sight_object_offsets = ints(sight.object_offset)
    frame.sight_line_offsets = ints(sight.line_offset)
    frame.sight_object_targets = ints(sight.object_target)
    frame.sight_object_polar = doubles(sight.object_polar)
    frame.sight_line_polar = doubles(sight.line_polar)


def _write_heard(heard: tuple[Heard, ...], frame: Any) -> None:
    frame.heard_handles = longs([message.handle for message in heard])
    frame.heard_teams = texts(message.team for message in heard)
    frame.heard_messages = texts(message.message for message in heard)
    frame.heard_directions = doubles([math.nan if m.direction is None else m.direction for m in heard])
    frame.heard_times = doubles([message.time for message in heard])


def _read_heard(frame: Any) -> tuple[Heard, ...]:
    for field in ("heard_teams", "heard_messages", "heard_directions", "heard_times"):
        expect(field, len(getattr(frame, field)), len(frame.heard_handles))
    directions = [None if math.isnan(direction) else direction for direction in frame.heard_directions]
    return tuple(
        map(Heard, frame.heard_handles, frame.heard_teams, directions, frame.heard_messages, frame.heard_times)
    )


def _read_fouls(frame: Any) -> tuple[Foul, ...]:
    numbers = from_ints(frame.fouls)
    if len(numbers) % 4:
        raise FrameError(f"fouls has {len(numbers)} entries, not a multiple of 4")
    rows = numbers.reshape(-1, 4)
    expect_range("fouls", rows[:, 1], len(FoulKind))
    expect_range("fouls", rows[:, 2] - 1, 2)
    return tuple(
        Foul(index, FoulKind(kind), Side.LEFT if side == 1 else Side.RIGHT, unum)
        for index, kind, side, unum in rows.tolist()
    )


def _write_poses(poses: Poses, frame: Any) -> None:
    frame.has_poses = True
    frame.pose_positions = doubles(poses.positions)
    frame.pose_quaternions = doubles(poses.quaternions)
    frame.pose_ball = doubles(np.concatenate([poses.ball, poses.ball_quaternion]))


def _rows(field: str, frame: Any, columns: int) -> NDArray[np.float64]:
    values = from_doubles(getattr(frame, field))
    if len(values) % columns:
        raise FrameError(f"{field} has {len(values)} entries, not a multiple of {columns}")
    return values.reshape(-1, columns)
