import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

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
        ("simulation: {pacing: slow}", "there is no source of time 'slow'; use one of: realtime, lockstep, fast, ext"),
        ("simulation: {catch_up_limit: .nan}", "must be a finite number"),
    ],
)
def test_mistakes_are_named_with_file_and_key(tmp_path, text, message):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        load_simulation_settings(path)
    assert message in str(error.value) and str(path) in str(error.value)


def test_rules_are_changed_by_two_names_and_what_may_change_at_run_time_only_paces():
    changes = [{"rules": {"game": {"half_time": 60}}}] * 2
    texts = ("rules.game.half_time=60", "rule_book.game.half_time=60")
    assert [change for _, change in SimulationSettings(changes=texts).world_changes] == changes
    # A recorded run is repeated without such changes, so they must not change what a cycle computes.
    at_run_time = {one.name for one in declarations(SimulationSettings) if one.setting.at_run_time}
    assert at_run_time == {"pacing", "speed", "late_cycles", "catch_up_limit"}


@pytest.fixture
def threads() -> Iterator[Callable[[], int]]:
    """Reads how many threads the BLAS of numpy's wheel uses: two before the test."""
    loaded = (line.split(maxsplit=5)[-1] for line in Path("/proc/self/maps").read_text().splitlines())
    path = next((path for path in loaded if "scipy_openblas64" in path), None)
    if path is None:
        pytest.skip("this numpy is not the one from PyPI")
    library = ctypes.CDLL(path)
    library.scipy_openblas_set_num_threads64_(2)
    yield library.scipy_openblas_get_num_threads64_
    library.scipy_openblas_set_num_threads64_(1)


def test_a_simulation_limits_the_threads_of_blas_in_its_process(threads, play):
    for settings, left in (({"blas_threads": 0}, 2), ({}, 1)):
        assert threads() == 2
        play(**settings)
        assert threads() == left
