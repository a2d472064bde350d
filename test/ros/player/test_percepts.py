"""A player's topics as percepts."""

from types import SimpleNamespace
from typing import Any

import pytest
from builtin_interfaces.msg import Time

from simspark_ros.ros.player.percepts import MOST_HEARD, PerceptCollector, sight_of
from simspark_ros.soccer.game_state import PlayMode


def xyz(x: float, y: float, z: float) -> Any:
    return SimpleNamespace(x=x, y=y, z=z)


def header(cycle: int) -> Any:
    return SimpleNamespace(stamp=Time(sec=cycle // 50, nanosec=cycle % 50 * 20_000_000))


def joints(cycle: int, angle: float = 0.5) -> Any:
    return SimpleNamespace(header=header(cycle), name=["hj1", "hj2"], position=[angle, -angle])


def imu(cycle: int) -> Any:
    turn, push = xyz(0.1, 0.2, 0.3), xyz(0.0, 1.0, 9.8)
    return SimpleNamespace(header=header(cycle), angular_velocity=turn, linear_acceleration=push)


def hear(text: str, own: bool = False) -> Any:
    return SimpleNamespace(team="Red", own=own, direction=0.25, text=text)


@pytest.fixture
def senses() -> PerceptCollector:
    return PerceptCollector(4, "right")


def test_a_percept_is_complete_with_joints_and_inertia_of_one_stamp(senses):
    senses.on_joint_states(joints(1))
    assert senses.take() is None
    senses.on_imu(imu(0))
    assert senses.take() is None
    senses.on_imu(imu(1))
    percept = senses.take()
    assert (percept.time, percept.joints) == (pytest.approx(0.02), {"hj1": 0.5, "hj2": -0.5})
    assert (percept.gyro, percept.accelerometer) == ((0.1, 0.2, 0.3), (0.0, 1.0, 9.8))
    assert senses.take() is None


def cycle(senses: PerceptCollector, number: int) -> Any:
    senses.on_joint_states(joints(number))
    senses.on_imu(imu(number))
    return senses.take()


def test_number_and_side_are_in_the_first_percept_alone_and_the_game_is_in_every_one(senses):
    senses.on_game_state(SimpleNamespace(play_mode="KickIn_Left", time=12.5, left_score=1, right_score=2))
    games = [cycle(senses, number).game for number in (1, 2)]
    assert [(game.unum, game.side) for game in games] == [(4, "right"), (0, "")]
    for game in games:
        assert (game.play_mode, game.time) == (PlayMode.KICK_IN_LEFT, 12.5)
        assert (game.score_left, game.score_right) == (1, 2)


def test_what_was_seen_and_heard_belongs_to_one_percept_and_messages_do_not_pile_up(senses):
    seen = SimpleNamespace(names=["B"], ranges=[2.0], bearings=[0.1], elevations=[-0.2])
    senses.on_seen_objects(seen)
    senses.on_hear(hear("abc"))
    senses.on_hear(hear("own", own=True))
    percept = cycle(senses, 1)
    assert percept.sight.ball == (2.0, 0.1, -0.2)
    assert [(one.bearing, one.text) for one in percept.heard] == [(0.25, "abc"), (None, "own")]
    percept = cycle(senses, 2)
    assert percept.sight is None and percept.heard == ()
    for number in range(100):
        senses.on_hear(hear(str(number)))
    assert len(cycle(senses, 3).heard) == MOST_HEARD


def test_only_feet_that_touch_are_felt(senses):
    here = xyz(0.0, 0.0, 0.0)
    felt = (("lf", True, xyz(1.0, 2.0, 22.0)), ("rf", False, here))
    contacts = [SimpleNamespace(name=name, touching=on, point=here, force=force) for name, on, force in felt]
    senses.on_foot_contacts(SimpleNamespace(contacts=contacts))
    feet = cycle(senses, 1).feet
    assert set(feet) == {"lf"}
    assert feet["lf"].force == (1.0, 2.0, 22.0)


def test_marks_ball_and_parts_of_players_are_distinguished():
    names = ["F1L", "G2R", "B", "Red/7/head", "Red/7/lfoot", "Blue/11/head"]
    numbers = [float(index) for index in range(len(names))]
    sight = sight_of(SimpleNamespace(names=names, ranges=numbers, bearings=numbers, elevations=numbers))
    assert set(sight.marks) == {"F1L", "G2R"}
    assert sight.ball == (2.0, 2.0, 2.0)
    seen = [(player.team, player.unum, sorted(player.parts)) for player in sight.players]
    assert seen == [("Red", 7, ["head", "lfoot"]), ("Blue", 11, ["head"])]
