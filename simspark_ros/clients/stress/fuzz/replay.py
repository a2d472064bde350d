"""Plays kept cases again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simspark_ros.clients.stress.fuzz.case import Finding
from simspark_ros.clients.stress.fuzz.session import Door, Fault, Session
from simspark_ros.clients.stress.fuzz.trials import play_all
from simspark_ros.clients.stress.settings import FuzzSettings
from simspark_ros.configuration.schema import ConfigurationError


def replayed(finding: Finding, doors: Mapping[str, Door], settings: FuzzSettings, folder: Path) -> list[Fault]:
    """Play the cases of a finding on a fresh server, and return the faults that are seen.

    Raises:
        ConfigurationError: a door of the cases is not known here.
        UserError: the server cannot be started, or lets no good client play.
    """
    if missing := [name for name in finding.doors if name not in doors]:
        raise ConfigurationError(f"there is no door '{missing[0]}' here; known are {', '.join(doors)}")
    options = (*finding.server, *settings.server)
    with Session(options, [doors[name] for name in finding.doors], settings, folder) as session:
        session.begin()
        play_all(session, finding.cases, settings.workers)
        faults = session.faults()
    return faults
