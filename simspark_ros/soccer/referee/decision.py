"""Decisions of the referee, with their reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simspark_ros.soccer.game_state import FoulKind, PlayMode
from simspark_ros.soccer.league_game import PenaltyKind
from simspark_ros.soccer.teams import Side

Spot = tuple[float, float]
"""Place x, y on the field, m, world frame."""

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
"""Kinds of decisions by trainers and the package's rules. Rules of other distributions add their own kinds."""


@dataclass(frozen=True)
class Decision:
    """One decision of the referee.

    Attributes:
        number: number of the decision, from 1, in the order of time.
        time: game time, s.
        rule: name of the rule that decided.
        kind: kind of decision, e.g. `goal`, `kick_in`, `charging`.
        side: side of the team or player concerned (for a set play the team that gets it); None = neither.
        unum: number of the player concerned, 0 = none.
        play_mode: play mode after the decision.
        place: place of the event, or place where play goes on, m; None = nowhere.
        evidence: measurements, name -> number, with the unit at the end of the name (`distance_m`, `speed_m_s`).
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
