"""Checks of a robot on one engine: what its file says, against what the simulator does with it.

`check_robot` makes them all. Each check has a function that takes a `Bench`, the world for its robot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from simspark_conformance.robot_checks.bench import Bench
from simspark_conformance.robot_checks.bodies import check_kinematics, check_mass, check_weights
from simspark_conformance.robot_checks.finding import Finding, Verdict, judged
from simspark_conformance.robot_checks.joints import check_followers, check_speeds, check_stops
from simspark_conformance.robot_checks.motion import check_limp, check_removal, check_rest
from simspark_conformance.robot_checks.picture import picture_of
from simspark_conformance.robot_checks.senses import check_sensors
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.registry import engine_names, unknown_engine, why_missing
from simspark_ros.robots.description import RobotDescription

Check = Callable[[Bench], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    check_kinematics,
    check_mass,
    check_weights,
    check_stops,
    check_speeds,
    check_followers,
    check_limp,
    check_rest,
    check_sensors,
    check_removal,
)
"""All checks, in the order in which a user reads them."""

__all__ = ["CHECKS", "Bench", "Check", "Finding", "Verdict", "check_robot", "engines_to_try", "picture_of"]

_SPATIAL = ("bullet", "ode", "mujoco")
"""Engines that are tried if none is named: nothing falls on the others."""


def engines_to_try(wanted: Sequence[str]) -> tuple[str, ...]:
    """The engines that are wanted, or all spatial ones that are installed.

    Raises:
        UserError: an engine is unknown, or missing.
    """
    for name in wanted:
        if name not in engine_names():
            raise UserError(unknown_engine(name))
        if problem := why_missing(name):
            raise UserError(problem)
    return tuple(dict.fromkeys(wanted)) or tuple(name for name in _SPATIAL if not why_missing(name))


def check_robot(robot: RobotDescription, engine: str) -> Iterator[Finding]:
    """All findings about a robot on an engine; a robot that the engine refuses gives one finding.

    Raises:
        UserError: the engine is missing.
    """
    with Bench(robot, engine) as bench:
        try:
            bench.stand()
        except UserError as error:
            yield judged("spawn", "", False, "refused", str(error))
            return
        for check in CHECKS:
            yield from check(bench)
