"""Changes that a protocol profile makes in the simulation itself: engine preset, rules of the world, sensors.

Bridge and simulator may be two processes, so each reads its own part of `config/profiles/NAME.yaml`: the bridge the
formats (`simspark_ros.protocol.agent.profile`), the simulator the section `simulation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simspark_ros.configuration.library import PROFILES
from simspark_ros.configuration.schema import Checked, Positive, build
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.settings import Change, SoccerSettings, changed_settings, field_text, read_world

WORLD_SECTIONS = ("time", "start", "create", "beam", "speech", "rules", "teams")
"""Sections of a world file that a profile may change. Things on the field belong into a world file: camera and monitors
read that, too."""

SECTION = "simulation"


@dataclass(frozen=True)
class ProfileOverrides(Checked):
    """Section `simulation` of a profile.

    Attributes:
        cycle_time: length of the cycles that its agents count on, s; None = any.
        engine: physics engine that the agents were written for, unless the operator chooses one; empty = any.
        presets: engine -> its preset, unless the operator chooses one.
        world: section -> keys that override the world file, see `WORLD_SECTIONS`.
        perceptors: kind -> parameters that override the parameters of all such perceptors of all robots.
    """

    cycle_time: Positive | None = None
    engine: str = ""
    presets: Mapping[str, str] = field(default_factory=dict)
    world: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    perceptors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for section in self.world:
            if section not in WORLD_SECTIONS:
                raise ValueError(f"world: '{section}' is not one of {', '.join(WORLD_SECTIONS)}; use a world file")


def scene_robots(name: str | Path) -> dict[str, tuple[str, int]]:
    """Robots that a profile's scenes create: scene -> name or path, and number of types; the bridge checks the form."""
    if not name:
        return {}
    scenes = PROFILES.document(PROFILES.path(name)).get("scenes")
    rules = scenes.items() if isinstance(scenes, Mapping) else ()
    named = [
        (str(scene), rule.get("robot"), rule.get("variants", 1)) for scene, rule in rules if isinstance(rule, Mapping)
    ]
    return {scene: (robot, types) for scene, robot, types in named if isinstance(robot, str) and type(types) is int}


def profile_file(profile: str) -> Path | None:
    """Path of a profile, by its name; None without one."""
    return PROFILES.path(profile) if profile else None


def changes_of(settings: SimulationSettings, overrides: ProfileOverrides) -> list[Change]:
    """All changes of the world file that settings ask for: the profile's changes, then the settings' own."""
    return [(f"{profile_file(settings.profile)}: {SECTION}: world", overrides.world), *settings.world_changes]


def soccer_asked_for(settings: SimulationSettings) -> SoccerSettings:
    """The world file that settings ask for, changes included; errors as in `changed_settings`."""
    return changed_settings(read_world(settings.world or None), changes_of(settings, load_overrides(settings.profile)))


def field_asked_for(settings: SimulationSettings) -> str:
    """The field that settings ask for, as `field_of` reads it; errors as in `changed_settings`."""
    return field_text(soccer_asked_for(settings).field)


def check_changes(settings: SimulationSettings) -> None:
    """Raise a `ConfigurationError` for changes that the world file refuses, before engines and ROS are loaded."""
    text, changes = read_world(settings.world), changes_of(settings, load_overrides(settings.profile))
    changed_settings(text, changes)
    if any("rules" in change for _, change in changes):
        # Rules take longer to load than world files.
        from simspark_ros.soccer.referee.rules import rule_settings, rule_types

        types = rule_types()
        changed_settings(text, changes, lambda soccer: rule_settings(soccer.rules, types))


def load_overrides(name: str | Path) -> ProfileOverrides:
    """Read a profile's changes of the simulation, none without a profile; a `ConfigurationError` names file and key."""
    if not name:
        return ProfileOverrides()
    path = PROFILES.path(name)
    return build(ProfileOverrides, PROFILES.document(path).get(SECTION, {}), f"{path}: {SECTION}")
