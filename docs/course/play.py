"""Lesson 5, play: a player brings the ball into the goal by its percepts alone."""

from simspark_ros.arena import Arena
from simspark_ros.clients.agent import Command, Pose, Walk, WorldModel
from simspark_ros.players.team import simple_player


def think(me: WorldModel) -> Command:
    """Line up behind the ball, then walk through it."""
    if me.pose is None or me.ball_place is None:
        return Walk(turn=0.8)
    ball, goal = me.ball.place, me.pose.local(me.goal)
    way = ball.to(goal)
    behind = ball.plus(way.times(-0.3 / way.range))
    is_lined_up = abs(ball.bearing) < 0.3 and abs(goal.bearing) < 0.5
    place = ball if is_lined_up else behind
    return Walk(min(0.4, place.x), min(0.2, max(-0.2, place.y)), goal.bearing)


with Arena(engine="mujoco", seed=1) as arena:
    arena.add("nao", team="Ours", unum=2, agent=lambda: simple_player(think, "Ours", start=Pose(-1.0, 0.0, 0.0)))
    arena.step(50)
    arena.set_play_mode("PlayOn")
    player = arena["left_2"]
    player.place(12.0, 0.3, 0.0)
    arena.place_ball(12.6, 0.6)
    while arena.game.score_left == 0 and arena.game.time < 25.0:
        arena.step()
    print(f"{arena.game.score_left} goal after {arena.game.time:.1f} s")
    for decision in arena.decisions:
        print(decision.text)
