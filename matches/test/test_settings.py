"""The server's options for the settings of a match."""

from dataclasses import replace

import pytest

from simspark_matches.settings import GameSettings, MatchSettings, TeamSettings
from simspark_matches.team_sizes import with_players
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


def test_a_team_has_as_many_players_as_the_world_says_unless_it_has_fewer():
    def sizes(left: TeamSettings, right: TeamSettings, game: GameSettings) -> tuple[int, int]:
        settings = with_players(MatchSettings(left, right, game))
        assert with_players(settings) == settings
        return settings.left.players, settings.right.players

    msl, demo = TeamSettings("demo-msl"), TeamSettings("demo")
    assert sizes(msl, replace(msl, players=2), GameSettings(world="msl", profile="leagues")) == (6, 2)
    assert sizes(demo, demo, GameSettings()) == (11, 11) and sizes(demo, demo, GameSettings(league="both")) == (7, 7)
    for asked, size in ((5, 5), (15, 11)):
        game = GameSettings(world="spl", changes=(f"teams.size={asked}",))
        assert sizes(demo, demo, game) == (size, size)
    with pytest.raises(ConfigurationError, match="11 players are more than a team has in the world 'spl'"):
        sizes(demo, replace(demo, players=11), GameSettings(world="spl"))
