"""Vision of other years of the league: all around, turned, occluded, with own position and ball position."""

import math

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.teams import Side
from test.rigs.robots.vision import ALL_AROUND, QUIET, cartesian, nao, seen


def place(played, x, y, yaw=0.0, side=None, client="", **vision):
    description = nao(**{"interval": 1, **QUIET, **vision})
    robot = played.world.add_robot(description, (x, y, 0.385), yaw, client=client, clearance=0.0)
    if side is not None:
        robot.side, robot.team, robot.unum = side, side.value, robot.handle + 1
    return robot


def landmarks(percepts, row=0):
    return {target for target in seen(percepts, row) if isinstance(target, str)}


def test_without_limits_everything_around_is_seen_and_no_line_is_clipped(played):
    place(played, -3.0, 2.0, 0.3, **ALL_AROUND)
    percepts = played.run(1)
    assert landmarks(percepts) == {*played.world.settings.field.landmarks(), "B"}
    assert len(percepts.sight.line_polar) == len(played.world.settings.field.lines())
    ends = cartesian(percepts.sight.line_polar).reshape(-1, 2, 3)
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    whole = [math.dist(*line) for line in played.world.settings.field.lines()]
    assert lengths == pytest.approx(whole, abs=1e-9)


def test_limits_of_one_robot_are_not_those_of_another(played):
    place(played, 0.0, 5.0)
    place(played, 2.0, 5.0, **ALL_AROUND)
    percepts = played.run(1)
    assert not {"G1L", "F1L"} & landmarks(percepts, 0)
    assert {"G1L", "F1L"} <= landmarks(percepts, 1)


@pytest.mark.parametrize(("pan", "tilt"), [(90, 0), (-30, 0), (0, 20), (135, -10)])
def test_pan_and_tilt_turn_the_view(played, pan, tilt):
    robot = place(played, 0.0, 0.0, 0.0, **ALL_AROUND)
    robot.client = "me"
    before = seen(played.run(1))["G1R"]
    played.world.place(robot, 0.0, 0.0, 0.385, 0.0)
    turned = seen(played.act(Action("me", "pantilt", (math.radians(pan), math.radians(tilt)))))["G1R"]
    # positive pan is to the left, about z; positive tilt is up, about -y
    camera = rotation_about((0, 0, 1), math.radians(pan)) @ rotation_about((0, -1, 0), math.radians(tilt))
    # the first look and the second are at the same height, but for one cycle of falling more or less: 2 mm at 15 m
    expected = cartesian(before)[0] @ camera / before[0]
    assert cartesian(turned)[0] / turned[0] == pytest.approx(expected, abs=2e-3)


def test_tilt_ends_at_the_vertical(played):
    played.join("me")
    played.act(Action("me", "pantilt", (math.radians(270), math.radians(120))))
    robot = played.world.robot_of("me")
    assert robot.pan_tilt == pytest.approx((-math.pi / 2, math.pi / 2))


@pytest.mark.parametrize(("side", "sign"), [(None, 1), (Side.LEFT, 1), (Side.RIGHT, -1)])
def test_static_axes_point_toward_the_opponents_goal_however_the_robot_stands(play, side, sign):
    # Robots stand where the rules would not let them, before the kick-off.
    played = play(referee=False)
    place(played, 1.0, 2.0, 0.7, side, static_axes=True, **ALL_AROUND)
    _, azimuth, _ = seen(played.run(1))["F1R"]
    assert azimuth == pytest.approx(math.atan2(sign * (10 - 2), sign * (15 - 1)), abs=0.01)


def test_robots_hide_what_is_behind_them(play):
    # Robots stand where the rules would not let them, before the kick-off.
    played = play(referee=False)
    place(played, -3.0, 0.0, 0.0, Side.LEFT, occluder_radius=0.3)
    place(played, 0.0, 0.0, 0.0, Side.LEFT)
    place(played, 2.0, 0.0, 0.0, Side.LEFT)
    played.world.place_ball((1.0, 0.0))
    looking = seen(played.run(1))
    assert ("head", 1) in looking and ("rfoot", 1) in looking
    assert "B" not in looking and ("head", 2) not in looking
    played.world.place_ball((-2.0, 0.0))
    assert "B" in seen(played.run(1))
    open_view = seen(played.run(1), 1)
    assert ("head", 2) in open_view


def test_own_position_heading_and_ball_are_reported_between_objects_and_lines(play):
    extras = {"own_position": True, "own_orientation": True, "ball_position": True}
    encoder = AgentEncoder(load_profile("measured"))
    for side, sign in ((Side.LEFT, 1), (Side.RIGHT, -1)):
        played = play()
        robot = place(played, -3.0, 2.0, math.radians(30), side, client="me", **extras)
        played.world.place_ball((1.0, -2.0))
        message = encoder.encode(played.run(1))["me"][4:].decode()
        engine = played.world.engine
        ((x, y, z),), _ = engine.link_poses(engine.select_links([(robot.handle, "head")]))
        ball = played.world.engine.state.ball_position
        expected = f" (mypos {sign * x:.2f} {sign * y:.2f} {z:.2f}) (myorien 30.00)"
        expected += f" (ballpos {sign * ball[0]:.2f} {sign * ball[1]:.2f} {ball[2]:.2f}) (L (pol "
        assert expected in message
        see = message[message.index("(See") :]
        assert see.index("(mypos") > see.index("(F1R")


def test_on_a_field_without_lines_everything_else_is_seen(played, monkeypatch):
    observers = 3
    monkeypatch.setattr(Field, "lines", lambda field: ())
    for row in range(observers):
        place(played, 2.0 * row, 0.0, client=f"client{row}", **ALL_AROUND)
    percepts = played.run(1)
    for row in range(observers):
        assert landmarks(percepts, row) == {*played.world.settings.field.landmarks(), "B"}
    assert percepts.sight.line_polar.shape == (0, 2, 3)
    assert percepts.sight.line_offset.tolist() == [0] * (observers + 1)
    message = AgentEncoder(load_profile("measured")).encode(percepts)["client0"]
    assert b"(B (pol" in message and b"(L (pol" not in message


@pytest.mark.parametrize(
    ("vision", "message"),
    [
        ({"horizontal_fov_deg": 360.0}, "vertical_fov_deg|horizontal_fov_deg"),
        ({"horizontal_fov_deg": 200.0}, "horizontal_fov_deg must be between 0 and 180 degrees, or both 360"),
        ({"occluder_radius": -0.1}, "occluder_radius must be at least 0"),
    ],
)
def test_impossible_views_are_refused_by_name(played, vision, message):
    with pytest.raises(ConfigurationError, match=message):
        place(played, 0.0, 0.0, **vision)
