"""What `--league` stands for."""

import os
from pathlib import Path

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import MODELS_VARIABLE
from simspark_ros.server.league import for_league
from simspark_ros.server.settings import ServeSettings
from simspark_ros.simulation.settings import SimulationSettings

MODELS = Path(__file__, "../../data/league_models").resolve()


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, "")


@pytest.mark.parametrize("league", ["2026", "both"])
def test_the_league_has_its_ports_profile_and_world(league):
    options = ServeSettings(league=league, league_models=MODELS)
    settings, options = for_league(SimulationSettings(), options, ())
    assert (settings.profile, settings.world) == ("rcssservermj", "fifa7vs7")
    assert (options.agent_port, options.rsmp_port, options.silent_timeout) == (60000, 60001, 5.0)
    assert os.environ[MODELS_VARIABLE] == str(MODELS)


def test_what_is_chosen_stays_and_a_demonstration_team_without_its_robot_is_refused():
    options = ServeSettings(league="2026", league_models=MODELS, agent_port=4000, silent_timeout=1.0)
    mine = SimulationSettings(profile="rcssservermj", world="soccer")
    settings, options = for_league(mine, options, ("agent_port", "silent_timeout"))
    assert (settings.profile, settings.world) == ("rcssservermj", "soccer")
    assert (options.agent_port, options.rsmp_port, options.silent_timeout) == (4000, None, 1.0)
    # Also if it is the default.
    options = ServeSettings(league="2026", league_models=MODELS)
    _, options = for_league(SimulationSettings(), options, ("agent_port", "silent_timeout"))
    assert (options.agent_port, options.silent_timeout) == (3100, 10.0)
    classic = SimulationSettings(), ServeSettings()
    assert for_league(*classic, ()) == classic
    with pytest.raises(UserError, match=r"--demo: .* needs a T1"):
        for_league(SimulationSettings(), ServeSettings(league="2026", league_models=MODELS, demo=2), ())


@pytest.mark.parametrize("league", ["2026", "both"])
def test_a_profile_of_the_other_league_is_refused(league):
    options = ServeSettings(league=league, league_models=MODELS)
    with pytest.raises(UserError, match="profile 'trainer' is one of rcssserver3d's agents; leave out --profile"):
        for_league(SimulationSettings(profile="trainer"), options, ("profile",))
