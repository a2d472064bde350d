"""A whole team against the demonstration team, in one process and without a server.

python examples/whole_team.py --half-time 60
"""

import argparse
import sys

from simspark_ros.arena import Agent, Arena, play_match
from simspark_ros.clients.agent import Command, Foot, Kick, Pose, Walk, WorldModel
from simspark_ros.players.team import simple_player

STARTS = {1: Pose(-13.0, 0.0, 0.0), 2: Pose(-3.0, 3.0, 0.0), 3: Pose(-1.0, -1.0, 0.0)}
"""Pose of each number before a kick-off, in the frame of the own team: m, rad."""


def think(me: WorldModel) -> Command:
    """Whoever sees the ball in front of a foot kicks it; all others walk to it."""
    ball = me.ball.place
    if ball is None:
        return Walk(turn=0.8)
    for foot in Foot:
        spot = me.kick_spots[foot]
        if abs(ball.x - spot.x) < 0.03 and abs(ball.y - spot.y) < 0.03:
            return Kick(foot)
    return Walk(min(0.4, ball.range), 0.0, ball.bearing)


def player(team: str, unum: int) -> Agent:
    """A player of ours."""
    return simple_player(think, team, start=STARTS.get(unum))


def show_progress(arena: Arena) -> None:
    """Write time and score over the last line, twice a simulated second."""
    game = arena.game
    if arena.world.cycle % 25 == 0:
        score = f"{game.score_left}:{game.score_right}"
        print(f"\r{game.time:6.1f} s  {score}  {game.play_mode.value:20}", end="", file=sys.stderr)


def main() -> None:
    """Play a match and print its result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half-time", type=float, default=60.0, help="length of a half, simulated s")
    parser.add_argument("--engine", default="mujoco")
    options = parser.parse_args()
    score = play_match(
        player, None, players=3, half_time=options.half_time, engine=options.engine, on_cycle=show_progress
    )
    print(file=sys.stderr)
    for decision in score.decisions:
        if decision.kind in ("kick_off", "goal", "half_time", "game_over"):
            print(decision.text)
    print(f"ours {score.left}, demonstration team {score.right}")


if __name__ == "__main__":
    main()
