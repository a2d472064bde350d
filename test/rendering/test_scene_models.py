import json
from dataclasses import replace
from typing import Any

import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.rendering.scene_models import cameras_of_lines, line_of_model, lines_of_cameras, models_of_lines
from simspark_ros.robots.catalogue import load_robot, robot_names


def test_every_robot_of_the_package_has_its_solids_frames_and_cameras_after_the_way():
    robots = [load_robot(name) for name in robot_names()]
    told = models_of_lines("\n".join(map(line_of_model, robots)))
    for robot in robots:
        (links, frames, cameras), before = (
            (
                [(link.name, link.centre, link.visuals) for link in one.model.links],
                one.model.frames,
                [(camera.name, camera.frame, camera.settings, camera.mount.link) for camera in cameras_of(one)],
            )
            for one in (told[robot.source, 0], robot)
        )
        assert (links, frames, cameras) == before


def test_only_robots_whose_cameras_are_not_those_of_their_kind_have_a_line_about_them():
    nao = load_robot("nao")
    camera = next(one for one in nao.perceptors if one.kind == "camera")
    slow = (replace(camera, parameters={**camera.parameters, "rate_hz": 2.0}),)
    (line,) = lines_of_cameras([("as_it_was", nao, nao.perceptors), ("slow", nao, slow), ("", nao, slow)])
    text = f"{line_of_model(nao)}\n{line}"
    assert list(models_of_lines(text)) == [("nao", 0)]
    ((name, (camera,)),) = cameras_of_lines(text).items()
    assert (name, camera.kind, camera.parameters["rate_hz"]) == ("slow", "camera", 2.0)


@pytest.mark.parametrize("line", ['{"robot": 3, "cameras": []}', '{"robot": "r"}', '{"robot": "r", "cameras": [{}]}'])
def test_a_line_about_no_cameras_is_refused(line: str):
    with pytest.raises(ConfigurationError, match="cameras of the scene"):
        cameras_of_lines(line)


def test_a_line_that_comes_again_is_the_same_robot():
    line = line_of_model(load_robot("sphere"))
    assert models_of_lines("") == {}
    assert models_of_lines(line)["sphere", 0] is models_of_lines(f"{line}\n{line}")["sphere", 0]


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"links": []}, "no links"),
        ({"frames": [{"name": "eye", "link": "tail"}]}, "on a link that it lacks"),
        ({"links": [{"name": "a", "centre": [0, 0, float("nan")]}]}, "finite"),
        ({"model": 7}, "model"),
        ({"links": [{"name": "a", "visuals": [{"kind": "box", "size": [1.0]}]}]}, "visuals"),
        ({"links": [{"name": "a", "visuals": [{"kind": "cone", "size": [1.0]}]}]}, "visuals"),
    ],
)
def test_a_line_about_no_robot_is_refused(changes: dict[str, Any], complaint: str):
    told = json.loads(line_of_model(load_robot("sphere")))
    with pytest.raises(ConfigurationError, match=complaint):
        models_of_lines(json.dumps({**told, **changes}))


@pytest.mark.parametrize("line", ["{", "[" * 100_000, "[]", "null"])
def test_what_is_no_description_is_refused(line: str):
    with pytest.raises(ConfigurationError, match="a robot of the scene"):
        models_of_lines(line)
