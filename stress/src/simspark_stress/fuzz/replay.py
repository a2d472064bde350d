"""Plays kept cases again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from simspark_ros.configuration.schema import ConfigurationError
from simspark_stress.fuzz.case import Finding
from simspark_stress.fuzz.reference import hashes_alone, other_hash
from simspark_stress.fuzz.session import Door, Fault, Session
from simspark_stress.fuzz.trials import play_all
from simspark_stress.settings import FuzzSettings


def replayed(finding: Finding, doors: Mapping[str, Door], settings: FuzzSettings, folder: Path) -> list[Fault]:
    """Play the cases of a finding on a fresh server; returns the faults seen.

    If the cases are quiet, the same match is also played without them, and the state hashes are compared.

    Raises:
        ConfigurationError: a case has a door that this machine does not have.
        UserError: the server does not start, or does not let a good client play.
    """
    if missing := [name for name in finding.doors if name not in doors]:
        raise ConfigurationError(f"there is no door '{missing[0]}' here; use one of: {', '.join(doors)}")
    options = (*finding.server, *settings.server)
    folder.mkdir()
    chosen = [doors[name] for name in finding.doors]
    with Session(options, chosen, settings, folder / "played", finding.quiet) as session:
        session.begin()
        play_all(session, finding.cases, settings.workers)
        faults = session.faults()
        played = session.hashes() if finding.quiet else []
    if played:
        with Session(options, chosen, settings, folder / "alone", quiet=True) as session:
            faults += other_hash(hashes_alone(session, len(played)), played)
    return faults
