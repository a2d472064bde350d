from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.rendering.rendered_scene import RenderedScene
from simspark_ros.rendering.renderer import SceneRenderer
from simspark_ros.rendering.scene_models import SimulatedRobot
from simspark_ros.rendering.world_view import WorldView
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.soccer.settings import load_soccer_settings

FILE = "/elsewhere/OWN.yaml"


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def scene(warnings: list[str]) -> Iterator[RenderedScene]:
    made = RenderedScene(SceneRenderer(load_soccer_settings()), warnings.append)
    yield made
    made.close()


OWN = replace(load_robot("nao"), source=FILE)
"""A robot of a file that is not on this machine."""


def robot(links: int = len(OWN.model.links)) -> SimulatedRobot:
    return SimulatedRobot("r", FILE, 0, None, links)


def test_a_robot_is_drawn_as_soon_as_it_is_described_in_whatever_order(scene, warnings):
    assert scene.follow((robot(),)) and scene.cameras == () and warnings == []
    scene.learn({(FILE, 0): OWN})
    assert [one.camera.name for one in scene.cameras] == ["camera"] and not scene.follow((robot(),))
    scene.follow(())
    scene.follow((robot(),))
    assert len(scene.cameras) == 1 and warnings == []


@pytest.mark.parametrize(("variant", "links", "reason"), [(1, 23, FILE), (0, 3, "3 links")])
def test_a_robot_that_is_not_described_or_has_other_links_is_left_out(scene, warnings, variant, links, reason):
    scene.learn({(FILE, variant): OWN})
    scene.follow((robot(links),))
    assert scene.cameras == () and len(warnings) == 1 and reason in warnings[0]


def test_another_lens_is_learned_without_drawing_the_robots_anew(scene, monkeypatch):
    scene.learn({(FILE, 0): OWN})
    scene.follow((robot(),))
    drawn = []
    monkeypatch.setattr(SceneRenderer, "set_robots", lambda self, robots: drawn.append(robots))
    camera = next(one for one in OWN.perceptors if one.kind == "camera")
    narrow = replace(camera, parameters={**camera.parameters, "horizontal_fov_deg": 20.0})
    for cameras, degrees in (({"r": (narrow,)}, 20.0), ({}, 60.0)):
        scene.learn({(FILE, 0): OWN}, cameras)
        assert [one.camera.settings.horizontal_fov_deg for one in scene.cameras] == [degrees]
    assert drawn == []
    scene.learn({(FILE, 0): replace(OWN)})
    assert len(drawn) == 1


def test_a_robot_may_have_other_cameras_than_its_kind(scene, warnings):
    scene.follow((robot(), robot()._replace(name="other")))
    wide = PerceptorSpec("camera", "wide", "torso", {"horizontal_fov_deg": 120.0})
    scene.learn({(FILE, 0): OWN}, {"other": (wide,), "gone": (wide,)})
    assert [(one.robot.name, one.camera.name) for one in scene.cameras] == [("r", "camera"), ("other", "wide")]
    scene.learn({(FILE, 0): OWN})
    assert [one.camera.name for one in scene.cameras] == ["camera", "camera"] and warnings == []


def test_another_world_takes_the_place_of_the_one_that_was_drawn() -> None:
    above = (0.0, -6.0, 8.0), (0.0, 0.0, 0.0), (80, 60), 1.2
    with Arena(engine="planar", world="msl", referee=False) as large, Arena(engine="planar", referee=False) as small:
        shown = [large.world]
        view = WorldView(lambda: shown[0], lambda: 1, "auto")
        pictures = [view.free(*above)]
        shown[0] = small.world
        pictures.append(view.free(*above))
        assert np.array_equal(pictures[1], small.view.free(*above))
        assert not np.array_equal(pictures[0], pictures[1])
        view.close()
