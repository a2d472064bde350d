"""What a player believes, from percepts and from what team mates say."""

import math

import pytest

from simspark_ros.motion.interface import MotionStatus
from simspark_ros.players.behaviour.team_play import effort, is_nearest
from simspark_ros.players.geometry import Point, Polar, Pose
from simspark_ros.players.percepts import GameReport, HeardMessage, Percept, SeenObjects, SeenPlayer
from simspark_ros.players.situation import Situation
from simspark_ros.players.speech import NEVER, TeamMessage, encode
from simspark_ros.players.team_settings import EffortSettings
from simspark_ros.players.world_model import MATE_MEMORY, WorldModel
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import load_soccer_settings

CAMERA = ((0.0, 0.0, 0.5), 0.0, 0.0)
CENTRE = Pose(0.0, 0.0, 0.0)
PITCH = load_soccer_settings().field


def joined(side: str = "left", pose: Pose = CENTRE) -> WorldModel:
    world = WorldModel("Red", PITCH)
    feel(world, 1.0, game=GameReport(PlayMode.PLAY_ON, unum=5, side=side))
    world.beamed(pose)
    return world


def feel(world: WorldModel, time: float, status: MotionStatus | None = None, **percept: object) -> None:
    percept.setdefault("game", GameReport(PlayMode.PLAY_ON))
    world.update(Percept(time, **percept), status or MotionStatus(), CAMERA)  # type: ignore[arg-type]


def said(unum: int, time_to_ball: float, ball_age: float = 0.0, team: str = "Red") -> HeardMessage:
    message = TeamMessage(unum, Point(-3.0, 2.0), Point(4.0, 1.0), ball_age, time_to_ball)
    return HeardMessage(team, 0.5, encode(message))


@pytest.mark.parametrize(
    ("mode", "clock", "first"),
    [
        (PlayMode.BEFORE_KICK_OFF, 0.0, "left"),
        (PlayMode.BEFORE_KICK_OFF, 300.0, "right"),
        (PlayMode.GOAL_LEFT, 40.0, "right"),
        (PlayMode.GOAL_RIGHT, 40.0, "left"),
    ],
)
def test_whose_the_next_kick_off_is_follows_from_half_and_scorer(mode, clock, first):
    for side in ("left", "right"):
        world = joined(side)
        feel(world, 1.1, game=GameReport(mode, clock))
        assert world.kicks_off_next is (side == first)


def test_what_opponents_and_oneself_say_is_not_believed_and_mates_that_fell_silent_do_not_count():
    world = joined()
    own = HeardMessage("Red", None, said(7, 1.0).text)
    feel(world, 2.0, heard=(said(7, 1.0, team="Blue"), own))
    assert world.mates == {}
    feel(world, 2.0, heard=(said(7, 1.0),))
    assert set(world.active_mates()) == {7}
    feel(world, 2.1 + MATE_MEMORY)
    assert world.active_mates() == {}


def test_the_fastest_is_nearest_and_ties_go_to_the_lower_number():
    world = joined()
    feel(world, 2.0, heard=(said(7, 3.0), said(3, 5.0)))
    assert is_nearest(world, 2.9)
    assert not is_nearest(world, 3.1)
    feel(world, 2.02, heard=(said(3, 3.0),))
    assert not is_nearest(world, 3.0)
    assert not is_nearest(world, NEVER)


def test_effort_grows_with_distance_and_while_getting_up_and_is_none_without_a_ball():
    world = joined()
    assert effort(world, EffortSettings()) == NEVER
    feel(world, 1.1, sight=SeenObjects(ball=Polar(2.0, 0.0, -0.23)))
    near = effort(world, EffortSettings())
    feel(world, 1.2, status=MotionStatus(fallen=True))
    assert effort(world, EffortSettings()) > near + 1.0
    far = joined()
    feel(far, 1.1, sight=SeenObjects(ball=Polar(6.0, 0.0, -0.08)))
    assert effort(far, EffortSettings()) > near + 5.0


def test_robots_in_view_are_remembered_for_a_while_but_not_what_a_falling_player_sees():
    world = joined()
    players = (
        SeenPlayer("Red", 5, {"lfoot": Polar(0.5, 0.1, -1.0)}),
        SeenPlayer("Red", 6, {"head": Polar(3.0, 0.0, 0.0)}),
        SeenPlayer("Blue", 6, {"rfoot": Polar(4.0, 0.0, -0.1)}),
    )
    feel(world, 1.1, sight=SeenObjects(players=players))
    assert {(other.is_mate, other.unum) for other in world.others()} == {(True, 6), (False, 6)}
    feel(world, 9.0)
    assert world.others() == []
    feel(world, 1.1, status=MotionStatus(fallen=True), sight=SeenObjects(ball=Polar(2.0, 0.0, -0.23)))
    assert world.ball.place is None


def test_the_situation_begins_when_the_play_mode_changes():
    world = joined("right")
    feel(world, 5.0, game=GameReport(PlayMode.KICK_IN_LEFT))
    feel(world, 6.0, game=GameReport(PlayMode.KICK_IN_LEFT))
    assert world.situation is Situation.THEIR_SET_PLAY
    assert world.since == 5.0


def test_a_told_pose_is_believed_and_moves_the_ball_the_other_way_unless_somebody_carried_the_player():
    world = WorldModel("Red", PITCH)
    joined_as = GameReport(PlayMode.PLAY_ON, unum=5, side="right")
    feel(world, 1.0, game=joined_as, pose=Pose(2.0, 1.0, math.pi))
    assert world.pose == pytest.approx((-2.0, -1.0, 0.0))
    world.ball.see(Point(1.0, 0.0), 1.0)
    feel(world, 1.02, game=joined_as, pose=Pose(1.9, 1.0, math.pi))
    assert world.pose == pytest.approx((-1.9, -1.0, 0.0))
    assert world.ball.place == pytest.approx((0.9, 0.0))
    assert not world.was_carried
    world = WorldModel("Red", PITCH)
    joined_as = GameReport(PlayMode.PLAY_ON, unum=5, side="left")
    for time, x, carried in ((1.0, 2.0, False), (1.02, 2.01, False), (1.04, -3.0, True), (1.06, -3.0, False)):
        feel(world, time, game=joined_as, pose=Pose(x, 1.0, 0.0))
        assert world.was_carried is carried


@pytest.mark.parametrize("mode", [PlayMode.KICK_OFF_LEFT, PlayMode.KICK_OFF_RIGHT])
def test_after_a_goal_the_ball_is_expected_in_the_centre_not_where_it_was_seen_last(mode):
    world = joined(pose=Pose(-0.4, -0.4, 0.0))
    goal = GameReport(PlayMode.GOAL_LEFT)
    feel(world, 2.0, game=goal, sight=SeenObjects(ball=Polar(15.0, 0.0, 0.0)))
    feel(world, 2.02, game=GameReport(mode))
    assert world.ball_place == pytest.approx((0.0, 0.0), abs=1e-9)
    assert world.ball.place == pytest.approx((0.4, 0.4))
    assert world.ball_age == 0.0
    # Messages that were on the way at the kick-off tell of the ball in the goal.
    feel(world, 2.04, game=GameReport(mode), heard=(said(7, 1.0),))
    feel(world, 4.6, game=GameReport(mode))
    assert world.ball_place == pytest.approx((0.0, 0.0), abs=1e-9)
    feel(world, 4.62, game=GameReport(mode), heard=(said(7, 1.0),))
    assert world.ball_place == pytest.approx((4.0, 1.0), abs=0.01), "later ones count"
    feel(world, 4.66, game=GameReport(mode), sight=SeenObjects(ball=Polar(1.0, 0.0, 0.0)))
    assert world.ball.place is not None and world.ball.place.x > 0.7, "what is seen counts"
