import gc
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
import pytest

from simspark_ros.cli import main
from simspark_ros.perceptors.rays import rays_of
from simspark_ros.physics.registry import engine_names
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loading.robot_resources import RobotWord, SpawnError, SpawnRefusal, find_resource
from simspark_ros.simulation.loading.spawning import spawn, wanted_pose
from simspark_ros.simulation.settings import SimulationSettings, load_simulation_settings
from simspark_ros.soccer.world import SoccerWorld
from simspark_stress.fuzz.doors.bombs import chain
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import BOX, LIMIT, joint, link, mesh, robot, write

LONG = "x" * 5000


@pytest.mark.parametrize(
    ("uri", "reason", "named"),
    [
        (f"{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        (f"file:///{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        (f"package://simspark_ros/{LONG}.yaml", SpawnRefusal.NO_RESOURCE, "File name too long"),
        ("file://[x/a.yaml", SpawnRefusal.UNSUPPORTED_FORMAT, "is no URI"),
        ("a\0b.yaml", SpawnRefusal.NO_RESOURCE, "there is no file"),
        ("mine.urdf", SpawnRefusal.NO_RESOURCE, f"there is no file 'mine.urdf' in {Path.cwd()}, where"),
        ("file:///no/mine.urdf", SpawnRefusal.NO_RESOURCE, "there is no file '/no/mine.urdf'; give the path of"),
    ],
)
def test_a_uri_that_the_system_cannot_look_up_is_refused(uri: str, reason: SpawnRefusal, named: str) -> None:
    with pytest.raises(SpawnError, match=named) as caught:
        find_resource(uri)
    assert caught.value.reason is reason and len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("nao/4", ("", "nao/4", None)),
        ("keeper=nao@-1,2.5", ("keeper", "nao", (-1.0, 2.5, 0.0))),
        ("nao?thigh_z=-0.05@1,2,1.5", ("", "nao?thigh_z=-0.05", (1.0, 2.0, 1.5))),
        ("a=/home/me@work/b.urdf", ("a", "/home/me@work/b.urdf", None)),
        ("model@2", ("", "model@2", None)),
    ],
)
def test_a_word_has_a_name_a_robot_and_a_place(text: str, parts: tuple[object, ...]) -> None:
    word = RobotWord.of(text)
    assert (word.name, word.uri, word.place) == parts


@contextmanager
def world_of(settings: SimulationSettings) -> Iterator[SoccerWorld]:
    world = build_simulation(settings, [], time.monotonic, time.sleep)[0].world
    with closing(world.engine):
        yield world


def own_robot(folder: Path, settings: SimulationSettings, links: int = 2, more: str = "") -> RobotDescription:
    """A chain of links from a file of a user."""
    (folder / "r.urdf").write_text(chain(links))
    (folder / "r.yaml").write_text(f"model: r.urdf\n{more}\n")
    return find_resource(str(folder / "r.yaml")).load(settings)


@pytest.mark.parametrize(("frame", "is_default"), [("", True), ("map", False), ("world", False)])
def test_a_pose_of_zeros_is_the_origin_in_a_frame_and_any_free_place_without_one(frame: str, is_default: bool) -> None:
    for orientation in ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)):
        assert (wanted_pose(frame, (0.0, 0.0, 0.0), orientation) is None) is is_default


def test_the_address_of_a_robot_in_a_package_is_found_as_the_addresses_in_its_file_are(monkeypatch, tmp_path) -> None:
    (tmp_path / "my_robots").mkdir()
    path = write(tmp_path / "my_robots", robot(link("base", BOX)))
    uri = f"package://my_robots/{path.name}"
    with pytest.raises(SpawnError, match=r"'my_robots' is not found in ROS_PACKAGE_PATH or .*; set ROS_PACKAGE_PATH"):
        find_resource(uri)
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert find_resource(uri).load(load_simulation_settings()).model.links[0].name == "base"


@pytest.mark.parametrize("engine", engine_names())
def test_robots_from_files_are_refused_where_the_world_would_be_too_large(engine: str, tmp_path: Path) -> None:
    skip_without(engine)
    settings = replace(load_simulation_settings(), engine=engine, pacing="fast")
    with world_of(settings) as world:
        nao, large = load_robot("nao"), own_robot(tmp_path, settings, 30, "effectors: [{kind: beam}]")
        for _ in range(22):
            spawn(world, nao, settings)
        # Beside a whole match there is room for 416 - 22 x 13 colliding solids.
        for _ in range(4):
            spawn(world, large, settings)
        before = world.engine.state.handles
        with pytest.raises(SpawnError, match="would have 436 colliding solids; world_colliding allows 416") as caught:
            spawn(world, large, settings)
        assert caught.value.reason is SpawnRefusal.OPERATION_FAILED
        assert world.engine.state.handles == before and len(world.robots) == 26
        # Robots of the package are limited in number only, and room that is given back is room again.
        spawn(world, nao, settings)
        for robot in list(world.robots.values())[:3]:
            world.remove_robot(robot)
        spawn(world, large, settings)
        world.step()
        assert np.isfinite(world.engine.state.position).all()


@pytest.mark.parametrize(
    ("setting", "most", "what"), [("world_links", 3, "4 links"), ("world_joints", 1, "2 joints, fixed ones included")]
)
def test_each_limit_on_the_world_is_named(setting: str, most: int, what: str, tmp_path: Path) -> None:
    settings = replace(load_simulation_settings(), **{setting: most})  # type: ignore[arg-type]
    with world_of(settings) as world:
        small = own_robot(tmp_path, settings)
        spawn(world, small, settings)
        with pytest.raises(SpawnError, match=f"would have {what}; {setting} allows {most}"):
            spawn(world, small, settings)


def test_a_link_that_collides_with_nothing_is_named_at_the_spawn_and_by_inspect(tmp_path, played, caplog, capsys):
    gone = link("arm", mesh("gone.stl")), joint("j", "base", "arm", LIMIT)
    path = write(tmp_path, robot(link("base", BOX), *gone))
    settings = replace(played.simulation.scheduler.settings, robot_file_time=60.0)
    spawn(played.world, find_resource(str(path)).load(settings), settings)
    assert main(["robot", "inspect", str(path), "--robot-file-time", "60"]) == 0
    for told in (caplog.text, capsys.readouterr().out):
        assert "link 'arm' collides with nothing, as meshes are missing" in told


def test_the_log_has_one_line_of_a_text_whose_many_links_lack_their_meshes_however_often_it_is_added(played, caplog):
    names = [f"arm_{number}" for number in range(20)]
    arms = [(link(name, mesh("gone.stl")), joint(f"j_{name}", "base", name, LIMIT)) for name in names]
    text = robot(link("base", BOX), *(part for arm in arms for part in arm))
    settings = replace(played.simulation.scheduler.settings, robot_file_time=60.0)
    for _ in range(2):
        spawn(played.world, find_resource("", text).load(settings), settings)
    assert [record.getMessage() for record in caplog.records if "collide" in record.getMessage()] == [
        "resource_string.urdf 'made': links 'arm_0', 'arm_1' and 18 more collide with nothing, as meshes are missing"
    ]


def test_the_rays_of_all_robots_are_limited(tmp_path: Path) -> None:
    laser = "{{kind: laser, name: l{}, link: link_0, parameters: {{beams: 100, always: true}}}}"
    settings = replace(load_simulation_settings(), world_rays=600)
    with world_of(settings) as world:
        more = f"perceptors: [{laser.format(1)}, {laser.format(2)}]"
        scanner, nao = own_robot(tmp_path, settings, more=more), load_robot("nao_sensors")
        spawn(world, scanner, settings)
        # Of the package: it counts, and is not refused.
        spawn(world, nao, settings)
        with pytest.raises(SpawnError, match="would cast 703 rays in a cycle; world_rays allows 600") as caught:
            spawn(world, scanner, settings)
        assert caught.value.reason is SpawnRefusal.OPERATION_FAILED and len(world.robots) == 2
        for _ in range(2):
            spawn(world, nao, settings)
    assert 64 * rays_of(nao) < load_simulation_settings().world_rays, "64 robots with all sensors"


@pytest.mark.parametrize("engine", engine_names())
def test_nothing_keeps_a_robot_that_has_left(engine: str, play: Callable[..., Any]) -> None:
    skip_without(engine)
    played = play(engine=engine)
    world = played.world
    described = load_robot("nao_sensors")
    made = replace(described, model=replace(described.model, name="guest"))
    gone = ref(made), ref(made.model)
    robot = world.add_robot(made, (3.0, 3.0, 0.4), 0.0, name="guest")
    played.run(3)
    world.remove_robot(robot)
    played.run(3)
    del made, robot
    gc.collect()
    # PyBullet frees no body: the engine keeps some for the next robot like it.
    assert [one() is None for one in gone] == [True, engine != "bullet"]
