"""The decisions of a game, with the data to overrule them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.ball_record import Point
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.places import inside_spot
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

KEPT = 300
"""Number of decisions that are kept and can be overruled; a match takes some 100, of 1.6 KB each."""

ON_FIELD = 0.01
"""Distance from the line, m, at which a ball put back from outside lies on the field."""


@dataclass
class Entry:
    """One decision, and play mode and ball (s, m, m/s) before it.

    Attributes:
        timed: whether the time of that mode was up, so that it has to begin again.
        undo: further actions if the decision is overruled, the last one first.
    """

    decision: Decision
    play_mode: PlayMode
    mode_time: float
    timed: bool
    ball: Point
    ball_velocity: Point
    undo: list[Callable[[], object]] = field(default_factory=list)
    overruled: bool = False


class DecisionLog:
    """The last decisions, in order; `count` is the number of all decisions so far, and so of the last one."""

    def __init__(self) -> None:
        self.count = 0
        self._entries: deque[Entry] = deque(maxlen=KEPT)

    def add(self, decision: Decision, world: SoccerWorld, play_mode: PlayMode, mode_time: float, timed: bool) -> None:
        """Keep a new decision; play_mode, mode_time: play mode before the decision, and its time."""
        state = world.engine.state
        x, y, z = state.ball_position.tolist()
        vx, vy, vz = state.ball_velocity.tolist()
        self.count += 1
        self._entries.append(Entry(decision, play_mode, mode_time, timed, (x, y, z), (vx, vy, vz)))

    def on_undo(self, cycle: int, action: Callable[[], object]) -> None:
        """Add an action for the overruling of the last decision, if that was taken in this cycle."""
        if self._entries and self._entries[-1].decision.cycle == cycle:
            self._entries[-1].undo.append(action)

    def since(self, number: int) -> tuple[Decision, ...]:
        """The kept decisions after that number."""
        if number >= self.count:
            return ()
        return tuple(entry.decision for entry in self._entries if entry.decision.number > number)

    def clear(self) -> None:
        """Forget all decisions, so that none can be overruled; numbers go on."""
        self._entries.clear()

    def overrule(self, world: SoccerWorld, number: int) -> Decision:
        """Undo a decision; later decisions stay.

        Its effects on players, score and half are undone. If it changed the play mode, play mode and ball return to
        their state before; a ball that was off the field lies at rest inside of the line.

        Raises:
            CommandRejectedError: there is no decision of that number, it is too old, or it has been overruled.
        """
        entry = self._entry(number)
        entry.overruled = True
        for action in reversed(entry.undo):
            action()
        game = world.game
        if entry.decision.play_mode is not entry.play_mode:
            game.play_mode, game.mode_time = entry.play_mode, 0.0 if entry.timed else entry.mode_time
            ball_back(world, entry.ball, entry.ball_velocity)
        return entry.decision

    def _entry(self, number: int) -> Entry:
        entry = next((entry for entry in self._entries if entry.decision.number == number), None)
        if entry is None and not 1 <= number <= self.count:
            raise CommandRejectedError(f"overrule: there is no decision {number}; the last one is {self.count}")
        if entry is None:
            kept = f"{self._entries[0].decision.number} to {self.count}" if self._entries else "none"
            raise CommandRejectedError(f"overrule: decision {number} is too old; the log keeps {kept}")
        if entry.overruled:
            raise CommandRejectedError(f"overrule: decision {number} has been overruled already")
        return entry


def ball_back(world: SoccerWorld, position: Point, velocity: Point) -> None:
    """Give the ball its place and velocity again; a ball from off the field lies at rest inside of the line."""
    x, y, z = position
    inside = inside_spot(world.settings.field, (x, y), world.settings.ball.radius + ON_FIELD)
    if inside == (x, y):
        world.engine.place_ball((x, y, max(z, world.settings.ball_rest_height)), velocity)
    else:
        world.place_ball(inside)
