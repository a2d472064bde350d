from dataclasses import fields
from pathlib import Path

import pytest

from simspark_ros.arena import Arena
from simspark_ros.cli import main
from simspark_ros.configuration.limits import LimitSettings, for_own_files
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.simulation.settings import load_simulation_settings
from test.robots.formats.adaptation.makers import joint, link, robot, write

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
    # The default is a limit like any other once somebody has set it.
    assert main(["robot", "inspect", "--max-colliding", "36", str(studded)]) != 0
    for most in (36, 40):
        own = for_own_files(LimitSettings(max_colliding=most))
        assert own.max_colliding == most and own.max_links > LimitSettings().max_links


def test_limits_of_the_package_s_file_are_set_by_nobody_and_those_of_another_by_the_operator(tmp_path: Path) -> None:
    assert for_own_files(load_simulation_settings()).max_colliding == for_own_files(LimitSettings()).max_colliding
    path = write(tmp_path, "simulation: {max_colliding: 36}", "settings.yaml")
    assert for_own_files(load_simulation_settings(path)).max_colliding == 36
    usual, own = LimitSettings(), for_own_files(LimitSettings())
    assert all(getattr(own, field.name) >= getattr(usual, field.name) for field in fields(LimitSettings))


def test_fixed_joints_and_frames_do_not_count_as_what_moves(tmp_path: Path) -> None:
    chain = [link("l0"), *(link(f"l{n}") + joint(f"j{n}", f"l{n - 1}", f"l{n}", kind="fixed") for n in range(1, 6))]
    frames = [link(f"f{n}", mass=0.0) + joint(f"k{n}", "l0", f"f{n}", kind="fixed") for n in range(18)]
    path = write(tmp_path, robot(*chain, *frames))
    model = load_foreign(path, 0, LimitSettings(max_joints=0, max_links=6)).model
    assert (len(model.links), len(model.fixed_joints), len(model.frames)) == (6, 5, 18)
    with pytest.raises(RobotError, match="6 links with mass; max_links allows 5"):
        load_foreign(write(tmp_path, robot(*chain), "short.urdf"), 0, LimitSettings(max_links=5))
    with pytest.raises(RobotError, match="24 links; max_links allows 5 with mass, together with frames 4 times as m"):
        load_foreign(path, 0, LimitSettings(max_links=5))
