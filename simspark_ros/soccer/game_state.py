"""Play mode, clock and score."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PlayMode(Enum):
    """Play modes by their classic names, in the order in which monitors index them."""

    BEFORE_KICK_OFF = "BeforeKickOff"
    KICK_OFF_LEFT = "KickOff_Left"
    KICK_OFF_RIGHT = "KickOff_Right"
    PLAY_ON = "PlayOn"
    KICK_IN_LEFT = "KickIn_Left"
    KICK_IN_RIGHT = "KickIn_Right"
    CORNER_KICK_LEFT = "corner_kick_left"
    CORNER_KICK_RIGHT = "corner_kick_right"
    GOAL_KICK_LEFT = "goal_kick_left"
    GOAL_KICK_RIGHT = "goal_kick_right"
    OFFSIDE_LEFT = "offside_left"
    OFFSIDE_RIGHT = "offside_right"
    GAME_OVER = "GameOver"
    GOAL_LEFT = "Goal_Left"
    GOAL_RIGHT = "Goal_Right"
    FREE_KICK_LEFT = "free_kick_left"
    FREE_KICK_RIGHT = "free_kick_right"
    DIRECT_FREE_KICK_LEFT = "direct_free_kick_left"
    DIRECT_FREE_KICK_RIGHT = "direct_free_kick_right"
    PASS_LEFT = "pass_left"
    PASS_RIGHT = "pass_right"


CLOCK_STANDS_STILL = frozenset({PlayMode.BEFORE_KICK_OFF, PlayMode.GAME_OVER})
BEAMING_ALLOWED = frozenset({PlayMode.BEFORE_KICK_OFF, PlayMode.GOAL_LEFT, PlayMode.GOAL_RIGHT})


@dataclass
class GameState:
    """The state every player is told.

    Attributes:
        play_mode: current mode.
        time: game time, s; stands still before kick-off and after the game.
        mode_time: time since the last change of mode, s.
        half: 1 or 2.
        score_left, score_right: goals.
    """

    play_mode: PlayMode = PlayMode.BEFORE_KICK_OFF
    time: float = 0.0
    mode_time: float = 0.0
    half: int = 1
    score_left: int = 0
    score_right: int = 0

    def advance(self, seconds: float) -> None:
        """Let the clocks run."""
        self.mode_time += seconds
        if self.play_mode not in CLOCK_STANDS_STILL:
            self.time += seconds

    def set_play_mode(self, mode: PlayMode) -> None:
        """Change the mode; setting the current one again changes nothing."""
        if mode is not self.play_mode:
            self.play_mode = mode
            self.mode_time = 0.0

    @property
    def may_beam(self) -> bool:
        """Whether the beam effector works in this mode."""
        return self.play_mode in BEAMING_ALLOWED
