"""Checks of robots before they come, and the robots that agents may create, loaded and drawn before the start."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.configuration.errors import UserError, suggestion
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.effectors import Effector
from simspark_ros.effectors.base import BodyParameters
from simspark_ros.motion.drive import Drive
from simspark_ros.physics.presets import USUAL_CYCLE
from simspark_ros.robots.catalogue import body_rules, keep, load_robot, robot_names, variants
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.files.format_table import MODEL_ENDINGS
from simspark_ros.robots.files.robot_file import is_robot_file
from simspark_ros.robots.types.parameters import RobotName
from simspark_ros.robots.types.random_types import RobotTypes
from simspark_ros.simulation.registry import EFFECTOR_GROUP, known_effectors, perceptor_types
from simspark_ros.simulation.senses.profile_overrides import profile_file, scene_robots
from simspark_ros.simulation.senses.sensing import Sensing
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.simulation.velocity.drives import DRIVE_GROUP
from simspark_ros.simulation.velocity.locomotion import check_locomotion
from simspark_ros.soccer.teams import TeamRules

SYN = "syn"
"""Kind of effector that the classic server carries out itself."""


class RobotChecks:
    """Checks whether a robot's sensors, effectors and drive are known and get what they need.

    Args:
        effectors: all effectors, by kind.
        drives: all drives, by kind.
        cycle_time: length of a cycle, s.
    """

    def __init__(
        self, effectors: Mapping[str, Effector[Any]], drives: Mapping[str, type[Drive]], cycle_time: float
    ) -> None:
        self._effectors, self._drives, self._cycle_time = effectors, drives, cycle_time
        # The descriptions are kept, so that no other one gets the id of one of them.
        self._passed: dict[int, RobotDescription] = {}

    def check(self, sensing: Sensing, description: RobotDescription) -> None:
        """Check a robot, unless `check_first` has done so; a `ConfigurationError` says what is wrong."""
        if id(description) not in self._passed:
            sensing.check(description)
            check_effectors(self._effectors, description)
            check_locomotion(self._drives, description, self._cycle_time)

    def check_first(self, sensing: Sensing, description: RobotDescription) -> None:
        """Check a robot before the start, so that nobody waits for that when it comes; errors as in `check`."""
        self.check(sensing, description)
        self._passed[id(description)] = description


def check_alone(description: RobotDescription) -> None:
    """Check a robot as a world with usual cycles would before it comes; a `ConfigurationError` says what is wrong."""
    sensing = Sensing(perceptor_types(), np.random.SeedSequence(0))
    RobotChecks(known_effectors(), DRIVE_GROUP.parts(), USUAL_CYCLE).check(sensing, description)


def preload_robots(check: Callable[[RobotDescription], None], profile: str, limits: LimitSettings) -> None:
    """Load every robot that agents of a profile can create, so that no agent's joining waits for a file.

    Other robots of the package are loaded when somebody asks for them, which takes about 10 ms each.
    """
    for scene, (name, types) in scene_robots(profile).items():
        try:
            for variant in range(types) if RobotName.parse(name).robot.endswith(MODEL_ENDINGS) else variants(name):
                check(_scene_robot(name, variant, limits))
        except UserError as error:
            raise ConfigurationError(f"{profile_file(profile)}: scenes: {scene}: {error}") from None


def _scene_robot(name: str, variant: int, limits: LimitSettings) -> RobotDescription:
    """A robot that a profile names; `loaded_robot` knows robots of users' own files from now on."""
    own, wish = for_own_files(limits), RobotName.parse(name)
    is_model = wish.robot.endswith(MODEL_ENDINGS)
    robot = load_foreign(Path(wish.robot), variant, own, wish) if is_model else load_robot(name, variant)
    if is_robot_file(name):
        keep(name, robot)
    return robot


def drawn_types(settings: SimulationSettings, teams: TeamRules) -> RobotTypes:
    """The types of robots that the settings ask for; classic agents are told the types of robots they can create."""
    if settings.random_types < 0:
        return RobotTypes()
    if settings.random_type_count < teams.min_types:
        problem = f"random_type_count {settings.random_type_count}: a team needs {teams.min_types} types (min_types)"
        raise ConfigurationError(f"{problem}; draw as many, or change teams.min_types of the world")
    names = sorted({name for name, _ in scene_robots(settings.profile).values()}) or robot_names()
    told = tuple(name for name in names if body_rules(name).parameters)
    return RobotTypes(settings.random_types, settings.random_type_count, told)


def check_effectors(effectors: Mapping[str, Effector[Any]], description: RobotDescription) -> None:
    """Refuse a robot with effectors that do not exist or name wrong parameters or parts, by a `ConfigurationError`."""
    for spec in description.effectors:
        where = description.place(spec)
        effector = effectors.get(spec.kind)
        if effector is None and spec.kind != SYN:
            known = sorted({*effectors, SYN})
            faults = EFFECTOR_GROUP.faults(spec.kind) + DRIVE_GROUP.faults(spec.kind)
            raise ConfigurationError(f"{where}: there is no such kind; {suggestion(spec.kind, known, faults)}")
        if effector is not None and effector.options is not None:
            options = build(effector.options, dict(spec.parameters), where)
            if isinstance(options, BodyParameters):
                try:
                    options.check(description)
                except (ValueError, ConfigurationError) as error:
                    raise ConfigurationError(f"{where}: {error}") from None
