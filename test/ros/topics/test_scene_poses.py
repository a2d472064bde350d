"""Who draws robots is told what they look like, when robots of a new kind come."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy")

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.rendering.scene_models import cameras_of_lines, models_of_lines
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.foreign import load_foreign_text
from simspark_ros.ros.topics.world import scene_poses
from simspark_ros.simulation.loop import Simulation
from simspark_ros.soccer.settings import load_soccer_settings, world_of_text
from simspark_ros.worlds.robot import Robot
from test.robots.formats.adaptation import makers

SPHERE = '<geometry><sphere radius="0.2"/></geometry>'
BALL_ROBOT = makers.robot(makers.link("a", f"<visual>{SPHERE}</visual><collision>{SPHERE}</collision>"))


class Wire:
    """Publishers in one, without subscribers."""

    def __init__(self) -> None:
        self.models: list[str] = []
        self.worlds: list[str] = []

    def publish(self, message: Any) -> None:
        """Poses are not kept."""

    def of(self, topic: str) -> Any:
        kept = {scene_poses.MODELS_TOPIC: self.models, scene_poses.WORLD_TOPIC: self.worlds}.get(topic)
        return self if kept is None else SimpleNamespace(publish=lambda message: kept.append(message.data))


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire = Wire()
    monkeypatch.setattr(scene_poses, "create_publisher", lambda node, kind, topic, qos: wire.of(topic))
    return wire


@pytest.fixture
def simulation(wire: Wire, played: Any) -> Simulation:
    simulation: Simulation = played.simulation
    node: Any = None
    simulation.add_node(scene_poses.ScenePosesControl(node, {}))
    return simulation


def add(simulation: Simulation, description: RobotDescription, x: float) -> Robot:
    added = simulation.world.add_robot(description, (x, 0.0, description.spawn_height), 0.0)
    simulation.run(1)
    return added


def test_looks_are_told_once_for_each_kind_and_again_for_a_new_one(wire: Wire, simulation: Simulation) -> None:
    nao = load_robot("nao")
    robots = [add(simulation, nao, float(number)) for number in range(2)]
    assert [list(models_of_lines(text)) for text in wire.models] == [[("nao", 0)]]
    simulation.world.remove_robot(robots[0])
    simulation.run(1)
    assert len(wire.models) == 1
    add(simulation, load_robot("nao", 4), 3.0)
    assert list(models_of_lines(wire.models[-1])) == [("nao", 0), ("nao", 4)]
    # The file changed in between.
    add(simulation, replace(nao, model=load_robot("nao", 3).model), 5.0)
    assert len(wire.models) == 3


def test_the_world_is_told_when_it_is_another_one_with_its_changes(wire: Wire, simulation: Simulation) -> None:
    robot = add(simulation, load_robot("nao"), 0.0)
    assert [world_of_text(text) for text in wire.worlds] == [load_soccer_settings()]
    simulation.world.remove_robot(robot)
    text = "based_on: empty\nobstacles: {wall: {box: [0.1, 3.0, 2.0], position: [2.0, 0.0, 1.0]}}"
    simulation.worlds.prepare(simulation, simulation.worlds.find("", text, LimitSettings())())()
    simulation.scheduler.resume()
    add(simulation, load_robot("nao"), 0.0)
    told = world_of_text(wire.worlds[-1])
    assert len(wire.worlds) == 2 and told.things.standing == simulation.world.settings.things.standing != ()
    assert not told.plays_soccer and told.scene == simulation.world.settings.scene


def test_a_robot_that_was_a_text_is_told_as_any_other(wire: Wire, simulation: Simulation) -> None:
    robot = load_foreign_text(BALL_ROBOT, LimitSettings())
    add(simulation, robot, 0.0)
    (told,) = models_of_lines(wire.models[-1]).values()
    assert told.source == robot.source
    assert told.model.links[0].visuals == robot.model.links[0].visuals != ()


def test_cameras_that_were_changed_are_told_of_their_robot_alone(wire: Wire, simulation: Simulation) -> None:
    nao = load_robot("nao")
    robots = [add(simulation, nao, float(number)) for number in range(2)]
    for robot, name in zip(robots, ("a", "b"), strict=True):
        robot.name = name
    told = len(wire.models)
    (camera,) = (one for one in nao.perceptors if one.kind == "camera")
    simulation.sensing.adjust(simulation.world, robots[1], replace(camera, parameters={"width": 64, "height": 48}))
    simulation.run(1)
    (name,) = cameras_of_lines(wire.models[-1])
    assert (len(wire.models), name) == (told + 1, "b")
    assert cameras_of_lines(wire.models[-1])["b"][0].parameters["width"] == 64
    simulation.world.revision += 1
    simulation.run(1)
    assert len(wire.models) == told + 1
