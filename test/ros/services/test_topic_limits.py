"""Robots from files are spawned until the limits on topics are reached, and then refused in words."""

from pathlib import Path

from simspark_ros.msg import Result
from simspark_ros.srv import SpawnEntities, SpawnEntity
from test.rigs.ros_processes import Observer
from test.robots.formats.adaptation.makers import link, robot
from test.ros.entities import deleted, request, spawn, spawned

PARAMETERS = ("max_topics:=60", "world_topics:=80")


def robot_file(folder: Path, detectors: int) -> str:
    """A robot with a camera, and detectors in its picture that have eleven topics each."""
    (folder / "bot.urdf").write_text(robot(link("a")), encoding="utf-8")
    detections = "".join(
        f"  - {{kind: detections, name: d{number}, link: a, parameters: {{camera: camera}}}}\n"
        for number in range(detectors)
    )
    path = folder / f"bot{detectors}.yaml"
    path.write_text(
        f"model: bot.urdf\nperceptors:\n  - {{kind: camera, name: camera, link: a}}\n{detections}", encoding="utf-8"
    )
    return str(path)


def test_a_robot_with_too_many_topics_is_refused(observer: Observer, tmp_path: Path) -> None:
    answer = spawn(observer, "large", robot_file(tmp_path, 5))
    assert answer.result.result == SpawnEntity.Response.RESOURCE_PARSE_ERROR
    assert "more than 60 topics; max_topics allows no more" in answer.result.error_message
    assert observer.entities() == ["field", "ball"]
    assert not any(name.startswith("/large") for name in observer.topics())


def test_robots_are_refused_where_they_would_have_too_many_topics_together(observer: Observer, tmp_path: Path) -> None:
    small = robot_file(tmp_path, 2)
    spawned(observer, "one", small)
    # Several at a time do not pass the limit that one would not.
    wishes = [request(name, small) for name in ("two", "three", "four")]
    answer = observer.call(SpawnEntities, "/spawn_entities", SpawnEntities.Request(spawn_requests=wishes))
    results = [one.result for one in answer.results]
    assert [one.result for one in results] == [Result.RESULT_OK, *[Result.RESULT_OPERATION_FAILED] * 2]
    assert "would have 102 topics; world_topics allows 80" in results[1].error_message
    assert observer.entities() == ["field", "ball", "one", "two"]
    # Robots of the package are always added, and room that is given back is room again.
    spawned(observer, "five")
    deleted(observer, "two", "five")
    spawned(observer, "two", small)
    deleted(observer, "one", "two")
