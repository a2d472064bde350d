"""A pitch on which tests say who stands where and who touches the ball; the whole referee decides, without physics."""

from collections.abc import Callable

import numpy as np
import pytest

from simspark_ros.soccer.game_state import PlayMode
from test.rigs.pitch import CYCLE, Pitch


class RefereedPitch(Pitch):
    """Every cycle the clock advances and the referee decides about what a test has set up."""

    def __init__(self, played):
        super().__init__(played.world, played.referee.match)
        self.simulation, self.referee = played.simulation, played.referee

    @property
    def ball(self):
        return tuple(self.engine.state.ball_position[:2].tolist())

    def kick(self, x, y, velocity=(0.0, 0.0, 0.0), z=0.042):
        """Have the ball somewhere."""
        self.engine.place_ball((x, y, z), velocity)

    def cycle(self, *touching, times: int = 1) -> None:
        """Let cycles pass in which these robots touch the ball."""
        for _ in range(times):
            self.advance()
            self.engine.state.ball_contacts = np.array(sorted(map(self.row, touching)), np.int64)
            self.referee.apply_rules()

    def wait(self, seconds: float, *touching) -> None:
        self.cycle(*touching, times=round(seconds / CYCLE))

    def open_play(self, *touching) -> None:
        """PlayOn, without any set play before it."""
        self.mode = PlayMode.PLAY_ON
        self.cycle(*touching)


@pytest.fixture
def pitch(play) -> Callable[..., RefereedPitch]:
    """Makes pitches; arguments are changes of the rule book such as `game.half_time=60`."""

    def make(*changes: str) -> RefereedPitch:
        return RefereedPitch(play(changes=tuple(f"rules.{change}" for change in changes)))

    return make
