"""The server's options for the settings of a match."""

import pytest

from simspark_matches.settings import GameSettings, TeamSettings
from simspark_ros.configuration.schema import ConfigurationError


def test_the_rule_book_decides_on_the_half_time_unless_it_is_given_and_changes_have_the_last_word():
    assert not any("half_time" in change for change in GameSettings().all_changes)
    assert "rules.game.half_time=60.0" in GameSettings(half_time=60.0).all_changes
    wishes = ("rules.game.wait_before_kick_off=1", "rules.game.automatic_kick_off=false")
    assert GameSettings(changes=wishes).all_changes[-2:] == wishes


def test_teams_of_other_leagues_bring_world_and_profile():
    game, team = GameSettings(), TeamSettings("demo-msl")
    assert game.for_teams(TeamSettings("demo"), TeamSettings("wave")) is game
    played = game.for_teams(team, TeamSettings("sh mine.sh"))
    assert (played.world, played.profile) == ("msl", "leagues")
    own = GameSettings(world="mine.yaml", profile="pictures")
    assert own.for_teams(team, team) == own
    with pytest.raises(ConfigurationError, match="demo-msl and demo-spl play in the worlds msl and spl"):
        game.for_teams(team, TeamSettings("demo-spl"))
