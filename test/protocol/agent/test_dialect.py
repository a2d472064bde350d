"""What a profile names has to exist, and is otherwise refused with file, key and what there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from simspark_ros.configuration.resources import resource
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.profile import ProfileError, load_profile


def test_every_shipped_profile_names_what_there_is() -> None:
    for path in resource("config", "profiles").glob("*.yaml"):
        assert load_dialect(path.stem) == load_profile(path.stem)


@pytest.mark.parametrize(
    ("text", "culprits"),
    [
        ("perceptors: {hinge_joit: {format: '(HJ {})', values: [angle deg]}}", ["'hinge_joint'", "plug_in: true"]),
        ("perceptors: {hinge_joint: {format: '(HJ {})', values: [angel deg]}}", ["hinge_joint", "'angel'", "angle"]),
        ("perceptors: {hear: {format: '(hear)'}}", ["perceptors: hear", "sections"]),
        ("game_state: {play_modes: {PlayOnn: Playing}}", ["play_modes", "'PlayOnn'", "PlayOn,"]),
        ("scenes: {a.rsg: {robot: noa}}", ["a.rsg", "'noa'", "nao, sphere"]),
        ("scenes: {a.rsg: {robot: nao, variants: 6}}", ["a.rsg", "variants", "has 5, not 6"]),
    ],
)
def test_names_that_do_not_exist_are_refused(tmp_path: Path, text: str, culprits: list[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ProfileError) as caught:
        load_dialect(path)
    for culprit in [str(path), *culprits]:
        assert culprit.strip("'") in str(caught.value)


def test_what_is_installed_only_where_the_simulator_runs_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        "perceptors: {radar: {format: '(R {})', values: [range], plug_in: true}}\nscenes: {a.rsg: {robot: own.yaml}}"
    )
    profile = load_dialect(str(path))
    assert profile.perceptors["radar"].numbers[0].column == "range"
    assert profile.scenes["a.rsg"].robot == "own.yaml"
