"""How players on wheels play the ball: they fetch it, dribble, pass, shoot, and keep the goal."""

import math

import pytest

from simspark_ros.motion.interface import Foot, MotionStatus, Shoot, Walk
from simspark_ros.players.behaviour.dribble import DribblePlay
from simspark_ros.players.behaviour.goalkeeper import WheeledGoalkeeper
from simspark_ros.players.behaviour.steering import Steering
from simspark_ros.players.geometry import Point, Polar, Pose
from simspark_ros.players.percepts import GameReport, Percept, SeenObjects, SeenPlayer
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.players.world_model import WorldModel
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import load_soccer_settings

CAMERA = ((0.0, 0.0, 0.0), 0.0, 0.0)
SETTINGS = load_team_settings("msl")
assert SETTINGS.dribble is not None
DRIBBLE = SETTINGS.dribble
PITCH = load_soccer_settings("msl").field
FRONT = Point(0.285, 0.0)


def seen(pose, place):
    local = pose.local(Point(*place))
    return Polar(local.range, local.bearing, 0.0)


def world(pose, ball, mates=(), opponents=()):
    """What a player believes that is at a pose and has the ball somewhere in its own axes; others are on the field."""
    one = WorldModel("Red", PITCH, SETTINGS.ball_friction)
    one.kick_spots = dict.fromkeys(Foot, FRONT)
    one.update(Percept(2.0, game=GameReport(PlayMode.PLAY_ON, unum=4, side="left")), MotionStatus(), CAMERA)
    one.beamed(pose)
    players = [SeenPlayer("Red", 6 + index, {"body": seen(pose, place)}) for index, place in enumerate(mates)]
    players += [SeenPlayer("Blue", 2 + index, {"body": seen(pose, place)}) for index, place in enumerate(opponents)]
    look(one, 2.02, ball, tuple(players))
    return one


def look(one, time, ball, players=()):
    sight = SeenObjects(ball=Polar(math.hypot(*ball), math.atan2(ball[1], ball[0]), 0.0), players=players)
    one.update(Percept(time, sight=sight, game=GameReport(PlayMode.PLAY_ON)), MotionStatus(), CAMERA)


def dribble():
    return DribblePlay(DRIBBLE, Steering(SETTINGS.steering), SETTINGS.ball_friction)


def test_a_player_drives_to_the_ball_turns_to_it_and_keeps_off_until_it_faces_it():
    command = dribble().play(world(Pose(0.0, 0.0, 0.0), (2.0, 2.0)), Point(9.0, 0.0), kick=False)
    assert isinstance(command, Walk)
    assert command.turn > 1.0
    assert command.forward == pytest.approx(command.left)
    assert command.forward > 1.0
    command = dribble().play(world(Pose(0.0, 0.0, 0.0), (0.0, 0.4)), Point(9.0, 0.0), kick=False)
    assert isinstance(command, Walk)
    assert command.left < 0.0 < command.turn


def test_the_ball_at_the_front_is_dribbled_to_the_target_beside_the_goal_to_the_front_first():
    command = dribble().play(world(Pose(-5.0, 0.0, 0.5), FRONT), Point(9.0, 0.0), kick=False)
    assert isinstance(command, Walk)
    assert command.forward > 1.0
    assert command.turn < 0.0
    # At (8.5, 3), facing the goal line; the place in front of the goal is behind, to the right.
    command = dribble().play(world(Pose(8.5, 3.0, 0.0), FRONT), Point(9.0, 0.0), kick=False)
    assert isinstance(command, Walk)
    assert command.turn < -1.0


def test_near_the_goal_it_is_shot_beside_the_goalkeeper_and_the_kicker_is_given_time():
    # The goalkeeper stands in the middle and nearer to the left post.
    play, one = dribble(), world(Pose(5.0, 0.0, -0.19), FRONT, opponents=[(8.5, 0.2)])
    command = play.play(one, Point(9.0, 0.0), kick=False)
    assert isinstance(command, Shoot)
    assert command.forward == DRIBBLE.shot_speed
    look(one, 2.1, FRONT)
    assert isinstance(play.play(one, Point(9.0, 0.0)), Walk)


def test_it_is_not_shot_from_afar_nor_at_who_stands_in_the_way():
    for pose, opponents in ((Pose(3.0, 0.0, 0.0), []), (Pose(5.0, 0.0, 0.0), [(6.0, y / 10) for y in range(-8, 9, 2)])):
        assert isinstance(dribble().play(world(pose, FRONT, (), opponents), Point(9.0, 0.0), kick=False), Walk)


def test_it_is_passed_to_the_mate_that_sees_the_goal_widest():
    # From beside the goal back to the front of it; the other mate is nearer to the goal line, and farther to the side.
    pose, front = Pose(8.0, 3.0, 0.0), Point(6.0, 0.0)
    heading = pose.point.to(front).bearing
    facing = Pose(8.0, 3.0, heading)
    command = dribble().play(world(facing, FRONT, [(6.0, 0.0), (8.5, 5.0)]), Point(9.0, 0.0))
    assert isinstance(command, Shoot)
    assert command.forward == pytest.approx(DRIBBLE.pass_speed + 0.35 * pose.point.to(front).range, abs=0.05)


def test_it_is_passed_to_a_free_mate_past_an_opponent_ahead_unless_another_would_take_it():
    pose = Pose(-2.0, 0.0, math.atan2(3.0, 4.0))
    command = dribble().play(world(pose, FRONT, [(2.0, 3.0)], [(-0.8, 0.0)]), Point(9.0, 0.0), kick=False)
    assert isinstance(command, Shoot)
    # Five metres cost 0.35 of a metre a second each.
    assert command.forward == pytest.approx(DRIBBLE.pass_speed + 0.35 * 5.0, abs=0.05)
    one = world(pose, FRONT, [(2.0, 3.0)], [(-0.8, 0.0), (0.0, 1.5)])
    assert isinstance(dribble().play(one, Point(9.0, 0.0), kick=False), Walk)


def test_a_goalkeeper_on_wheels_drives_to_where_a_shot_will_pass():
    keeper = WheeledGoalkeeper(SETTINGS.goalkeeper, Steering(SETTINGS.steering), dribble())
    one = world(Pose(-8.4, 0.0, 0.0), (4.0, 0.0))
    # 5 m/s toward the goal, 0.6 m/s to its left.
    for step in range(1, 8):
        look(one, 2.02 + 0.04 * step, (4.0 - 0.2 * step, 0.024 * step))
    command = keeper.keep(one)
    assert isinstance(command, Walk)
    assert command.left > 0.5
