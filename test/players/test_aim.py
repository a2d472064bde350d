"""Where players play the ball."""

import math

import pytest

from simspark_ros.players.behaviour.aim import Aim
from simspark_ros.players.geometry import Polar, Pose
from simspark_ros.players.percepts import SeenObjects, SeenPlayer
from simspark_ros.players.world_model import WorldModel
from test.players.test_world_model import PITCH, feel, joined


def world_of(pose: Pose, *players: tuple[str, float, float]) -> WorldModel:
    """A player with the ball a metre ahead; others by team, range (m) and bearing (rad) from the player."""
    world = joined(pose=pose)
    heads = ((team, {"head": Polar(distance, bearing, 0.0)}) for team, distance, bearing in players)
    seen = tuple(SeenPlayer(team, unum, head) for unum, (team, head) in enumerate(heads, start=7))
    feel(world, 1.02, sight=SeenObjects(ball=Polar(math.hypot(1.0, 0.46), 0.0, -math.atan2(0.46, 1.0)), players=seen))
    return world


def direction(world: WorldModel, aim: Aim | None = None) -> float:
    ball = world.ball_place
    assert ball is not None
    return ball.to((aim or Aim()).target(world)).bearing


def test_with_a_free_way_the_ball_goes_to_the_goal_and_past_an_opponent():
    assert direction(world_of(Pose(0.0, 0.0, 0.0))) == pytest.approx(0.0, abs=0.02)
    assert abs(direction(world_of(Pose(0.0, 0.0, 0.0), ("Blue", 2.2, 0.0)))) > 0.2


def test_of_two_ways_past_an_opponent_the_one_to_a_team_mate_is_taken():
    opponent = ("Blue", 2.2, 0.0)
    left = direction(world_of(Pose(0.0, 0.0, 0.0), opponent, ("Red", 3.3, 0.35)))
    right = direction(world_of(Pose(0.0, 0.0, 0.0), opponent, ("Red", 3.3, -0.35)))
    assert left > 0.2 and right < -0.2


@pytest.mark.parametrize("keeper", [-0.15, 0.15])
def test_a_shot_passes_the_goalkeeper_where_the_goal_is_wider(keeper):
    # The ball is 2.5 m before the goal.
    way = direction(world_of(Pose(11.5, 0.0, 0.0), ("Blue", 2.8, keeper)))
    assert 0.1 < abs(way) < math.atan2(PITCH.goal_width / 2, 2.5)
    assert way * keeper < 0.0


def test_near_the_touch_line_the_ball_is_not_played_out():
    world = world_of(Pose(5.0, 9.0, 0.3), ("Blue", 2.2, 0.0))
    assert direction(world) < 0.3


def test_a_direction_once_chosen_is_kept_while_it_is_about_as_good():
    aim = Aim()
    first = direction(world_of(Pose(0.0, 0.0, 0.0), ("Blue", 2.2, -0.02)), aim)
    again = direction(world_of(Pose(0.0, 0.0, 0.0), ("Blue", 2.2, 0.02)), aim)
    assert again == pytest.approx(first, abs=0.05)
