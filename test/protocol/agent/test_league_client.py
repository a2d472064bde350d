import math
from dataclasses import replace

import pytest

from simspark_ros.players.answer import Answer
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.speech import TeamMessage, decode, encode
from simspark_ros.protocol.agent.league_client import LeagueClient
from simspark_ros.protocol.agent.percept_reader import PerceptError
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec
from simspark_ros.soccer.game_state import PlayMode

MESSAGE = (
    "(time (now 344.23))(GS (t 2.02)(pm KickOff_Left)(tl Reds-2)(tr Blues)(sl 0)(sr 1))"
    "(quat (n torso_quat) (q 0.707 0.0 0.0 0.707))(pos (n torso_pos) (p -1.279 0.011 0.648))"
    "(GYR (n torso_gyro) (rt 90.0 180.0 -3.34))(ACC (n torso_acc) (a 0.33 -0.71 9.12))"
    "(HJ (n q_knee)(ax -90.0)(vx 11.94))"
    "(See (l_ruf (pol 33.86 32.67 -2.63))(B (pol 1.51 -0.1 -40.44))(P (team Blues)(id 3)(head (pol 3.0 2.0 1.0))))"
)


def client(team: str = "Reds-2", unum: int = 4) -> LeagueClient:
    joint, motor = PerceptorSpec("hinge_joint", "q_knee", "Left_Knee"), EffectorSpec("motor", "lle4", "Left_Knee")
    robot = replace(load_robot("sphere"), name="T9", perceptors=(joint,), effectors=(motor,))
    return LeagueClient(robot, {"Left_Knee": (200.0, 5.0)}, team, unum)


def test_the_first_message_says_who_joins_and_motors_get_angles_with_their_gains_when_these_change():
    assert client().opening == "(init T9 Reds-2 4)" and client().joining == ""
    one = client()
    assert one.write(Answer({"Left_Knee": math.pi / 4})) == "(lle4 45.00 0 200 5 0)"
    assert one.write(Answer({"Left_Knee": math.pi / 4})) == ""
    beam = Answer({"Left_Knee": 0.0}, Pose(-1.5, 2.0, math.pi / 2))
    assert one.write(beam) == "(beam -1.500 2.000 90.00)(lle4 0.00 0 200 5 0)"


def test_percepts_are_in_si_with_the_robots_own_joints():
    percept = client().read(MESSAGE.encode())
    assert percept.time == 344.23 and percept.joints == {"Left_Knee": pytest.approx(-math.pi / 2)}
    assert percept.gyro == pytest.approx((math.pi / 2, math.pi, math.radians(-3.34)))
    assert percept.accelerometer == (0.33, -0.71, 9.12)
    # Three digits of a quaternion.
    assert percept.up == pytest.approx((0.0, 0.0, 1.0), abs=1e-3)
    assert percept.pose == pytest.approx((-1.279, 0.011, math.pi / 2), abs=1e-3)
    sight = percept.sight
    assert sight is not None and sight.ball is not None and sight.ball.range == 1.51
    (player,) = sight.players
    assert (player.team, player.unum) == ("Blues", 3) and player.parts["head"].range == 3.0


@pytest.mark.parametrize(("team", "side", "unum"), [("Reds-2", "left", 4), ("Blues", "right", 4), ("Greens", "", 0)])
def test_the_side_is_that_of_the_teams_name(team, side, unum):
    game = client(team).read(MESSAGE.encode()).game
    assert (game.play_mode, game.side, game.unum) == (PlayMode.KICK_OFF_LEFT, side, unum)


@pytest.mark.parametrize("message", ["", "(time)", "(quat (n torso_quat) (q 1 0 0 0))"])
def test_messages_without_a_time_are_no_percepts(message):
    with pytest.raises(PerceptError):
        client().read(message.encode())


def test_an_attitude_of_nothing_is_none():
    percept = client().read(b"(time (now 1.0))(quat (n q) (q 0.0 0.0 0.0 0.0))(pos (n p) (p 0.0 0.0 0.0))")
    assert percept.up is None and percept.pose is None


def test_team_mates_hear_what_was_said_and_opponents_do_not():
    said = TeamMessage(2, Point(-3.2, 1.5), Point(4.0, 1.0), 0.1, 2.5)
    text = client().write(Answer(say=encode(said))).removeprefix("(SPK say 100 ").removesuffix(")")
    message = f"(time (now 1.0))(MIC hear (12 {text})(-30 aGVsbG8=)(5 !))".encode()
    (heard,) = client(unum=7).read(message).heard
    assert decode(heard.text) == said and heard.bearing == pytest.approx(math.radians(12))
    assert client("Blues").read(message).heard == ()
