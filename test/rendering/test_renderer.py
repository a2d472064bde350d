import math
import time
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import psutil  # type: ignore[import-untyped]
import pytest

from simspark_ros.physics.model import Vector
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS, RobotLook
from simspark_ros.rendering.drawing.meshes import Detail
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.drawing.sunlight import light_direction
from simspark_ros.rendering.drawing.tiny import TinyDrawer
from simspark_ros.rendering.ground import LINE
from simspark_ros.rendering.renderer import BALL, FIRST_ROBOT, Layer, Picture, SceneRenderer
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.soccer.teams import Side
from test.rendering.scenes import BALL_RADIUS, FIELD, NAO, SETTINGS, ball_pixels, project, scene, standing

LENS = Lens(320, 240, math.radians(60.0))
MOUNT = cameras_of(NAO)[0].mount
AHEAD = CameraPose.look_at((0.0, 0.0, 0.5), (3.0, 0.0, 0.3))


@pytest.mark.parametrize("ball", [(2.0, 0.0, 0.5), (1.5, 0.6, 0.1), (2.5, -0.9, 0.9), (4.0, 0.4, 0.042)])
def test_the_ball_is_where_the_pinhole_model_says(renderer: SceneRenderer, ball: tuple[float, float, float]) -> None:
    renderer.place(scene(ball=ball))
    pixels = ball_pixels(renderer.render(AHEAD, LENS))
    expected = project(LENS, np.array([ball]), AHEAD)[0]
    # The middle of some dozens of whole pixels; the picture of a sphere is off its centre's by less than 0.05 pixels.
    np.testing.assert_allclose(pixels.mean(0), expected, atol=0.5)
    # Radius of the picture, from its area; rims count or not as a whole.
    distance = AHEAD.rotation[:, 2] @ (ball - AHEAD.position)
    radius = LENS.focal_length * BALL_RADIUS / distance
    assert math.sqrt(len(pixels) / math.pi) == pytest.approx(radius, abs=0.6)


def test_a_robot_sees_the_ball_where_its_head_looks(renderer: SceneRenderer) -> None:
    renderer.set_robots([RobotLook(NAO.model)])
    ball = (2.0, 0.5, BALL_RADIUS)
    for joints in ({}, {"hj1": 0.3}, {"hj1": 0.3, "hj2": -0.3}):
        renderer.place(scene(standing(NAO.model, 0.0, 0.0, **joints), ball=ball))
        camera = renderer.camera_pose(0, MOUNT)
        pixels = ball_pixels(renderer.render_robot_view(0, MOUNT, LENS))
        expected = project(LENS, np.array([ball]), camera)[0]
        # As above; the ball is about 6 pixels in radius here.
        np.testing.assert_allclose(pixels.mean(0), expected, atol=0.5)


def test_a_robot_does_not_see_its_own_head(renderer: SceneRenderer) -> None:
    renderer.set_robots([RobotLook(NAO.model)])
    renderer.place(scene(standing(NAO.model, 0.0, 0.0)))
    start = time.process_time()
    own = renderer.render_robot_view(0, MOUNT, LENS)
    # 10 to 20 ms; it was 4 s when the face of an upper arm, in the plane of the camera, was projected to infinity.
    assert time.process_time() - start < 1.0
    from_inside = renderer.render(renderer.camera_pose(0, MOUNT), LENS)
    # The left eye is seen from behind, against the sky: faces that look away are not drawn, but the eye is a ball.
    u, v = np.rint(project(LENS, np.array([[-0.025, -0.013, 0.053]]))[0]).astype(int)
    sky, eye = own[v, u].astype(int), from_inside[v, u].astype(int)
    assert sky[2] > sky[0] + 20 and eye.max() < 60


def colour_at(renderer: SceneRenderer, camera: CameraPose, point: Vector) -> tuple[int, ...]:
    u, v = np.rint(project(LENS, np.array([point]), camera))[0].astype(int)
    return tuple(renderer.render(camera, LENS)[v, u].tolist())


def test_centre_circle_penalty_area_and_goals_are_there(renderer: SceneRenderer) -> None:
    renderer.place(scene())
    front = FIELD.length / 2.0 - FIELD.penalty_length
    on_circle = FIELD.centre_circle * math.cos(0.7), FIELD.centre_circle * math.sin(0.7)
    for x, y in (on_circle, (front, 1.0), (FIELD.length / 2.0, FIELD.width / 2.0 - 1.0)):
        camera = CameraPose.look_at((x - 1.5, y - 1.0, 2.0), (x, y, 0.0))
        assert colour_at(renderer, camera, (x, y, 0.0)) == LINE
    for sign, dominant in ((-1, 0), (1, 2)):
        # The crossbar of the yellow goal (red over blue), and of the blue one.
        bar = (sign * FIELD.length / 2.0, 0.0, FIELD.goal_height + FIELD.goal_thickness / 2.0)
        camera = CameraPose.look_at((bar[0] - sign * 2.0, 0.0, 0.7), bar)
        colour = colour_at(renderer, camera, bar)
        assert colour[dominant] > colour[2 - dominant] + 60


def test_the_sky_is_above_and_things_throw_shadows(renderer: SceneRenderer) -> None:
    renderer.place(scene(ball=(2.0, 0.0, 1.0)))
    with_ball = renderer.render(AHEAD, LENS).astype(int)
    renderer.place(scene())
    without = renderer.render(AHEAD, LENS).astype(int)
    red, _, blue = with_ball[5].T
    assert (blue > red + 20).all()
    changed = (with_ball != without).any(2)
    # What has changed is the ball, and below it some ground that is darker now.
    ball = ball_pixels(with_ball.astype(np.uint8))
    changed[ball[:, 1], ball[:, 0]] = False
    rows = np.nonzero(changed)[0]
    assert len(rows) > 10 and rows.min() > ball[:, 1].max()
    assert (with_ball[changed].sum(1) < 0.7 * without[changed].sum(1)).all()


def test_things_throw_shadows_on_things_if_asked_to() -> None:
    sun = light_direction()
    # The ball hovers before the sun over a robot's head.
    head = standing(NAO.model, 2.0, 0.0)[0][[link.name for link in NAO.model.links].index("head")]
    hit = head + 0.065 * sun
    ball = hit + 0.5 * sun
    camera = CameraPose.look_at(tuple(head - [1.0, 1.5, -0.5]), tuple(head))
    pictures = []
    for body_shadows in (False, True):
        renderer = SceneRenderer(SETTINGS, body_shadows=body_shadows)
        renderer.set_robots([RobotLook(NAO.model)])
        renderer.place(scene(standing(NAO.model, 2.0, 0.0), ball=tuple(ball)))
        pictures.append(renderer.render(camera, LENS).astype(int))
        labels = renderer.view(camera, LENS, Layer.LABELS).labels
        renderer.close()
    without, shaded = pictures
    changed = (without != shaded).any(2)
    # The rim of the ball may be on either side of its shadow.
    assert np.isin(labels[changed], (BALL, FIRST_ROBOT)).all() and (labels[changed] == FIRST_ROBOT).mean() > 0.95
    assert (shaded[changed].sum(1) <= without[changed].sum(1)).all()
    # The spot on the head is as large as the ball, but for the slant and the head's curve.
    u, v = np.rint(project(LENS, np.array([hit]), camera)[0]).astype(int)
    assert shaded[v, u].sum() < 0.75 * without[v, u].sum()
    near = np.hypot(*(np.argwhere(changed)[:, ::-1] - (u, v)).T)
    radius = LENS.focal_length * BALL_RADIUS / np.linalg.norm(hit - camera.position)
    assert math.sqrt((near < 2.0 * radius).sum() / math.pi) == pytest.approx(0.8 * radius, rel=0.25)


def test_teams_have_their_colours(renderer: SceneRenderer) -> None:
    counts = {}
    for side in (Side.LEFT, Side.RIGHT):
        renderer.set_robots([RobotLook(NAO.model, side)])
        renderer.place(scene(standing(NAO.model, 1.0, 0.0)))
        red, green, blue = renderer.render(AHEAD, LENS).astype(int).transpose(2, 0, 1)
        counts[side] = int((red > green + blue).sum()), int((blue > 1.4 * (red + green) / 2 + 40).sum())
    assert TEAM_COLOURS[Side.LEFT][2] > TEAM_COLOURS[Side.LEFT][0]
    assert counts[Side.RIGHT][0] > 30 > counts[Side.LEFT][0] and counts[Side.LEFT][1] > counts[Side.RIGHT][1]


def test_joining_and_leaving_does_not_fill_the_memory(renderer: SceneRenderer) -> None:
    looks = [RobotLook(NAO.model, side) for side in (Side.LEFT, Side.RIGHT)]

    def change() -> int:
        for look in looks * 10:
            renderer.set_robots([look])
        return int(psutil.Process().memory_info().rss)

    before = change()
    # 20 robots; it was 1 MB for each when every robot had shapes of its own.
    assert change() - before < 10e6


def test_pictures_do_not_depend_on_history(renderer: SceneRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    renderer.set_robots([RobotLook(NAO.model)])
    there = scene(standing(NAO.model, 2.0, 0.5), ball=(1.5, 0.0, 0.04))
    renderer.place(there)
    # The head is out of sight meanwhile.
    renderer.render_robot_view(0, MOUNT, LENS)
    with monkeypatch.context() as patch:
        patch.setattr(renderer, "_compose", Mock(side_effect=MemoryError))
        with pytest.raises(MemoryError):
            renderer.render_robot_view(0, MOUNT, LENS)
    fresh = SceneRenderer(SETTINGS, renderer="egl" if renderer._opengl else "software")
    fresh.set_robots([RobotLook(NAO.model)])
    fresh.place(there)
    np.testing.assert_array_equal(renderer.render(AHEAD, LENS), fresh.render(AHEAD, LENS))
    fresh.close()


def test_poses_that_do_not_fit_are_refused(renderer: SceneRenderer) -> None:
    renderer.set_robots([RobotLook(NAO.model)])
    with pytest.raises(RuntimeError, match="place"):
        renderer.render_robot_view(0, MOUNT, LENS)
    good = scene(standing(NAO.model, 0.0, 0.0))
    nowhere = good._replace(positions=np.full_like(good.positions, np.nan))
    far = good._replace(ball=np.array([0.0, np.inf, 0.0]))
    for wrong, reason in ((scene(), "1 robots have 23 links"), (nowhere, "not finite"), (far, "ball")):
        with pytest.raises(ValueError, match=reason):
            renderer.place(wrong)


def test_pictures_of_any_size_are_drawn_from_anywhere(renderer: SceneRenderer) -> None:
    renderer.place(scene(ball=(0.0, 0.0, 0.04)))
    for position in ((0.0, 0.1, -3.0), (500.0, 400.0, 1000.0), (0.0, 0.01, 0.04)):
        for width, height in ((1, 1), (7, 5), (33, 240)):
            lens = Lens(width, height, 1.0)
            picture = renderer.render(CameraPose.look_at(position, (0.0, 0.0, 0.04)), lens)
            assert (picture.shape, picture.dtype) == ((height, width, 3), np.uint8)


def test_a_robot_out_of_view_still_throws_its_shadow_into_it(renderer: SceneRenderer) -> None:
    sun = light_direction()
    # Its shadow points away from the sun, toward the middle of a picture that is too narrow for the robot.
    place = 0.75 * sun[:2] / np.linalg.norm(sun[:2])
    camera, lens = CameraPose.look_at((0.0, -0.01, 4.0), (0.0, 0.0, 0.0)), Lens(80, 60, 2.0 * math.atan(0.45 / 4.0))
    renderer.place(scene())
    empty = renderer.render(camera, lens)
    renderer.set_robots([RobotLook(NAO.model)])
    renderer.place(scene(standing(NAO.model, *place.tolist())))
    view = renderer.view(camera, lens, Layer.PICTURE | Layer.LABELS)
    assert not (view.labels >= FIRST_ROBOT).any() and (view.picture < empty).any()


@pytest.mark.parametrize("shared_renderer", ["software"], indirect=True)
def test_robots_far_away_look_alike_with_fewer_triangles(renderer: SceneRenderer, monkeypatch) -> None:
    renderer.set_robots([RobotLook(NAO.model, Side.LEFT)])
    assert isinstance(renderer._drawer, TinyDrawer)
    robot = renderer._drawer._robots[0]
    for distance, detail in ((2.0, Detail.FINE), (9.0, Detail.COARSE), (16.0, Detail.COARSEST)):
        renderer.place(scene(standing(NAO.model, distance, 0.0, 1.0)))
        with monkeypatch.context() as patch:
            patch.setattr("simspark_ros.rendering.renderer.UNSEEN", -1.0)
            fine = renderer.view(AHEAD, LENS, Layer.LABELS).labels >= FIRST_ROBOT
        chosen = renderer.view(AHEAD, LENS, Layer.LABELS).labels >= FIRST_ROBOT
        assert robot._shown is detail
        # Of all pixels only some at its rim.
        assert (fine != chosen).sum() <= 0.2 * fine.sum()
    renderer.place(scene(standing(NAO.model, -2.0, 0.0)))
    renderer.render(AHEAD, LENS)
    assert robot._shown is None


def test_robots_that_have_gone_are_forgotten_and_pictures_stay_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simspark_ros.rendering.renderer.MAX_SPARE_PARTS", 100)
    renderer = SceneRenderer(SETTINGS)

    def picture() -> Picture:
        renderer.set_robots([RobotLook(NAO.model)])
        renderer.place(scene(standing(NAO.model, 2.0, 0.0), ball=(1.5, 0.3, BALL_RADIUS)))
        return renderer.render(AHEAD, LENS)

    before = picture()
    kept = set()
    for number in range(12):
        renderer.set_robots([RobotLook(replace(NAO.model, name=f"stranger {number}"))])
        kept.add(len(renderer._shapes))
    # A Nao has some thirty parts.
    assert max(kept) <= 6
    np.testing.assert_array_equal(picture(), before)
    renderer.close()
