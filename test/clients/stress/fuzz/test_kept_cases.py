"""Every case that once did harm does none any more, on any engine. `simspark stress --findings` writes such files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from simspark_ros.clients.stress.fuzz.case import read_finding
from simspark_ros.clients.stress.fuzz.doors import AGENTS, MONITORS
from simspark_ros.clients.stress.fuzz.session import Door, Session
from simspark_ros.clients.stress.fuzz.trials import play_all
from simspark_ros.clients.stress.settings import FuzzSettings
from simspark_ros.physics.registry import engine_names
from simspark_ros.ros.stress_door import ros_doors
from simspark_ros.server.remote.stress_door import PROXIES, PROXY
from test.physics.engine_availability import skip_without
from test.rigs.ros_processes import Domain

KEPT = sorted((Path(__file__).parents[3] / "data" / "stress").glob("*.json"))

# The machine of the tests may be busy.
SETTINGS = FuzzSettings(max_gap=10.0, recovery=20.0)


@pytest.fixture
def doors(domain: Domain) -> Iterator[list[Door]]:
    """The doors of the cases, none of which needs a viewer; those of ROS are in a domain of this test."""
    needed = {name for path in KEPT for name in read_finding(path).doors}
    with mock.patch.dict(os.environ, domain.environment):
        yield [door for door in (AGENTS, MONITORS, PROXIES, PROXY, *ros_doors()) if door.name in needed]


@pytest.mark.parametrize("engine", engine_names())
def test_kept_cases_are_harmless(engine: str, doors: list[Door], tmp_path: Path):
    skip_without(engine)
    assert KEPT
    with Session(["--engine", engine], doors, SETTINGS, tmp_path / "server") as session:
        for path in KEPT:
            session.begin()
            play_all(session, read_finding(path).cases, SETTINGS.workers)
            assert session.faults() == [], path.name
