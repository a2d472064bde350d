"""Who is ahead of whom."""

import pytest

from simspark_matches.table import Played, Points, as_text, table


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        (
            [Played("A", "B", (9, 0)), Played("C", "A", (1, 0)), Played("C", "B", (1, 0))],
            [(1, "C"), (2, "A"), (3, "B")],
        ),
        ([Played("A", "C", (1, 0)), Played("B", "C", (3, 0))], [(1, "B"), (2, "A"), (3, "C")]),
        ([Played("A", "C", (1, 0)), Played("B", "C", (3, 2))], [(1, "B"), (2, "A"), (3, "C")]),
        ([Played("A", "B", (1, 1))], [(1, "A"), (1, "B"), (3, "C")]),
    ],
    ids=["points come first", "then the difference of goals", "then the goals scored", "level teams share a rank"],
)
def test_teams_are_ranked(matches, expected):
    assert [(row.rank, row.team) for row in table(list("ABC"), matches, Points())] == expected


def test_level_teams_are_ranked_by_their_matches_and_points_may_be_others():
    matches = [Played("B", "A", (1, 0)), Played("A", "C", (2, 1)), Played("C", "B", (2, 1)), Played("D", "B", (0, 0))]
    matches += [Played("A", "D", (0, 0))]
    rows = table(list("ABCD"), matches, Points())
    level = {row.team: (row.points, row.goal_difference, row.goals_scored) for row in rows}
    assert level["A"] == level["B"]
    assert [row.team for row in rows].index("B") < [row.team for row in rows].index("A")
    rows = table(["A", "B"], [Played("A", "B", (0, 0), lost_by_both=True)], Points())
    assert [(row.lost, row.drawn, row.points) for row in rows] == [(1, 0, 0), (1, 0, 0)]
    rows = table(["A", "B"], [Played("A", "B", (1, 0))], Points(win=2, loss=-1))
    assert [row.points for row in rows] == [2, -1]


@pytest.mark.parametrize("teams", ["AB", "ABCDE"])
def test_the_text_has_a_line_for_each_team(teams):
    text = as_text(table(list(teams), [Played("A", "B", (10, 0))], Points()))
    assert text.splitlines()[1].split() == ["1", "A", "1", "1", "0", "0", "10:0", "+10", "3"]
    assert len(text.splitlines()) == len(teams) + 1
