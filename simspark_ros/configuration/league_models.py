"""The robots of the 3D league: folders with a file `robot.xml` each, in the package rcsssmj or in another folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.schema import ConfigurationError, Setting

League = Annotated[
    Literal["classic", "2026", "both"],
    Setting(
        "agents that may play: classic = those of rcssserver3d, 2026 = those of rcssservermj (profile rcssservermj, "
        "port 60000, world fifa7vs7), or both"
    ),
]

LEAGUE_WORLD = "fifa7vs7"
"""The field of the league since 2026, if no other is chosen."""

DEMO_ROBOT = "T1"
"""The demonstration team's robot in this league."""

LEAGUE = "league://"
"""Beginning of the names of these robots in profiles."""

MODELS_VARIABLE = "SIMSPARK_LEAGUE_MODELS"
"""Environment variable with another folder of robots, which processes inherit."""

_REMEDY = "run 'pip install --no-deps rcsssmj==0.2.1', or name the folder of the robots with --league-models"


def league_models() -> Path:
    """The folder of the robots; the package is found, but not imported, as it needs a MuJoCo of its own.

    Raises:
        ConfigurationError: there is no such folder; the message names the remedy.
    """
    if given := os.environ.get(MODELS_VARIABLE):
        folder = Path(given)
    else:
        spec = find_spec("rcsssmj")
        places = spec.submodule_search_locations if spec else None
        if not places:
            raise ConfigurationError(f"the league's robots are missing; {_REMEDY}")
        folder = Path(places[0], "resources", "robots")
    if not any(folder.glob("*/robot.xml")):
        raise ConfigurationError(f"{folder}: holds no robots (*/robot.xml); {_REMEDY}")
    return folder


def league_files() -> dict[str, Path]:
    """The files of the league's robots by their names; none if they are missing."""
    with suppress(ConfigurationError):
        return {file.parent.name: file for file in sorted(league_models().glob("*/robot.xml"))}
    return {}


def league_file(name: str) -> Path | None:
    """The file of a robot of the league by its name, None if there is none, or no robots."""
    return league_files().get(name)


def with_league_models(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """A profile whose scenes name the robots' files; `*` becomes a scene of each robot, none if all are missing."""
    scenes = document.get("scenes")
    if not isinstance(scenes, Mapping):
        return document
    found: dict[str, Any] = {}
    for scene, rule in scenes.items():
        robot = rule.get("robot") if isinstance(rule, Mapping) else None
        if not isinstance(robot, str) or not robot.startswith(LEAGUE):
            found[scene] = rule
            continue
        with suppress(ConfigurationError):
            for file in sorted(league_models().glob(f"{robot.removeprefix(LEAGUE)}/robot.xml")):
                name = file.parent.name if scene == "*" else str(scene)
                found[name] = {**rule, "robot": str(file.resolve())}
    return {**document, "scenes": found}
