"""The container of sensors: what it finds, what it asks for, and what it makes of several features."""

import numpy as np
import pytest

from simspark_ros.sensors.container import NoModelError, NoSensorError, SensorContainer, SensorData
from simspark_ros.sensors.feature import Feature
from simspark_ros.sensors.perceptual_model import PerceptualModel, PoseGrid

GRID = PoseGrid((0.0, 0.0), (1.0, 1.0), 1.0, 1)
EVERYWHERE = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])


def data(kind: str, name: str, feature: str, model: str = "") -> SensorData:
    return SensorData(kind, name, Feature(feature, ("value",), "distance"), model)


def learn(one: SensorData, grid: PoseGrid, factor: float = 1.0) -> None:
    """Learn values that are so many times x, with a deviation of 1, and measure 0."""
    one.perceptual_model = PerceptualModel(one.feature, grid, sigma=1.0, floor=0.0)
    for pose in grid.poses():
        one.set_data(np.array([factor * pose[0]]), 0.0)
        one.learn_probability(pose)
    one.set_data(np.array([0.0]), 1.0)


CAMERA = data("camera", "front", "goal_distance", "DFW500")
LASER = data("laser", "front", "goal_distance", "LMS200")
SCAN = data("laser", "front", "scan", "LMS200")


def test_data_are_found_by_model_type_feature_and_name_in_the_order_of_the_file():
    container = SensorContainer([CAMERA, LASER, SCAN])
    assert container.find(feature="goal_distance") == [CAMERA, LASER]
    assert container.find(model="LMS200") == [LASER, SCAN]
    assert container.find(type="laser", feature="scan", name="front") == [SCAN]
    assert container.get(feature="goal_distance") is CAMERA
    assert container.find(model="LMS100") == []


def test_a_sensor_that_is_missing_is_named_with_those_that_are_there():
    with pytest.raises(NoSensorError, match=r"no sensor with type 'sonar'.*camera 'front': goal_distance"):
        SensorContainer([CAMERA, SCAN]).get(type="sonar")


def test_update_asks_for_what_is_wanted_and_tells_whether_it_is_newer():
    asked = []

    def fill(wanted, patience):
        asked.append((list(wanted), patience))
        first.set_data(np.array([2.0]), 1.0)

    first, second = data("laser", "a", "scan"), data("laser", "b", "scan")
    container = SensorContainer([first, second], fill)
    assert container.update(first, patience=0.5)
    assert not container.update(first)
    assert not container.update()
    assert asked == [([first], 0.5), ([first], 0.0), ([first, second], 0.0)]
    assert first.values.tolist() == [2.0]


def test_the_probability_of_all_data_is_the_product_over_features_and_minus_one_without_any():
    first, second, unlearned = data("laser", "a", "one"), data("laser", "b", "two"), data("laser", "c", "three")
    container = SensorContainer([first, second, unlearned])
    assert container.get_probability(EVERYWHERE).tolist() == [-1.0, -1.0]
    learn(first, GRID)
    learn(second, GRID, 2.0)
    unlearned.set_data(np.array([5.0]), 1.0)
    # One and two standard deviations away at x = 1; the table has hundredths of them.
    expected = [1.0, np.exp(-0.5) * np.exp(-2.0)]
    assert container.get_probability(EVERYWHERE) == pytest.approx(expected, abs=1e-6)


def test_learning_without_a_model_is_refused_with_the_features_that_could_have_one():
    one = data("laser", "a", "one")
    for learner in (one, SensorContainer([one])):
        with pytest.raises(NoModelError, match=r"no perceptual model is given for one; .*`PerceptualModel"):
            learner.learn_probability(EVERYWHERE[0])


def test_where_one_of_several_features_expects_nothing_it_counts_as_where_it_is_least_likely():
    narrow, wide = data("laser", "a", "one"), data("laser", "b", "two")
    learn(narrow, GRID)
    learn(wide, PoseGrid((0.0, 0.0), (2.0, 1.0), 1.0, 1))
    poses = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert narrow.get_probability(poses)[2] == -1.0
    expected = np.exp([0.0, -1.0, -0.5 - 2.0])
    assert SensorContainer([narrow, wide]).get_probability(poses) == pytest.approx(expected, abs=1e-6)
