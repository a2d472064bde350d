"""The team tigers in one process: a goalkeeper, and players of whom the nearest goes to the ball."""

from __future__ import annotations

import argparse
import math

from simspark_ros.clients.agent import Command, Foot, Kick, Point, Pose, Stand, Walk, WorldModel, play_team

PLACES = {1: (-14.0, 0.0), 2: (-6.0, 3.0), 3: (-6.0, -3.0), 4: (-1.0, 1.0)}
"""Places where the players wait, by number, in the frame of the own team, m."""

KEEPER = 1


def think(me: WorldModel) -> Command:
    """What the legs are to do; called 50 times a second for each player."""
    if me.fallen or me.pose is None:
        return Walk(turn=0.5)
    if me.ball_place is None:
        return Walk(turn=0.8)
    if me.unum == KEEPER or not is_nearest(me, me.ball_place):
        return walk_to(me, Point(*PLACES[me.unum]))
    return play_ball(me)


def is_nearest(me: WorldModel, ball: Point) -> bool:
    """Whether none of the team that this player sees is nearer to the ball, the keeper left out."""
    assert me.pose is not None
    own = math.dist((me.pose.x, me.pose.y), ball)
    mates = [other for other in me.others() if other.is_mate and other.unum != KEEPER]
    return all(own <= math.dist(mate.place, ball) for mate in mates)


def play_ball(me: WorldModel) -> Command:
    """Go behind the ball and kick it at the goal."""
    assert me.pose is not None and me.ball.place is not None
    goal = me.pose.local(me.goal)
    for foot in Foot:
        spot = me.kick_spots[foot]
        if math.dist(me.ball.place, spot) < 0.05 and abs(math.atan2(goal.y, goal.x)) < 0.4:
            return Kick(foot)
    ball = me.ball.place
    behind = math.atan2(goal.y - ball.y, goal.x - ball.x)
    target = Point(ball.x - 0.25 * math.cos(behind), ball.y - 0.25 * math.sin(behind))
    if math.hypot(*target) > 0.15:
        return Walk(*steps(target), turn=math.atan2(ball.y, ball.x))
    return Walk(0.2, 0.3 * ball.y, behind)


def walk_to(me: WorldModel, place: Point) -> Command:
    """Go to a place on the field, and stand there."""
    assert me.pose is not None
    target = me.pose.local(place)
    if math.hypot(*target) < 0.3:
        return Stand()
    bearing = math.atan2(target.y, target.x)
    return Walk(0.4 if abs(bearing) < 0.6 else 0.0, 0.0, bearing)


def steps(target: Point) -> tuple[float, float]:
    """Speeds forward and to the left, m/s, towards a place beside the player."""
    distance = math.hypot(*target)
    return 0.4 * target.x / distance, 0.3 * target.y / distance


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int, nargs="?", default=3100, help="of the server")
    parser.add_argument("players", type=int, nargs="?", default=len(PLACES), choices=range(1, len(PLACES) + 1))
    parser.add_argument("--team", default="tigers", help="name of the team")
    options = parser.parse_args()
    starts = {unum: Pose(*PLACES[unum], 0.0) for unum in range(1, options.players + 1)}
    play_team(think, options.team, tuple(starts), port=options.port, starts=starts)
