"""What the tools of ROS 2's releases read."""

import re

import pytest

from simspark_ros.configuration.resources import resource

OF_FORMATS = "catkin_pkg is not installed"


def test_the_changelog_of_releases_has_the_versions_of_the_other_one() -> None:
    changelog = pytest.importorskip("catkin_pkg.changelog", reason=OF_FORMATS)
    read = changelog.get_changelog_from_path(str(resource("CHANGELOG.rst")), "simspark_ros")
    dated = {version: f"{date:%Y-%m-%d}" for version, date, _ in read.foreach_version()}
    own = resource("CHANGELOG.md").read_text(encoding="utf-8")
    assert dated == dict(re.findall(r"^## (\d\S*) \((\S+)\)$", own, re.MULTILINE))
    # catkin_prepare_release gives this heading the version and the day.
    assert "\nForthcoming\n-----------\n" in resource("CHANGELOG.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize("distribution", ["humble", "jazzy", "kilted"])
def test_the_manifest_is_valid_and_has_the_standard_interfaces_that_a_distribution_has(distribution: str) -> None:
    package = pytest.importorskip("catkin_pkg.package", reason=OF_FORMATS)
    manifest = package.parse_package(str(resource("package.xml")))
    manifest.validate()
    manifest.evaluate_conditions({"ROS_DISTRO": distribution})
    needed = {one.name for one in manifest.exec_depends if one.evaluated_condition}
    assert {"simulation_interfaces", "control_msgs", "soccer_vision_2d_msgs", "visualization_msgs"} <= needed
    # Neither is released for Humble.
    assert ({"nao_lola_sensor_msgs", "soccer_model_msgs"} <= needed) is (distribution != "humble")
    # The generators of packages for apt refuse keys of pip.
    assert not [name for name in needed if name.endswith("-pip")]
    assert {one.name for one in manifest.test_depends} >= {"python3-pytest"}
