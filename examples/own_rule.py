"""A rule of one's own: who keeps the ball too long loses it (docs/how_to/plugins.md, docs/reference/referee.md).

python examples/own_rule.py
"""

from simspark_ros.arena import Arena, PlugIns
from simspark_ros.plugins import IN_PLAY, Match, Rule

LONGEST = 1.0
"""s"""


class NoResting(Rule):
    """The ball goes back to the centre if it has rested for a while."""

    name = "no_resting"
    modes = IN_PLAY

    def reset(self) -> None:
        """A new game begins."""
        self._rested = 0.0

    def __init__(self) -> None:
        self.reset()

    def apply(self, match: Match) -> None:
        """Look at the ball after a cycle of physics."""
        resting = abs(match.state.ball_velocity).max() < 0.01
        self._rested = self._rested + match.time_step if resting else 0.0
        if self._rested > LONGEST:
            self._rested = 0.0
            match.decide("no_resting", "The ball has rested; it goes to the centre.")
            match.world.place_ball((0.0, 0.0))


def main() -> None:
    """Let the ball rest beside the centre."""
    own = PlugIns(rules={"no_resting": NoResting})
    with Arena(plug_ins=own, changes=("rules.order.no_resting=true",)) as arena:
        arena.set_play_mode("PlayOn")
        arena.place_ball(3.0, 2.0)
        arena.step(70)
        for decision in arena.decisions:
            print(decision.text)
        print("the ball is at", arena.ball.position.round(2) + 0.0)


if __name__ == "__main__":
    main()
