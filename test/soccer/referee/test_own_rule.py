"""A rule of another distribution: found by its entry point, ordered by a rule book, applied with all a match offers."""

import sys
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import numpy as np
import pytest

from simspark_ros.configuration import entry_points
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.game_state import PlayMode, modes_of
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rules import RULES
from simspark_ros.soccer.teams import Side


@dataclass(frozen=True)
class LongShots:
    distance: float = 5.0


class NoLongShots(Rule):
    name = "no_long_shots"
    options = LongShots

    def apply(self, match: Match) -> None:
        for touch in match.ball.touches:
            if abs(match.ball.position[0]) < self.settings.distance:
                match.decide("long_shot", "From afar.", touch, play_mode=PlayMode.PLAY_ON)


@pytest.fixture
def offered(monkeypatch):
    point = EntryPoint("no_long_shots", f"{__name__}:NoLongShots", "simspark_ros.rules")
    monkeypatch.setattr(entry_points, "entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(NoLongShots=NoLongShots))


@pytest.mark.usefixtures("offered")
def test_a_rule_of_another_distribution_applies_with_numbers_of_its_own(pitch):
    (rule,) = [rule for rule in pitch("order.no_long_shots=true").referee.rules if rule.name == "no_long_shots"]
    assert rule.settings == LongShots(5.0)
    field = pitch("order.no_long_shots=true", "plug_ins.no_long_shots.distance=2")
    assert field.referee.rules[-1].settings == LongShots(2.0)
    field.open_play(field.add(Side.LEFT, 4, -3.0, 0.0))
    decision = field.decisions[-1]
    assert (decision.rule, decision.kind, decision.unum) == ("no_long_shots", "long_shot", 4)
    with pytest.raises(ConfigurationError, match="no_long_shots: unknown key 'distnce'; use one of: distance"):
        pitch("order.no_long_shots=true", "plug_ins.no_long_shots.distnce=2")
    with pytest.raises(ConfigurationError, match="plug_ins: there is no rule 'goal' with numbers of its own"):
        pitch("plug_ins.goal.distance=2")
    with pytest.raises(ConfigurationError, match="plug_ins: charging: write these numbers into the section 'charging'"):
        pitch("plug_ins.charging.min_speed=2")


@pytest.mark.usefixtures("offered")
def test_numbers_of_a_rule_that_the_book_does_not_order_are_refused(pitch):
    text = "plug_ins: no_long_shots: .* missing in `order` of the rule book .*half_time, .*; add"
    with pytest.raises(ConfigurationError, match=text):
        pitch("plug_ins.no_long_shots.distance=2")
    assert pitch("order.no_long_shots=false", "plug_ins.no_long_shots.distance=2")


def test_rules_are_applied_in_the_order_of_the_book_in_their_modes_and_once_after_them(pitch, watched):
    names = [rule.name for rule in pitch().referee.rules]
    assert names.index("half_time") < names.index("kick_off") < names.index("goal") < names.index("ball_out")
    assert names == [name for name in pitch().match.book.order if name in names]
    assert "goal" not in [rule.name for rule in pitch("order.goal=false").referee.rules]
    field, rule = watched
    for mode in (PlayMode.PLAY_ON, PlayMode.KICK_IN_LEFT, PlayMode.PLAY_ON):
        field.mode = mode
        field.cycle(times=4)
    assert rule.applied == [PlayMode.PLAY_ON, *[PlayMode.KICK_IN_LEFT] * 4, PlayMode.PLAY_ON]


class Watchful(Rule):
    """Notes the modes in which it is applied; has something to do in kick-ins."""

    name = "watchful"
    modes = modes_of("kick_in")

    def __init__(self) -> None:
        self.applied: list[PlayMode] = []

    def apply(self, match: Match) -> None:
        self.applied.append(match.game.play_mode)


@pytest.fixture
def watched(pitch):
    """A pitch and the rule, which comes last."""
    field = pitch()
    types = {**RULES, Watchful.name: Watchful}
    book = replace(field.match.book, order={**field.match.book.order, Watchful.name: True})
    field.referee = Referee(field.world, book, np.random.default_rng(1), types)
    field.match = field.referee.match
    rule = field.referee.rules[-1]
    assert isinstance(rule, Watchful)
    return field, rule


def test_a_mode_that_lasts_part_of_a_cycle_is_seen_by_the_rules_that_come_later(watched):
    field, rule = watched
    field.open_play(field.add(Side.LEFT, 4, -3.0, 0.0))
    field.cycle(times=3)
    rule.applied.clear()
    field.kick(0.0, 10.5)
    field.cycle(times=3)
    # The ball goes out in the first cycle, before the last rule's turn.
    assert rule.applied == [PlayMode.KICK_IN_RIGHT] * 3
