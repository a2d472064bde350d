import math

import numpy as np
import pytest

from simspark_ros.perceptors.camera import OPTICAL_DOWN, CameraParameters
from simspark_ros.perceptors.detection.imaging import imager_of
from simspark_ros.physics.geometry.mirrors import Mirror
from simspark_ros.rendering.drawing.optics import CameraPose
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.renderer import BALL, Layer
from test.rendering.scenes import scene

SIZE = 400
CAMERA = CameraPose(np.array([1.0, -0.5, 0.8]), OPTICAL_DOWN)
PARAMETERS = {
    "hyperbolic": CameraParameters(width=SIZE, height=SIZE, mirror="hyperbolic", mirror_view_deg=110.0),
    "isometric": CameraParameters(width=SIZE, height=SIZE, mirror="isometric", mirror_view_deg=75.0),
}


def lens_of(kind: str) -> MirrorLens:
    mirror = PARAMETERS[kind].reflection
    assert isinstance(mirror, Mirror)
    return MirrorLens(SIZE, SIZE, mirror)


@pytest.mark.parametrize("kind", PARAMETERS)
@pytest.mark.parametrize("ball", [(1.4, -0.5, 0.04), (0.4, 0.6, 0.3), (2.2, 0.1, 0.1), (1.0, -1.4, 0.2)])
def test_the_ball_is_where_the_closed_form_says(renderer, kind, ball):
    renderer.place(scene(ball=ball))
    rows, columns = np.nonzero(renderer.view(CAMERA, lens_of(kind), Layer.LABELS).labels == BALL)
    toward = (np.array([ball]) - CAMERA.position) @ CAMERA.rotation
    expected = imager_of(PARAMETERS[kind]).pixels(toward)[0]
    # The middle of some dozens of pixels; the picture of a sphere's middle is not quite that of its centre.
    assert [columns.mean(), rows.mean()] == pytest.approx(expected, abs=1.0)


@pytest.mark.parametrize("kind", PARAMETERS)
def test_depths_are_distances_along_the_rays_of_the_pixels(renderer, kind):
    renderer.place(scene())
    lens = lens_of(kind)
    view = renderer.view(CAMERA, lens, Layer.DEPTH)
    rays = lens.rays().reshape(3, SIZE, SIZE)
    # Downward rays meet the ground at height / cosine; near the horizon a pixel of a face covers metres.
    low = rays[2] > 0.4
    assert low.sum() > 5000
    # Depths are those of the pixel of a face whose middle is up to 0.7 pixels away.
    assert view.depth[low] * rays[2][low] == pytest.approx(CAMERA.position[2], rel=0.03)


def test_what_is_beside_the_mirror_is_black_and_forward_is_at_the_top(renderer):
    renderer.place(scene(ball=(2.5, -0.5, 0.04)))
    view = renderer.view(CAMERA, lens_of("isometric"), Layer.PICTURE | Layer.LABELS | Layer.DEPTH)
    for row, column in ((0, 0), (0, SIZE - 1), (SIZE - 1, 0)):
        assert view.picture[row, column].tolist() == [0, 0, 0] and view.depth[row, column] == math.inf
    rows, columns = np.nonzero(view.labels == BALL)
    assert rows.mean() < SIZE / 2 - 20 and columns.mean() == pytest.approx((SIZE - 1) / 2, abs=2.0)


def test_lines_are_cut_where_they_leave_the_mirror_of_a_camera_which_has_no_lens():
    imager = imager_of(PARAMETERS["isometric"])
    lines = np.array([[(-20.0, 0.5, 0.8), (20.0, 0.5, 0.8)], [(-20.0, 9.0, 0.8), (20.0, 9.0, 0.8)]])
    seen, parts = imager.clip(lines)
    assert seen.tolist() == [0]
    edge = math.sqrt((0.8 * math.tan(math.radians(75.0))) ** 2 - 0.25)
    assert parts[0, :, 0] == pytest.approx([-edge, edge], abs=1e-6)
    with pytest.raises(ValueError, match="neither distortion nor aperture"):
        CameraParameters(mirror="isometric", aperture=0.1)
    with pytest.raises(ValueError, match=r"less than 90\.0"):
        CameraParameters(mirror="isometric", mirror_view_deg=95.0)
