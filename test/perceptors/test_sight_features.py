"""Distances and angles of ball, poles and goals from what a vision perceptor sees."""

import math

import numpy as np
import pytest

from simspark_ros.perceptors.sight_features import POLES, SIGHT_FEATURES, features_of_sight


def test_distances_are_along_the_ground_and_goals_between_their_posts():
    seen = {"B": (2.0, 0.3, -math.pi / 3.0), "F2R": (5.0, -1.0, 0.0)}
    seen |= {"G1R": (5.0, math.atan2(1.0, 2.0), 0.0), "G2R": (5.0, math.atan2(-1.0, 2.0), 0.0)}
    features = features_of_sight(seen)
    assert [(name, len(values)) for name, values in features.items()] == [
        (feature.name, len(feature.columns)) for feature in SIGHT_FEATURES
    ]
    assert (features["ball_distance"], features["ball_angle"]) == (pytest.approx([1.0]), pytest.approx([0.3]))
    assert features["pole_angle"][POLES.index("F2R")] == -1.0
    assert np.isnan(features["pole_distance"][:3]).all()
    assert features["goal_distance"][1] == pytest.approx(5.0 * math.cos(math.atan2(1.0, 2.0)))
    assert features["goal_angle"][1] == pytest.approx(0.0)
    assert np.isnan(features["goal_distance"][0])
