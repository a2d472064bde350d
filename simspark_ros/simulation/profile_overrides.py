"""What a protocol profile changes in the simulation itself: engine preset, rules of the world, sensors.

Bridge and simulator may be two processes, so each reads its own part of `config/profiles/NAME.yaml`: the bridge the
formats (`simspark_ros.protocol.agent.profile`), the simulator the section `simulation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simspark_ros.configuration.resources import resource
from simspark_ros.configuration.schema import ConfigurationError, build, read_yaml

WORLD_SECTIONS = ("start", "create", "beam", "speech", "rules", "teams")
"""Sections of a world file that a profile may change. What stands on the field belongs into a world file, which camera
and monitors know too."""

SECTION = "simulation"


@dataclass(frozen=True)
class ProfileOverrides:
    """Section `simulation` of a profile.

    Attributes:
        cycle_time: length of a cycle that the year needs, s; None = any.
        presets: engine -> its preset, unless one is chosen.
        world: section -> keys that replace those of the world file, see `WORLD_SECTIONS`.
        perceptors: kind -> parameters that replace those of every robot that has such a perceptor.
    """

    cycle_time: float | None = None
    presets: Mapping[str, str] = field(default_factory=dict)
    world: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    perceptors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for a section that belongs elsewhere."""
        for section in self.world:
            if section not in WORLD_SECTIONS:
                raise ValueError(f"world: '{section}' is not one of {', '.join(WORLD_SECTIONS)}; use a world file")


def profile_path(name: str | Path) -> Path:
    """Where a profile is.

    Args:
        name: of a file in `config/profiles` without its ending, or the path of a YAML file.

    Raises:
        ConfigurationError: there is no shipped profile of that name; the message has those there are.
    """
    if isinstance(name, Path) or name.endswith((".yaml", ".yml")):
        return Path(name)
    folder = resource("config", "profiles")
    known = sorted(path.stem for path in folder.glob("*.yaml"))
    if name not in known:
        choice = ", ".join(known)
        raise ConfigurationError(f"unknown protocol profile {name!r}; known are {choice}, or the path of a .yaml file")
    return folder / f"{name}.yaml"


def load_overrides(name: str | Path) -> ProfileOverrides:
    """Read what a profile changes in the simulation.

    Raises:
        ConfigurationError: there is no such profile, or its section cannot be used; the message names file and key.
    """
    path = profile_path(name)
    document = read_yaml(path)
    if not isinstance(document, Mapping):
        raise ConfigurationError(f"{path}: must be a mapping, not {document!r}")
    return build(ProfileOverrides, document.get(SECTION, {}), f"{path}: {SECTION}")
