"""Files of sensors' expectations at poses: a numpy archive with the tables of each feature.

The table of the Gaussian is not stored, as it follows from the deviation and the floor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.archives import archive, write_archive
from simspark_ros.configuration.errors import UserError
from simspark_ros.sensors.feature import Feature
from simspark_ros.sensors.perceptual_model import PerceptualModel, PoseGrid, evenly_spread

FORMAT, VERSION = "simspark expectations", 1

LARGEST = 1 << 30
"""Largest size of a file, bytes; a mapper learns at most 160 MB."""

_WHAT = "file of expectations, as `simspark map` writes it"


def save_models(path: Path, models: Mapping[str, PerceptualModel]) -> None:
    """Write models, by feature.

    Raises:
        UserError: the file cannot be written.
    """
    features = [
        {
            **asdict(model.feature),
            **{"grid": asdict(model.grid), "sigma": model.sigma, "floor": model.floor, "most": len(model.columns)},
        }
        for model in models.values()
    ]
    about = {"format": FORMAT, "version": VERSION, "features": features}
    write_archive(path, about, {name: model.expectations for name, model in models.items()})


def load_models(path: Path) -> dict[str, PerceptualModel]:
    """Read models, by feature.

    Raises:
        UserError: the file cannot be read, is of another kind or version, or its tables have a wrong form.
    """
    with archive(path, _WHAT, LARGEST) as (about, arrays):
        if about["format"] != FORMAT:
            raise ValueError(f"its format is {about['format']!r}")
        if about["version"] != VERSION:
            problem = f"has version {about['version']}, but this program reads version {VERSION}; make it anew"
            raise UserError(f"{path}: {problem} with `simspark map`")
        return {one["name"]: _model(one, arrays[one["name"]]) for one in about["features"]}


def _model(one: Mapping[str, Any], table: NDArray[Any]) -> PerceptualModel:
    name, grid = one["name"], one["grid"]
    feature = Feature(name, tuple(one["columns"]), one["quantity"], tuple(map(float, one["bearings"])))
    if feature.bearings and len(feature.bearings) != len(feature.columns):
        raise ValueError(f"feature '{name}' has {len(feature.bearings)} bearings of {len(feature.columns)} columns")
    x, y = grid["lower"]
    right, top = grid["upper"]
    poses = PoseGrid((float(x), float(y)), (float(right), float(top)), float(grid["step"]), int(grid["headings"]))
    wanted = (*poses.shape, len(evenly_spread(len(feature.columns), int(one["most"]))))
    # Checked before a model of any size is made.
    if table.shape != wanted:
        raise ValueError(f"feature '{name}' has a table of {table.shape} values, not of {wanted}")
    if np.isinf(table).any() or not (one["sigma"] > 0.0 and 0.0 <= one["floor"] <= 1.0):
        raise ValueError(f"feature '{name}' has a number that is infinite or out of range")
    model = PerceptualModel(feature, poses, float(one["sigma"]), float(one["floor"]), int(one["most"]))
    if table.dtype != model.expectations.dtype:
        raise ValueError(f"feature '{name}' has a table of {table.dtype}, not of {model.expectations.dtype}")
    model.expectations = table
    return model
