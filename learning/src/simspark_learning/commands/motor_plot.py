"""`simspark motor-plot`: draws the limits of a joint's motor, its heating, and the drain of the battery."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError, reason, shown

if TYPE_CHECKING:
    from simspark_ros.robots.motors.data import MotorData

_SHARES = (0.2, 0.3, 0.4, 0.6)
"""Loads of the curves of heat, parts of the largest torque."""

_LASTING_SHARES = (0.0, 0.1, 0.2)
"""Loads of the curves of the battery, of which the motor does not get too hot."""

_LOADED, _SHOWN = 400.0, 900.0
"""Seconds that a motor holds its load, and that the heat is shown; it is relieved in between."""

_LIFE = 4.0 * 3600.0
"""Longest life of a battery that is shown, s."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="picture: .png, .svg, .pdf")
    parser.add_argument("--robot", default="nao", help="a name or a YAML file with motor_data [nao]")
    parser.add_argument("--joint", default="rlj4", help="the joint whose motor is drawn [rlj4, the right knee]")


def run(options: argparse.Namespace) -> int:
    """Draw; returns the exit status.

    Raises:
        UserError: matplotlib is not installed, robot or joint have no such motor, or the file cannot be written.
    """
    if find_spec("matplotlib") is None:
        raise UserError("motor-plot needs matplotlib, which is not installed: pip install 'simspark_ros[plots]'")
    from simspark_ros.robots.catalogue import load_robot

    robot = load_robot(options.robot)
    if robot.motor_data is None or robot.motor_data.motor(options.joint) is None:
        known = ", ".join(j.name for j in robot.model.joints if robot.motor_data and robot.motor_data.motor(j.name))
        raise UserError(f"{robot.file}: {shown(options.joint)} has no motor data; joints with some: {known or 'none'}")
    figure = _figure(robot.motor_data, options.joint, f"{robot.name}, joint {options.joint}")
    try:
        figure.savefig(options.output)
    except (OSError, ValueError) as error:
        raise UserError(f"{options.output}: cannot be written: {reason(error)}") from None
    print(f"wrote {options.output}")
    return 0


def _figure(data: MotorData, joint: str, title: str) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15.0, 4.5), dpi=80, layout="constrained")
    figure.suptitle(title)
    line, heat, battery = figure.subplots(1, 3)
    _draw_lines(line, data, joint)
    _draw_heat(heat, data, joint)
    _draw_battery(battery, data, joint)
    for axes in (line, heat, battery):
        axes.grid(alpha=0.3)
        axes.legend()
    return figure


def _draw_lines(axes: Any, data: MotorData, joint: str) -> None:
    from simspark_learning.models.motor_curves import torque_speed_line

    motor = data.motor(joint)
    assert motor is not None
    for stiffness in (1.0, 0.75, 0.5, 0.25):
        speed, torque = torque_speed_line(motor, stiffness)
        axes.plot(speed, torque, label=f"stiffness {stiffness:g}")
    axes.set(xlabel="speed, rad/s", ylabel="largest torque, N m", title="Torque-speed line")


def _draw_heat(axes: Any, data: MotorData, joint: str) -> None:
    from simspark_learning.models.motor_curves import hold

    for share in _SHARES:
        held = hold(data, joint, share, _LOADED, _SHOWN, step=0.5)
        axes.plot(held.time, held.temperature, label=f"{share:g} of the stall torque")
    for name in ("shutdown", "restart"):
        axes.axhline(getattr(data.limits, name), linestyle=":", color="grey")
        axes.annotate(name, (_SHOWN, getattr(data.limits, name)), ha="right", va="bottom")
    axes.set(xlabel="time, s", ylabel="temperature, degrees Celsius", title=f"Heat of a load held for {_LOADED:g} s")


def _draw_battery(axes: Any, data: MotorData, joint: str) -> None:
    from simspark_learning.models.motor_curves import hold

    for share in _LASTING_SHARES:
        held = hold(data, joint, share, _LIFE, _LIFE, step=10.0)
        axes.plot(held.time / 60.0, held.charge, label=f"{share:g} of the stall torque")
    axes.set(xlabel="time, min", ylabel="charge, percent", title="Battery: electronics and this motor")
