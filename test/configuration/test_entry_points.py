from simspark_ros.configuration.entry_points import OWN, WITHOUT, announced, entry_points
from simspark_ros.configuration.resources import resource


def test_distributions_of_this_project_are_its_own_whose_commands_stay_without_plug_ins(monkeypatch) -> None:
    assert {f"simspark_{path.parent.name}" for path in resource().glob("*/pyproject.toml")} == {*OWN}
    group = "simspark_ros.commands"
    own = {point.name for point in announced()[group] if point.dist and point.dist.name in OWN}
    monkeypatch.setenv(WITHOUT, "1")
    assert entry_points(group).names == own >= {"matches", "watching"}
