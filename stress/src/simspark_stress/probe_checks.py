"""The good client's checks of every message, and its answers, which turn its head; without sockets and clock."""

from __future__ import annotations

import copy
import math
from collections import Counter
from dataclasses import dataclass, field, replace

from simspark_stress.dialects import CLASSIC, Dialect
from simspark_stress.reader import NonFiniteError, ProbePercept, WrongMessageError

SPEED = 1.0
"""Commanded speed of the neck, rad/s; every server allows much more."""

SWING_DEG = 40.0
"""Angle at which the neck turns back, degrees; it leaves room for a late answer before the stop."""

SETTLING = 5
"""Messages after a change of direction until the neck has to move at its new speed; the protocol delays it by two."""

LONGEST_DISOBEDIENCE = {True: 5, False: 15}
"""Messages in a row with a wrong speed that count as disobedience, in lock-step (True) and in real time (False).

In real time answers may be late, so more messages may be wrong. Their number has to stay below the number of checked
messages in a swing at three times the speed.
"""

LATE = 0.25
"""Largest delay of answers in real time, s of wall time. A wrong speed is a fault only if it lasts this long."""

_EXAMPLES = 3


@dataclass
class Observation:
    """The good client's observations during one attack.

    Attributes:
        began, ended: times of the wall clock, s.
        first_time, last_time: simulated times of the first and the last message, s.
        messages: number of messages received.
        longest_gap: longest wall time between two messages, s.
        lost: number of messages that are missing between others.
        problems: number of faults by kind.
        examples: descriptions of the first faults.
    """

    began: float
    ended: float = 0.0
    first_time: float | None = None
    last_time: float = 0.0
    messages: int = 0
    longest_gap: float = 0.0
    lost: int = 0
    problems: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Length of the observation in wall time, s."""
        return self.ended - self.began

    @property
    def rate(self) -> float:
        """Simulated time per wall time."""
        simulated = 0.0 if self.first_time is None else self.last_time - self.first_time
        return simulated / max(self.seconds, 1e-3)


class MessageChecks:
    """Checks the messages of one connection in their order, and makes the answers, which turn the neck.

    The neck turns freely whatever the body does. Other robots may push it beyond a stop; it then comes back at any
    speed, or rests there. Its commands are not checked beyond the stops, since the reference ignores them there
    (`effectors/hinge.py`).

    Attributes:
        lockstep: whether the server waits for answers.
        unum: own uniform number; 0 until it is known.
        good_in_row: number of messages since the last faulty one.

    `cycle` is the simulated time between two messages, `now` the time of the wall clock and `late` the largest delay of
    answers in real time, all in s.
    """

    def __init__(self, cycle: float, now: float, late: float = LATE, dialect: Dialect = CLASSIC) -> None:
        self.lockstep = False
        self.unum = dialect.unum
        self.good_in_row = 0
        self._cycle, self._late, self._dialect = cycle, late, dialect
        self._last_arrival = now
        self._last: ProbePercept | None = None
        self._direction = 1.0
        self._since_turn = 0
        self._disobeyed, self._disobeyed_since = 0, math.inf
        self._window = Observation(now)

    def begin(self, now: float) -> None:
        """Begin the observation of the next attack."""
        self._window = Observation(now)
        self._last_arrival = now
        self.good_in_row = 0

    def see(self, message: bytes, now: float, stale: bool = False) -> str:
        """Check a message that was read at the time `now` (s); returns the answer.

        `stale` says that later messages have already arrived. The server may have sent a stale message before it got
        the answers to earlier ones, so a wrong speed in it is no fault.
        """
        window = self._window
        window.messages += 1
        window.longest_gap = max(window.longest_gap, now - self._last_arrival)
        self._last_arrival = now
        self.good_in_row += 1
        try:
            percept = self._dialect.read(message)
        except NonFiniteError as error:
            self._add_problem("non-finite number", str(error))
        except WrongMessageError as error:
            self._add_problem("malformed message", str(error))
        else:
            self._check(percept, stale)
        return self._dialect.turned(self._direction * SPEED)

    def observation(self, now: float) -> Observation:
        """Return what was observed since `begin`."""
        gap = max(self._window.longest_gap, now - self._last_arrival)
        return replace(copy.deepcopy(self._window), ended=now, longest_gap=gap)

    def _check(self, percept: ProbePercept, stale: bool) -> None:
        window = self._window
        if window.first_time is None:
            window.first_time = percept.time
        window.last_time = percept.time
        last, self._last = self._last, percept
        unum = int(percept.game.get("unum", self.unum))
        if self.unum and unum != self.unum:
            self._add_problem("renumbered", f"the player's number changed from {self.unum} to {unum}")
        self.unum = unum
        if last is not None and self._check_time(percept.time - last.time, percept.time):
            self._check_joint(last, percept, stale)
        self._turn(percept)

    def _check_time(self, step: float, now: float) -> bool:
        # The server sends two decimals, so a step may be off by 0.01 s.
        if abs(step - self._cycle) < 0.011:
            return True
        steps = round(step / self._cycle)
        if steps > 1:
            self._window.lost += steps - 1
            self._add_problem("lost message", f"{steps - 1} messages are missing before t = {now:.2f}", steps - 1)
        elif step < 0:
            self._add_problem("time went back", f"from {now - step:.2f} to {now:.2f} s")
        else:
            self._add_problem("wrong time step", f"{step:.2f} s instead of {self._cycle:.2f} at t = {now:.2f}")
        self._disobeyed = 0
        return False

    def _check_joint(self, last: ProbePercept, percept: ProbePercept, stale: bool) -> None:
        joint = self._dialect.joint
        if joint not in percept.joints:
            self._add_problem("joint missing", f"no angle of {joint} at t = {percept.time:.2f}")
            return
        if self._since_turn <= SETTLING or joint not in last.joints:
            return
        if max(abs(last.joints[joint]), abs(percept.joints[joint])) >= self._dialect.stop:
            self._disobeyed = 0
            return
        expected = math.degrees(self._direction * SPEED) * self._cycle
        moved = percept.joints[joint] - last.joints[joint]
        if abs(moved - expected) <= self._dialect.tolerance * abs(expected):
            self._disobeyed = 0
            return
        if stale:
            return
        self._disobeyed += 1
        if self._disobeyed == 1:
            self._disobeyed_since = self._last_arrival
        lasting = self._last_arrival - self._disobeyed_since >= (0.0 if self.lockstep else self._late)
        if self._disobeyed >= LONGEST_DISOBEDIENCE[self.lockstep] and lasting:
            # Report each period of disobedience once.
            self._disobeyed_since = math.inf
            text = f"{joint} moves by {moved:.2f} degrees a cycle instead of {expected:.2f} at t = {percept.time:.2f}"
            others = percept.joints.keys() & last.joints.keys() - {joint}
            most = max((abs(percept.joints[name] - last.joints[name]) for name in others), default=0.0)
            self._add_problem("joint not obeyed", f"{text}; the other joints move by at most {most:.2f}")

    def _turn(self, percept: ProbePercept) -> None:
        self._since_turn += 1
        angle = percept.joints.get(self._dialect.joint, 0.0)
        if angle * self._direction > SWING_DEG:
            self._direction = -self._direction
            self._since_turn = 0
            self._disobeyed = 0

    def _add_problem(self, kind: str, text: str, count: int = 1) -> None:
        self.good_in_row = 0
        self._window.problems[kind] += count
        if len(self._window.examples) < _EXAMPLES:
            self._window.examples.append(f"{kind}: {text}")
