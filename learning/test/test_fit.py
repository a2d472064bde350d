"""Parameters of a motor from series that the motor itself has made."""

import numpy as np
import pytest

from simspark_learning.models.motor_fit import FitError, fit, read_series

ENVIRONMENT, CONDUCTIVITY, CAPACITY, RESISTANCE, SPEED_CONSTANT, TORQUE_CONSTANT = 36.0, 0.06, 25.0, 8.0, 3.0, 3.2


def series(noise=0.0):
    """Ten minutes of a load that changes, and of the cooling after it."""
    random = np.random.default_rng(1)
    time = np.arange(0.0, 600.0, 0.5) + random.uniform(0.0, 0.2, 1200)
    current = np.where(time < 400.0, 0.6 + 0.4 * np.sin(time / 30.0), 0.0)
    velocity = np.cos(time / 7.0)
    temperature = np.full_like(time, 30.0)
    for k, seconds in enumerate(np.diff(time)):
        heat = current[k] ** 2 * RESISTANCE - CONDUCTIVITY * (temperature[k] - ENVIRONMENT)
        temperature[k + 1] = temperature[k] + heat * seconds / CAPACITY
    return {
        "time": time,
        "temperature": temperature + noise * random.standard_normal(len(time)),
        "current": current,
        "velocity": velocity,
        "voltage": SPEED_CONSTANT * velocity + RESISTANCE * current,
        "torque": TORQUE_CONSTANT * current,
    }


def heat(found):
    return found.environment, found.conductivity, found.heat_capacity


def test_all_parameters_are_found_in_exact_series_and_a_sensor_with_noise_moves_them_little():
    noisy = fit(series(noise=0.5))
    # Of 1200 samples with half a degree of noise; the error that remains is the noise.
    assert heat(noisy) == pytest.approx((ENVIRONMENT, CONDUCTIVITY, CAPACITY), rel=0.02)
    assert noisy.error == pytest.approx(0.5, rel=0.1)
    found = fit(series())
    assert heat(found) == pytest.approx((ENVIRONMENT, CONDUCTIVITY, CAPACITY), rel=1e-6)
    constants = found.resistance, found.speed_constant, found.torque_constant
    assert constants == pytest.approx((RESISTANCE, SPEED_CONSTANT, TORQUE_CONSTANT), rel=1e-6)
    assert found.error < 1e-6


def test_torque_stands_for_current_with_a_torque_constant():
    measured = {name: values for name, values in series().items() if name in ("time", "temperature", "torque")}
    found = fit(measured, RESISTANCE, TORQUE_CONSTANT)
    assert heat(found) == pytest.approx((ENVIRONMENT, CONDUCTIVITY, CAPACITY), rel=1e-6)
    with pytest.raises(FitError, match="column 'current' is missing: give it, or give 'torque' and a torque constant"):
        fit(measured, RESISTANCE)


def only(*names, **others):
    return {**{name: values for name, values in series().items() if name in ("time", "temperature", *names)}, **others}


@pytest.mark.parametrize(
    ("measured", "problem"),
    [
        (only("current"), "the resistance is not known: give it, or the columns 'voltage' and 'velocity'"),
        (only(current=np.zeros(1200)), "current is 0 in all samples"),
        (only("current", temperature=np.full(1200, 30.0)), "vary the load"),
        (only("current", temperature=80.0 - series()["temperature"]), "does not rise with the current"),
    ],
)
def test_series_that_do_not_tell_are_refused(measured, problem):
    with pytest.raises(FitError, match=problem):
        fit(measured, None if "resistance" in problem else RESISTANCE)


HEAD = "time, Temperature,current\n"
ROWS = "".join(f"{k},{30 + k},1.0\n" for k in range(8))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1 lacks column 'time'"),
        ("time,current\n" + ROWS, "line 1 lacks column 'temperature'; it may name the columns time, temperature"),
        (HEAD + "1,30,1\n", "has 1 samples; at least 8 are needed"),
        (HEAD + ROWS + "8,hot,1\n", "line 10: temperature is 'hot', not a finite number"),
        (HEAD + ROWS + "8,nan,1\n", "line 10: temperature is 'nan', not a finite number"),
        (HEAD + ROWS + "8,30\n", "line 10: current is '', not a finite number"),
        (HEAD + ROWS + "7,38,1\n", "sample 9: its time must be later than that of the sample before"),
        (HEAD + "1," + "9" * 200_000, "cannot be read as a CSV file"),
        (b"\xff\xfe", "cannot be read as a CSV file in UTF-8"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path, text, problem):
    path = tmp_path / "series.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FitError, match=problem) as caught:
        read_series(path)
    assert str(path) in str(caught.value)
    with pytest.raises(FitError, match="No such file"):
        read_series(tmp_path / "nothing.csv")
