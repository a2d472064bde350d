"""Sensors: the container that finds them, also of a real robot's drivers, and what is expected of them at each pose."""

import json
import math
import threading
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.access import DrivenRobot
from simspark_ros.sensors.container import NoModelError, NoSensorError, SensorContainer, SensorData
from simspark_ros.sensors.feature import Feature, Quantity
from simspark_ros.sensors.perceptual_file import load_models, save_models
from simspark_ros.sensors.perceptual_model import PerceptualModel, PoseGrid
from test.rigs.robots.device import Device
from test.rigs.robots.sensor_program import drive_a_little, turn_a_little

SQUARE = PoseGrid((0.0, 0.0), (1.0, 1.0), 1.0, 1)
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


def test_data_are_found_or_named_learning_needs_a_model_and_update_tells_what_is_newer():
    container = SensorContainer([CAMERA, LASER, SCAN])
    assert container.find(feature="goal_distance") == [CAMERA, LASER]
    assert container.find(model="LMS200") == [LASER, SCAN]
    assert container.find(type="laser", feature="scan", name="front") == [SCAN]
    assert container.get(feature="goal_distance") is CAMERA
    assert container.find(model="LMS100") == []
    with pytest.raises(NoSensorError, match=r"no sensor with type 'sonar'.*camera 'front': goal_distance"):
        SensorContainer([CAMERA, SCAN]).get(type="sonar")
    one = data("laser", "a", "one")
    for learner in (one, SensorContainer([one])):
        with pytest.raises(NoModelError, match=r"no perceptual model is given for one; .*`PerceptualModel"):
            learner.learn_probability(EVERYWHERE[0])
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


def test_the_probability_of_all_data_is_the_product_over_features_also_where_one_expects_nothing():
    first, second, unlearned = data("laser", "a", "one"), data("laser", "b", "two"), data("laser", "c", "three")
    container = SensorContainer([first, second, unlearned])
    assert container.get_probability(EVERYWHERE).tolist() == [-1.0, -1.0]
    learn(first, SQUARE)
    learn(second, SQUARE, 2.0)
    unlearned.set_data(np.array([5.0]), 1.0)
    # One and two standard deviations away at x = 1; the table has hundredths of them.
    expected = [1.0, np.exp(-0.5) * np.exp(-2.0)]
    assert container.get_probability(EVERYWHERE) == pytest.approx(expected, abs=1e-6)
    narrow, wide = data("laser", "a", "one"), data("laser", "b", "two")
    learn(narrow, SQUARE)
    learn(wide, PoseGrid((0.0, 0.0), (2.0, 1.0), 1.0, 1))
    poses = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert narrow.get_probability(poses)[2] == -1.0
    least = np.exp([0.0, -1.0, -0.5 - 2.0])
    assert SensorContainer([narrow, wide]).get_probability(poses) == pytest.approx(least, abs=1e-6)


def test_a_program_gets_what_a_driver_has_measured_and_waits_for_it():
    scan = SensorData("laser", "laser", Feature("scan", ("a", "b"), "distance"), "LMS200")
    robot = DrivenRobot("metal", [scan], {})
    assert not robot.sensors.update(scan)
    driver = threading.Timer(0.05, robot.put, (scan, np.array([1.0, 2.0]), 7.5))
    driver.start()
    assert robot.sensors.update(scan, patience=10.0)
    driver.join()
    assert (scan.values.tolist(), scan.stamp) == ([1.0, 2.0], 7.5)
    assert not robot.sensors.update(scan)


def test_the_program_of_simulated_robots_drives_one_of_metal():
    with Device() as device:
        # It goes on until it is told to stop, by a machine that may be busy.
        assert 0.04 < drive_a_little(device.robot, 30.0) < 0.5
        assert 0.1 <= turn_a_little(device.robot, 30.0) < 0.5
        with pytest.raises(UserError, match="robot 'metal' has no effector 'fly'"):
            device.robot.command("fly", 1.0)


GRID = PoseGrid((-2.0, -1.0), (2.0, 1.0), 0.5, 12)
GOAL = np.array([2.6, 0.2])


def angle_to_goal(pose: np.ndarray) -> float:
    dx, dy = GOAL - pose[:2]
    return math.remainder(math.atan2(dy, dx) - pose[2], 2.0 * math.pi)


def learned(quantity: Quantity, value, **options) -> PerceptualModel:
    model = PerceptualModel(Feature("goal", ("goal",), quantity), GRID, **options)
    for pose in GRID.poses():
        model.learn(pose, np.array([value(pose)]))
    return model


@pytest.fixture(scope="module")
def angles() -> PerceptualModel:
    return learned("angle", angle_to_goal)


def test_the_grid_finds_all_its_poses_again_and_of_many_values_a_few_count_evenly_spread():
    poses = GRID.poses()
    assert (GRID.shape, len(poses), poses[0].tolist()) == ((9, 5, 12), 9 * 5 * 12, [-2.0, -1.0, 0.0])
    assert GRID.cells(poses).reshape(9, 5, 12, 3)[4, 2, 7] == pytest.approx([4, 2, 7])
    feature = Feature("scan", tuple("abcdefg"), "distance")
    model = PerceptualModel(feature, GRID, most=3)
    assert model.columns.tolist() == [0, 3, 6]
    assert PerceptualModel(feature, GRID, most=9).columns.tolist() == list(range(7))
    values, pose = np.arange(7).astype(float), np.array([[0.0, 0.0, 0.0]])
    for one in GRID.poses():
        model.learn(one, values)
    assert model.expected(pose)[0].tolist() == [0.0, 3.0, 6.0]
    assert model.probability(pose, values + np.array([0, 9, 9, 0, 9, 9, 0])) == 1.0
    assert model.probability(pose, values + np.eye(7)[0]) == pytest.approx(0.01, abs=1e-6)


def test_expectations_are_interpolated_between_poses_and_without_any_the_probability_is_minus_one(angles):
    random = np.random.default_rng(1)
    poses = np.column_stack((random.uniform(-2, 1, 200), random.uniform(-1, 1, 200), random.uniform(-9, 9, 200)))
    off = np.array([angle_to_goal(pose) for pose in poses]) - angles.expected(poses)[:, 0]
    off = (off + math.pi) % (2.0 * math.pi) - math.pi
    # Between places half a metre apart, a bearing at 1.6 m bends by less than 1.5 degrees.
    assert np.abs(off).max() < math.radians(1.5)
    outside, inside = np.array([[9.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 0.0]])
    assert angles.probability(outside, np.array([0.0])) == [-1.0]
    assert angles.probability(inside, np.array([math.nan])) == [-1.0]
    empty = PerceptualModel(Feature("scan", ("a",), "distance"), GRID)
    assert empty.probability(inside, np.array([1.0])) == [-1.0]
    # What is neither distance nor angle cannot be expected.
    with pytest.raises(ValueError, match="odometry_pose"):
        PerceptualModel(Feature("odometry_pose", ("x",)), GRID)


def test_the_probability_is_a_gaussian_of_five_degrees_and_twenty_millimetres(angles):
    pose = np.array([[0.5, 0.5, 0.0]])
    expected = angles.expected(pose)[0]
    for sigmas in (0.0, 1.0, 2.5):
        likely = angles.probability(pose, expected + sigmas * math.radians(5.0))
        # The table has hundredths of a deviation, and a floor of 0.01.
        assert likely == pytest.approx(0.01 + 0.99 * math.exp(-0.5 * sigmas**2), abs=0.01)
    distances = learned("distance", lambda pose: float(np.hypot(*(GOAL - pose[:2]))), floor=0.0)
    at = distances.expected(pose)[0]
    assert distances.probability(pose, at + 0.02) == pytest.approx(math.exp(-0.5), abs=0.01)
    assert distances.probability(pose, at + 1.0) == pytest.approx(0.0, abs=1e-6)


FIELD = PoseGrid((-1.0, -0.5), (1.0, 0.5), 0.5, 4)
KIND = "is not a file of expectations"
BEAMS = Feature("scan", ("a", "b", "c"), "distance", (-0.1, 0.0, 0.1))
POSES = np.column_stack((np.linspace(-1.2, 0.9, 9), np.linspace(-0.5, 0.4, 9), np.linspace(-7.0, 7.0, 9)))


@pytest.fixture
def models() -> dict[str, PerceptualModel]:
    scan = PerceptualModel(BEAMS, FIELD, sigma=0.3, floor=0.2, most=2)
    angle = PerceptualModel(Feature("goal_angle", ("goal",), "angle"), FIELD)
    for x, y, heading in FIELD.poses():
        scan.learn(np.array([x, y, heading]), np.array([x + 2.0, 5.0, math.inf if y > 0.4 else 1.0 + y]))
        angle.learn(np.array([x, y, heading]), np.array([math.atan2(y, 3.0 - x) - heading]))
    return {"scan": scan, "goal_angle": angle}


def test_models_are_as_likely_as_before_after_they_were_written_and_read(models, tmp_path: Path) -> None:
    save_models(tmp_path / "field.npz", models)
    read = load_models(tmp_path / "field.npz")
    assert list(read) == list(models)
    for name, values in (("scan", [1.5, 7.0, 1.1]), ("goal_angle", [0.3])):
        assert (read[name].feature, read[name].grid) == (models[name].feature, FIELD)
        before, after = (one[name].probability(POSES, np.array(values)) for one in (models, read))
        assert (before == after).all()
        assert {-1.0} < set(before.tolist())


def changed(path: Path, change) -> None:
    with np.load(path) as data:
        arrays = dict(data)
    about = json.loads(str(arrays.pop("about")))
    change(about, arrays)
    np.savez(path, about=np.array(json.dumps(about)), **arrays)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda about, _: about.update(format="policy"), "is not a file of expectations, .*its format is 'policy'"),
        (lambda about, _: about.update(version=2), "has version 2, but this program reads version 1; make it anew"),
        (lambda about, _: about.pop("features"), "is not a file of expectations, .*'features'"),
        (lambda _, arrays: arrays.pop("scan"), "is not a file of expectations, .*scan"),
        (lambda about, arrays: arrays.update(scan=arrays["scan"][:, 1:]), r"table of \(5, 2, 4, 2\) values, not of"),
        (lambda about, arrays: arrays.update(scan=arrays["scan"].astype(float)), "table of float64, not of float32"),
        (lambda about, arrays: about["features"][0]["grid"].update(step=0.0), "is not a file of expectations, .*zero"),
        (lambda about, arrays: about["features"][0].update(sigma=math.nan), "infinite or out of range"),
        (lambda about, arrays: about["features"][0].update(most=3), r"not of \(5, 3, 4, 3\)"),
        (lambda about, arrays: about["features"][0].update(quantity=""), "neither distances nor angles"),
        (lambda about, arrays: about["features"][0].update(bearings=[1.0]), "1 bearings of 3 columns"),
    ],
)
def test_a_file_of_another_kind_version_or_form_is_refused(models, tmp_path: Path, change, reason) -> None:
    path = tmp_path / "field.npz"
    save_models(path, models)
    changed(path, change)
    with pytest.raises(UserError, match=rf"field\.npz: .*{reason}"):
        load_models(path)


def test_what_is_no_archive_or_cannot_be_read_or_written_is_named(models, tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("something else")
    with (tmp_path / "one.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    for name, told in (("none", r"none\.npz: cannot be read: No such file"), ("text", KIND), ("one", KIND)):
        with pytest.raises(UserError, match=told):
            load_models(tmp_path / f"{name}.npz")
    with pytest.raises(UserError, match="cannot be written"):
        save_models(tmp_path / "nowhere" / "field.npz", models)


def test_a_robot_whose_sensors_measure_otherwise_is_refused_what_was_learned(models) -> None:
    scan, angle = SensorData("laser", "", BEAMS), SensorData("vision", "", models["goal_angle"].feature)
    assert SensorContainer([scan, angle]).expect(models) == [scan, angle]
    wider = SensorData("laser", "", Feature("scan", ("a", "b", "c"), "distance", (-0.2, 0.0, 0.2)))
    with pytest.raises(NoSensorError, match="'scan' was learned with a sensor of"):
        SensorContainer([wider, angle]).expect(models)
    assert SensorContainer([wider, scan]).expect(models) == [scan]
    with pytest.raises(NoSensorError, match=r"lacks the learned features \(scan, goal_angle\); it measures: range"):
        SensorContainer([SensorData("range", "", Feature("range", ("r",), "distance"))]).expect(models)
