"""Groups of robots that touch are bounded by what solving them costs."""

import pytest

from simspark_ros.physics.island_limit import IslandLimit

BALL = -1


def test_groups_of_touching_robots_are_bounded_by_the_sum_of_cubes():
    islands = IslandLimit(most=3.7)
    islands.start(dict.fromkeys(range(1, 9), 1))
    # The ball joins robots without a cost of its own: three of them are 27, with five others 32.
    assert all(islands.join(robot, BALL) for robot in (1, 2, 3))
    assert islands.join(1, 3)
    assert not islands.join(3, 4)
    # Small groups elsewhere are free to touch.
    assert islands.join(5, 6)
    islands.start({3: 1, 4: 1})
    assert islands.join(3, 4)


@pytest.mark.parametrize(("sizes", "may"), [((1, 1), True), ((3, 1), True), ((3, 2), False)])
def test_large_robots_count_by_their_size(sizes, may):
    islands = IslandLimit(most=4.0)
    islands.start(dict(enumerate(sizes)))
    assert islands.join(0, 1) is may


def test_contacts_count_too_even_within_a_group():
    islands = IslandLimit(most=4.0)
    islands.start({1: 1, 2: 1, 3: 1})
    assert islands.join(1, 2) and islands.join(2, 3) and islands.join(1, 3, 1.0)
    assert not islands.join(1, 2, 1.0)
    assert islands.join(1, 2)


def test_robot_that_is_too_large_alone_touches_nothing_but_the_ball():
    islands = IslandLimit(most=4.0)
    islands.start({1: 9, 2: 1})
    assert islands.join(1, BALL)
    assert not islands.join(1, 2)
