import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import EFFECTORS
from simspark_ros.effectors.zoom import camera_of, view_of
from simspark_ros.perceptors.readings import Detected
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.rendering.scene_models import cameras_of_lines, lines_of_cameras, models_of_lines
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec
from simspark_ros.server.inspection import Inspector
from simspark_ros.simulation.robot_checks import check_effectors
from simspark_ros.worlds.robot import Robot

WIDER = math.tan(math.radians(30.0)) / math.tan(math.radians(15.0))
"""Ratio of lengths in pictures with fields of view of 30 and 60 degrees."""


@pytest.fixture
def arena() -> Iterator[Arena]:
    """A robot that looks at the ball in the middle of its picture."""
    with Arena("watcher=differential_sensors", engine="planar", world="msl", referee=False) as made:
        made["watcher"].place(0.0, 0.0)
        made.place_ball(2.5, 0.0)
        made.step()
        yield made


def zoom(arena: Arena, degrees: float, cycles: int = 45) -> None:
    """Tell the robot to zoom, and wait."""
    arena["watcher"].act("zoom", math.radians(degrees))
    arena.step(cycles)


def robot_of(arena: Arena) -> Robot:
    robot = arena.world.robot_named("watcher")
    assert robot is not None
    return robot


def view(arena: Arena) -> float:
    return view_of(camera_of(robot_of(arena).carried, "camera"))


def test_a_lens_zooms_at_its_speed_within_its_limits(arena: Arena) -> None:
    views = []
    arena["watcher"].act("zoom", math.radians(20.0))
    for _ in range(60):
        arena.step()
        views.append(view(arena))
    # 40 degrees at 40 degrees a second, a step before each of ten pictures a second.
    assert views[0] == 60.0 and views[-1] == pytest.approx(20.0)
    assert sorted(set(views), reverse=True) == pytest.approx([60.0 - 4.0 * step for step in range(11)])
    zoom(arena, 1.0)
    assert view(arena) == 6.0
    zoom(arena, 170.0, cycles=80)
    assert view(arena) == 60.0
    # As it was before: nothing is left to do in a cycle.
    assert not arena.world.zooms


def test_commands_that_come_in_every_cycle_zoom_as_fast_and_a_lens_without_a_speed_at_once(arena: Arena) -> None:
    for _ in range(60):
        zoom(arena, 20.0, cycles=1)
    assert view(arena) == pytest.approx(20.0)
    # Time at rest is no reserve: the next step is as large as any.
    for _ in range(6):
        zoom(arena, 60.0, cycles=1)
    assert view(arena) == pytest.approx(24.0)
    robot = robot_of(arena)
    specs = tuple(replace(one, parameters={}) for one in robot.description.effectors if one.kind == "zoom")
    robot.description = replace(robot.description, effectors=specs)
    for degrees in (30.0, 50.0):
        zoom(arena, degrees, cycles=1)
        assert view(arena) == pytest.approx(degrees)


def test_pictures_and_detections_follow(arena: Arena) -> None:
    key = robot_of(arena).handle, "detections", "detections"
    sensing = arena.simulation.sensing

    def widths() -> tuple[float, float]:
        """Width of the ball in the picture, and as detected, pixels."""
        red, green, blue = arena["watcher"].picture("camera").astype(int).transpose(2, 0, 1)
        columns = ((red > 150) & (green < 150) & (blue < 80)).any(axis=0)
        for _ in range(10):
            sensing.demand({key}, "test")
            arena.step()
            found = sensing.detections.get(key)
            if found is not None and Detected.BALL in found.kind:
                box = found.box[list(found.kind).index(Detected.BALL)]
                return float(columns.sum()), float(box[2] - box[0])
        raise AssertionError("the ball was never detected")

    before = widths()
    zoom(arena, 30.0)
    assert [now / then for now, then in zip(widths(), before, strict=True)] == pytest.approx([WIDER] * 2, rel=0.1)


def test_processes_that_draw_and_monitors_that_inspect_are_told_of_the_lens(arena: Arena) -> None:
    robot, inspector = robot_of(arena), Inspector(arena.simulation)

    def lines() -> dict[str, float]:
        told = cameras_of_lines("\n".join(lines_of_cameras([("watcher", robot.description, robot.carried)])))
        described = {name: replace(robot.description, perceptors=specs) for name, specs in told.items()}
        return {name: cameras_of(one)[0].settings.lens.focal_length for name, one in described.items()}

    def told() -> float:
        inspector.look(arena.simulation.sensing.layout)
        roster = inspector.roster(arena.simulation.sensing.layout)
        assert roster is not None
        (body,) = (kind.body for kind in roster.kinds if '"camera"' in kind.body)
        (description,) = models_of_lines(body).values()
        return view_of(camera_of(description.perceptors, "camera"))

    assert (lines(), told()) == ({}, 60.0)
    zoom(arena, 30.0)
    assert lines() == {"watcher": pytest.approx(160.0 / math.tan(math.radians(15.0)))}
    assert told() == pytest.approx(30.0)


def test_a_reset_gives_the_lens_its_first_view_and_a_robot_that_leaves_takes_its_command_along(arena: Arena) -> None:
    zoom(arena, 30.0)
    arena.world.reset_state()
    arena.step()
    assert view(arena) == 60.0 and not arena.world.zooms
    zoom(arena, 30.0, cycles=3)
    arena.remove("watcher")
    arena.step(10)
    assert not arena.world.zooms


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"camera": "rear"}, "unknown camera 'rear'; the robot has: camera, omni_camera"),
        ({"camera": "omni_camera"}, "looks into a mirror"),
        ({"min_deg": 70.0}, "min_deg must not be above max_deg"),
        ({"min_deg": 0.5}, "min_deg"),
    ],
)
def test_a_zoom_without_a_lens_for_it_is_refused_with_the_robot(parameters: dict[str, object], reason: str) -> None:
    bad = EffectorSpec("zoom", "zoom", "", parameters)
    with pytest.raises(ConfigurationError, match=reason):
        check_effectors(EFFECTORS, replace(load_robot("differential_sensors"), effectors=(bad,)))
