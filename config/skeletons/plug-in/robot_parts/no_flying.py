"""A rule: a player that flies too high costs its team the ball."""

from dataclasses import dataclass

from simspark_ros.plugins import Match, PlayMode, Rule, Side


@dataclass(frozen=True)
class FlyingNumbers:
    """In the rule book. highest: greatest height of a torso, m."""

    highest: float = 1.0


class NoFlying(Rule):
    """A free kick for the other team."""

    name = "no_flying"
    modes = frozenset({PlayMode.PLAY_ON})
    options = FlyingNumbers

    def apply(self, match: Match) -> None:
        """Look at the match once a cycle, after physics, and decide."""
        for player in match.players:
            height = match.position(player)[2]
            if height > self.settings.highest:
                free_kick = PlayMode.FREE_KICK_RIGHT if player.side is Side.LEFT else PlayMode.FREE_KICK_LEFT
                text = f"{player} flew at {height:.2f} m."
                match.decide("flying", text, player, play_mode=free_kick, evidence={"height [m]": height})
                return
