"""A rule of somebody else: found by its entry point, ordered by a rule book, applied with all a match offers."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from simspark_ros.simulation import registry
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.teams import Side


class NoLongShots(Rule):
    name = "no_long_shots"

    def apply(self, match: Match) -> None:
        for touch in match.ball.touches:
            if abs(match.ball.position[0]) < 5.0:
                match.decide("long_shot", "From afar.", side=touch.side, unum=touch.unum, play_mode=PlayMode.PLAY_ON)


@pytest.fixture
def offered(monkeypatch):
    point = EntryPoint("no_long_shots", f"{__name__}:NoLongShots", "simspark_ros.rules")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(NoLongShots=NoLongShots))


@pytest.mark.usefixtures("offered")
def test_a_rule_of_another_distribution_applies_where_the_book_orders_it(pitch):
    assert "no_long_shots" not in [rule.name for rule in pitch().referee.rules]
    field = pitch("order.no_long_shots=true")
    robot = field.player(Side.LEFT, 4, -3.0, 0.0)
    field.open_play(robot)
    decision = field.decisions[-1]
    assert (decision.rule, decision.kind, decision.unum) == ("no_long_shots", "long_shot", 4)


def test_rules_are_applied_in_the_order_of_the_book(pitch):
    names = [rule.name for rule in pitch().referee.rules]
    assert names.index("half_time") < names.index("kick_off") < names.index("goal") < names.index("ball_out")
    assert names == [name for name in pitch().match.book.order if name in names]
    assert "goal" not in [rule.name for rule in pitch("order.goal=false").referee.rules]
