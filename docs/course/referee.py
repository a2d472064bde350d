"""Lesson 7, referee: its decisions with their reasons, and a rule of your own."""

from simspark_ros.arena import Arena, PlugIns
from simspark_ros.plugins import IN_PLAY, Match, Rule

LIMIT = 5.0
"""m/s"""


class SpeedLimit(Rule):
    """Stop a ball that is too fast."""

    name = "speed_limit"
    modes = IN_PLAY

    def apply(self, match: Match) -> None:
        """Look at the ball after a cycle of physics."""
        speed = float((match.state.ball_velocity**2).sum() ** 0.5)
        if speed > LIMIT:
            match.decide("speed_limit", f"The ball had {speed:.1f} m/s; {LIMIT:g} are allowed.")
            x, y, _ = match.state.ball_position.tolist()
            match.world.place_ball((x, y))


plug_ins = PlugIns(rules={"speed_limit": SpeedLimit})
with Arena("nao", plug_ins=plug_ins, changes=("rules.order.speed_limit=true",), engine="mujoco") as arena:
    # Too fast; over the side line; into the goal.
    for place, velocity in (((0.0, 2.0), (8.0, 0.0)), ((3.0, 9.5), (0.0, 3.0)), ((13.5, 0.3), (4.0, 0.0))):
        arena.set_play_mode("PlayOn")
        arena.place_ball(*place, (*velocity, 0.0))
        before = len(arena.decisions)
        arena.step(50)
        for decision in arena.decisions[before:]:
            print(f"{decision.time:5.2f} s {decision.rule}: {decision.text} ({decision.play_mode.value})")
    print(f"score {arena.game.score_left}:{arena.game.score_right}")
