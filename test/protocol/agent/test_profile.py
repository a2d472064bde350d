import pytest

from simspark_ros.protocol.agent.profile import ProfileError, load_profile


@pytest.mark.parametrize(
    ("text", "fragments"),
    [
        ("decimal: 2", ["'decimal'", "decimals"]),
        ("decimals: 9", ["9", "at least 0 and at most 3"]),
        ("commands: {hinge_unit: rpm}", ["hinge_unit", "'rpm'", "deg_cycle"]),
        ("commands: {cycle_time: 0}", ["cycle_time", "above 0"]),
        ("scenes: {a.rsg: {variants: 2}}", ["a.rsg", "'robot'", "missing"]),
        ("scenes: {a.rsg: {robot: nao, variants: 0}}", ["a.rsg", "variants"]),
        ("perceptors: {x: {format: '(X {})'}}", ["x", "1 places for 0 values"]),
        ("perceptors: {x: {format: '(X {nme})'}}", ["x", "{name}"]),
        ("perceptors: {x: {format: '(X {})', values: [a rad]}}", ["x", "'a rad'", "deg"]),
        ("perceptors: {x: {format: '(X {})', values: ['+a']}}", ["x", "'+a'"]),
        ("perceptors: {x: {format: '(X {})', values: [a], decimals: -1}}", ["x", "decimals"]),
        ("commands: {plug_ins: {scene: [x]}}", ["commands: plug-in 'scene'"]),
    ],
)
def test_mistakes_are_named_with_file_key_and_remedy(tmp_path, text, fragments):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    for fragment in [str(path), *fragments]:
        assert fragment in str(caught.value)


def test_an_unknown_name_and_a_missing_file_are_named(tmp_path):
    with pytest.raises(ProfileError, match=r"'nonsense'.*measured.*\.yaml"):
        load_profile("nonsense")
    with pytest.raises(ProfileError, match=r"absent\.yaml"):
        load_profile(str(tmp_path / "absent.yaml"))
