"""`python -m simspark_conformance ENGINE`: exit status 0 = conforms, 1 = does not, 2 = no such engine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from simspark_conformance.fingerprint import fingerprint
from simspark_conformance.harness import Subject
from simspark_conformance.report import run_all
from simspark_conformance.suite import CHECKS
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.registry import engine_names


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; `arguments` None = the arguments of the process. Returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        subject = Subject.named(options.engine, options.preset)
        subject.factory().close()
    except PhysicsError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if options.fingerprint:
        print(fingerprint(subject.factory))
        return 0
    checks = [check for check in CHECKS if options.only is None or check.name in options.only]
    report = run_all(
        subject.factory, options.engine, options.preset, checks, watch=lambda result: print(result, flush=True)
    )
    print(str(report).splitlines()[-1])
    return 0 if report.conforms else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        prog="python -m simspark_conformance",
        description="Check whether a physics engine keeps the promises of simspark_ros.physics.engine.",
    )
    known = ", ".join(engine_names())
    parser.add_argument("engine", help=f"a registered engine ({known}) or module:callable")
    parser.add_argument("--preset", help="named settings of the engine [the engine's default]")
    names = [check.name for check in CHECKS]
    parser.add_argument("--only", nargs="+", choices=names, metavar="PROMISE", help="check only these promises")
    parser.add_argument(
        "--fingerprint", action="store_true", help="only print the hash of a fixed motion (to compare processes)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
