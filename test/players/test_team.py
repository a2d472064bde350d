"""The tactics that a player takes by itself."""

import math
from dataclasses import replace

import pytest

from simspark_ros.players.behaviour.team_play import CLEAR, TeamPlay
from simspark_ros.players.team import usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.players.world_model import WorldModel
from simspark_ros.soccer.settings import field_text, load_soccer_settings

TACTICS = {"soccer": "team", "spl": "small_field", "fifa7vs7": "large_field", "fifa": "large_field"}


@pytest.mark.parametrize(("world", "name"), TACTICS.items())
def test_the_size_of_the_field_chooses_the_tactics(world: str, name: str) -> None:
    assert usual_tactics(field_text(load_soccer_settings(world).field)) == name


@pytest.mark.parametrize("world", TACTICS)
def test_before_a_kick_off_players_stand_in_their_half_outside_the_centre_circle_of_any_field(world: str) -> None:
    soccer = load_soccer_settings(world)
    settings = load_team_settings(usual_tactics(field_text(soccer.field)))
    places = set()
    for unum in range(1, soccer.teams.size + 1):
        player = WorldModel("Lions", soccer.field)
        player.side, player.unum = "left", unum
        pose = TeamPlay(replace(settings, kick_off_taker=0)).decide(player).beam
        assert pose is not None
        assert math.hypot(pose.x, pose.y) >= soccer.field.centre_circle + CLEAR - 1e-9
        assert -soccer.field.length / 2 < pose.x < 0.0
        places.add((round(pose.x, 1), round(pose.y, 1)))
    assert len(places) == soccer.teams.size
