from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.sensors.access import DrivenRobot
from simspark_ros.simulation.registry import PERCEPTORS, perceptor_types
from simspark_ros.simulation.senses.sensing import _NUMBERS, Sensing, stream_of
from simspark_ros.simulation.senses.simulated_sensors import SimulatedSensors, sensor_data
from test.rigs.robots.sensor_program import SEEING, find_all_kinds_of_sight


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena(engine="planar", world="msl", referee=False, changes=("create.heading_deg=0",)) as made:
        yield made


def test_a_program_finds_cameras_detectors_and_lines_and_has_them_filled(arena: Arena) -> None:
    robot = arena.add(SEEING, name="mine")
    find_all_kinds_of_sight(robot.sensors)
    arena["mine"].place(-2.0, 0.0)
    arena.place_ball(0.0, 0.0)
    image, labels, depth = (robot.sensors.get(type="camera", feature=name) for name in ("image", "labels", "depth"))
    found = ("ball_distance", "ball_box", "line_angle")
    ball, box, lines = (robot.sensors.get(type="detections", feature=name) for name in found)
    seen = robot.sensors.get(type="restricted_vision", feature="line_distance")
    assert robot.sensors.update(image, labels, depth, ball, box, lines, seen, patience=0.5)
    assert image.values.shape == (24, 32, 3) and image.values.max() <= 255.0 < image.values.sum()
    # From the camera to the ball's middle; it is before the robot, and so in the middle of the picture.
    assert ball.values == pytest.approx([2.0], abs=0.3)
    left, top, right, bottom = box.values
    assert left < 16 < right
    row, column = round((top + bottom) / 2), 15
    assert labels.values[row, column] == 3.0 and depth.values[row, column] == pytest.approx(2.0, abs=0.3)
    assert np.isfinite(lines.values).any() and np.isfinite(seen.values).any()
    # The mirror's picture, once more at the camera's rate.
    around = robot.sensors.get(model="omni", feature="image")
    assert robot.sensors.update(around, patience=0.5) and around.values.shape == (16, 16, 3)
    first = around.stamp
    assert first is not None and robot.sensors.update(around, patience=0.5)
    assert around.stamp == pytest.approx(first + 0.1)
    (spec,) = (one for one in arena["mine"].description.perceptors if one.name == "omni_camera")
    faster = replace(spec, parameters={**spec.parameters, "rate_hz": 25.0})
    arena.simulation.sensing.adjust(arena.world, arena.entity("mine"), faster)
    assert robot.sensors.update(around, patience=0.5) and around.stamp == pytest.approx(first + 0.14)


def test_a_container_that_drivers_fill_is_searched_alike() -> None:
    types, description = perceptor_types(), load_robot("differential_sensors")
    data = sensor_data(description, lambda spec: types[spec.kind].features_of(spec))
    robot = DrivenRobot("metal", data, {})
    image = robot.sensors.get(type="camera", model="DFW500", feature="image")
    assert {one.type for one in robot.sensors.find(model="omni")} == {"camera", "restricted_vision"}
    robot.put(image, np.zeros((240, 320, 3)), 1.0)
    assert robot.sensors.update(image) and image.values.shape == (240, 320, 3)
    # Programs that ask for a goal still get the sensor that sees all around.
    assert robot.sensors.get(feature="ball_distance").name == "omni_vision"


def test_without_anybody_who_draws_pictures_stay_empty(arena: Arena) -> None:
    arena.add("differential_sensors", name="r")
    sensors = SimulatedSensors(arena.entity("r"), arena.simulation.sensing)
    arena.add_node(sensors)
    image, poles = sensors.container.get(feature="image"), sensors.container.get(feature="pole_distance")
    sensors.container.update(image, poles)
    arena.step(3)
    assert poles.values.size and not image.values.size


def drawn(types: dict[str, type[Perceptor]], seed: int = 4) -> dict[str, float]:
    """The first number of each kind's stream; some kinds draw one as they are made."""
    sensing = Sensing(types, np.random.SeedSequence(seed).spawn(3)[1])
    return {kind: float(perceptor.random.random()) for kind, perceptor in sensing._perceptors.items()}


def test_every_kind_has_a_stream_of_its_own_whatever_the_order_of_kinds() -> None:
    assert drawn(dict(sorted(PERCEPTORS.items(), reverse=True))) == drawn(PERCEPTORS)
    keys = [stream_of(np.random.SeedSequence(0), kind).spawn_key for kind in (*PERCEPTORS, "a", "ab")]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("kind", _NUMBERS)
def test_kinds_with_a_number_draw_what_they_always_drew(kind: str) -> None:
    perception = np.random.SeedSequence(4).spawn(3)[1]
    of_old = np.random.SeedSequence(4).spawn(3)[1].spawn(21)[_NUMBERS[kind]]
    assert stream_of(perception, kind).generate_state(4).tolist() == of_old.generate_state(4).tolist()
