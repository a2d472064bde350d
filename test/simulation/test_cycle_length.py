import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.simulation.choices import admit_classic_agents
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.game_state import PlayMode
from test.physics.engine_availability import skip_without

REAL_NAO = {"world": "spl_12ms"}


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("world", [REAL_NAO, {"changes": ("time.cycle=0.012",)}], ids=["world", "change"])
def test_every_clock_advances_by_the_cycle_of_the_world(play, engine, world):
    skip_without(engine)
    played = play(engine=engine, **world)
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    percepts = played.run(25)
    assert played.world.engine.cycle_time == 0.012
    assert (percepts.time, played.simulation.time) == (pytest.approx(0.3), pytest.approx(0.3))
    assert percepts.game.time == pytest.approx(0.3)


def test_the_referee_counts_seconds_whatever_the_cycle(play):
    played = play(changes=("time.cycle=0.012",))
    game, field, rules = played.world.game, played.world.settings.field, played.world.settings.rules
    game.set_play_mode(PlayMode.PLAY_ON)
    played.world.place_ball((field.length / 2 - 0.1, 0.0), (3.0, 0.0, 0.0))
    while game.play_mode is PlayMode.PLAY_ON:
        played.run(1)
    assert game.play_mode is PlayMode.GOAL_LEFT
    scored = played.simulation.time
    while game.play_mode is PlayMode.GOAL_LEFT:
        played.run(1)
    assert played.simulation.time - scored == pytest.approx(rules.game.goal_pause, abs=0.0121)


def test_a_preset_of_ones_own_brings_other_cycles(play, tmp_path):
    (path := tmp_path / "fine.yaml").write_text("based_on: J1\ncycle_time: 0.004\nsubsteps: 2\n")
    assert play(preset=str(path), changes=("time.cycle=0.004",)).run(10).time == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"changes": ("time.cycle=0.015",)}, ["'bullet'", "0.015 s", "0.01, 0.012, 0.02 s", "time: cycle"]),
        ({"preset": "J1", **REAL_NAO}, ["'bullet'", "'J1'", "0.02 s", "0.012 s", "another preset"]),
        ({"preset": "lola12"}, ["'lola12'", "0.012 s", "0.02 s"]),
        ({"changes": ("time.cycle=0",)}, ["'time.cycle=0'", "cycle must be at least 0.0005 and at most 0.1 s"]),
        ({"profile": "manual2010", **REAL_NAO}, ["profile 'manual2010'", "0.02 s", "0.012 s", "another world"]),
        ({"profile": "sphere2006", "changes": ("time.cycle=0.02",)}, ["'sphere2006'", "0.01 s", "0.02 s"]),
        ({"wait_for_robots": 2, **REAL_NAO}, ["wait_for_robots 2", "classic agents are refused"]),
    ],
)
def test_what_does_not_fit_the_cycle_is_refused_at_the_start(play, settings, words):
    with pytest.raises((ConfigurationError, PhysicsError)) as caught:
        play(**settings)
    for word in words:
        assert word in str(caught.value)


def test_classic_agents_get_no_robot_where_cycles_are_not_theirs(play):
    played = play(**REAL_NAO)
    played.act(Action("a", "create", ("nao", 0)))
    (notice,) = played.simulation.percepts.notices
    assert (notice.client, len(played.world.robots), played.control.rejected) == ("a", 0, {"create": 1})
    why = "they count on cycles of 0.02 s (profile 'measured'), but the cycles of this world last 0.012 s"
    assert why in notice.text


@pytest.mark.parametrize(("world", "profile", "refused"), [("", "measured", False), ("spl_12ms", "", True)])
def test_settings_get_the_profile_of_classic_agents_where_these_can_join(world, profile, refused):
    admitted, refusal = admit_classic_agents(SimulationSettings(world=world))
    assert (admitted.profile, bool(refusal)) == (profile, refused)
