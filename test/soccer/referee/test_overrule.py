import pytest

from simspark_ros.protocol.monitor import trainer
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision_log import KEPT
from simspark_ros.soccer.teams import Side
from simspark_ros.worlds.errors import CommandRejectedError


@pytest.fixture
def field(pitch):
    made = pitch()
    made.left = made.add(Side.LEFT, 1, -5.0, 5.0)
    made.right = made.add(Side.RIGHT, 1, 5.0, 5.0)
    made.open_play(made.left)
    return made


def score(field, x):
    field.kick(x, 0.0)
    field.cycle()
    return field.decisions[-1].number


def test_a_goal_that_is_overruled_is_taken_back_and_later_ones_stay(field):
    first = score(field, 15.01)
    field.mode = PlayMode.PLAY_ON
    score(field, -15.01)
    field.referee.overrule(first)
    assert (field.game.score_left, field.game.score_right) == (0, 1) and field.mode is PlayMode.PLAY_ON
    # The ball was in the goal: it goes back to the nearest place on the field, or it would be a goal again.
    assert field.ball == pytest.approx((14.948, 0.0)) and field.kinds[-1] == "overruled"
    assert field.decisions[-1].evidence["decision"] == first


def test_a_kick_in_that_is_overruled_gives_back_mode_time_and_ball(field):
    field.mode = PlayMode.PLAY_ON
    field.wait(2)
    mode_time = field.game.mode_time
    field.kick(3.0, 10.2)
    field.cycle()
    field.wait(3)
    field.referee.overrule(field.decisions[-1].number)
    assert field.mode is PlayMode.PLAY_ON and field.game.mode_time == pytest.approx(mode_time + 0.02)
    assert field.ball == pytest.approx((3.0, 9.948))


def test_a_drop_ball_that_is_overruled_gives_the_set_play_its_time_again(field):
    field.mode = PlayMode.KICK_IN_LEFT
    field.wait(15)
    field.referee.overrule(next(d for d in field.decisions if d.kind == "drop_ball").number)
    field.wait(14)
    assert field.mode is PlayMode.KICK_IN_LEFT


def test_half_time_is_taken_back_with_half_sides_and_score(pitch):
    field = pitch("game.half_time=1", "game.change_sides=true")
    robot = field.add(Side.LEFT, 1, -5.0, 5.0)
    field.mode = PlayMode.PLAY_ON
    field.game.score_left = 2
    field.wait(1)
    assert (field.game.half, robot.side, field.game.score_right) == (2, Side.RIGHT, 2)
    field.referee.overrule(next(d.number for d in field.decisions if d.kind == "half_time"))
    assert (field.game.half, robot.side, field.game.score_left) == (1, Side.LEFT, 2)
    assert field.mode is PlayMode.PLAY_ON


def test_what_cannot_be_overruled_is_refused_by_name(field):
    def refused(number, why):
        with pytest.raises(CommandRejectedError, match=why):
            field.referee.overrule(number)

    refused(99, "no decision 99; the last one is 0")
    number = score(field, 15.01)
    field.referee.overrule(number)
    refused(number, f"decision {number} has been overruled already")
    for _ in range(KEPT):
        field.match.decide("nothing", "Nothing.")
    refused(number, f"decision {number} is too old; the log keeps")
    # Decisions from before a reset are gone, but numbers go on.
    last = field.decisions[-1].number
    field.simulation.reset_state()
    refused(last, "too old; the log keeps none")
    assert not field.decisions and field.match.decide("nothing", "Nothing.").number == last + 1


def test_the_trainer_overrules_on_the_monitor_port(play):
    played = play()
    played.act(*trainer.parse("m", b"(kickOff Left)").actions)
    (decision,) = played.referee.match.log.since(0)
    trained = trainer.parse("m", f"(overrule {decision.number})(overrule 1.5)(overrule x)".encode())
    assert [text for _, text in trained.rejected] == [
        "overrule: 1.5 is not the number of a decision; give a whole number from 1",
        "overrule: value: 'x' is not a finite number",
    ]
    assert not played.act(*trained.actions).notices
    assert played.world.game.play_mode is PlayMode.BEFORE_KICK_OFF
    (notice,) = played.act(*trained.actions).notices
    assert "overruled already" in notice.text
