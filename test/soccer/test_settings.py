import pytest
import yaml

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.soccer.settings import field_of, field_text, load_soccer_settings


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("field", "circle_chords", 0),
        ("field", "length", -30.0),
        ("field", "width", 1e9),
        ("goal", "height", 0.0),
        ("walls", "thickness", -1.0),
        ("ball", "radius", 0.0),
        ("ball", "mass", -1.0),
        ("start", "step_y", 0.0),
        ("start", "clearance", -0.1),
        ("start", "first", [0.0, 1e308, 0.4]),
        ("start", "step_x", -1e9),
        ("create", "clearance", -0.1),
        ("create", "position", [0.0, 0.0, 1e9]),
        ("create", "heading_deg", 1e9),
        ("beam", "noise_xy", -0.1),
        ("beam", "min_x", 1.0),
        ("beam", "min_x", -1e308),
        ("speech", "interval", 0),
        ("teams", "size", 0),
    ],
)
def test_impossible_sizes_are_named_with_file_section_and_key(tmp_path, section, key, value):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump({"based_on": "soccer", section: {key: value}}))
    with pytest.raises(ConfigurationError, match=f"mine.yaml: {section}: .*{key}"):
        load_soccer_settings(path)


def test_a_section_that_does_not_exist_is_answered_by_all_that_do():
    with pytest.raises(ConfigurationError, match=r"unknown key 'referee'; use one of: .*, rules"):
        load_soccer_settings(None, {"referee": {"half_time": 60}})


def test_a_field_that_was_told_is_the_same_to_the_last_bit():
    changed = load_soccer_settings("spl", {"field": {"length": 8.3 / 3.0}}).field
    assert field_of(field_text(changed)) == changed
    assert field_of("spl") != changed and field_of("") == load_soccer_settings().field


@pytest.mark.parametrize(
    ("text", "problem"),
    [("{", "this is no JSON"), ('{"length": 9}', "key 'width' is missing"), ('{"size": 1}', "unknown")],
)
def test_a_field_that_cannot_be_is_refused(text, problem):
    with pytest.raises(ConfigurationError, match=problem):
        field_of(text)
