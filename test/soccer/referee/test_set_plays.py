import pytest

from simspark_ros.soccer.teams import Side


def test_a_trainers_drop_ball_sees_where_others_have_just_been_put(pitch):
    field = pitch()
    left = field.add(Side.LEFT, 1, -5.0, 5.0)
    field.add(Side.RIGHT, 1, 5.0, 5.0)
    field.open_play(left)
    field.kick(2.0, 0.0)
    field.cycle()
    # Measured in this cycle already.
    assert len(field.match.boxes) == 2
    field.put(left, 2.5, 0.0)
    field.kick(3.0, 0.0)
    field.referee.drop_ball()
    assert field.ball == pytest.approx((3.0, 0.0))
    assert field.spot(left) == pytest.approx((0.5, 0.0))


def test_the_reach_of_a_robot_follows_the_book_in_the_running_game(pitch):
    field = pitch()
    field.add(Side.LEFT, 2, 1.0, 0.0)
    assert field.match.boxes[0, :, 0].max() < 1.5
    field.referee.change("repositioning", "torso_reach", 0.6)
    assert field.match.boxes[0, :, 0].tolist() == pytest.approx([0.4, 1.6], abs=0.05)
