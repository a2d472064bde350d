import logging
import math

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.physics.bullet.engine import BulletEngine
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.choices import with_engine
from simspark_ros.simulation.senses.profile_overrides import ProfileOverrides, load_overrides
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.game_state import PlayMode
from test.physics.engine_availability import skip_without


def test_the_measured_profile_changes_nothing_but_the_engine_and_the_preset_of_pybullet():
    assert load_overrides("measured") == ProfileOverrides(0.02, "ode", {"bullet": "legacy"})


@pytest.mark.parametrize(
    ("settings", "engine"),
    [
        (SimulationSettings(), "bullet"),
        (SimulationSettings().with_classic_agents(), "ode"),
        (SimulationSettings(preset="J1").with_classic_agents(), "bullet"),
        (SimulationSettings(engine="mujoco").with_classic_agents(), "mujoco"),
        (SimulationSettings(profile="leagues"), "bullet"),
    ],
    ids=["without agents", "with agents", "with agents and a preset", "chosen", "agents of other leagues"],
)
def test_classic_agents_play_on_the_engine_that_they_were_written_for(settings, engine: str) -> None:
    skip_without("ode")
    assert with_engine(settings).engine == engine


def test_where_an_engine_is_not_installed_one_line_says_that_it_is_replaced(monkeypatch, caplog) -> None:
    why = "simspark_ros.simulation.choices.why_missing"
    with caplog.at_level(logging.WARNING, "simspark"):
        for settings, missing, engine in (
            (SimulationSettings().with_classic_agents(), {"ode"}, "bullet"),
            (SimulationSettings(), {"bullet"}, "ode"),
            (SimulationSettings(preset="J1"), {"bullet"}, "bullet"),
            (SimulationSettings(profile="rcssservermj"), {"bullet", "mujoco"}, "ode"),
        ):
            texts = {name: f"no library of {name}" for name in missing}
            monkeypatch.setattr(why, lambda name, texts=texts: texts.get(name, ""))
            assert with_engine(settings).engine == engine
    assert caplog.messages == [
        "physics engine bullet instead of ode: no library of ode",
        "physics engine ode instead of bullet: no library of bullet",
        "physics engine ode instead of mujoco: no library of mujoco",
    ]


@pytest.mark.parametrize(
    ("settings", "legacy"),
    [
        (SimulationSettings(engine="bullet"), False),
        (SimulationSettings(engine="bullet").with_classic_agents(), True),
        (SimulationSettings(engine="bullet", preset="J1").with_classic_agents(), False),
    ],
    ids=["without agents", "with agents", "with agents and a preset"],
)
def test_pybullet_takes_its_legacy_preset_where_classic_agents_can_join(settings, legacy):
    simulation, _ = build_simulation(settings, [], lambda: 0.0, lambda seconds: None)
    engine = simulation.world.engine
    assert isinstance(engine, GuardedEngine) and isinstance(engine.core, BulletEngine)
    assert bool(engine.core._settings.grip_slip) == legacy
    engine.close()


def test_every_shipped_profile_can_be_simulated_and_a_chosen_preset_goes_before_that_of_one(play, tmp_path):
    for path in resource("config", "profiles").glob("*.yaml"):
        play(profile=path.stem).run(1)
    path = tmp_path / "mine.yaml"
    path.write_text("simulation: {presets: {bullet: J9}}")
    play(profile=str(path), preset="J1").run(1)


def test_parameters_of_perceptors_and_rules_come_from_the_profile(play, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("""
simulation:
  world: {speech: {interval: 7}, start: {first: [-3.0, 2.0, 0.4]}}
  perceptors: {restricted_vision: {interval: 2}}
""")
    played = play(profile=str(path))
    assert played.world.settings.speech.interval == 7
    # what is not named stays
    assert played.world.settings.speech.max_length == 20
    played.join()
    assert played.world.engine.state.position[0, :2] == pytest.approx((-3, 2), abs=0.01)
    looking = [played.run(1).sight is not None for _ in range(4)]
    assert looking in ([True, False, True, False], [False, True, False, True])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("simulation: {worlds: {}}", ["'worlds'", "world"]),
        ("simulation: {world: {field: {length: 20}}}", ["'field'", "world file"]),
        ("simulation: {world: {speech: {interval: 0}}}", ["speech", "interval", "at least 1"]),
        ("simulation: {world: {speech: {direction: north}}}", ["direction", "'north'", "'head'"]),
        ("simulation: {perceptors: {radar: {}}}", ["mine.yaml", "'radar'", "restricted_vision"]),
        ("simulation: {perceptors: {restricted_vision: {interval: 0}}}", ["config/robots/", "restricted", "at least"]),
        ("simulation: {perceptors: {gyroscope: {noize: 1.0}}}", ["mine.yaml", "gyroscope", "'noize'"]),
        ("simulation: {world: {rules: {game: {half: 60}}}}", ["mine.yaml", "rules", "'half'", "half_time"]),
        ("simulation: {presets: {bullet: J9}}", ["'J9'"]),
        ("simulation: {presets: {bulet: J1}}", ["mine.yaml", "'bulet'", "bullet"]),
        ("simulation: {cycle_time: 0.01}", ["mine.yaml", "0.01 s", "0.02 s"]),
        ("scenes: {own.rsg: {robot: own.yaml}}", ["mine.yaml: scenes: own.rsg: own.yaml: cannot be read"]),
    ],
)
def test_mistakes_are_named_before_anything_runs(play, tmp_path, text, words):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises((ConfigurationError, PhysicsError)) as caught:
        play(profile=str(path))
    for word in words:
        assert word in str(caught.value)


def test_directions_are_relative_to_the_head_and_teams_heard_every_twentieth_cycle(play):
    played = play(profile="manual2010")
    played.join("a", "A")
    played.join("b", "B")
    hearer, speaker = played.world.robots.values()
    played.world.place(hearer, 0.0, 0.0, 0.385, math.radians(90))
    played.world.place(speaker, -3.0, 3.0, 0.385, 0.0)
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    directions = []
    for _ in range(41):
        heard = played.act(Action("b", "say", ("hello",))).heard
        directions.append([h.direction for h in heard if h.handle == hearer.handle])
    counts = [len(d) for d in directions]
    assert [index for index, count in enumerate(counts) if count] == [0, 20, 40]
    # it faces +y, the other stands on the diagonal before it to the left; one cycle of falling turns it by little
    assert math.degrees(directions[0][0]) == pytest.approx(45, abs=1)
