import inspect
import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pytest

from simspark_ros.configuration.schema import Checked, Error, Range, build, declarations
from simspark_ros.perceptors.base import Perceptor
from simspark_ros.perceptors.odometry import OdometryPerceptor
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.simulation.registry import PERCEPTORS


def readings(percepts, row, kind):
    slots = [slot for slot in percepts.layout.robots[row].slots if slot.kind == kind]
    return [percepts.values[slot.start : slot.start + len(slot.columns)].tolist() for slot in slots]


def check_motion_and_joints(played, percepts, rows):
    """Robots of these rows report their own angular velocity and joints, all others nothing."""
    state = played.world.engine.state
    for row, robot in enumerate(played.world.robots.values()):
        if row not in rows:
            assert percepts.layout.robots[row].slots == ()
            continue
        (turning,) = readings(percepts, row, "gyroscope")
        # The same product in another order of additions.
        assert turning == pytest.approx(state.rotation[row].T @ state.angular_velocity[row], abs=1e-12)
        first = int(state.joint_offset[row])
        own = state.joint_position[first : first + len(robot.description.model.joints)].tolist()
        angles = [angle for (angle,) in readings(percepts, row, "hinge_joint")]
        assert sorted(angles) == sorted(own) and len(readings(percepts, row, "force_resistance")) == 2


def test_readings_stay_with_their_robot_when_robots_without_perceptors_come_and_go(play):
    played, nao = play(referee=False), load_robot("nao")
    world, robots = played.world, (nao, replace(nao, perceptors=()), nao)
    for row, (robot, rows) in enumerate(zip(robots, ({0}, {0}, {0, 2}), strict=True)):
        world.add_robot(robot, (3.0 * row - 6.0, 0.0, 0.385), 0.3 + 0.8 * row)
        percepts = played.run(3)
        check_motion_and_joints(played, percepts, rows)
    first = next(iter(world.robots.values()))
    assert readings(percepts, 0, "gyroscope") != readings(percepts, 2, "gyroscope")
    world.remove_robot(first)
    check_motion_and_joints(played, played.run(3), {1})


OPTIONS = {kind: perceptor.options for kind, perceptor in PERCEPTORS.items() if perceptor.options is not None}

SPEAKS_OF_ERRORS = re.compile(
    "standard deviation|noise|error of|off by|is lost|not found|not there|whole multiples|told for each"
)
NO_ERRORS = {"blur", "own_position", "own_orientation", "ball_position"}
"""Parameters whose entries have these words: a lens, and values that are without noise."""


def entries(options: type[Any]) -> dict[str, str]:
    """What docstrings say of parameters, by name; what is not in a list is said of all."""
    said: dict[str, str] = {}
    for one in reversed([cls for cls in options.__mro__ if cls.__doc__ and cls not in (object, Checked)]):
        summary, _, listed = (one.__doc__ or "").partition("Attributes:")
        found = re.findall(r"^ {4,}([a-z_]+(?:, [a-z_]+)*): (.*(?:\n {9,}.*)*)", listed, re.MULTILINE)
        said |= {name: text for names, text in found for name in names.split(", ")}
        own = set(inspect.get_annotations(one)) - {name for names, _ in found for name in names.split(", ")}
        said |= dict.fromkeys(own, summary)
    return said


def test_odometry_counts_metres_and_turns_as_they_are() -> None:
    told = {"distance_noise": 0.1, "turn_noise_deg": 3.0, "distance_scale": 1.2, "turn_scale": 0.9, "interval": 5}
    exact = OdometryPerceptor.exact(PerceptorSpec("odometry", "o", parameters=told))
    options = build(OdometryPerceptor.options, exact.parameters, "")
    assert options == OdometryPerceptor.options(distance_scale=1.0, turn_scale=1.0)


def test_a_sensor_of_ones_own_declares_its_errors() -> None:
    @dataclass(frozen=True)
    class Parameters(Checked):
        bias: Annotated[float, Error()] = 0.3
        drift: Annotated[float, Range(0.0, 1.0), Error()] = 0.1
        gain: Annotated[float, Error(neutral=1.0)] = 1.1
        noise_floor_shown: bool = True

    class Sensor(Perceptor):
        options = Parameters

    exact = Sensor.exact(PerceptorSpec("sensor", "s", parameters={"bias": 2.0}))
    assert exact.parameters == {"bias": 0.0, "drift": 0.0, "gain": 1.0}


@pytest.mark.parametrize("kind", OPTIONS)
def test_what_docstrings_call_an_error_is_declared_as_one(kind: str) -> None:
    said = entries(OPTIONS[kind])
    for declared in declarations(OPTIONS[kind]):
        speaks = bool(SPEAKS_OF_ERRORS.search(" ".join(said[declared.name].split())))
        is_error = re.search("noise|error", declared.name) or (speaks and declared.name not in NO_ERRORS)
        assert bool(is_error) == (declared.error is not None), f"{kind}: {declared.name}: {said[declared.name]}"


@pytest.mark.parametrize("kind", OPTIONS)
def test_neutral_values_are_allowed(kind: str) -> None:
    assert build(OPTIONS[kind], PERCEPTORS[kind].exact(PerceptorSpec(kind, kind)).parameters, kind)
