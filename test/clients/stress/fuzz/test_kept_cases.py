"""Every case that once did harm does none any more, on any engine. `simspark stress --findings` writes such files."""

from __future__ import annotations

from pathlib import Path

import pytest

from simspark_ros.clients.stress.fuzz.case import Finding, read_finding
from simspark_ros.clients.stress.fuzz.doors import AGENTS, MONITORS
from simspark_ros.clients.stress.fuzz.session import Session
from simspark_ros.clients.stress.fuzz.trials import play_all
from simspark_ros.clients.stress.settings import FuzzSettings
from simspark_ros.physics.registry import engine_names
from simspark_ros.server.remote.stress_door import PROXIES
from test.physics.engine_availability import skip_without

KEPT = sorted((Path(__file__).parents[3] / "data" / "stress").glob("*.json"))

SOCKETS = {door.name: door for door in (AGENTS, MONITORS, PROXIES)}

# The machine of the tests may be busy.
SETTINGS = FuzzSettings(max_gap=10.0, recovery=20.0)


@pytest.mark.parametrize("engine", engine_names())
def test_kept_cases_are_harmless(engine: str, tmp_path: Path):
    skip_without(engine)
    findings: dict[Path, Finding] = {path: read_finding(path) for path in KEPT}
    served = {path: finding for path, finding in findings.items() if set(finding.doors) <= set(SOCKETS)}
    assert served
    with Session(["--no-ros", "--engine", engine], list(SOCKETS.values()), SETTINGS, tmp_path / "server") as session:
        for path, finding in served.items():
            session.begin()
            play_all(session, finding.cases, SETTINGS.workers)
            assert session.faults() == [], path.name
