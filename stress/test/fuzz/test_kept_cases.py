"""Every case that once did harm does none any more, on any engine. `simspark stress --findings` writes such files."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

pytest.importorskip("rclpy")

from simspark_stress.command import all_doors
from simspark_stress.fuzz.case import read_finding
from simspark_stress.fuzz.replay import replayed
from simspark_stress.fuzz.session import Door, Session
from simspark_stress.fuzz.trials import play_all
from simspark_stress.settings import FuzzSettings
from test.physics.engine_availability import skip_without
from test.rigs.engines import spatial_engine_names
from test.rigs.ros_processes import Domain

KEPT = sorted((Path(__file__).parents[1] / "data").glob("*.json"))

# The machine of the tests may be busy.
SETTINGS = FuzzSettings(max_gap=10.0, recovery=20.0)


@pytest.fixture
def doors(domain: Domain) -> Iterator[dict[str, Door]]:
    """All doors; those of ROS are in a domain of this test."""
    with mock.patch.dict(os.environ, domain.environment):
        yield {door.name: door for door in all_doors()}


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_kept_cases_are_harmless(engine: str, doors: dict[str, Door], tmp_path: Path):
    skip_without(engine)
    kept = {path.stem: read_finding(path) for path in KEPT}
    assert kept
    # Those without conditions share a server and an observation; each is played alone if something was seen.
    alike = {name: finding for name, finding in kept.items() if not (finding.quiet or finding.server)}
    needed = {name for finding in alike.values() for name in finding.doors}
    with Session(["--engine", engine], [doors[name] for name in needed], SETTINGS, tmp_path / "server") as session:
        session.begin()
        for finding in alike.values():
            play_all(session, finding.cases, SETTINGS.workers)
            session.tidy()
        seen = session.faults()
    alone = replace(SETTINGS, server=("--engine", engine))
    if seen:
        guilty = {name: replayed(finding, doors, alone, tmp_path / name) for name, finding in alike.items()}
        pytest.fail(f"{seen}; of each alone: {guilty}")
    for name in kept.keys() - alike.keys():
        assert replayed(kept[name], doors, alone, tmp_path / name) == [], name
