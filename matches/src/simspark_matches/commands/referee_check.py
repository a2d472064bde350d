"""`simspark referee-check`: plays referee cases and prints unmet expectations."""

from __future__ import annotations

import argparse
from pathlib import Path

from simspark_ros.commands.parser import CommandParser
from simspark_ros.configuration.resources import resource


def shipped_files() -> list[Path]:
    """The files of cases that come with the package."""
    return sorted(resource("config", "referee_cases").glob("*.yaml"))


def fill(parser: CommandParser) -> None:
    """Add the arguments of the command."""
    parser.set_defaults(run=run)
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="cases in YAML [all that are shipped]")
    parser.add_argument(
        "--engine", default="bullet", metavar="NAME", help="physics engine: bullet, ode, mujoco [bullet]"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only cases whose name contains this")
    parser.add_argument("--quiet", action="store_true", help="print failed cases only")


def run(options: argparse.Namespace) -> int:
    """Play all cases of the files; returns 0 if all expectations are met, 1 if not.

    Raises:
        ConfigurationError: a file cannot be used; the message names file, case and key.
    """
    from simspark_matches.referee_cases.case import load_cases
    from simspark_matches.referee_cases.check import check

    files = [(path, load_cases(path)) for path in options.files or shipped_files()]
    played = failed = 0
    for path, cases in files:
        for case in (case for case in cases if options.only in case.case):
            outcome = check(case, options.engine, path)
            played += 1
            failed += not outcome.passed
            if not (outcome.passed and options.quiet):
                print(outcome, flush=True)
    print(f"{played} cases, {failed} failed" if failed else f"{played} cases, all as expected")
    return int(failed > 0)
