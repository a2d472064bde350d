"""Reads the messages of agents (protocol reference, section 5): a fast path for joint speeds, a tolerant one besides.

Nearly all messages are lists of joint speeds, perhaps with a beam or say in front, that end with `(syn)`. If they are
plain, a kernel reads them: without quotes, escapes, comments, underscores (which Python accepts in numbers) and white
space other than single blanks. `sexpr` parses all others. Both paths give the same result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from simspark_ros.exchange import Action, MotorCommands
from simspark_ros.kernels.joint_commands import JointCommandKernel
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.protocol.agent.actions import (
    READERS,
    Reader,
    RejectedError,
    declared_reader,
    finite,
    join,
    number,
    shown,
)
from simspark_ros.protocol.agent.profile import Profile
from simspark_ros.protocol.sexpr import Expression, scan

MAX_ACTIONS = 32
"""Most actions taken from one message; honest clients send no more than three."""

MAX_REJECTED = 8
"""Most reasons reported for one message; the last one counts the reasons left out."""

_MAX_REASON = 240

_MOTOR_UNITS = np.array([math.pi / 180.0, math.pi / 180.0, 1.0, 1.0, 1.0])
"""Factors from the numbers of a motor command as agents write them to SI."""


@dataclass(slots=True)
class Decoded:
    """The commands of one message.

    Attributes:
        handle: handle of the client's robot, None while it has none.
        joints: indices of the commanded joints in the robot's model; the last entry for a joint counts. Do not change
            the list: the decoder may use it again.
        numbers: a speed for each of `joints`, rad/s; infinite = as fast as possible. In dialects with `motors` five
            finite numbers for each, degrees and N m as the agent wrote them.
        actions: all other commands, in order.
        syn: whether the message contains `(syn)`.
        rejected: reasons for expressions that were not executed, each naming the wrong part; bounded in number and
            length.
    """

    handle: int | None
    joints: list[int] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    actions: tuple[Action, ...] = ()
    syn: bool = False
    rejected: list[str] = field(default_factory=list)


def motor_commands(handles: IntArray, joints: IntArray, numbers: Array) -> MotorCommands:
    """Commands with gains: (K,) robots, (K,) indices in their models, (5 K,) numbers as agents write them."""
    return MotorCommands(handles, joints, numbers.reshape(-1, 5) * _MOTOR_UNITS)


@dataclass
class _Binding:
    """The robot of a client: its handle and its joints by effector word, universal joints apart."""

    handle: int
    joints: dict[bytes, int]
    universal: dict[bytes, list[int]]
    plain: JointCommandKernel


class AgentDecoder:
    """Turns the messages of all clients of one server into joint speeds and actions.

    The profile is one of `load_dialect`, which has the arguments of all commands.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        declared = profile.commands.plug_ins
        self._readers: dict[str, Reader] = {
            **{word: declared_reader(word, arguments) for word, arguments in declared.items()},
            **{word: READERS[word] for word in profile.commands.actions if word in READERS},
        }
        if profile.commands.joins:
            self._readers["init"] = join
        self._leading = _leading(self._readers)
        self._width = 5 if profile.commands.motors else 1
        self._factor = 1.0 if profile.commands.motors else profile.commands.hinge_factor
        self._bindings: dict[str, _Binding] = {}

    def offer_types(self, count: int) -> None:
        """Let clients choose from at least that number of heterogeneous types."""
        self._profile = self._profile.with_types(count)

    def bind(self, client: str, handle: int, effectors: Sequence[str]) -> None:
        """Set the robot that a client commands from now on.

        `effectors` has the word of each joint in joint order, empty where a joint has none. The joints of a universal
        joint have the same word.
        """
        joints_of: dict[bytes, list[int]] = {}
        for joint, word in enumerate(effectors):
            if word:
                joints_of.setdefault(word.encode("latin-1", "replace"), []).append(joint)
        for word in (*self._readers, "syn"):
            # Names of actions take precedence.
            joints_of.pop(word.encode("latin-1", "replace"), None)
        hinges = {word: joints[0] for word, joints in joints_of.items() if len(joints) == 1}
        universal = {word: joints for word, joints in joints_of.items() if len(joints) > 1}
        plain = JointCommandKernel(known=hinges, factor=self._factor, words=[], joints=[], width=self._width)
        self._bindings[client] = _Binding(handle, hinges, universal, plain)

    def unbind(self, client: str) -> None:
        """Forget the robot of a client; its joint commands are ignored from now on."""
        self._bindings.pop(client, None)

    def decode(self, client: str, payload: bytes) -> Decoded:
        """Read one message, given without its length. Never raises: `Decoded.rejected` explains wrong expressions.

        Joint commands of a client without a robot are ignored.
        """
        binding = self._bindings.get(client)
        if binding is None:
            return self._decode_tolerant(client, None, payload)
        plain, begin = binding.plain, 0
        speeds = plain.read(payload, begin)
        if speeds is None and (leading := self._leading.match(payload)) and (begin := leading.end()):
            speeds = plain.read(payload, begin)
        if speeds is None:
            return self._decode_tolerant(client, binding, payload)
        decoded = Decoded(binding.handle, plain.joints if speeds else [], speeds, (), plain.syn, [])
        if begin:
            actions = self._decode_tolerant(client, binding, payload[:begin])
            decoded.actions, decoded.rejected = actions.actions, actions.rejected
        return decoded

    def _decode_tolerant(self, client: str, binding: _Binding | None, payload: bytes) -> Decoded:
        expressions, fault = scan(payload)
        decoded = Decoded(None if binding is None else binding.handle)
        actions: list[Action] = []
        reasons: list[str] = []
        for expression in expressions:
            try:
                self._read(expression, client, binding, decoded, actions)
            except RejectedError as error:
                reasons.append(str(error))
        if fault:
            reasons.append(f"rest of the message: {fault}")
        if self._width == 1:
            decoded.numbers = self._in_rad(decoded.numbers)
        decoded.actions = tuple(actions)
        decoded.rejected = _bounded(reasons)
        return decoded

    def _read(
        self, expression: Expression, client: str, binding: _Binding | None, decoded: Decoded, actions: list[Action]
    ) -> None:
        """Read one expression; raises RejectedError."""
        word, arguments = _command(expression)
        if word == "syn":
            decoded.syn = True
        elif word in self._readers:
            if len(actions) == MAX_ACTIONS:
                raise RejectedError(f"more than {MAX_ACTIONS} actions in one message")
            actions.append(self._action(word, client, arguments))
        elif binding is not None and self._width > 1:
            _command_motor(word, arguments, self._width, binding, decoded)
        elif binding is not None:
            _command_joints(word, arguments, binding, decoded)

    def _action(self, word: str, client: str, arguments: Sequence[Expression]) -> Action:
        try:
            return self._readers[word](client, arguments, self._profile)
        except RejectedError as error:
            raise RejectedError(f"{word}: {error}") from None

    def _in_rad(self, numbers: list[float]) -> list[float]:
        """Convert to rad/s; NaN acts as full negative speed, as measured."""
        if self._factor != 1.0:
            numbers = [value * self._factor for value in numbers]
        if math.isnan(sum(numbers)):
            numbers = [-math.inf if math.isnan(value) else value for value in numbers]
        return numbers


def _leading(words: Iterable[str]) -> re.Pattern[bytes]:
    """Actions that agents put in front of their joint speeds, in the same plain form."""
    any_word = "|".join(map(re.escape, words)).encode("ascii")
    return re.compile(rb"(?:\((?:%s)(?: [^()\"'\\;\x00-\x1f\x7f]*)?\))*" % any_word)


def _bounded(reasons: list[str]) -> list[str]:
    """Reasons of rejected expressions, bounded in number and length."""
    kept = [
        text if len(text) <= _MAX_REASON else f"{text[: _MAX_REASON - 3]}..." for text in reasons[: MAX_REJECTED - 1]
    ]
    more = len(reasons) - len(kept)
    return [*kept, f"{more} more expressions"] if more else kept


def _command(expression: Expression) -> tuple[str, list[Expression]]:
    if not isinstance(expression, list):
        raise RejectedError(f"{shown(expression)} is outside of brackets")
    if not expression:
        raise RejectedError("empty list")
    word = expression[0]
    if isinstance(word, list):
        raise RejectedError("a command must begin with its name, not with a list")
    return word, expression[1:]


def _command_joints(word: str, arguments: Sequence[Expression], binding: _Binding, decoded: Decoded) -> None:
    """Append the joints of one command, one of a hinge or two of a universal joint, and their speeds as written."""
    key = word.encode("latin-1", "replace")
    joint = binding.joints.get(key)
    joints = binding.universal.get(key) if joint is None else [joint]
    if joints is None:
        raise RejectedError(f"unknown effector {shown(word)}")
    if not arguments and joint is not None:
        raise RejectedError(f"{word}: the command has no speed")
    if len(arguments) < len(joints):
        raise RejectedError(f"{word}: the command needs {len(joints)} speeds, not {len(arguments)}")
    try:
        speeds = [number(argument) for argument in arguments[: len(joints)]]
    except RejectedError as error:
        raise RejectedError(f"{word}: {error}") from None
    decoded.joints += joints
    decoded.numbers += speeds


def _command_motor(word: str, arguments: Sequence[Expression], width: int, binding: _Binding, decoded: Decoded) -> None:
    """Append the joint of a command with gains, and its numbers as written."""
    joint = binding.joints.get(word.encode("latin-1", "replace"))
    if joint is None:
        raise RejectedError(f"unknown motor {shown(word)}")
    if len(arguments) != width:
        raise RejectedError(f"{word}: the command needs q dq kp kd tau, not {len(arguments)} numbers")
    try:
        numbers = finite(arguments, "q dq kp kd tau", width)
    except RejectedError as error:
        raise RejectedError(f"{word}: {error}") from None
    decoded.joints.append(joint)
    decoded.numbers += numbers
