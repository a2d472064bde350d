"""`simspark motion-model`: records driving, and learns from it how a robot on wheels moves."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError, reason
from simspark_ros.terminal import ShareLine

TESTED = 0.8
"""Share of a log that is trained with; the rest tells the error."""


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    record = actions.add_parser("record", help="drive a robot about in a simulation and write a log")
    record.set_defaults(run=_record)
    record.add_argument("robot", metavar="ROBOT", help="robot on two rows of wheels: a name or a file")
    record.add_argument("--engine", default="planar", metavar="NAME", help="physics engine [planar]")
    record.add_argument("--seconds", type=float, default=120.0, metavar="S", help="simulated time [120]")
    record.add_argument("--speed", type=float, default=0.8, metavar="M/S", help="largest commanded speed [0.8]")
    record.add_argument("--turn", type=float, default=2.0, metavar="RAD/S", help="largest commanded turn [2]")
    record.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the commands [1]")
    record.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.csv", help="the log")
    train = actions.add_parser("train", help="train a neural motion model, and write a robot that moves by it")
    train.set_defaults(run=_train)
    train.add_argument(
        "log", type=Path, metavar="FILE.csv", help="log with the columns of docs/how_to/drives.md, in SI units"
    )
    train.add_argument("--robot", required=True, metavar="ROBOT", help="robot of the package that lends its body")
    train.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the first weights [1]")
    train.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.yaml", help="the robot's file")


def _record(options: argparse.Namespace) -> int:
    from simspark_learning.models.recorded_drive import record_drive

    line = ShareLine()
    limits = options.seconds, options.speed, options.turn
    try:
        log = record_drive(options.robot, options.engine, *limits, options.seed, line.show)
    finally:
        line.finish()
    try:
        log.save(options.output)
    except OSError as error:
        raise UserError(f"{options.output}: cannot be written: {reason(error)}") from None
    print(f"{options.output}: {len(log.times)} samples, {log.interval:g} s each")
    return 0


def _train(options: argparse.Namespace) -> int:
    import numpy as np

    from simspark_learning.models.drive_log import read_drive_log
    from simspark_learning.models.learned_robot import robot_file
    from simspark_learning.models.neural_training import follows_at_once, pose_errors, train

    log = read_drive_log(options.log)
    model = train(log.part(0.0, TESTED), seed=options.seed)
    text = robot_file(options.robot, model.parameters)
    try:
        options.output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{options.output}: cannot be written: {reason(error)}") from None
    test = log.part(TESTED, 1.0)
    if len(test.times) * test.interval <= 1.0:
        print(
            f"{options.output}: the model is untested, since the last fifth of {options.log} is shorter than a second"
        )
        return 0
    for what, step in (
        ("the model", model.step),
        (("a robot that follows commands at once"), follows_at_once(log.interval)),
    ):
        metres, radians = np.median(pose_errors(step, test, 1.0), axis=0)
        print(f"{what}: {1000.0 * metres:.0f} mm and {np.degrees(radians):.1f} degrees off after 1 s (median)")
    return 0
