"""`simspark map`: learns the expected readings of sensors at each pose, for localization."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.arguments import add_options
from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.errors import UserError
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.terminal import ShareLine


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    options = "a mapper with its options, e.g. 'mapper?features=scan,goal_distance&step=0.25' [mapper]"
    parser.add_argument("player", metavar="PLAYER", nargs="?", default="mapper", help=options)
    parser.add_argument("--engine", default="planar", metavar="NAME", help="physics engine [planar]")
    parser.add_argument("--world", default="msl", metavar="NAME", help="a world with a field, a name or a file [msl]")
    add_options(parser, SimulationSettings, ("changes",))
    output = "file of the expectations, for the setting `expectations`"
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE.npz", help=output)


def run(options: argparse.Namespace) -> int:
    """Learn; returns the exit status.

    Raises:
        UserError: the player, a setting or the file cannot be used.
    """
    import numpy as np

    from simspark_learning.models.mapping import learn_expectations
    from simspark_ros.sensors.perceptual_file import save_models

    if not options.output.parent.is_dir():
        raise UserError(f"{options.output}: there is no such folder; make it first")
    line = ShareLine()
    changes = options.changes or ()
    try:
        models = learn_expectations(options.player, options.engine, options.world, changes, line.show)
    finally:
        line.finish()
    save_models(options.output, models)
    for name, model in models.items():
        x, y, headings = model.grid.shape
        known = np.isfinite(model.expectations).mean()
        grid = f"{x} x {y} places with {headings} headings"
        print(f"{name}: {len(model.columns)} values at {grid}; {known:.0%} of them were seen")
    print(f"wrote {options.output}")
    return 0
