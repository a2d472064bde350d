"""The decisions of a game, and what it takes to overrule them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.world import CommandRejectedError, World

KEPT = 256
"""So many decisions are kept, and can be overruled."""


@dataclass
class Before:
    """What a decision changed, as it was before."""

    play_mode: PlayMode
    mode_time: float
    score: tuple[int, int]
    half: int
    ball: tuple[float, float, float]
    ball_velocity: tuple[float, float, float]
    undo: list[Callable[[], None]] = field(default_factory=list)


@dataclass
class Entry:
    """One decision with its past."""

    decision: Decision
    before: Before
    overruled: bool = False


class DecisionLog:
    """The last decisions, in order.

    Attributes:
        count: of all decisions so far; also the number of the last one.
    """

    def __init__(self) -> None:
        """Start empty."""
        self.count = 0
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._before: Before | None = None

    @property
    def next_number(self) -> int:
        """Of the decision that is about to be taken."""
        return self.count + 1

    def open(self, world: World) -> None:
        """Remember how things are before a decision."""
        game, state = world.game, world.engine.state
        x, y, z = state.ball_position.tolist()
        vx, vy, vz = state.ball_velocity.tolist()
        score = (game.score_left, game.score_right)
        self._before = Before(game.play_mode, game.mode_time, score, game.half, (x, y, z), (vx, vy, vz))

    def add(self, decision: Decision) -> None:
        """Keep the decision for which `open` was called."""
        assert self._before is not None
        self.count += 1
        self._entries.append(Entry(decision, self._before))

    def undo(self, action: Callable[[], None]) -> None:
        """Have something done when the last decision is overruled."""
        if self._entries:
            self._entries[-1].before.undo.append(action)

    def since(self, number: int) -> tuple[Decision, ...]:
        """The decisions after that number that are still kept."""
        return tuple(entry.decision for entry in self._entries if entry.decision.number > number)

    def entry(self, number: int) -> Entry:
        """A decision that can be overruled.

        Raises:
            CommandRejectedError: there is none of that number, or not any more.
        """
        for entry in self._entries:
            if entry.decision.number == number:
                return entry
        if not 1 <= number <= self.count:
            raise CommandRejectedError(f"overrule: there is no decision {number}; the last one is {self.count}")
        oldest = self._entries[0].decision.number
        raise CommandRejectedError(f"overrule: decision {number} is too old; those from {oldest} on are kept")
