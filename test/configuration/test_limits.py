"""Limits on robots' files: tight for clients, wide for the operator's own files."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from simspark_ros.arena import Arena
from simspark_ros.cli import main
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from test.robots.formats.adaptation.makers import link, robot, write

BALL = '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.01"/></geometry></collision>'


@pytest.fixture
def studded(tmp_path: Path) -> Path:
    """A robot of 45 solids that collide, as many as ANYmal C has."""
    return write(tmp_path, robot(link("base", "".join(BALL.format(0.02 * place) for place in range(45)))))


def test_a_client_s_robot_is_refused_with_the_limit_where_the_operator_s_is_taken(studded: Path) -> None:
    with pytest.raises(RobotError, match="45 colliding solids; max_colliding allows 36"):
        load_foreign(studded, 0, LimitSettings())
    assert main(["robot", "inspect", str(studded)]) == 0
    with Arena(f"studded={studded}", engine="planar", world="empty") as arena:
        assert len(arena["studded"].description.model.base.collisions) == 45


def test_a_limit_that_the_operator_sets_holds_for_his_own_files_too(studded: Path) -> None:
    assert main(["robot", "inspect", "--max-colliding", "40", str(studded)]) != 0
    own = for_own_files(LimitSettings(max_colliding=40))
    assert own.max_colliding == 40
    assert own.max_links > LimitSettings().max_links


def test_no_limit_is_tighter_on_own_files() -> None:
    usual, own = LimitSettings(), for_own_files(LimitSettings())
    assert all(getattr(own, field.name) >= getattr(usual, field.name) for field in fields(LimitSettings))
