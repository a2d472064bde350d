import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.model import HeightField
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.rendered_scene import RenderedScene
from simspark_ros.rendering.renderer import WALL, Layer, SceneRenderer
from simspark_ros.rendering.scene_models import SimulatedRobot, line_of_model, models_of_lines
from simspark_ros.simulation.entities import entity as entities
from simspark_ros.simulation.entities.bounds import box_of
from simspark_ros.simulation.entities.entity import Category, EntityInfos, Velocity, move_entity, state_of
from simspark_ros.simulation.loading.spawning import SpawnPose
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.soccer.foreign_world import check_size
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import read_world, soccer_settings
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.errors import CommandRejectedError
from test.physics.engine_availability import skip_without
from test.rigs.engines import spatial_engine_names
from test.simulation.loading.conftest import built, load

BOX = """
based_on: empty
materials: {wood: {friction: 0.5}}
obstacles: {ramp: {box: [1, 1, 0.1], position: [2, 0, 0.5], rpy_deg: [0, 30, 0], material: wood}}
objects: {crate: {box: [0.2, 0.4, 0.2], position: [0, 1, 0.5], rpy_deg: [10, 20, 30], mass: 2, velocity: [1, 0, 0]}}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "own.yaml"
    path.write_text(text)
    return str(path)


def positions(simulation: Simulation) -> dict[str, np.ndarray]:
    state = simulation.world.engine.state
    return {robot.name: state.position[state.row(robot.handle)] for robot in simulation.world.robots.values()}


@pytest.mark.parametrize("engine", spatial_engine_names())
def test_the_course_stands_and_comes_back_after_a_reset(engine: str) -> None:
    skip_without(engine)
    simulation = built(engine, world="obstacles")
    assert simulation.world.scene.ball is None and not simulation.world.scene.boxes
    before = positions(simulation)
    assert set(before) == {"crate", "parcel", "drum", "toy_ball", "scout", "roller"}
    simulation.run(50)
    after = positions(simulation)
    # What stands stays, and sinks in by some millimetres.
    for name in ("crate", "parcel", "drum", "roller"):
        assert after[name] == pytest.approx(before[name], abs=0.01)
    assert after["toy_ball"][2] < 0.3
    # No referee lets the match begin.
    assert simulation.world.game.play_mode is PlayMode.BEFORE_KICK_OFF
    move_entity(simulation, named(simulation, "crate"), SpawnPose((3.0, 3.0, 1.0), (0.0, 0.0, 0.0, 1.0)))
    simulation.reset_state()
    again = positions(simulation)
    for name in ("crate", "parcel", "drum", "toy_ball"):
        assert again[name] == pytest.approx(before[name], abs=1e-6)


def named(simulation: Simulation, name: str):
    entity = entities.entity_named(simulation.world, name)
    assert entity is not None
    return entity


def test_a_tilted_object_comes_back_as_it_was_and_is_part_of_the_state_hash(tmp_path: Path) -> None:
    simulation = built(world=written(tmp_path, BOX))
    crate = named(simulation, "crate")
    pose, velocity = state_of(simulation.world, crate)
    assert velocity.linear == pytest.approx((1.0, 0.0, 0.0))
    simulation.run(50)
    simulation.reset_state()
    back, still = state_of(simulation.world, crate)
    assert back.position == pytest.approx(pose.position) and still.linear == (0.0, 0.0, 0.0)
    assert abs(np.dot(back.quaternion, pose.quaternion)) == pytest.approx(1.0)
    simulation, other = built(world=written(tmp_path, BOX)), built(world=written(tmp_path, BOX))
    simulation.run(10)
    other.run(10)
    assert state_hash(simulation.world) == state_hash(other.world)
    move_entity(simulation, named(simulation, "crate"), velocity=Velocity((0.0, 0.0, 0.001)))
    assert state_hash(simulation.world) != state_hash(other.world)


def test_obstacles_and_objects_are_entities(tmp_path: Path) -> None:
    simulation = built(world=written(tmp_path, BOX))
    world, infos = simulation.world, EntityInfos()
    assert [entity.name for entity in entities.entities_of(world)] == ["field", "ramp", "crate"]
    ramp, crate, ground = (named(simulation, name) for name in ("ramp", "crate", "field"))
    assert infos.of(world, ramp).category is Category.STATIC_OBJECT
    assert infos.of(world, crate).category is Category.DYNAMIC_OBJECT
    assert state_of(world, ramp)[0].quaternion == pytest.approx((0.0, math.sin(math.pi / 12), 0.0, 0.9659258))
    with pytest.raises(CommandRejectedError, match="part of the world"):
        move_entity(simulation, ramp, SpawnPose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
    move_entity(simulation, crate, SpawnPose((1.0, 1.0, 2.0), (0.0, 0.0, 0.0, 1.0)))
    low, high = box_of(world, crate, in_world=True)
    assert (low, high) == (pytest.approx([0.9, 0.8, 1.9]), pytest.approx([1.1, 1.2, 2.1]))
    low, high = box_of(world, ramp, in_world=True)
    half = 0.5 * math.cos(math.pi / 6) + 0.05 * math.sin(math.pi / 6)
    assert (low[0], high[0]) == (pytest.approx(2.0 - half), pytest.approx(2.0 + half))
    assert box_of(world, ground, in_world=True)[1][0] > 10.0


def test_a_world_without_soccer_follows_one_with_it_and_the_other_way_round() -> None:
    simulation = built(world="soccer")
    load(simulation, "obstacles")
    assert len(simulation.world.robots) == 6
    assert [robot.name for robot in simulation.world.without_objects] == ["scout", "roller"]
    simulation.run_cycle()
    with pytest.raises(CommandRejectedError, match="no ball"):
        TRAINER_COMMANDS["ball"].command(trainer_of(simulation), [0.0] * 6)
    with pytest.raises(CommandRejectedError, match="no referee"):
        TRAINER_COMMANDS["drop_ball"].command(trainer_of(simulation), [])
    load(simulation, "soccer")
    assert not simulation.world.robots and simulation.world.scene.ball is not None
    TRAINER_COMMANDS["drop_ball"].command(trainer_of(simulation), [])


def test_robots_of_a_world_have_parameters_drawn_types_and_devices_mounted_on_them(tmp_path: Path) -> None:
    text = """
based_on: empty
robots:
  long:
    robot: "nao?thigh_z=-0.05&ankle_z=-0.06"
    heading_deg: 90
    position: [1, 2, 0]
    more: {perceptors: [{kind: camera, name: extra, link: head, parameters: {rate_hz: 5.0}}]}
  drawn: {robot: nao, type: 1, position: [3, 0, 0]}
"""
    simulation = built(world=written(tmp_path, text), random_types=7)
    long, drawn = (robot.description for robot in simulation.world.robots.values())
    assert long.parameters["thigh_z"] == -0.05 and long.perceptors[-1].parameters == {"rate_hz": 5.0}
    assert drawn.parameters == dict(simulation.world.types.of("nao")[1].parameters)
    assert state_of(simulation.world, named(simulation, "long"))[0].position == pytest.approx((1.0, 2.0, 0.0))
    # The processes that draw pictures know robots and objects by what the simulator tells.
    (told,) = models_of_lines(line_of_model(long)).values()
    assert [camera.name for camera in told.perceptors] == ["camera", "extra"]


def test_pictures_show_obstacles_and_objects_in_their_colours(tmp_path: Path) -> None:
    text = """
based_on: empty
obstacles: {wall: {box: [0.1, 1, 1], position: [3, 1, 0.5], colour: [0, 0, 1]}}
objects: {cube: {box: [1, 1, 1], position: [3, -1, 0.5], mass: 1, colour: [1, 0, 0]}}
"""
    settings = soccer_settings(read_world(written(tmp_path, text)))
    (cube,) = built(world=written(tmp_path, text)).world.robots.values()
    renderer = SceneRenderer(settings)
    scene = RenderedScene(renderer, pytest.fail)
    scene.learn(models_of_lines(line_of_model(cube.description)))
    scene.follow([SimulatedRobot("cube", cube.description.source, 0, None, links=1)])
    scene.place(ScenePose(np.array([[3.0, -1.0, 0.5]]), np.array([[0.0, 0.0, 0.0, 1.0]]), None))
    camera = CameraPose.look_at((0.0, 0.0, 0.8), (3.0, 0.0, 0.5))
    seen = renderer.view(camera, Lens(80, 40, math.radians(80.0)), Layer.PICTURE | Layer.LABELS)
    renderer.close()
    left, right = seen.picture[20, 25].astype(int), seen.picture[20, 55].astype(int)
    assert left[2] > 2 * left[0] and right[0] > 2 * right[2] and seen.labels[20, 25] == WALL


def test_the_heights_of_a_picture_lie_with_its_upper_row_in_the_north(tmp_path: Path) -> None:
    Image.fromarray(np.array([[0, 0, 255], [0, 0, 0]], np.uint8)).save(tmp_path / "hill.png")
    text = "{based_on: empty, obstacles: {hill: {height_field: {size: [2, 1], image: hill.png, height: 0.5}}}}"
    (hill,) = soccer_settings(read_world(written(tmp_path, text))).scene.obstacles
    assert hill.shape == HeightField(((0.0, 0.0, 0.0), (0.0, 0.0, 0.5)), (2.0, 1.0), rgba=(0.7, 0.7, 0.7, 1.0))


@pytest.mark.parametrize("engine", ["planar", "ode"])
def test_prisms_and_ellipses_stand_lie_and_are_seen(tmp_path: Path, engine: str) -> None:
    skip_without(engine)
    # The long side of the wedge goes from (1, -1) to (-1, 1) about the centroid (-1/3, -1/3).
    text = """
based_on: empty
obstacles:
  wedge: {prism: {outline: [[-1, -1], [1, -1], [-1, 1]], height: 0.4}, position: [3, 0, 0.2], material: ice}
  pond: {ellipse: [1.0, 0.5, 0.2], position: [0, 3, 0.1]}
materials: {ice: {friction: 0.0}}
objects:
  disc: {ellipse: [0.3, 0.2, 0.1], position: [0, -3, 0.06], mass: 1}
  tile: {prism: {outline: [[0, 0], [0.3, 0], [0, 0.3]], height: 0.1}, position: [3.2, 2, 0.05], mass: 1,
    velocity: [0, -4, 0], material: ice}
"""
    simulation = built(engine, world=written(tmp_path, text))
    physics = simulation.world.engine
    origins = np.array([[0.0, 0.0, 0.2], [0.0, 0.0, 0.1], [0.0, 0.0, 0.3]])
    hits = physics.cast_rays(origins, np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]), 8.0)
    # The wedge's left side is 2/3 m before its middle; a ray of 0.3 m passes above the pond.
    assert hits.distance == pytest.approx([3.0 - 2.0 / 3.0, 2.5, math.inf], abs=1e-6)
    for _ in range(40):
        simulation.run_cycle()
    rows = {robot.name: physics.state.row(handle) for handle, robot in simulation.world.robots.items()}
    assert physics.state.position[rows["disc"]] == pytest.approx([0.0, -3.0, 0.05], abs=0.012)
    # It came down on the long side, which sends it along +x, and never went into it.
    x, y, _ = physics.state.position[rows["tile"]].tolist()
    assert x > 3.3 and (x - 3.0) + y > 0.0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("obstacles: {a: {prism: {outline: [[0, 0], [1, 0]], height: 1}}}", "a: prism: outline: must have 3"),
        ("objects: {a: {ellipse: [1, 0, 1], mass: 1}}", "objects: a: value 2 of ellipse must be"),
        ("obstacles: {a: {box: [1, 1, 1], sphere: 1}}", "obstacles: a: must have one of"),
        ("obstacles: {a: {position: [0, 0, 0]}}", "not none"),
        ("objects: {a: {box: [1, 1, 1]}}", "objects: a: key 'mass' is missing"),
        ("objects: {a: {box: [1, 1, 0], mass: 1}}", "objects: a: value 3 of box must be"),
        ("objects: {a b: {sphere: 1, mass: 1}}", "is not a valid name"),
        ("objects: {ball: {sphere: 1, mass: 1}}", "is not a valid name"),
        ("objects: {a: {sphere: 1, mass: 1}}\nobstacles: {a: {sphere: 1}}", "two things are named 'a'"),
        ("objects: {a: {sphere: 1, mass: 1, material: gold}}", "unknown material 'gold'"),
        ("obstacles: {a: {height_field: {size: [1, 1], heights: [[0, 0], [0]]}}}", "heights: must be a grid"),
        ("obstacles: {a: {height_field: {size: [1, 1], image: ../a.png, height: 1}}}", "in the world's folder"),
        ("obstacles: {a: {height_field: {size: [1, 1], image: none.png, height: 1}}}", "cannot be read"),
        ("objects: {a: {sphere: 0.001, mass: 0.001}}", "'a': object 'a'"),
        ("robots: {a: {robot: tank}}", "'a': unknown robot 'tank'"),
        ("robots: {a: {robot: nao, more: {perceptors: [{kind: camera, link: tail}]}}}", "unknown link or frame 'tail'"),
        ("robots: {a: {robot: nao, more: {perceptors: [2020-01-01]}}}", "not a number, text or list"),
        ("robots: {a: {robot: nao, more: {motors: []}}}", "more: 'motors'"),
        ("robots: {a: {robot: nao}, b: {robot: nao}}", "'b': another robot is nearer"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        built(world=written(tmp_path, f"based_on: empty\n{text}"))
    assert problem in str(raised.value) and "own.yaml" in str(raised.value)


def test_worlds_of_clients_keep_within_limits(tmp_path: Path) -> None:
    simulation = built(world="empty")
    obstacles = ", ".join(f"a{number}: {{sphere: 1}}" for number in range(300))
    with pytest.raises(ConfigurationError, match="world_things allows 256"):
        load(simulation, "", f"based_on: empty\nobstacles: {{{obstacles}}}")
    own = soccer_settings(read_world(written(tmp_path, "based_on: empty\nrobots: {a: {robot: /etc/robot.yaml}}")))
    with pytest.raises(ConfigurationError, match="only robots of the package"):
        check_size(own.things, LimitSettings(), "a world")
