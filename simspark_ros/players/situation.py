"""Play modes as a team sees them: ours or theirs instead of left or right."""

from __future__ import annotations

from enum import Enum

from simspark_ros.soccer.game_state import PlayMode


class Situation(Enum):
    """Meaning of a play mode for a team."""

    WAIT = "wait"
    """Time before a kick-off: players go to their places by beam."""
    GOAL = "goal"
    """Time after a goal of either team: players go to their places by beam."""
    OVER = "over"
    PLAY = "play"
    OUR_KICK_OFF = "our kick-off"
    THEIR_KICK_OFF = "their kick-off"
    OUR_SET_PLAY = "our set play"
    """Kick-in, corner or free kick."""
    THEIR_SET_PLAY = "their set play"
    OUR_GOAL_KICK = "our goal kick"
    THEIR_GOAL_KICK = "their goal kick"
    OUR_PASS = "our pass"
    THEIR_PASS = "their pass"

    @property
    def is_beam_time(self) -> bool:
        """Whether players may be put onto their places."""
        return self in (Situation.WAIT, Situation.GOAL)

    @property
    def is_kick_off(self) -> bool:
        """Whether the ball lies in the centre and waits for the first touch."""
        return self in (Situation.OUR_KICK_OFF, Situation.THEIR_KICK_OFF)

    @property
    def is_theirs(self) -> bool:
        """Whether only the opponents may play the ball."""
        return self in _THEIRS

    @property
    def is_ours(self) -> bool:
        """Whether the ball waits for us."""
        return self in _OURS


_THEIRS = frozenset(
    {Situation.THEIR_KICK_OFF, Situation.THEIR_SET_PLAY, Situation.THEIR_GOAL_KICK, Situation.THEIR_PASS}
)
_OURS = frozenset({Situation.OUR_KICK_OFF, Situation.OUR_SET_PLAY, Situation.OUR_GOAL_KICK})

_SHARED = {
    PlayMode.BEFORE_KICK_OFF: Situation.WAIT,
    PlayMode.GOAL_LEFT: Situation.GOAL,
    PlayMode.GOAL_RIGHT: Situation.GOAL,
    PlayMode.GAME_OVER: Situation.OVER,
    PlayMode.PLAY_ON: Situation.PLAY,
}
# The side in the name of these modes is the team that plays the ball, except for offside, which is against it.
_OF_A_SIDE = {
    "kickoff": (Situation.OUR_KICK_OFF, Situation.THEIR_KICK_OFF),
    "goal_kick": (Situation.OUR_GOAL_KICK, Situation.THEIR_GOAL_KICK),
    "pass": (Situation.OUR_PASS, Situation.THEIR_PASS),
    "offside": (Situation.THEIR_SET_PLAY, Situation.OUR_SET_PLAY),
}


def situation_of(mode: PlayMode, side: str) -> Situation:
    """Meaning of a play mode for the team on a side (`left` or `right`)."""
    if mode in _SHARED:
        return _SHARED[mode]
    kind, _, mode_side = mode.value.lower().rpartition("_")
    ours, theirs = _OF_A_SIDE.get(kind, (Situation.OUR_SET_PLAY, Situation.THEIR_SET_PLAY))
    return ours if mode_side == side else theirs
