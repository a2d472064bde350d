import math

import pytest

from simspark_ros.protocol.agent.percept_reader import PerceptError, read_percept
from simspark_ros.protocol.sexpr import parse
from simspark_ros.soccer.game_state import PlayMode
from test.rigs.messages.sessions import messages_to_agents

MESSAGES = messages_to_agents()


def lists(message: str, name: str) -> list[list]:
    return [item for item in parse(message) if isinstance(item, list) and item[0] == name]


def test_every_recorded_joint_is_read_in_radians():
    for message in MESSAGES:
        expected = {item[1][1]: math.radians(float(item[2][1])) for item in lists(message, "HJ")}
        assert read_percept(message.encode()).joints == pytest.approx(expected) and len(expected) == 22


def test_every_recorded_thing_in_view_is_read():
    looks = 0
    for message in MESSAGES:
        see = lists(message, "See")
        sight = read_percept(message.encode()).sight
        assert (sight is None) == (not see)
        if sight is None:
            continue
        looks += 1
        items = see[0][1:]
        marks = {item[0] for item in items if item[0] not in ("B", "P", "L")}
        assert set(sight.marks) == marks and (sight.ball is not None) == any(item[0] == "B" for item in items)
        assert len(sight.lines) == sum(item[0] == "L" for item in items)
        players = {(item[1][1], int(item[2][1])): {part[0] for part in item[3:]} for item in items if item[0] == "P"}
        assert {(p.team, p.unum): set(p.parts) for p in sight.players} == players
    assert looks > 50


def test_number_and_side_are_read_where_they_are_and_axes_turned_forward_left_up():
    first = read_percept(b"(time (now 1.00))(GS (unum 7) (team right) (sl 1) (sr 2) (t 3.50) (pm KickIn_Left))").game
    assert (first.unum, first.side, first.score_left, first.score_right, first.time) == (7, "right", 1, 2, 3.5)
    assert first.play_mode is PlayMode.KICK_IN_LEFT
    later = read_percept(b"(time (now 1.02))(GS (t 3.52) (pm CORNER_KICK_LEFT))").game
    assert (later.unum, later.side, later.score_left) == (0, "", None)
    assert later.play_mode is PlayMode.CORNER_KICK_LEFT
    percept = read_percept(
        b"(time (now 1.00))(GYR (n torso) (rt 1.00 2.00 3.00))(ACC (n torso) (a 1.00 2.00 9.81))"
        b"(FRP (n rf) (c 0.01 0.02 -0.01) (f -0.23 0.50 23.45))"
    )
    assert percept.gyro == pytest.approx((math.radians(2), -math.radians(1), math.radians(3)))
    assert percept.accelerometer == pytest.approx((2.0, -1.0, 9.81))
    assert percept.feet["rf"].point == pytest.approx((0.02, -0.01, -0.01))
    assert percept.feet["rf"].force == pytest.approx((0.5, 0.23, 23.45)) and "lf" not in percept.feet


def test_messages_of_players_are_heard_without_the_team_and_players_seen_at_one_position_in_some_years():
    heard = read_percept(b"(time (now 1.00))(hear A 0.00 self abc)(hear B 0.00 -90.00 x%y)(hear 0.00 45.0 old)").heard
    assert [(one.team, one.text) for one in heard] == [("A", "abc"), ("B", "x%y"), ("", "old")]
    assert [one.bearing for one in heard] == [None, pytest.approx(-math.pi / 2), pytest.approx(math.pi / 4)]
    sight = read_percept(b"(time (now 1.00))(See (P (team A) (id 3) (pol 2.00 10.00 -5.00)))").sight
    assert sight is not None and sight.players[0].parts["body"].range == 2.0


@pytest.mark.parametrize(
    "broken",
    [
        "(GS (t nan) (pm Nonsense))",
        # The manual's word for no or an unknown mode.
        "(GS (t 1.00) (pm NONE))",
        *("(HJ (n hj1) (ax inf))", f"(HJ (n hj1) (ax {'9' * 400}))", "(FRP (n rf) (c 1 2) (f 1 2 3))"),
        *("(See (B (pol 1.0 nan 0.0)) (F1L (pol 1)))", "(See (P (team A) (id 1) (head (pol"),
        *("(hear A 0.00 1.2.3 x)", "\xff\x00)))((("),
    ],
)
def test_what_is_not_understood_is_left_out(broken):
    percept = read_percept(f"(time (now 1.00)){broken}".encode("latin-1"))
    assert percept.time == 1.0 and not percept.joints and not percept.feet
    assert percept.game.play_mode is None and math.isfinite(percept.game.time)
    assert percept.sight is None or (percept.sight.ball is None and not percept.sight.marks)


@pytest.mark.parametrize("message", [b"", b"(init)", b"(time (now nan))", b"\x00\xff"])
def test_a_message_without_a_time_is_no_perception(message):
    with pytest.raises(PerceptError, match="no time"):
        read_percept(message)
