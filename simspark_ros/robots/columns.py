"""Reads tables of numbers from CSV files whose first line names the columns."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from simspark_ros.configuration.errors import UserError, shown
from simspark_ros.physics.geometry.transforms import Array

MAX_SAMPLES = 1_000_000


class ColumnsError(UserError):
    """A table cannot be used; the message names file, place and remedy."""


def read_columns(path: Path, columns: Sequence[str], required: Sequence[str], fewest: int) -> dict[str, Array]:
    """The columns (K,) with these names, in any order in the file; other columns are left out. One is `time`.

    Raises:
        ColumnsError: the file cannot be read, has too few or too many lines, lacks a required column, holds a cell that
            is no finite number, or its times do not rise.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            names = [name.strip().lower() for name in next(lines, [])]
            missing = [name for name in required if name not in names]
            if missing:
                known = ", ".join(columns)
                raise ColumnsError(f"{path}: line 1 lacks column '{missing[0]}'; it may name the columns {known}")
            places = {name: names.index(name) for name in columns if name in names}
            rows: list[list[float]] = []
            for cells in lines:
                if len(rows) == MAX_SAMPLES:
                    raise ColumnsError(f"{path}: has more than {MAX_SAMPLES} samples; leave some out")
                if cells:
                    rows.append([_number(path, lines.line_num, name, cells, at) for name, at in places.items()])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ColumnsError(f"{path}: cannot be read as a CSV file in UTF-8: {error}") from None
    if len(rows) < fewest:
        raise ColumnsError(f"{path}: has {len(rows)} samples; at least {fewest} are needed")
    found = dict(zip(places, np.array(rows).T, strict=True))
    back = np.flatnonzero(np.diff(found["time"]) <= 0.0)
    if len(back):
        raise ColumnsError(f"{path}: sample {back[0] + 2}: its time must be later than that of the sample before")
    return found


def _number(path: Path, line: int, name: str, cells: list[str], place: int) -> float:
    text = cells[place] if place < len(cells) else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ColumnsError(f"{path}: line {line}: {name} is {shown(text)}, not a finite number")
    return value
