"""OpenGL draws what PyBullet's software draws: skipped where moderngl or EGL is missing, as in CI."""

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.geometry.mirrors import Mirror
from simspark_ros.rendering.drawing import opengl
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.opengl import _found, chooses_opengl
from simspark_ros.rendering.drawing.optics import CameraMount, CameraPose, Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.renderer import BALL, FIRST_ROBOT, WALL, CameraView, Layer, SceneRenderer
from simspark_ros.soccer.teams import Side
from simspark_ros.worlds.settings import ObstacleSettings
from test.rendering.conftest import skip_without_opengl
from test.rendering.scenes import NAO, SETTINGS, scene, standing

ALL = Layer.PICTURE | Layer.DEPTH | Layer.LABELS
LENS = Lens()
AHEAD = CameraPose.look_at((0.0, 0.0, 0.5), (3.0, 0.0, 0.3))
BLOCK = ObstacleSettings(box=(0.3, 0.5, 0.4), position=(2.5, -1.2, 0.2), colour=(0.2, 0.7, 0.7))
LOOKS = [RobotLook(NAO.model, Side.LEFT), RobotLook(NAO.model, Side.RIGHT), RobotLook(NAO.model, Side.LEFT)]
PLACES = scene(
    standing(NAO.model, 1.4, 0.3, 2.5),
    standing(NAO.model, 2.4, -0.4, 1.0),
    standing(NAO.model, 9.0, 1.0),
    ball=(1.0, -0.2, 0.1),
)


class Pair(NamedTuple):
    """Renderers of the same scene."""

    software: SceneRenderer
    opengl: SceneRenderer

    def views(self, camera: CameraPose, lens: Lens | MirrorLens = LENS) -> tuple[CameraView, CameraView]:
        return self.software.view(camera, lens, ALL), self.opengl.view(camera, lens, ALL)

    def show(self, looks: list[RobotLook]) -> None:
        for one in self:
            one.set_robots(looks)


@pytest.fixture(scope="module")
def shared() -> Iterator[Pair]:
    skip_without_opengl()
    world = replace(SETTINGS, things=replace(SETTINGS.things, obstacles={"block": BLOCK}))
    both = Pair(*(SceneRenderer(world, renderer=each) for each in ("software", "egl")))
    yield both
    for one in both:
        one.close()


@pytest.fixture
def both(shared: Pair) -> Pair:
    shared.show(LOOKS)
    for one in shared:
        one.place(PLACES)
    return shared


def alike(software: CameraView, opengl: CameraView, labels: float = 0.997) -> bool:
    """They may differ at rims."""
    same = software.labels == opengl.labels
    near = same & np.isfinite(software.depth) & (software.depth < 20.0)
    apart = np.abs(software.depth[near] - opengl.depth[near])
    colours = np.abs(software.picture.astype(int) - opengl.picture)[same]
    assert same.mean() > labels
    assert np.median(apart) < 1e-4 and np.quantile(apart, 0.99) < 0.01
    assert colours.mean() < 0.5 and np.quantile(colours, 0.99) <= 3.0
    return True


def test_pictures_depths_and_labels_are_those_of_the_software(both: Pair) -> None:
    software, opengl = both.views(AHEAD)
    assert alike(software, opengl)
    for label in (BALL, WALL, FIRST_ROBOT, FIRST_ROBOT + 1, FIRST_ROBOT + 2):
        there = (software.labels == label).sum()
        assert there > 20 and (opengl.labels == label).sum() == pytest.approx(there, rel=0.05)


@pytest.mark.parametrize(
    "lens",
    [
        Lens(160, 120, math.radians(80.0), (-0.2, 0.05, 0.001, -0.001, 0.0)),
        Lens(37, 501, math.radians(20.0)),
        MirrorLens(200, 160, Mirror("hyperbolic", 1.2, math.radians(100.0))),
    ],
    ids=["distorted", "tall", "mirror"],
)
def test_every_lens_sees_the_same(both: Pair, lens: Lens | MirrorLens) -> None:
    assert alike(*both.views(AHEAD, lens), 0.99)
    only = both.opengl.view(AHEAD, lens, Layer.DEPTH)
    assert not only.picture.size and only.depth.shape == (lens.height, lens.width)


def test_the_link_that_carries_a_camera_is_left_out_but_not_its_shadow(both: Pair) -> None:
    mount = CameraMount.optical(NAO.model, NAO.model.links[1].name)
    assert alike(both.software.robot_view(0, mount, LENS, ALL), both.opengl.robot_view(0, mount, LENS, ALL), 0.99)
    # It is there again.
    assert alike(*both.views(AHEAD))


def test_things_throw_shadows_on_things(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    before = both.opengl.render(AHEAD, LENS)
    for one in both:
        monkeypatch.setattr(one, "_body_shadows", True)
    software, opengl = (view.picture.astype(int) for view in both.views(AHEAD))
    # Rims of shadows differ, too.
    assert (np.abs(software - opengl).max(axis=2) > 6).mean() < 0.01
    assert (np.abs(before - opengl).max(axis=2) > 6).mean() > 0.005


def test_robots_come_and_go_and_the_ball_may_be_away(both: Pair) -> None:
    both.show([])
    nobody = scene()
    for one in both:
        one.place(nobody)
    assert alike(*both.views(AHEAD))
    both.show([RobotLook(NAO.model)])
    # Not placed yet.
    assert not (both.opengl.view(AHEAD, LENS, Layer.LABELS).labels >= FIRST_ROBOT).any()
    for one in both:
        one.place(scene(standing(NAO.model, 2.0, 0.2)))
    assert alike(*both.views(AHEAD))


def test_larger_and_smaller_pictures_take_turns(both: Pair) -> None:
    small, large = Lens(64, 48), Lens(400, 300)
    first = both.opengl.view(AHEAD, small, ALL)
    assert alike(*both.views(AHEAD, large))
    again = both.opengl.view(AHEAD, small, ALL)
    for one, other in zip(vars(first).values(), vars(again).values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_picture_that_is_too_large_is_refused_and_the_next_one_is_right(both: Pair) -> None:
    frame: list[Any] = vars(both.opengl)["_drawer"]._frame
    small = Lens(64, 48)
    before = both.opengl.view(AHEAD, small, ALL)
    with pytest.raises(UserError, match=r"too large for OpenGL, .* at most \d+ samples .*renderer=software"):
        both.opengl.view(AHEAD, Lens(10**6, 2), ALL)
    assert not frame
    after, fresh = both.opengl.view(AHEAD, small, ALL), SceneRenderer(both.opengl._world, renderer="egl")
    fresh.set_robots(LOOKS)
    fresh.place(PLACES)
    for pictures in zip(*(vars(one).values() for one in (before, after, fresh.view(AHEAD, small, ALL))), strict=True):
        np.testing.assert_array_equal(pictures[0], pictures[1])
        np.testing.assert_array_equal(pictures[1], pictures[2])
    fresh.close()


def test_the_memory_of_a_large_picture_is_given_back(both: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    frame: list[Any] = vars(both.opengl)["_drawer"]._frame
    monkeypatch.setattr(opengl, "MOST_KEPT", 64 * 200)
    both.opengl.view(AHEAD, Lens(64, 200))
    # Not as wide and as high as both together.
    both.opengl.view(AHEAD, Lens(200, 64))
    assert frame[-1].size == (200, 64)
    assert alike(*both.views(AHEAD))
    assert frame[-1].size == (1, 1)


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Nothing is known of OpenGL, before and afterwards."""
    _found.cache_clear()
    yield
    _found.cache_clear()


@pytest.mark.usefixtures("forgetful")
def test_a_missing_package_or_egl_is_named_and_the_software_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moderngl", None)
    opengl, line = chooses_opengl("auto")
    assert not opengl and line.startswith("pictures are drawn by PyBullet's software: ")
    assert line.endswith("the package 'moderngl' is missing: pip install 'simspark_ros[opengl]'")
    assert chooses_opengl("egl") == (opengl, line)
    broken = SimpleNamespace(create_context=Mock(side_effect=RuntimeError("libEGL.so.1 not loaded")))
    monkeypatch.setitem(sys.modules, "moderngl", broken)
    # All pictures of a process have one renderer.
    assert chooses_opengl("auto") == (opengl, line)
    _found.cache_clear()
    assert chooses_opengl("auto")[1].endswith(": OpenGL 4.3 by EGL does not start: libEGL.so.1 not loaded")
    context = Mock(info={"GL_RENDERER": "llvmpipe"})
    _found.cache_clear()
    monkeypatch.setitem(sys.modules, "moderngl", SimpleNamespace(create_context=lambda **_: context))
    assert chooses_opengl("auto") == (True, "pictures are drawn by OpenGL (llvmpipe)")
    context.release.assert_called_once()
    assert chooses_opengl("software") == (False, "pictures are drawn by PyBullet's software")
