"""`simspark fit-motor`: finds the parameters of a motor in measured series."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError

if TYPE_CHECKING:
    from simspark_learning.models.motor_fit import MotorFit


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE.csv",
        help="measured series; the first line names the columns of docs/explanation/motors.md, in SI units",
    )
    parser.add_argument(
        "--resistance", type=_positive, metavar="OHM", help="resistance of the motor, instead of voltage and velocity"
    )
    parser.add_argument(
        "--torque-constant",
        type=_positive,
        metavar="NM/A",
        help="torque constant of the motor, if the series have torque but no current",
    )


def run(options: argparse.Namespace) -> int:
    """Fit and print the result as YAML; returns the exit status.

    Raises:
        UserError: the file cannot be used; the message names its fault.
    """
    from simspark_learning.models.motor_fit import fit, read_series

    series = read_series(options.file)
    try:
        found = fit(series, options.resistance, options.torque_constant)
    except UserError as error:
        raise UserError(f"{options.file}: {error}") from None
    print("\n".join(_lines(found)))
    time = series["time"]
    print(f"# {len(time)} samples over {time[-1] - time[0]:.6g} s; temperatures differ by {found.error:.2g} K (rms)")
    return 0


def _lines(found: MotorFit) -> list[str]:
    values = (
        ("environment", found.environment, "T_e, degrees Celsius"),
        ("conductivity", found.conductivity, "lambda, W/K"),
        ("heat_capacity", found.heat_capacity, "C, J/K"),
        ("resistance", found.resistance, "R, ohm"),
        ("speed_constant", found.speed_constant, "K_e, V s/rad"),
        ("torque_constant", found.torque_constant, "K_tau, N m/A"),
    )
    return [f"{name}: {value:.5g}  # {meaning}" for name, value, meaning in values if value is not None]


def _positive(text: str) -> float:
    value = float(text)
    if not (value > 0.0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError("the number must be above 0")
    return value
