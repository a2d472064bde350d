import math

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.rendering.drawing.optics import CameraMount, CameraPose, Lens
from simspark_ros.rendering.robot_cameras import CameraSettings, cameras_of
from test.rendering.scenes import NAO, project

EXACT = 1e-9


def test_the_field_of_view_ends_at_the_edges_and_a_free_camera_has_its_target_in_the_middle() -> None:
    lens = Lens(320, 240, math.radians(60.0))
    edge = math.tan(math.radians(30.0))
    points = np.array([[0.0, 0.0, 1.0], [-edge, 0.0, 1.0], [edge, 0.0, 1.0], [0.0, edge * 0.75, 1.0]])
    # Pixel centres are whole numbers, so the edges are half a pixel beyond the first and the last.
    expected = [[159.5, 119.5], [-0.5, 119.5], [319.5, 119.5], [159.5, 239.5]]
    np.testing.assert_allclose(project(lens, points), expected, atol=EXACT)
    pose = CameraPose.look_at((1.0, 2.0, 3.0), (4.0, -2.0, 0.5))
    target, above = project(Lens(33, 25), np.array([[4.0, -2.0, 0.5], [4.0, -2.0, 1.5]]), pose)
    np.testing.assert_allclose(target, (16.0, 12.0), atol=EXACT)
    assert above[1] < 12.0, "v points down"
    np.testing.assert_allclose(np.linalg.det(pose.rotation), 1.0, atol=EXACT)
    with pytest.raises(ValueError, match="vertical"):
        CameraPose.look_at((0.0, 0.0, 3.0), (0.0, 0.0, 0.0))


def test_the_nao_looks_forward_from_its_head() -> None:
    (camera,) = cameras_of(NAO)
    assert (camera.name, camera.frame) == ("camera", "camera_optical")
    assert NAO.model.links[camera.mount.link].name == "head"
    # Columns: right is -y, down is -z, forward is x.
    np.testing.assert_allclose(camera.mount.rotation, [[0, 0, 1], [-1, 0, 0], [0, -1, 0]], atol=EXACT)
    forward = CameraMount.forward(NAO.model, "camera")
    np.testing.assert_allclose(forward.rotation, camera.mount.rotation, atol=EXACT)
    assert camera.settings == CameraSettings("camera_optical", 320, 240, 10.0, 60.0)
    with pytest.raises(KeyError, match=r"'tail'.*camera_optical"):
        CameraMount.optical(NAO.model, "tail")


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"width": 0}, "width must be at least 1 and at most 4096"),
        ({"height": 10**9}, "height"),
        ({"rate_hz": -1.0}, "rate_hz"),
        ({"horizontal_fov_deg": 180.0}, "horizontal_fov_deg"),
        ({"fov": 60.0}, "unknown key 'fov'"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, float], text: str) -> None:
    with pytest.raises(ConfigurationError, match=text):
        build(CameraSettings, parameters, "robot 'x': camera 'y'")
