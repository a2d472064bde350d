"""What was learned, written to a file and read again."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.container import NoSensorError, SensorContainer, SensorData
from simspark_ros.sensors.feature import Feature
from simspark_ros.sensors.perceptual_file import load_models, save_models
from simspark_ros.sensors.perceptual_model import PerceptualModel, PoseGrid

GRID = PoseGrid((-1.0, -0.5), (1.0, 0.5), 0.5, 4)
SCAN = Feature("scan", ("a", "b", "c"), "distance", (-0.1, 0.0, 0.1))
POSES = np.column_stack((np.linspace(-1.2, 0.9, 9), np.linspace(-0.5, 0.4, 9), np.linspace(-7.0, 7.0, 9)))


@pytest.fixture
def models() -> dict[str, PerceptualModel]:
    scan = PerceptualModel(SCAN, GRID, sigma=0.3, floor=0.2, most=2)
    angle = PerceptualModel(Feature("goal_angle", ("goal",), "angle"), GRID)
    for x, y, heading in GRID.poses():
        scan.learn(np.array([x, y, heading]), np.array([x + 2.0, 5.0, math.inf if y > 0.4 else 1.0 + y]))
        angle.learn(np.array([x, y, heading]), np.array([math.atan2(y, 3.0 - x) - heading]))
    return {"scan": scan, "goal_angle": angle}


def test_models_are_as_likely_as_before_after_they_were_written_and_read(models, tmp_path: Path) -> None:
    save_models(tmp_path / "field.npz", models)
    read = load_models(tmp_path / "field.npz")
    assert list(read) == list(models)
    for name, values in (("scan", [1.5, 7.0, 1.1]), ("goal_angle", [0.3])):
        assert (read[name].feature, read[name].grid) == (models[name].feature, GRID)
        before, after = (one[name].probability(POSES, np.array(values)) for one in (models, read))
        assert (before == after).all()
        assert {-1.0} < set(before.tolist())


def changed(path: Path, change) -> None:
    """Write an archive again with something else in it."""
    with np.load(path) as data:
        arrays = dict(data)
    about = json.loads(str(arrays.pop("about")))
    change(about, arrays)
    np.savez(path, about=np.array(json.dumps(about)), **arrays)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda about, arrays: about.update(format="policy"),
            "is not a file of expectations, .*its format is 'policy'",
        ),
        (
            lambda about, arrays: about.update(version=2),
            "has version 2, but this program reads version 1; make it anew",
        ),
        (lambda about, arrays: about.pop("features"), "is not a file of expectations, .*'features'"),
        (lambda about, arrays: arrays.pop("scan"), "is not a file of expectations, .*scan"),
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
    with pytest.raises(UserError, match=r"none\.npz: cannot be read: No such file"):
        load_models(tmp_path / "none.npz")
    (tmp_path / "text.npz").write_text("something else")
    with pytest.raises(UserError, match="is not a file of expectations"):
        load_models(tmp_path / "text.npz")
    with (tmp_path / "one.npz").open("wb") as file:
        np.save(file, np.zeros(3))
    with pytest.raises(UserError, match="is not a file of expectations"):
        load_models(tmp_path / "one.npz")
    with pytest.raises(UserError, match="cannot be written"):
        save_models(tmp_path / "nowhere" / "field.npz", models)


def test_a_robot_whose_sensors_measure_otherwise_is_refused_what_was_learned(models) -> None:
    scan, angle = SensorData("laser", "", SCAN), SensorData("vision", "", models["goal_angle"].feature)
    assert SensorContainer([scan, angle]).expect(models) == [scan, angle]
    wider = SensorData("laser", "", Feature("scan", ("a", "b", "c"), "distance", (-0.2, 0.0, 0.2)))
    with pytest.raises(NoSensorError, match="'scan' was learned with a sensor of"):
        SensorContainer([wider, angle]).expect(models)
    assert SensorContainer([wider, scan]).expect(models) == [scan]
    with pytest.raises(NoSensorError, match=r"lacks the learned features \(scan, goal_angle\); it measures: range"):
        SensorContainer([SensorData("range", "", Feature("range", ("r",), "distance"))]).expect(models)
