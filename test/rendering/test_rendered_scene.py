"""Robots are drawn as the simulator describes them; no file of a robot is read for it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from simspark_ros.rendering.rendered_scene import RenderedScene
from simspark_ros.rendering.renderer import SceneRenderer
from simspark_ros.rendering.scene_state import SimulatedRobot
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec, RobotDescription
from simspark_ros.soccer.settings import load_soccer_settings

FILE = "/elsewhere/own.yaml"


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def scene(warnings: list[str]) -> Iterator[RenderedScene]:
    soccer = load_soccer_settings()
    made = RenderedScene(SceneRenderer(soccer.field, soccer.ball), warnings.append)
    yield made
    made.close()


@pytest.fixture
def own() -> RobotDescription:
    """Of a file that is not on this machine."""
    return replace(load_robot("nao"), source=FILE)


def robot(links: int) -> SimulatedRobot:
    return SimulatedRobot("r", FILE, 0, None, links)


def test_a_robot_is_drawn_as_soon_as_it_is_described_in_whatever_order(scene, own, warnings):
    links = len(own.model.links)
    assert scene.follow((robot(links),))
    assert scene.cameras == () and warnings == []
    scene.learn({(FILE, 0): own})
    assert [one.camera.name for one in scene.cameras] == ["camera"]
    assert not scene.follow((robot(links),))
    scene.follow(())
    scene.follow((robot(links),))
    assert len(scene.cameras) == 1 and warnings == []


@pytest.mark.parametrize(("variant", "links", "reason"), [(1, 23, FILE), (0, 3, "3 links")])
def test_a_robot_that_is_not_described_or_has_other_links_is_left_out(scene, own, warnings, variant, links, reason):
    scene.learn({(FILE, variant): own})
    scene.follow((robot(links),))
    assert scene.cameras == ()
    assert len(warnings) == 1 and reason in warnings[0]


def test_another_lens_is_learned_without_drawing_the_robots_anew(scene, own, monkeypatch):
    links = len(own.model.links)
    scene.learn({(FILE, 0): own})
    scene.follow((robot(links),))
    drawn = []
    monkeypatch.setattr(SceneRenderer, "set_robots", lambda self, robots: drawn.append(robots))
    narrow = tuple(
        replace(one, parameters={**one.parameters, "horizontal_fov_deg": 20.0}) if one.kind == "camera" else one
        for one in own.perceptors
    )
    scene.learn({(FILE, 0): own}, {"r": narrow})
    assert [one.camera.settings.horizontal_fov_deg for one in scene.cameras] == [20.0]
    scene.learn({(FILE, 0): own})
    assert [one.camera.settings.horizontal_fov_deg for one in scene.cameras] == [60.0]
    assert drawn == []
    scene.learn({(FILE, 0): replace(own)})
    assert len(drawn) == 1


def test_a_robot_may_have_other_cameras_than_its_kind(scene, own, warnings):
    links = len(own.model.links)
    scene.follow((robot(links), SimulatedRobot("other", FILE, 0, None, links)))
    wide = PerceptorSpec("camera", "wide", "torso", {"horizontal_fov_deg": 120.0})
    scene.learn({(FILE, 0): own}, {"other": (wide,), "gone": (wide,)})
    assert [(one.robot.name, one.camera.name) for one in scene.cameras] == [("r", "camera"), ("other", "wide")]
    scene.learn({(FILE, 0): own})
    assert [one.camera.name for one in scene.cameras] == ["camera", "camera"] and warnings == []
