"""Fits the parameters of a motor to measured series (SimSpark paper 2013, section 5.1: "determined by experiments").

All fits are linear least squares. The fit of heat sums equation (6) of the paper from the first sample on,

    T(t) = T(0) + (R / C) sum I^2 dt - (lambda / C) sum T dt + (lambda T_e / C) t,

because sums suppress the sensor's noise, which differences between samples would amplify.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import Array
from simspark_ros.robots.columns import ColumnsError, read_columns

COLUMNS = ("time", "temperature", "current", "torque", "velocity", "voltage")
"""Columns of a series: s, degrees Celsius, A, N m, rad/s, V."""

_FEWEST = 8
_DISTINCT = 1e-6
"""Smallest ratio of singular values at which the causes in a series count as distinct."""


class FitError(UserError):
    """A series cannot be used; the message names file, place and remedy."""


@dataclass(frozen=True)
class MotorFit:
    """Parameters of a motor; None for parameters that the series cannot tell.

    Attributes:
        environment: T_e, temperature of the environment, degrees Celsius.
        conductivity: lambda, conductance of heat, W/K.
        heat_capacity: C, heat capacity, J/K.
        resistance: R, resistance, ohm.
        speed_constant: K_e, V s/rad.
        torque_constant: K_tau, N m/A.
        error: root mean square of the differences between measured and fitted temperatures, K.
    """

    environment: float
    conductivity: float
    heat_capacity: float
    resistance: float
    speed_constant: float | None
    torque_constant: float | None
    error: float


def read_series(path: Path) -> dict[str, Array]:
    """The columns (K,) of a CSV file whose first line names them, see `COLUMNS`; other columns are left out.

    Raises:
        FitError: the file cannot be read, has too few or too many lines, lacks `time` or `temperature`, or holds a cell
            that is no finite number.
    """
    try:
        return read_columns(path, COLUMNS, ("time", "temperature"), _FEWEST)
    except ColumnsError as error:
        raise FitError(str(error)) from None


def fit(series: dict[str, Array], resistance: float | None = None, torque_constant: float | None = None) -> MotorFit:
    """Fit a motor to series as `read_series` returns them.

    Args:
        series: columns by name; it needs the current, or the torque and a torque constant.
        resistance: R, ohm; None = fitted to voltage, velocity and current.
        torque_constant: K_tau, N m/A; None = fitted to torque and current.

    Raises:
        FitError: a column is missing, or the measurement does not tell the parameters apart.
    """
    if torque_constant is None and "torque" in series and "current" in series:
        (torque_constant,) = _solved({"current": series["current"]}, series["torque"], "torque")
    current = series.get("current")
    if current is None:
        if torque_constant is None or "torque" not in series:
            raise FitError("column 'current' is missing: give it, or give 'torque' and a torque constant")
        current = series["torque"] / torque_constant
    speed_constant = None
    if "voltage" in series and "velocity" in series:
        causes = {"velocity": series["velocity"], "current": current}
        speed_constant, measured = _solved(causes, series["voltage"], "voltage")
        resistance = measured if resistance is None else resistance
    if resistance is None:
        raise FitError("the resistance is not known: give it, or the columns 'voltage' and 'velocity'")
    environment, conductivity, heat_capacity, error = _fit_heat(
        series["time"], series["temperature"], current, resistance
    )
    return MotorFit(environment, conductivity, heat_capacity, resistance, speed_constant, torque_constant, error)


def _fit_heat(time: Array, temperature: Array, current: Array, resistance: float) -> tuple[float, float, float, float]:
    """T_e, lambda and C, and the root mean square of the differences in temperature."""
    seconds = np.diff(time)
    causes = {
        "a temperature at the start": np.ones_like(time),
        "current": _sums(current**2, seconds),
        "temperature": -_sums(temperature, seconds),
        "time": time - time[0],
    }
    solution = _solved(causes, temperature, "temperature")
    _, heating, cooling, inflow = solution
    if not (heating > 0.0 and cooling > 0.0):
        raise FitError(
            "the temperature does not rise with the current and fall without current: measure a load and the cooling "
            "after it"
        )
    errors = temperature - np.stack(list(causes.values()), 1) @ np.array(solution)
    capacity = resistance / heating
    return inflow / cooling, cooling * capacity, capacity, float(np.sqrt(np.mean(errors**2)))


def _sums(values: Array, seconds: Array) -> Array:
    """Integral (K,) up to each sample of values (K,) that stay constant from one sample to the next."""
    return np.concatenate([[0.0], np.cumsum(values[:-1] * seconds)])


def _solved(causes: dict[str, Array], effect: Array, name: str) -> list[float]:
    """Factors of causes (K,) whose weighted sum comes nearest to the effect (K,)."""
    matrix = np.stack(list(causes.values()), 1)
    sizes = np.abs(matrix).max(0)
    if not sizes.all():
        silent = [cause for cause, size in zip(causes, sizes, strict=True) if size == 0.0]
        raise FitError(f"{silent[0]} is 0 in all samples, so its effect on the {name} is unknown")
    factors, _, rank, _ = np.linalg.lstsq(matrix / sizes, effect, _DISTINCT)
    if rank < len(causes):
        raise FitError(f"the series do not separate the effects of {', '.join(causes)} on the {name}: vary the load")
    solution: list[float] = (factors / sizes).tolist()
    return solution
