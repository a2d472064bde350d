import pytest

from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("simulation: {enginge: bullet}", "unknown key 'enginge'"),
        ("simulation: {seed: -1}", "seed must be at least 0"),
        ("simulation: {seed: yes}", "seed: must be a whole number"),
        (
            "simulation: {pacing: slow}",
            "there is no source of time 'slow'; use one of: realtime, lockstep, fast, external",
        ),
        ("simulation: {catch_up_limit: .nan}", "must be a finite number"),
    ],
)
def test_mistakes_are_named_with_file_and_key(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        load_simulation_settings(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_rules_are_changed_by_their_name_in_files_and_by_that_of_parameters():
    changes = [{"rules": {"game": {"half_time": 60}}}] * 2
    texts = ("rules.game.half_time=60", "rule_book.game.half_time=60")
    assert [change for _, change in SimulationSettings(changes=texts).world_changes] == changes


def test_what_may_change_at_run_time_only_paces():
    # A recorded run is repeated without such changes, so they must not change what a cycle computes.
    at_run_time = {one.name for one in declarations(SimulationSettings) if one.setting.at_run_time}
    assert at_run_time == {"pacing", "speed", "late_cycles", "catch_up_limit"}
