import io
import math
import struct

import numpy as np
import pytest
from PIL import Image

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.physics.geometry.distortion import NO_DISTORTION, Coefficients, distorted
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.pictures import compressed, compressed_depth, focused, imperfect, measured_depth
from simspark_ros.rendering.rendered_scene import RenderedScene
from simspark_ros.rendering.renderer import BALL, FIRST_ROBOT, LABELS, Layer, SceneRenderer
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.rendering.scene_models import SimulatedRobot
from test.rendering.scenes import BALL_RADIUS, NAO, scene, standing
from test.rigs.opencv import cv2

EVERYTHING = Layer.PICTURE | Layer.DEPTH | Layer.LABELS
BARREL = (-0.25, 0.06, 0.001, -0.002, 0.0)
CAMERA = CameraPose.look_at((0.0, 0.0, 0.5), (3.0, 0.0, 0.3))


@pytest.mark.parametrize("distortion", [NO_DISTORTION, BARREL])
def test_depth_and_label_of_ball_ground_and_sky(renderer: SceneRenderer, distortion: Coefficients) -> None:
    lens = Lens(320, 240, math.radians(60.0), distortion)
    renderer.set_robots([])
    ball = np.array([1.2, 0.45, 0.4])
    renderer.place(scene(ball=(1.2, 0.45, 0.4)))
    view = renderer.view(CAMERA, lens, EVERYTHING)
    x, y, z = (ball - CAMERA.position) @ CAMERA.rotation
    shown = lens.matrix[:2] @ [*distorted(np.array([[x / z], [y / z]]), distortion)[:, 0], 1.0]
    rows, columns = np.nonzero(view.labels == BALL)
    # A sphere off the axis is an ellipse whose centre is a little farther out.
    assert [columns.mean(), rows.mean()] == pytest.approx(shown, abs=0.7)
    assert view.depth[rows, columns].min() == pytest.approx(z - BALL_RADIUS, abs=0.004)
    # The ground, seen along every pixel's ray, has the height of the camera below it.
    ground = np.isin(view.labels, (LABELS.index("ground"), LABELS.index("line")))
    points = (lens.rays().reshape(3, 240, 320) * view.depth)[:, ground]
    heights = CAMERA.position[2] + (CAMERA.rotation @ points)[2]
    assert ground.mean() > 0.4 and np.abs(heights[points[2] < 30.0]).max() < 1e-3
    assert np.isinf(view.depth[view.labels == LABELS.index("sky")]).all()
    # What is labelled a line is bright, what is labelled ground green.
    brightness = view.picture.astype(int).min(axis=2)
    assert brightness[view.labels == LABELS.index("line")].mean() > 150
    assert brightness[view.labels == LABELS.index("ground")].mean() < 90


def test_robots_and_goals_have_labels_and_the_picture_is_the_same_with_and_without_other_layers(
    renderer: SceneRenderer,
) -> None:
    renderer.set_robots([RobotLook(NAO.model), RobotLook(NAO.model)])
    renderer.place(scene(standing(NAO.model, 0.0, 0.0), standing(NAO.model, 1.0, 0.2, math.pi)))
    mount = cameras_of(NAO)[0].mount
    view = renderer.robot_view(0, mount, Lens(), Layer.LABELS)
    there = set(np.unique(view.labels).tolist())
    assert {FIRST_ROBOT + 1, LABELS.index("right_goal"), LABELS.index("net")} <= there
    assert LABELS.index("left_goal") not in there and view.picture.size == view.depth.size == 0
    depth = renderer.robot_view(0, mount, Lens(), Layer.DEPTH).depth
    assert depth[view.labels == FIRST_ROBOT + 1].min() == pytest.approx(0.9, abs=0.12)
    renderer.set_robots([RobotLook(NAO.model), RobotLook(NAO.model)])
    renderer.place(scene(standing(NAO.model, 0.0, 0.0), standing(NAO.model, 1.0, 0.2)))
    assert (renderer.render(CAMERA, Lens()) == renderer.view(CAMERA, Lens(), EVERYTHING).picture).all()


def test_noise_and_blur_have_their_deviations_and_depth_its_limits() -> None:
    grey = np.full((240, 320, 3), 128, np.uint8)
    noisy = imperfect(grey, CameraParameters(noise=5.0), np.random.default_rng(1))
    assert noisy.mean() == pytest.approx(128.0, abs=0.1) and noisy.std() == pytest.approx(5.0, rel=0.02)
    dot = np.zeros((41, 41, 3), np.uint8)
    dot[20, 20] = 255
    blurred = imperfect(dot, CameraParameters(blur=1.0), np.random.default_rng(1))
    assert blurred[20, 20, 0] < 60 and blurred.sum() == pytest.approx(dot.sum(), rel=0.1)
    depth = np.full((100, 100), 2.0, np.float32)
    depth[0, :3] = 0.1, 9.0, np.inf
    settings = CameraParameters(depth_min=0.3, depth_max=8.0, depth_noise=0.05)
    measured = measured_depth(depth, settings, np.random.default_rng(1))
    assert np.isnan(measured[0, :3]).all() and np.nanstd(measured) == pytest.approx(0.05, rel=0.05)
    assert np.isfinite(measured).sum() == 100 * 100 - 3


def test_what_is_out_of_focus_is_blurred_by_the_aperture() -> None:
    edge = np.zeros((60, 200, 3), np.uint8)
    edge[:, 100:] = 200
    lens = Lens(200, 60, math.radians(60.0))
    settings = CameraParameters(aperture=0.02, focus=2.0)

    def deviation(distance: float) -> float:
        depth = np.full((60, 200), distance, np.float32)
        slope = np.diff(focused(edge, depth, lens, settings)[30, :, 0].astype(float))
        places = np.arange(len(slope)) - slope @ np.arange(len(slope)) / 200.0
        return math.sqrt(slope @ places**2 / 200.0)

    assert deviation(2.0) == 0.0
    for distance in (0.2, 0.3, 0.5, math.inf):
        expected = lens.focal_length * 0.02 * abs(1.0 / distance - 0.5) / 4.0
        # Between two copies their mixture is a little wider, and pixels are whole.
        assert deviation(distance) == pytest.approx(expected, rel=0.15, abs=0.25)


def test_antialias_is_the_mean_of_samples_and_leaves_depth_and_labels(renderer: SceneRenderer) -> None:
    drawn = RenderedScene(renderer, print)
    drawn.learn({("nao", 0): NAO})
    drawn.follow([SimulatedRobot("r", "nao", 0, None, len(NAO.model.links))])
    drawn.place(scene(standing(NAO.model, 0.0, 0.0), ball=(1.0, 0.0, 0.4)))
    (camera,) = drawn.cameras
    plain, smooth = (drawn.view(camera, Lens(), EVERYTHING, antialias=times) for times in (1, 3))
    assert (plain.depth == smooth.depth).all() and (plain.labels == smooth.labels).all()
    assert smooth.picture.shape == plain.picture.shape
    inside = plain.labels == BALL
    # Steps between neighbours at the ball's rim have values in between.
    assert len(np.unique(smooth.picture[..., 2][inside])) > len(np.unique(plain.picture[..., 2][inside]))
    assert np.abs(smooth.picture.astype(int) - plain.picture).mean() < 4.0


@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_files_hold_the_picture(kind: str) -> None:
    picture = np.zeros((48, 64, 3), np.uint8)
    picture[:, :32] = (250, 120, 10)
    read = np.asarray(Image.open(io.BytesIO(compressed(picture, kind, 95))))  # type: ignore[arg-type]
    assert np.abs(read.astype(int) - picture).mean() < (3.0 if kind == "jpeg" else 1e-9)


def test_compressed_depth_is_read_as_its_plug_in_reads_it() -> None:
    depth = np.linspace(0.2, 12.0, 48 * 64, dtype=np.float32).reshape(48, 64)
    depth[3, 4] = np.nan
    file = compressed_depth(depth)
    kind, scale, shift = struct.unpack("<i2f", file[:12])
    assert kind == 0
    steps = cv2.imdecode(np.frombuffer(file[12:], np.uint8), cv2.IMREAD_UNCHANGED)
    assert steps is not None
    known = steps > 0
    assert not known[3, 4] and (known == (depth < 10.0)).mean() > 0.999
    read = scale / (steps[known].astype(np.float64) - shift)
    assert np.abs(read - depth[known]).max() < 0.011
    assert np.abs(read - depth[known])[depth[known] < 1.0].max() < 0.0002
