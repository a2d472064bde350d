"""Which entry points count as plug-ins: those of other distributions than this project's own."""

from simspark_ros.configuration.entry_points import OWN, WITHOUT, announced, entry_points
from simspark_ros.configuration.resources import resource


def test_all_distributions_of_this_project_are_its_own() -> None:
    assert {f"simspark_{path.parent.name}" for path in resource().glob("*/pyproject.toml")} == {*OWN}


def test_without_plug_ins_the_commands_of_this_project_stay(monkeypatch) -> None:
    group = "simspark_ros.commands"
    own = {point.name for point in announced()[group] if point.dist and point.dist.name in OWN}
    monkeypatch.setenv(WITHOUT, "1")
    assert entry_points(group).names == own >= {"matches", "watching"}
