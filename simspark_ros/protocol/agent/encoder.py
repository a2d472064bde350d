"""Writes the percepts of agents as the classic server does (protocol reference, section 4)."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout
from simspark_ros.kernels.message_text import MessageKernel, Pattern, TextBuffer
from simspark_ros.perceptors.readings import Heard
from simspark_ros.protocol.agent.message_form import PICTURES, MessageForm, as_ascii
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.protocol.agent.see_encoder import LIMIT, SeeEncoder
from simspark_ros.protocol.framing import frame

_ROUNDING = 1e-6
"""Rounding error of times, s."""

_FormKey = tuple[tuple[str, str, tuple[str, ...]], ...]


class _Recipient(NamedTuple):
    """A robot with a classic client: the index of its first number, and its slice of all perceptors."""

    row: int
    robot: RobotLayout
    form: MessageForm
    first: int
    present: slice


class AgentEncoder:
    """Turns the percepts of a cycle into one framed message per client, in the dialect of a profile.

    Attributes:
        clients: clients that get messages, from the next layout on; None = all. Others speak other dialects.
    """

    def __init__(self, profile: Profile) -> None:
        self.unknown_kinds: set[str] = set()
        self.clients: frozenset[str] | None = None
        self._profile = profile
        self._see = SeeEncoder(profile)
        self._number = f"%.{profile.decimals}f"
        digits = profile.hear.direction_decimals
        self._direction = self._number if digits is None else f"%.{digits}f"
        self._cuts = profile.numbers == "cut"
        self._replaced = 0
        self._last_good = {"now": 0.0, "t": 0.0}
        self._game: GameSnapshot | None = None
        self._game_text = ""
        self._game_state = b""
        self._announced: dict[str, int] = {}
        self._layout: Layout | None = None
        self._forms: dict[_FormKey, MessageForm] = {}
        self._recipients: list[_Recipient] = []
        self._present: bytes | None = None
        self._patterns: list[Pattern] = []
        self._keys: list[tuple[int, int, int]] = []
        self._last: NDArray[np.float64] = np.empty(0)
        self._numbers = self._kernel([], [], [], {})

    @property
    def non_finite(self) -> int:
        """Count of numbers, objects and lines so far that were not finite, or absurdly large.

        They are never sent: a perceptor repeats its last good value, seen objects are left out.
        """
        return self._replaced + int(self._numbers.replaced) + self._see.non_finite

    def encode(self, percepts: Percepts, pictures: Mapping[int, str] = MappingProxyType({})) -> dict[str, bytes]:
        """Write the framed message of every robot that has a client, by client; pictures, by handle, come last.

        Uniform number and side are announced once after each accepted init, in the next message.
        """
        # Not the revision: it starts again when the simulator does.
        if percepts.layout is not self._layout:
            self._set_layout(percepts.layout)
        present = percepts.present.tobytes()
        if present != self._present:
            self._present = present
            self._patterns = [recipient.form.pattern(present[recipient.present]) for recipient in self._recipients]
        self._numbers.take(percepts.values, present)
        time = self._finite("now", percepts.time)
        now = as_ascii(f"(time (now {self._cut_off(time) if self._cuts else self._number % time}))")
        if percepts.game is not self._game:
            self._set_game(percepts.game)
        heard = self._heard(percepts.heard) if percepts.heard else {}
        seen = {} if percepts.sight is None else self._see.encode(percepts.sight, percepts.values)
        messages = {}
        for recipient, pattern in zip(self._recipients, self._patterns, strict=True):
            robot = recipient.robot
            ready = [now, self._state(robot), heard.get(robot.handle, b""), seen.get(recipient.row, b""), b""]
            if robot.handle in pictures:
                ready[PICTURES] = as_ascii(pictures[robot.handle])
            messages[robot.client] = self._numbers.write(pattern, ready, recipient.first)
        return messages

    def types(self, layout: Layout) -> bytes:
        """The framed message on the types drawn for a match; empty if there are none, or clients are not told."""
        if not (self._profile.game_state.report_robot_types and layout.robot_types):
            return b""
        robots: dict[str, str] = {}
        for one in layout.robot_types:
            numbers = "".join(f"({name} {value:.5f})" for name, value in one.parameters)
            robots[one.robot] = robots.get(one.robot, "") + f"(type {one.number} {numbers})"
        return frame(as_ascii("".join(f"(RT (robot {robot}){types})" for robot, types in robots.items())))

    def _set_layout(self, layout: Layout) -> None:
        """Compile the sources of the numbers of all recipients."""
        self._layout = layout
        self._see.set_layout(layout)
        known = dict(zip(self._keys, self._last.tolist(), strict=True))
        self._keys = []
        self._recipients = []
        self._present = None
        self._patterns = []
        source: list[int] = []
        slot_of: list[int] = []
        factor: list[float] = []
        formats: dict[int, Callable[[float], str]] = {}
        first_slot = 0
        for row, robot in enumerate(layout.robots):
            if robot.client and (self.clients is None or robot.client in self.clients):
                form = self._form(robot)
                begin = len(source)
                for slot, column, scale, decimals in form.numbers:
                    if decimals not in (None, self._profile.decimals):
                        formats[len(source)] = partial(self._profile.written, decimals=decimals)
                    source.append(robot.slots[slot].start + column)
                    slot_of.append(first_slot + slot)
                    factor.append(scale)
                    self._keys.append((robot.handle, slot, column))
                slots = slice(first_slot, first_slot + len(robot.slots))
                self._recipients.append(_Recipient(row, robot, form, begin, slots))
            first_slot += len(robot.slots)
        self._last = np.array([known.get(key, 0.0) for key in self._keys], np.float64)
        self._replaced += self._numbers.replaced
        self._numbers = self._kernel(source, slot_of, factor, formats)
        clients = {recipient.robot.client for recipient in self._recipients}
        self._announced = {client: count for client, count in self._announced.items() if client in clients}

    def _form(self, robot: RobotLayout) -> MessageForm:
        key = tuple((slot.kind, slot.name, slot.columns) for slot in robot.slots)
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = MessageForm(robot.slots, self._profile)
            self.unknown_kinds |= form.unknown_kinds
        return form

    def _kernel(
        self, source: list[int], slots: list[int], factors: list[float], formats: dict[int, Callable[[float], str]]
    ) -> MessageKernel:
        return MessageKernel(
            buffer=TextBuffer(self._profile.decimals, False, True, self._cuts),
            limit=LIMIT,
            source=np.array(source, np.int64),
            slots=np.array(slots, np.int64),
            factors=np.array(factors, np.float64),
            formats=formats,
            last=self._last,
            numbers=np.empty(len(source)),
        )

    def _finite(self, key: str, value: float) -> float:
        if abs(value) < LIMIT:
            self._last_good[key] = value
            return value
        self._replaced += 1
        return self._last_good[key]

    def _set_game(self, game: GameSnapshot) -> None:
        """Write the part of the game state that all clients get."""
        self._game = game
        rules = self._profile.game_state
        score = f"(sl {game.score_left}) (sr {game.score_right}) " if rules.report_score else ""
        mode = rules.play_modes.get(game.play_mode, game.play_mode)
        if rules.format:
            self._game_state = as_ascii(self._whole_state(game, mode))
            return
        self._game_text = f"{score}(t {self._number % self._finite('t', game.time)}) (pm {mode}))"
        self._game_state = as_ascii(f"(GS {self._game_text}")

    def _whole_state(self, game: GameSnapshot, mode: str) -> str:
        """The game state by the profile's own format."""
        rules = self._profile.game_state
        time = self._finite("t", game.time)
        sides = (rules.left, game.team_left), (rules.right, game.team_right)
        return rules.format.format(
            time=self._cut_off(time) if self._cuts else self._number % time,
            mode=mode,
            teams="".join(text.format(name=name) for text, name in sides if name),
            score_left=game.score_left,
            score_right=game.score_right,
        )

    def _cut_off(self, seconds: float) -> str:
        """A time cut off after its decimals; sums of cycles may be a little less than these say."""
        return self._profile.written(seconds + _ROUNDING, self._profile.decimals)

    def _state(self, robot: RobotLayout) -> bytes:
        if robot.registrations == self._announced.get(robot.client, 0):
            return self._game_state
        self._announced[robot.client] = robot.registrations
        if not self._profile.game_state.report_registration or self._profile.game_state.format:
            return self._game_state
        return as_ascii(f"(GS (unum {robot.unum}) (team {robot.side}) {self._game_text}")

    def _heard(self, heard: tuple[Heard, ...]) -> dict[int, bytes]:
        """Heard messages by handle of the robot."""
        texts: dict[int, bytes] = {}
        if self._profile.hear.format:
            return self._heard_together(heard)
        for message in heard:
            label = f"{message.team} " if self._profile.hear.label_messages else ""
            time = self._number % self._finite("t", message.time)
            direction = "self" if message.direction is None else self._bearing(message.direction)
            text = as_ascii(f"(hear {label}{time} {direction} {message.message})")
            texts[message.handle] = texts.get(message.handle, b"") + text
        return texts

    def _heard_together(self, heard: tuple[Heard, ...]) -> dict[int, bytes]:
        """One message for all that a robot hears of others."""
        rules = self._profile.hear
        texts: dict[int, str] = {}
        for one in heard:
            if one.direction is not None and abs(one.direction) < LIMIT:
                text = rules.message.format(direction=int(math.degrees(one.direction)), text=_in_base64(one.message))
                texts[one.handle] = texts.get(one.handle, "") + text
        return {handle: as_ascii(rules.format.format(messages=text)) for handle, text in texts.items()}

    def _bearing(self, direction: float) -> str:
        if not abs(direction) < LIMIT:
            self._replaced += 1
            direction = 0.0
        return self._direction % math.degrees(direction)


def _in_base64(text: str) -> str:
    """A text that is base64 already, as agents of this dialect say it, or the base64 of another text."""
    try:
        b64decode(text, validate=True)
    except ValueError:
        return b64encode(text.encode("ascii", "replace")).decode("ascii")
    return text
