"""What the referee decided, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.league_game import PenaltyKind
from simspark_ros.soccer.teams import Side

Spot = tuple[float, float]
"""x, y on the field, m, world frame."""

KINDS = frozenset(
    {
        *(kind.name.lower() for kind in FoulKind),
        *(kind.value for kind in PenaltyKind),
        *("ready", "set", "ball_free", "game_stuck", "penalty_over"),
        *("kick_off", "kick_in", "corner_kick", "goal_kick", "free_kick", "direct_free_kick", "drop_ball", "play_on"),
        *("goal", "goal_refused", "half_time", "game_over", "put_back", "pass_mode", "offside", "double_touch"),
        *("player_moved", "overruled", "server_end"),
    }
)
"""What the rules that come with the package, and trainers, decide. Rules of other distributions add their own."""


@dataclass(frozen=True)
class Decision:
    """One decision of the referee.

    Attributes:
        number: from 1, in the order in which they were taken.
        time: game time, s.
        rule: name of the rule that decided.
        kind: what was decided, e.g. `goal`, `kick_in`, `charging`.
        side: of the team or player that it is about (the team in whose favour a set play is given); None = neither.
        unum: number of the player that it is about, 0 = none.
        play_mode: in force after it.
        place: where it happened or where play goes on, m; None = nowhere.
        evidence: what was measured, name -> number, with the unit at the end of the name (`distance_m`, `speed_m_s`).
        text: one sentence for people.
    """

    number: int
    cycle: int
    time: float
    rule: str
    kind: str
    side: Side | None
    unum: int
    play_mode: PlayMode
    place: Spot | None
    evidence: Mapping[str, float] = field(default_factory=dict)
    text: str = ""
