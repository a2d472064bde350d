"""Parameters of a motor from series that the motor itself has made; `simspark fit-motor` and `motor-plot`."""

import numpy as np
import pytest
import yaml

from simspark_learning.commands import motor_plot
from simspark_learning.models.motor_curves import hold, torque_speed_line
from simspark_learning.models.motor_fit import FitError, fit, read_series
from simspark_ros import cli
from simspark_ros.robots.catalogue import load_robot

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


def test_parameters_are_found_in_exact_series_with_noise_and_with_torque_instead_of_current():
    noisy = fit(series(noise=0.5))
    # Of 1200 samples with half a degree of noise; the error that remains is the noise.
    assert heat(noisy) == pytest.approx((ENVIRONMENT, CONDUCTIVITY, CAPACITY), rel=0.02)
    assert noisy.error == pytest.approx(0.5, rel=0.1)
    found = fit(series())
    assert heat(found) == pytest.approx((ENVIRONMENT, CONDUCTIVITY, CAPACITY), rel=1e-6)
    constants = found.resistance, found.speed_constant, found.torque_constant
    assert constants == pytest.approx((RESISTANCE, SPEED_CONSTANT, TORQUE_CONSTANT), rel=1e-6)
    assert found.error < 1e-6
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


def knee():
    data = load_robot("nao").motor_data
    assert data is not None
    return data, data.motor("rlj4")


def test_fit_motor_finds_the_knee_of_the_nao_and_refuses_a_bad_file(tmp_path, capsys):
    data, motor = knee()
    held = hold(data, "rlj4", 0.2, 200.0, 600.0, step=0.5)
    current = np.where(held.time <= 200.0, 0.2 * motor.max_torque / motor.torque_constant, 0.0)
    # The curve has the temperature after each step.
    rows = zip(held.time, held.temperature, [*current[1:], 0.0], strict=True)
    path = tmp_path / "knee.csv"
    # Columns are found by their names.
    path.write_text("note,time, Temperature,current\n" + "".join(f"x,{t},{c},{i}\n" for t, c, i in rows) + "\n")
    assert cli.main(["fit-motor", str(path), "--resistance", str(motor.resistance)]) == 0
    found = yaml.safe_load(capsys.readouterr().out)
    wanted = {name: getattr(motor, name) for name in ("environment", "conductivity", "heat_capacity", "resistance")}
    # Five digits are printed.
    assert found == pytest.approx(wanted, rel=1e-3)
    path.write_text("")
    assert cli.main(["fit-motor", str(path)]) == cli.BAD_INPUT
    assert "lacks column 'time'" in capsys.readouterr().err


def test_motor_plot_draws(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "motor.png"
    assert cli.main(["motor-plot", "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_motor_plot_says_what_is_missing(tmp_path, monkeypatch, capsys):
    target = ["motor-plot", "-o", str(tmp_path / "motor.png")]
    for more, installed, told in (
        (["--joint", "knee"], object(), "'knee' has no motor data; joints with some: hj1, hj2"),
        (["--robot", "sphere"], object(), "joints with some: none"),
        ([], None, "needs matplotlib, which is not installed"),
    ):
        monkeypatch.setattr(motor_plot, "find_spec", lambda name, found=installed: found)
        assert cli.main([*target, *more]) == cli.BAD_INPUT
        assert told in capsys.readouterr().err


def test_curves_are_those_of_the_motor():
    data, motor = knee()
    speed, torque = torque_speed_line(motor, 0.5, 3)
    assert torque.tolist() == pytest.approx([0.5 * motor.max_torque, 0.5 * motor.max_torque, 0.0])
    assert speed[-1] == pytest.approx(motor.voltage / motor.speed_constant)
    held = hold(data, "rlj4", 0.6, 400.0, 500.0)
    assert held.is_off.any()
    assert held.temperature.max() == pytest.approx(data.limits.shutdown, abs=0.2)
    with pytest.raises(KeyError):
        hold(data, "toe", 0.5, 1.0, 1.0)
