"""The sensors of the chosen robot as a table: a row for each, with names of values and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from simspark_ros.protocol.monitor.inspection import InspectedKind, Readings

_POSE = {"x": "m", "y": "m", "heading": "rad"}

UNITS: dict[str, str | dict[str, str]] = {
    "accelerometer": "m/s²",
    "agent_state": {"temperature": "°C", "battery": "%"},
    "force_resistance": dict.fromkeys(("px", "py", "pz"), "m") | dict.fromkeys(("fx", "fy", "fz"), "N"),
    "force_torque": {f"force_{axis}": "N" for axis in "xyz"} | {f"torque_{axis}": "N m" for axis in "xyz"},
    "frame_position": "m",
    "gyroscope": "rad/s",
    "laser": {"period": "s", "range": "m"},
    "laser_objects": _POSE | {"distance": "m", "bearing": "rad", "width": "m"},
    "magnetometer": "T",
    "odometry": _POSE | {"forward": "m/s", "left": "m/s", "turn": "rad/s"},
    "range": "m",
}
"""Units by kind of sensor: one of all values, or one for each name of a value without its number; others have none."""

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
        f"<tr><td>{escape(_title(sensor))}</td><td>{_spans(_texts(sensor, values))}</td></tr>"
        for sensor, values in rows.items()
    )
    return f'<table class="simspark-sensors" style="font-size:12px;margin:4px 12px">{cells}</table>'


def _spans(texts: Sequence[str]) -> str:
    return " ".join(f"<span>{escape(text)}</span>" for text in texts)


def _title(sensor: str) -> str:
    """Name and unit; a sensor that is called as its kind is named once."""
    kind, _, name = sensor.partition(" ")
    title = kind if name == kind else sensor
    unit = UNITS.get(kind)
    return f"{title}, {unit}" if isinstance(unit, str) else title


def _texts(sensor: str, values: Sequence[tuple[str, float]]) -> list[str]:
    """Values with their names. Their number stays the same, so that what is below them stands still."""
    units = UNITS.get(sensor.partition(" ")[0])
    numbered: dict[str, list[float]] = {}
    for column, value in values:
        numbered.setdefault(column.rstrip("0123456789"), []).append(value)
    entries: dict[str, str] = {}
    for column, value in values:
        stem = column.rstrip("0123456789")
        unit = units.get(stem, "") if isinstance(units, dict) else ""
        if len(numbered[stem]) > FEW:
            entries.setdefault(stem, _span(numbered[stem], unit))
        else:
            entries[column] = _with(unit, _number(value))
    if len(entries) > MOST:
        return [f"{len(values)} values, to be plotted"]
    is_plain = len(values) == 1 or tuple(entries) == _AXES
    return [text if is_plain else f"{column} {text}" for column, text in entries.items()]


def _span(values: Sequence[float], unit: str) -> str:
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return NOTHING
    return f"{_number(min(known))} to {_with(unit, _number(max(known)))} ({len(values)})"


def _with(unit: str, number: str) -> str:
    return f"{number} {unit}" if unit and number != NOTHING else number


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else NOTHING
