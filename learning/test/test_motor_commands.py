"""`simspark fit-motor` and `simspark motor-plot`."""

import numpy as np
import pytest
import yaml

from simspark_learning.commands import motor_plot
from simspark_learning.models.motor_curves import hold, torque_speed_line
from simspark_ros import cli
from simspark_ros.robots.catalogue import load_robot


def knee():
    """The data of the Nao's motors, and the motor of its right knee."""
    data = load_robot("nao").motor_data
    assert data is not None
    motor = data.motor("rlj4")
    assert motor is not None
    return data, motor


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
    monkeypatch.setattr(motor_plot, "find_spec", lambda name: object())
    assert cli.main([*target, "--joint", "knee"]) == cli.BAD_INPUT
    assert "'knee' has no motor data; joints with some: hj1, hj2" in capsys.readouterr().err
    assert cli.main([*target, "--robot", "sphere"]) == cli.BAD_INPUT
    assert "joints with some: none" in capsys.readouterr().err
    monkeypatch.setattr(motor_plot, "find_spec", lambda name: None)
    assert cli.main(target) == cli.BAD_INPUT
    assert "needs matplotlib, which is not installed" in capsys.readouterr().err


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
