"""Vision software finds in our pictures what camera_info says: OpenCV calibrates cameras from a rendered chessboard."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.physics.geometry.distortion import NO_DISTORTION, Coefficients, distorted, undistorted
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Link, Shape, ShapeKind
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import SceneRenderer
from test.rendering.scenes import BALL_RADIUS, SETTINGS, project
from test.rigs.opencv import cv2

COLUMNS, ROWS, SQUARE = 9, 6, 0.04
"""Inner corners, and the edge of a square, m."""
CAMERA = CameraPose.look_at((0.0, 0.0, 1.5), (1.0, 0.0, 1.5))


def chessboard() -> ArticulatedModel:
    """A board in the plane of y and z, with its face toward -x and the first corner at the origin."""
    black, white = (0.05, 0.05, 0.05, 1.0), (1.0, 1.0, 1.0, 1.0)
    plate = (0.01, (COLUMNS + 3) * SQUARE, (ROWS + 3) * SQUARE)
    middle = (0.006, -(COLUMNS - 1) * SQUARE / 2.0, -(ROWS - 1) * SQUARE / 2.0)
    squares = [
        Shape(ShapeKind.BOX, (0.002, SQUARE, SQUARE), (0.0, (0.5 - i) * SQUARE, (0.5 - j) * SQUARE), rgba=black)
        for i in range(COLUMNS + 1)
        for j in range(ROWS + 1)
        if (i + j) % 2 == 0
    ]
    visuals = (Shape(ShapeKind.BOX, plate, middle, rgba=white), *squares)
    return ArticulatedModel("board", (Link("board", 1.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), visuals=visuals),), ())


@pytest.fixture(scope="module")
def renderer() -> Iterator[SceneRenderer]:
    renderer = SceneRenderer(SETTINGS, shadows=False)
    renderer.set_robots([RobotLook(chessboard())])
    yield renderer
    renderer.close()


def board_poses() -> Iterator[ScenePose]:
    """The board all over the picture, turned about all axes."""
    random = np.random.default_rng(1)
    for _ in range(16):
        rotation = rotation_from_rpy(tuple(random.uniform(-0.6, 0.6, 3)))
        distance = random.uniform(0.55, 0.85)
        aim = distance * np.array([1.0, random.uniform(-0.25, 0.25), random.uniform(-0.18, 0.18)])
        middle = rotation @ np.array([0.0, -(COLUMNS - 1) * SQUARE / 2.0, -(ROWS - 1) * SQUARE / 2.0])
        yield ScenePose((CAMERA.position + aim - middle)[None], quaternions_from_rotations(rotation[None]))


@pytest.mark.parametrize("distortion", [NO_DISTORTION, (-0.25, 0.06, 0.001, -0.002, 0.0), (0.12, 0.02, 0.0, 0.0, 0.0)])
def test_opencv_calibrates_a_camera_to_its_camera_info(renderer: SceneRenderer, distortion: Coefficients) -> None:
    lens = Lens(640, 480, math.radians(60.0), distortion)
    corners = np.zeros((COLUMNS * ROWS, 3), np.float32)
    corners[:, :2] = SQUARE * np.mgrid[0:COLUMNS, 0:ROWS].T.reshape(-1, 2)
    found = []
    for pose in board_poses():
        renderer.place(pose)
        grey = cv2.cvtColor(renderer.render(CAMERA, lens), cv2.COLOR_RGB2GRAY)
        seen, pixels = cv2.findChessboardCorners(grey, (COLUMNS, ROWS), flags=cv2.CALIB_CB_FAST_CHECK)
        if seen:
            rule = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 50, 1e-3)
            found.append(cv2.cornerSubPix(grey, pixels, (5, 5), (-1, -1), rule))
    assert len(found) >= 10
    views, flags = ([corners] * len(found), found, (640, 480)), cv2.CALIB_FIX_K3
    error, matrix, coefficients, _, _ = cv2.calibrateCamera(*views, None, None, flags=flags)
    assert error < 0.5 and matrix[[0, 1], [0, 1]] == pytest.approx(lens.focal_length, rel=0.01)
    assert matrix[:2, 2] == pytest.approx(lens.matrix[:2, 2], rel=0.01)
    # Coefficients trade off against one another: what counts is where they put the edges of the picture.
    edges = np.linalg.inv(lens.matrix)[:2] @ [[0.0, 639.0, 320.0, 320.0], [240.0, 240.0, 0.0, 479.0], [1.0] * 4]
    light = undistorted(edges, distortion)
    k1, k2, p1, p2, k3 = coefficients.reshape(-1)[:5].tolist()
    shift = distorted(light, (k1, k2, p1, p2, k3)) - edges
    assert np.abs(shift).max() * lens.focal_length < 2.5


def test_our_distortion_is_that_of_opencv_and_one_without_light_is_refused() -> None:
    points = np.random.default_rng(2).uniform(-0.5, 0.5, (2, 50))
    coefficients = (-0.25, 0.06, 0.003, -0.002, 0.01)
    ahead = np.concatenate((points, np.ones((1, 50)))).T
    theirs, _ = cv2.projectPoints(ahead, np.zeros(3), np.zeros(3), np.eye(3), np.array(coefficients))
    ours = distorted(points, coefficients)
    assert pytest.approx(theirs[:, 0]) == ours.T
    assert undistorted(ours, coefficients) == pytest.approx(points, abs=1e-8)
    wide = {"distortion": (-0.5, 0.12, 0.0, 0.0, 0.0), "horizontal_fov_deg": 71.5, "width": 100, "height": 10}
    for parameters, reason in (
        ({"distortion": (-0.9, 0.0, 0.0, 0.0, 0.0), "horizontal_fov_deg": 120.0}, "without light"),
        # The edges would show what is far outside of the field of view.
        (wide, "widens"),
        ({"width": 4000, "antialias": 2}, "antialias"),
    ):
        with pytest.raises(ValueError, match=reason):
            CameraParameters(**parameters)
    assert CameraParameters(distortion=(-0.2, 0.0, 0.0, 0.0, 0.0)).width == 320


def test_opencv_finds_the_ball_and_the_lines(renderer: SceneRenderer) -> None:
    lens = Lens(640, 480, math.radians(60.0))
    camera = CameraPose.look_at((-1.5, -1.0, 0.55), (0.5, 0.2, 0.0))
    ball = (-0.4, -0.2, BALL_RADIUS)
    renderer.place(ScenePose(np.array([[0.0, 0.0, -50.0]]), np.array([[0.0, 0.0, 0.0, 1.0]]), np.array(ball)))
    hsv = cv2.cvtColor(cv2.GaussianBlur(renderer.render(camera, lens), (3, 3), 0), cv2.COLOR_RGB2HSV)
    orange = cv2.inRange(hsv, (5, 120, 80), (25, 255, 255))
    contours, _ = cv2.findContours(orange, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    centre, radius = cv2.minEnclosingCircle(max(contours, key=cv2.contourArea))
    (expected,) = project(lens, np.array([ball]), camera)
    assert centre == pytest.approx(expected, abs=1.5)
    distance = camera.rotation[:, 2] @ (np.array(ball) - camera.position)
    assert radius == pytest.approx(lens.focal_length * BALL_RADIUS / distance, abs=1.5)
    white = cv2.inRange(hsv, (0, 0, 170), (180, 60, 255))
    segments = cv2.HoughLinesP(white, 1, math.pi / 360, 80, minLineLength=80, maxLineGap=10)
    assert segments is not None
    ends = segments.reshape(-1, 2, 2).astype(float)
    # The halfway line has x = 0.
    line = project(lens, np.array([[0.0, -0.8, 0.0], [0.0, 1.2, 0.0]]), camera)
    along = (line[1] - line[0]) / np.linalg.norm(line[1] - line[0])
    off = np.abs((ends - line[0]) @ [-along[1], along[0]]).max(axis=1)
    # It is 5 cm wide.
    half_width = 0.025 * lens.focal_length / 1.5
    assert off.min() < half_width
