import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.model import BallModel
from simspark_ros.protocol.monitor.reader import MonitorReader, lights_of
from simspark_ros.rendering.drawing.bodies import TEAM_COLOURS
from simspark_ros.rendering.drawing.meshes import box
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lights import LIGHTS_LENGTH, lights_text
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.teams import Side
from simspark_watching.broadcast.labels import segments
from simspark_watching.viewer.field import MARGIN, field_of, pitch
from simspark_watching.viewer.meshes import build_bodies, colour_bytes
from simspark_watching.viewer.trail import PERIOD, SECONDS, Trail
from watching.test.broadcast.scenes import BALL, FINDER, frame, percepts, robot, shown

SIZE = 1e-4
"""Frames carry six digits, m."""


def test_bodies_have_the_links_own_axes():
    # A quarter turn to the left: forward is +y.
    reader = shown(robot("nao", 0, "left", 1), quaternion=(0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))
    bodies, _ = build_bodies(FINDER.find(reader.nodes), BallModel(0.042, 0.026))
    positions, quaternions = bodies.poses(reader.world())
    axes = rotations_from_quaternions(quaternions[:, [1, 2, 3, 0]])
    assert positions[3] == pytest.approx([0.3, 0.0, 0.3], abs=SIZE)
    assert axes[3] == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=SIZE)
    # The ball is the last of the bodies and turns with the world's axes; behind it come marks that stand upright.
    ball = len(bodies.nodes) - 1
    assert positions[ball] == pytest.approx(BALL, abs=SIZE) and axes[ball] == pytest.approx(np.eye(3), abs=SIZE)
    assert positions[ball + 1][:2] == pytest.approx(positions[0][:2]) and axes[ball + 1] == pytest.approx(np.eye(3))


def test_a_full_field_costs_few_meshes_and_the_ball_is_white_with_patches():
    teams = [robot("nao", (unum - 1) % 5, side, unum) for side in ("left", "right") for unum in range(1, 12)]
    reader = shown(*teams)
    bodies, batches = build_bodies(FINDER.find(reader.nodes), BallModel(0.042, 0.026))
    poses = bodies.poses(reader.world())
    # Two messages a mesh and picture: one type alone has about 20, the five types together twice as many.
    assert len(batches) <= 45 and len(bodies.torsos) == 22
    for batch in batches:
        positions, quaternions = batch.poses(*poses)
        assert len(positions) == len(quaternions) == len(batch.rows) == len(batch.colours)
    _, batches = build_bodies(FINDER.find(shown().nodes), BallModel(0.042, 0.026, colour=(0.2, 0.4, 0.6)))
    ball = [batch for batch in batches if not batch.is_mark]
    assert len(ball) == 2 and (ball[0].colours[0] == colour_bytes([(0.2, 0.4, 0.6, 1.0)])[0]).all()
    assert np.linalg.norm(ball[0].mesh.vertices, axis=1) == pytest.approx(0.042)


@pytest.mark.parametrize(("side", "key"), [("left", Side.LEFT), ("right", Side.RIGHT), ("", None)])
def test_robots_wear_their_teams_colour(side, key):
    nodes = shown(robot("nao", 0, side, 1 if side else 0)).nodes
    bodies, batches = build_bodies(FINDER.find(nodes), BallModel(0.042, 0.026))
    colour = colour_bytes([TEAM_COLOURS[key]])[0]
    torso = int(bodies.torsos[0])
    worn = [batch.colours[batch.rows == torso] for batch in batches if torso in batch.rows]
    # Robots without a team keep their own colours.
    assert any((colours == colour).all(1).any() for colours in worn) is (key is not None)


@pytest.mark.parametrize(("number", "lit"), [(1, 2), (8, 7), (11, 4), (10, 8)])
def test_a_number_stands_on_both_sides_and_is_not_mirrored(number, lit):
    found = segments(number, box(np.array([0.1, 0.2, 0.3])))
    front, back = [one for one in found if one.centre[0] > 0], [one for one in found if one.centre[0] < 0]
    assert len(front) == len(back) == lit
    # Who looks at the chest sees its left at -y, who looks at the back at +y.
    assert sorted(one.centre[1] for one in front) == pytest.approx(sorted(-one.centre[1] for one in back))
    if number == 10:
        assert np.mean([segment.centre[1] for segment in front]) > 0, "the 0 has more segments and stands on the right"


RED_CHEST = {"Chest": (1.0, 0.0, 0.0)}


def lit(*devices):
    """A reader that was shown two robots, each with the lights that its driver commanded."""
    moment = percepts(*(robot("nao_v6", 0, "", 0)._replace(handle=handle) for handle in (1, 2)))
    told = [(handle, lights_text(commanded)) for handle, commanded in enumerate(devices, 1)]
    game = moment.game._replace(lights=tuple(pair for pair in told if pair[1]))
    reader = MonitorReader()
    reader.show(frame(replace(moment, game=game)))
    return reader


def test_lights_have_their_colours_on_the_robot_that_was_commanded():
    reader = lit({}, RED_CHEST)
    objects = FINDER.find(reader.nodes)
    lights = lights_of(reader.environment)
    assert list(lights) == [objects.robots[1].place]
    bodies, batches = build_bodies(objects, BallModel(0.042, 0.026), lights)
    (lamps,) = (batch for batch in batches if batch.is_light)
    (chest,) = np.flatnonzero((lamps.colours == (255, 15, 15)).all(axis=1))
    positions, quaternions = bodies.poses(reader.world())
    places, _ = lamps.poses(positions, quaternions)
    ring = next(ring for ring in load_robot("nao_v6").lights if ring.device == "Chest")
    torso = load_robot("nao_v6").model.link("torso")
    assert places[chest] - positions[bodies.torsos[1]] == pytest.approx(np.subtract(ring.at, torso.centre))
    assert len(lamps.rows) == 2 * 8 + 2 * 10 + 12 + 3
    # What cannot be read is left out.
    assert lights_of({"lights": "7 zz x"}) == lights_of({"lights": "x " + "0" * LIGHTS_LENGTH}) == {}


USUAL = load_soccer_settings().field


def test_sizes_are_those_of_the_environment():
    field = field_of(USUAL, {"FieldLength": "12", "FieldWidth": "8", "GoalWidth": "1.4"})
    assert (field.length, field.width, field.goal_width, field.goal_depth) == (12, 8, 1.4, USUAL.goal_depth)
    (_, _), (grass, _), *_ = pitch(field)
    assert grass.vertices[:, 0].max() <= 6 + MARGIN + 1e-9


@pytest.mark.parametrize("value", ["nan", "-3", "0", "x", "1e9"])
def test_a_size_that_cannot_be_is_left_as_usual(value):
    assert field_of(USUAL, {"FieldLength": value}) == USUAL


def test_every_triangle_refers_to_a_vertex_and_faces_up_on_the_ground():
    for mesh, _ in pitch(USUAL)[:4]:
        assert mesh.triangles.max() < len(mesh.vertices)
        a, b, c = (mesh.vertices[mesh.triangles[:, corner]] for corner in range(3))
        upward = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
        # A disc is a ring whose inner triangles have no area.
        assert (upward >= 0).all() and (upward > 0).any()


class Scene:
    """The lines that are in the scene."""

    def __init__(self) -> None:
        self.lines: dict[str, Any] = {}

    def add_line_segments(self, name: str, points: Any, colours: Any, thickness: float) -> Any:
        self.lines[name] = points
        return self

    def remove(self) -> None:
        self.lines.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    time = [100.0]
    monkeypatch.setattr("simspark_watching.viewer.trail.time.monotonic", lambda: time[0])
    return time


def follow(line: Trail, clock: list[float], *places: float) -> None:
    for x in places:
        clock[0] += PERIOD
        line.take(np.array((x, 0.0, 0.0)))


def test_it_goes_through_the_last_places_of_the_ball_and_not_over_a_jump_while_it_is_wanted(clock: list[float]) -> None:
    scene = Scene()
    line = Trail(scene)
    follow(line, clock, 0.0, 1.0)
    assert not scene.lines
    line.switch(True)
    follow(line, clock, 0.0, 1.0, 9.0, 10.0)
    (segments,) = scene.lines.values()
    assert segments[:, :, 0].tolist() == [[0.0, 1.0], [9.0, 10.0]]
    clock[0] += SECONDS
    follow(line, clock, 11.0)
    assert not scene.lines
    follow(line, clock, 12.0)
    assert scene.lines
    line.switch(False)
    assert not scene.lines
