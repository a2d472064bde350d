"""Robots have as many topics as the settings allow, alone and together; what is counted is what is made."""

import gc
from dataclasses import replace
from weakref import ref

import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.ros.topics.names import STATIC_TRANSFORMS, TopicChecks, topic_count, topics_of
from test.ros.topics.conftest import Build


def test_what_is_counted_is_what_is_made(build: Build) -> None:
    node, _ = build(*robot_names())
    made = {one.topic_name for one in (*node.publishers, *node.subscriptions)}
    assert len(node.control.roster) == len(robot_names()) > 3
    for entry in node.control.roster:
        own = {name for name in made if name.startswith(f"/{entry.name}/")}
        counted = {f"/{name}" for name in topics_of(entry)}
        assert own and own <= counted
        # These need packages that may not be installed, or another process.
        others = (STATIC_TRANSFORMS, "/effectors/", *(f"/{spec.name}/" for spec in entry.perceptors("camera")))
        assert all(any(part in name for part in others) for name in counted - own)


def test_a_robot_that_is_not_added_after_all_is_not_kept(build: Build) -> None:
    node, _ = build()
    checks = TopicChecks(node, node, LimitSettings(), None)  # type: ignore[arg-type]
    described = replace(load_robot("nao"), source="guest.yaml")
    gone = ref(described)
    checks.check_robot(described, "guest")
    del described
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("robots", [22, 64])
def test_many_robots_with_all_sensors_fit_easily(robots: int) -> None:
    own, limits = topic_count(load_robot("nao_sensors")), LimitSettings()
    assert own < limits.max_topics / 3 and robots * own < limits.world_topics / 2
