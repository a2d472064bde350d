"""Behaviour of the demonstration team in the plane, with robots that move as commanded."""

import math
from dataclasses import replace

import pytest

from simspark_ros.motion.interface import Foot
from simspark_ros.players.behaviour.team_play import TeamPlay
from simspark_ros.players.geometry import Point
from simspark_ros.players.team_settings import TacticsSettings, load_team_settings
from simspark_ros.soccer.game_state import PlayMode
from test.players.planar_world import PITCH, PlanarRobot, PlanarWorld

SETTINGS = load_team_settings()
KICKING = replace(SETTINGS, attack=replace(SETTINGS.attack, kick_strength=1.0, kick_range=100.0))
PUSHING = replace(SETTINGS, attack=replace(SETTINGS.attack, kick_strength=0.0))


def team(
    world: PlanarWorld, *numbers: int, side: str = "left", settings: TacticsSettings = KICKING
) -> list[PlanarRobot]:
    """Players at their places before a kick-off."""
    places = settings.kick_off
    return [world.add(TeamPlay(settings), unum, (*places[unum - 1], 0.0), side) for unum in numbers]


@pytest.mark.parametrize("start", [(-2.0, 0.0, 0.0), (-1.0, 3.0, 2.0), (2.0, 0.1, 3.0), (1.0, -1.0, 0.0)])
def test_a_player_comes_from_behind_and_kicks_toward_the_goal(start):
    world = PlanarWorld(ball=(0.0, 0.0))
    robot = world.add(TeamPlay(KICKING), 9, start)
    world.run_until(lambda: world.kicks, 30.0)
    _, kick, ball = world.kicks[0]
    assert abs(robot.pose.heading) < 0.25
    spot = Point(*robot.motion.kick_spot(kick.foot))
    assert spot.to(ball).range < 0.05


def test_a_player_dribbles_first_and_kicks_near_the_goal():
    settings = replace(SETTINGS, attack=replace(SETTINGS.attack, kick_range=3.0))
    world = PlanarWorld(ball=(11.3, 0.5))
    world.add(TeamPlay(settings), 9, (10.3, 0.0, 0.0))
    world.run_until(lambda: world.kicks, 30.0)
    assert world.kicks[0][0].place.to(Point(15.0, 0.0)).range < 3.5


def test_the_right_team_kicks_to_the_other_side_and_without_a_kick_the_ball_is_pushed_into_the_goal():
    world = PlanarWorld(ball=(1.0, 1.0))
    team(world, 9, side="right")
    world.run_until(lambda: world.kicks, 30.0)
    assert world.speed.x < -1.0
    world = PlanarWorld(ball=(12.0, 1.0))
    world.add(TeamPlay(PUSHING), 9, (10.0, 2.0, 0.0))
    world.run_until(lambda: world.ball.x > 15.0, 60.0)
    assert abs(world.ball.y) < PITCH.goal_width / 2


def test_only_the_nearest_goes_to_the_ball_that_all_know_when_one_of_them_sees_it():
    world = PlanarWorld(ball=(1.6, 2.4))
    robots = team(world, 1, 2, 3, 4, 5)
    world.run(4.0)
    near = [robot.unum for robot in robots if robot.place.to(world.ball).range < 0.8]
    assert near == [3]
    world = PlanarWorld(ball=(-3.0, 0.0))
    robots = team(world, 2, 3, 4)
    world.run(3.0)
    for robot in robots:
        known = robot.player.world.ball_place
        assert known is not None and known.to(world.ball).range < 0.2
        assert set(robot.player.world.active_mates()) == {2, 3, 4} - {robot.unum}


@pytest.mark.parametrize("mode", [PlayMode.KICK_IN_RIGHT, PlayMode.CORNER_KICK_RIGHT, PlayMode.FREE_KICK_RIGHT])
def test_all_players_keep_the_distance_of_the_opponents_set_plays(mode):
    world = PlanarWorld(mode, ball=(-4.0, 1.0))
    robots = team(world, 1, 3, 4, 7)
    world.run(10.0)
    assert min(robot.place.to(world.ball).range for robot in robots) > PITCH.centre_circle
    assert world.ball == (-4.0, 1.0)


def test_kick_offs_find_the_opponents_outside_of_the_circle_and_go_before_a_team_mate_beside_it():
    world = PlanarWorld(PlayMode.KICK_OFF_RIGHT)
    robots = team(world, *range(1, 12))
    world.run(5.0)
    assert max(robot.pose.x for robot in robots) < 0.0
    assert min(robot.pose.point.range for robot in robots) > PITCH.centre_circle
    world = PlanarWorld(PlayMode.KICK_OFF_LEFT)
    _, mate = team(world, 2, 3)
    # The bar for the first touch, of real matches, too.
    world.run_until(lambda: world.kicks, 5.0)
    way = world.speed.times(mate.place.y / world.speed.y)
    assert mate.place.x < way.x < mate.place.x + 2.0


def test_the_own_kick_off_is_taken_and_not_touched_again_by_the_same_player():
    world = PlanarWorld(PlayMode.KICK_OFF_LEFT)
    team(world, 2, 3, 4)
    for _ in range(1000):
        world.step()
        if world.kicks and world.mode is PlayMode.KICK_OFF_LEFT:
            world.mode = PlayMode.PLAY_ON
            world.speed = Point(0.0, 0.0)
        if len(world.kicks) > 1:
            break
    assert len(world.kicks) == 2
    assert world.kicks[0][0] is not world.kicks[1][0]


def test_places_before_a_kick_off_are_beamed_to_once():
    world = PlanarWorld(PlayMode.BEFORE_KICK_OFF)
    robots = [world.add(TeamPlay(SETTINGS), unum, (-14.0, 9.0 - unum, 0.0), "right") for unum in range(1, 12)]
    world.run(2.0)
    for robot, place in zip(robots, SETTINGS.kick_off, strict=True):
        assert robot.pose.point.to(Point(*place)).range < 0.1
    assert all(robot.pose.x < 0.0 and robot.pose.point.range > PITCH.centre_circle for robot in robots)
    for _ in range(150):
        world.step()
        assert all(robot.answer.beam is None for robot in robots)


@pytest.mark.parametrize("side", ["left", "right"])
def test_only_the_taker_of_an_own_kick_off_waits_at_the_ball(side):
    world = PlanarWorld(PlayMode.BEFORE_KICK_OFF)
    taker = SETTINGS.kick_off_taker
    robots = [world.add(TeamPlay(SETTINGS), unum, (-5.0, unum, 0.0), side) for unum in (taker, taker + 1)]
    world.run(0.5)
    at_ball = [robot.pose.point.range < PITCH.centre_circle for robot in robots]
    assert at_ball == [side == "left", False]


def test_the_goalkeeper_stays_between_ball_and_goal():
    world = PlanarWorld(ball=(-8.0, 4.0))
    keeper = team(world, 1)[0]
    team(world, 2, 3)
    world.run(6.0)
    to_ball = Point(-15.0, 0.0).to(world.ball)
    to_keeper = Point(-15.0, 0.0).to(keeper.place)
    assert to_keeper.range < 1.3
    assert abs(to_keeper.bearing - to_ball.bearing) < 0.3


@pytest.mark.parametrize(("side", "foot"), [(0.4, Foot.LEFT), (-0.4, Foot.RIGHT)])
@pytest.mark.parametrize("far", [-11.0, -12.6])
def test_the_goalkeeper_dives_to_the_side_of_the_shot(far, side, foot):
    world = PlanarWorld(ball=(far, side))
    keeper = world.add(TeamPlay(SETTINGS), 1, (-14.1, 0.0, 0.0))
    world.run(1.0)
    world.speed = Point(-4.0, 0.0)
    world.run(1.0)
    assert {dive.side for robot, dive in world.dives if robot is keeper} == {foot}


def test_the_goalkeeper_clears_a_ball_near_the_goal_and_does_not_follow_one_that_is_out():
    world = PlanarWorld(ball=(-13.5, 0.8))
    team(world, 1)
    world.run_until(lambda: world.kicks, 20.0)
    assert world.speed.x > 1.0 and world.speed.y > 0.0
    world = PlanarWorld(PlayMode.GOAL_KICK_LEFT, ball=(-15.3, -1.5))
    keeper = world.add(TeamPlay(SETTINGS), 1, (-14.5, -1.0, -1.5))
    world.run(2.0)
    assert keeper.place.to(Point(-14.5, -1.0)).range < 0.1


def test_a_ball_that_is_still_seen_beyond_the_line_after_a_while_is_played():
    # To a player that knows its place to 0.3 m, one on the line may seem to be there.
    world = PlanarWorld(PlayMode.KICK_IN_LEFT, ball=(2.0, 10.3))
    world.add(TeamPlay(KICKING), 9, (1.0, 9.0, 1.0))
    world.run_until(lambda: world.kicks, 12.0)


@pytest.mark.parametrize("start", [(-15.5, 1.6), (-15.4, -0.3), (-16.2, 0.4)])
def test_a_player_beyond_the_goal_line_comes_back_past_the_walls_of_the_goal(start):
    world = PlanarWorld(ball=(-5.0, 0.0))
    keeper = world.add(TeamPlay(SETTINGS), 1, (*start, 0.0))
    world.add(TeamPlay(SETTINGS), 2, (-6.0, 0.0, 0.0))
    post, back = PITCH.goal_width / 2, PITCH.length / 2 + PITCH.goal_depth
    before = keeper.place
    for _ in range(700):
        world.step()
        now = keeper.place
        if now.x < -PITCH.length / 2 and before.x < -PITCH.length / 2:
            assert (abs(now.y) < post) == (abs(before.y) < post) or now.x < -back
            assert abs(now.y) > post or (now.x < -back) == (before.x < -back)
        before = now
    assert keeper.place.x > -15.0


def test_a_lost_ball_is_searched_by_turning():
    world = PlanarWorld(ball=(0.0, 0.0))
    robot = world.add(TeamPlay(SETTINGS), 3, (-5.0, 0.0, 0.0))
    world.run(0.5)
    world.ball = Point(0.0, 4000.0)
    turned = 0.0
    for _ in range(400):
        heading = robot.pose.heading
        world.step()
        turned += abs(math.remainder(robot.pose.heading - heading, math.tau))
    assert turned > 1.0


def test_no_player_moves_when_the_game_is_over():
    world = PlanarWorld(PlayMode.GAME_OVER)
    robots = team(world, 3, 4)
    before = [robot.pose for robot in robots]
    world.run(1.0)
    assert [robot.pose for robot in robots] == before


def test_players_walk_round_one_another():
    world = PlanarWorld(ball=(3.0, 0.0))
    walker = world.add(TeamPlay(KICKING), 9, (-1.0, 0.0, 0.0))
    standing = world.add(TeamPlay(KICKING), 9, (-1.0, -0.02, 0.0), "right")
    standing.motion.update = lambda *_: [0.0, 0.0]  # type: ignore[method-assign]
    nearest = math.inf
    for _ in range(400):
        world.step()
        nearest = min(nearest, walker.place.to(Point(1.0, 0.02)).range)
    assert nearest > 0.25
    assert walker.place.x > 2.0
