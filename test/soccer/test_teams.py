import pytest

from simspark_ros.soccer.teams import InitRefusedError, Side, StartSlots, TeamRules, Teams


def test_the_first_team_is_left_the_second_right_and_a_third_refused_by_name():
    teams = Teams()
    assert teams.register("A", 1, 0) == (Side.LEFT, 1) and teams.register("B", 1, 0) == (Side.RIGHT, 1)
    assert teams.register("A", 0, 0) == (Side.LEFT, 2)
    with pytest.raises(InitRefusedError, match="'A' and 'B', not 'C'"):
        teams.register("C", 1, 0)
    with pytest.raises(InitRefusedError, match="number 2"):
        teams.register("A", 2, 0)
    teams.release(Side.LEFT, 2)
    assert teams.register("A", 2, 0) == (Side.LEFT, 2), "a number that was given back"


@pytest.mark.parametrize(
    ("name", "unum", "reason"),
    [*(("A", unum, "not between 0") for unum in (-1, 12, 99999999999999)), ("B)(x", 1, r"not 'B\)\(x")],
)
def test_a_first_init_that_is_refused_names_no_team(name, unum, reason):
    teams = Teams()
    with pytest.raises(InitRefusedError, match=reason):
        teams.register(name, unum, 0)
    assert teams == Teams()


def test_at_most_seven_of_one_type_and_nine_of_two_with_numbers_greater_than_the_size():
    teams = Teams()
    for unum in range(1, 8):
        teams.register("A", unum, 0)
    with pytest.raises(InitRefusedError, match="7 robots of type 0"):
        teams.register("A", 8, 0)
    for unum in (8, 9):
        teams.register("A", unum, 1)
    with pytest.raises(InitRefusedError, match="any two types"):
        teams.register("A", 10, 1)
    teams.register("A", 10, 2)
    teams = Teams(TeamRules(size=2, max_of_one_type=2, max_of_two_types=2, min_types=1, greatest_number=99))
    assert teams.register("A", 77, 0) == (Side.LEFT, 77) and teams.register("A", 0, 0) == (Side.LEFT, 1)
    with pytest.raises(InitRefusedError, match="complete: it has 2 players"):
        teams.register("A", 5, 0)
    with pytest.raises(InitRefusedError, match="not between 0"):
        teams.register("B", 100, 0)


def test_start_slots_go_down_the_left_side_then_wrap():
    slots = StartSlots((-14.2, 9.2, 0.4), step_y=-1.2, step_x=0.8, clearance=0.5)
    assert slots.position(0, Side.LEFT) == (-14.2, 9.2, 0.4)
    assert slots.position(1, Side.LEFT)[1] == pytest.approx(8.0)
    assert slots.position(16, Side.LEFT)[:2] == (pytest.approx(-13.4), pytest.approx(9.2))
    assert slots.position(0, Side.RIGHT) == (14.2, 9.2, 0.4)
