"""Worlds of SDF files: what stands, what moves, ground, light; and what is left out."""

import logging
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.arena import Arena
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.model import HeightField, Shape, ShapeKind
from simspark_ros.robots.formats.sdf.world import read_sdf_world
from simspark_ros.soccer.foreign_world import read_foreign_world_text
from simspark_ros.worlds.world_file import load_world
from test.rigs.engines import spatial_engine_names

BOX = "<geometry><box><size>{}</size></box></geometry>"
RED = "<material><diffuse>1 0 0 1</diffuse></material>"
SLIPPERY = "<surface><friction><ode><mu>0.2</mu></ode></friction></surface>"
WALL = f"""<model name='wall 1'><static>true</static><pose>2 0 0.5 0 0 0.5</pose>
  <link name='l'><pose>0 1 0 0 0 0</pose><collision name='c'>{BOX.format("3 0.2 1")}{SLIPPERY}</collision>
    <visual name='v'>{BOX.format("3 0.2 1")}{RED}</visual></link></model>"""
CRATE = f"""<model name='crate'><pose>-1 0 0.15 0 0 0.3</pose>
  <link name='l'><inertial><mass>2</mass></inertial><collision name='c'>{BOX.format("0.3 0.3 0.3")}</collision></link>
</model>"""
MOMENTS = "<inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
CART = f"""<model name='cart'><pose>-2 1 0.3 0 0 1</pose>
  <link name='body'><inertial><mass>2</mass>{MOMENTS}</inertial>
    <collision name='c'>{BOX.format("0.4 0.3 0.1")}</collision></link>
  <link name='arm'><pose>0 0 0.2 0 0 0</pose><inertial><mass>0.5</mass>{MOMENTS}</inertial>
    <collision name='c'><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
  <joint name='turn' type='revolute'><parent>body</parent><child>arm</child><axis><xyz>0 0 1</xyz></axis></joint>
</model>"""
PLANE = f"""<model name='floor'><static>1</static><link name='l'><collision name='c'>
  <geometry><plane><normal>0 0 1</normal></plane></geometry>{SLIPPERY}</collision></link></model>"""
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def write(folder: Path, content: str, name: str = "hall.world") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"<sdf version='1.6'><world name='hall'>{content}</world></sdf>", encoding="utf-8")
    return path


def test_static_models_are_obstacles_with_the_colour_of_their_visual_and_their_friction(tmp_path: Path) -> None:
    (wall,) = load_world(write(tmp_path, WALL)).scene.obstacles
    assert wall.name == "wall_1"
    assert wall.shape.size == (3.0, 0.2, 1.0)
    # The link lies 1 m to the left of the model, which is turned by 0.5 rad.
    place = (2.0 - np.sin(0.5), np.cos(0.5), 0.5)
    assert wall.shape.position == pytest.approx(place, abs=1e-8)
    assert wall.shape.rpy == pytest.approx((0.0, 0.0, 0.5), abs=1e-8)
    assert wall.shape.rgba == (1.0, 0.0, 0.0, 1.0)
    assert wall.material is not None and wall.material.friction == 0.2
    # Clients load its text.
    text = (tmp_path / "hall.world").read_text(encoding="utf-8")
    assert "wall_1" in read_foreign_world_text(text, LimitSettings()).document["obstacles"]


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_models_of_one_solid_are_objects_others_are_robots_by_their_number_among_those_that_move(
    tmp_path: Path, engine: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, CRATE + WALL + CART)
    assert read_sdf_world(path)["robots"]["cart"]["type"] == 1
    with Arena(world=str(path), engine=engine) as arena:
        arena.step(25)
        crate, cart = arena["crate"], arena["cart"]
        assert crate.description.model.mass == 2.0
        # Contacts let things sink in by a millimetre or two.
        assert crate.position == pytest.approx((-1.0, 0.0, 0.15), abs=0.003)
        assert cart.joints == ("turn",)
        assert cart.position == pytest.approx((-2.0, 1.0, 0.05), abs=0.003)
        assert np.arctan2(cart.rotation[1, 0], cart.rotation[0, 0]) == pytest.approx(1.0, abs=0.01)
    assert "pose of model 'cart'" in caplog.text


def test_ground_gravity_and_light_are_those_of_the_file(tmp_path: Path) -> None:
    light = "<light type='directional' name='sun'><direction>-1 0 -1</direction></light>"
    things = load_world(write(tmp_path, f"<gravity>0 0 -1.62</gravity>{light}{PLANE}")).things
    assert things.gravity == (0.0, 0.0, -1.62)
    assert (things.light.azimuth_deg, things.light.elevation_deg) == pytest.approx((0.0, 45.0))
    assert things.ground_surface is not None and things.ground_surface.friction == 0.2
    assert not things.obstacles


def test_included_models_and_their_meshes_are_found_in_the_package(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>hall</name></package>", encoding="utf-8")
    model = tmp_path / "models" / "rock"
    model.mkdir(parents=True)
    (model / "model.config").write_text("<model><sdf version='1.6'>model.sdf</sdf></model>", encoding="utf-8")
    (model / "rock.obj").write_text(TETRAHEDRON, encoding="utf-8")
    mesh = "<geometry><mesh><uri>model://rock/rock.obj</uri><scale>2 2 2</scale></mesh></geometry>"
    link = f"<link name='l'><collision name='c'>{mesh}</collision></link>"
    text = f"<sdf version='1.6'><model name='rock'><static>true</static>{link}</model></sdf>"
    (model / "model.sdf").write_text(text, encoding="utf-8")
    world = write(tmp_path / "worlds", "<include><uri>model://rock</uri><pose>5 0 0 0 0 0</pose></include>")
    (rock,) = load_world(world).scene.obstacles
    assert isinstance(rock.shape, Shape) and rock.shape.kind is ShapeKind.HULL
    assert rock.shape.position == pytest.approx((6.0, 1.0, 1.0))


def test_heightmaps_are_height_fields(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 255], [0, 0]], np.uint8)).save(tmp_path / "hills.png")
    heights = "<heightmap><uri>hills.png</uri><size>4 4 2</size><pos>1 0 0</pos></heightmap>"
    geometry = f"<geometry>{heights}</geometry>"
    link = f"<link name='l'><collision name='c'>{geometry}</collision><visual name='v'>{geometry}</visual></link>"
    model = f"<model name='hills'><static>true</static>{link}</model>"
    (hills,) = load_world(write(tmp_path, model)).scene.obstacles
    assert isinstance(hills.shape, HeightField)
    assert hills.shape.heights == ((0.0, 0.0), (0.0, 2.0))
    assert (hills.shape.size, hills.shape.position) == ((4.0, 4.0), (1.0, 0.0, 0.0))


def test_models_of_gazebo_s_library_are_there_and_what_is_elsewhere_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    everywhere = "<include><uri>https://fuel/Ground Plane</uri></include><include><uri>model://sun</uri></include>"
    elsewhere = "<include>\n<uri>https://fuel/House</uri></include><include><uri>model://house</uri></include>"
    (wall,) = load_world(write(tmp_path, everywhere + elsewhere + WALL)).scene.obstacles
    assert wall.name == "wall_1"
    told, missing = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "hall.world:1: dropped include" in told and "download the model" in told
    assert "dropped include" in missing and "model://house" in missing


def test_mistakes_are_named_with_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "\n<model name='m'><static>1</static>\n<pose>0 0 0</pose></model>")
    with pytest.raises(ConfigurationError, match=r"hall\.world:3: <pose>: '0 0 0' must be 6 finite numbers"):
        load_world(path)
