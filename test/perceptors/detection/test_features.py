"""What the container of sensors has of a detector."""

import numpy as np
import pytest

from simspark_ros.perceptors.detection.features import DETECTION_FEATURES, features_of_detections
from simspark_ros.perceptors.readings import Detected, Detections


def found(*kinds: Detected, lines: int = 0) -> Detections:
    """Things at (0, 1, 2), (1, 2, 3), ... m in all frames, with boxes of these numbers, and lines alike."""
    rows = np.add.outer(np.arange(float(len(kinds))), np.arange(4.0))
    nothing = np.zeros(len(kinds), np.int64)
    return Detections(
        kind=np.array(kinds, np.int64),
        team=nothing,
        number=nothing,
        state=nothing,
        facing=nothing,
        pixel=rows[:, :2],
        box=rows,
        position=rows[:, :3],
        size=rows[:, :3],
        axes=np.eye(3),
        line_pixels=np.tile([[1.0, 2.0], [3.0, 4.0]], (lines, 1, 1)),
        lines=np.tile([[3.0, 4.0, -1.0], [0.0, 2.0, -1.0]], (lines, 1, 1)),
        in_map=rows[:, :3] + 5.0,
        covariance=np.zeros((len(kinds), 3, 3)),
        velocity=rows[:, :3],
        heading=rows[:, 0],
        pose=np.array([[0.0, -1.0, 0.0, 7.0], [1.0, 0.0, 0.0, 8.0], [0.0, 0.0, 1.0, 9.0]]),
    )


def test_things_and_lines_have_columns_on_each_level_and_nan_where_there_is_none():
    values = features_of_detections(found(Detected.BALL, Detected.BALL, Detected.ROBOT, lines=1))
    lengths = {name: len(one) for name, one in values.items()}
    assert lengths == {feature.name: len(feature.columns) for feature in DETECTION_FEATURES}
    # The true ball comes before phantoms.
    assert values["ball_box"].tolist() == [0.0, 1.0, 2.0, 3.0] and values["ball_position"].tolist() == [5.0, 6.0, 7.0]
    assert (values["ball_distance"], values["ball_angle"]) == (pytest.approx([1.0]), pytest.approx([np.pi / 2]))
    assert values["robot_box"][:5] == pytest.approx([2.0, 3.0, 4.0, 5.0, np.nan], nan_ok=True)
    assert values["robot_pose"][:4] == pytest.approx([7.0, 8.0, 2.0, np.nan], nan_ok=True)
    assert values["line_pixels"][:5] == pytest.approx([1.0, 2.0, 3.0, 4.0, np.nan], nan_ok=True)
    assert values["line_distance"][:3] == pytest.approx([5.0, 2.0, np.nan], nan_ok=True)
    assert values["line_angle"][:2] == pytest.approx([np.arctan2(4.0, 3.0), np.pi / 2])
    assert values["pose"] == pytest.approx([7.0, 8.0, np.pi / 2])
    assert np.isnan(values["goalpost_distance"]).all()


def test_more_lines_and_things_than_columns_are_cut_and_none_are_all_nan():
    many = features_of_detections(found(*[Detected.GOALPOST] * 20, lines=50))
    assert np.isfinite(many["goalpost_distance"]).all() and np.isfinite(many["line_distance"]).all()
    none = features_of_detections(found())
    assert all(np.isnan(values).all() for name, values in none.items() if name != "pose")
