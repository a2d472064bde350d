"""The sensors of the chosen robot as a table: a row for each, with names of values and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from simspark_ros.protocol.monitor.inspection import InspectedKind, Readings

UNITS = {
    "accelerometer": "m/s²",
    "agent_state": "°C, %",
    "force_resistance": "m, N",
    "force_torque": "N, N m",
    "gyroscope": "rad/s",
    "laser": "m",
    "magnetometer": "T",
    "range": "m",
}
"""Units of values by kind of sensor; others are shown without."""

NOTHING = "—"
"""Sign of a sensor that has nothing to report, e.g. of a contact that is not there."""

MOST, FEW = 12, 3
"""Most entries of a sensor, and most numbered values shown one by one: a scanner has hundreds, which become a span."""

_AXES = ("x", "y", "z")


def table_of(kind: InspectedKind, last: Readings) -> str:
    """HTML of the last readings, one row for all values of a sensor."""
    rows: dict[str, list[tuple[str, float]]] = {}
    for name, value in zip(kind.sensors, last.sensors, strict=False):
        sensor, _, column = name.rpartition(" ")
        rows.setdefault(sensor, []).append((column, value))
    cells = "".join(
        f"<tr><td>{escape(_title(sensor))}</td><td>{_spans(_texts(values))}</td></tr>"
        for sensor, values in rows.items()
    )
    return f'<table class="simspark-sensors" style="font-size:12px;margin:4px 12px">{cells}</table>'


def _spans(texts: Sequence[str]) -> str:
    return " ".join(f"<span>{escape(text)}</span>" for text in texts)


def _title(sensor: str) -> str:
    """Name and unit; a sensor that is called as its kind is named once."""
    kind, _, name = sensor.partition(" ")
    title = kind if name == kind else sensor
    return f"{title}, {UNITS[kind]}" if kind in UNITS else title


def _texts(values: Sequence[tuple[str, float]]) -> list[str]:
    """Values with their names. Their number stays the same, so that what is below them stands still."""
    numbered: dict[str, list[float]] = {}
    for column, value in values:
        numbered.setdefault(column.rstrip("0123456789"), []).append(value)
    entries: dict[str, str] = {}
    for column, value in values:
        stem = column.rstrip("0123456789")
        if len(numbered[stem]) > FEW:
            entries.setdefault(stem, _span(numbered[stem]))
        else:
            entries[column] = _number(value)
    if len(entries) > MOST:
        return [f"{len(values)} values, to be plotted"]
    is_plain = len(values) == 1 or tuple(entries) == _AXES
    return [text if is_plain else f"{column} {text}" for column, text in entries.items()]


def _span(values: Sequence[float]) -> str:
    known = [value for value in values if math.isfinite(value)]
    return f"{_number(min(known))} to {_number(max(known))} ({len(values)})" if known else NOTHING


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else NOTHING
