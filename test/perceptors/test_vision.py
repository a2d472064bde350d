import math

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.exchange import Action
from simspark_ros.perceptors.sight_features import POLES, SIGHT_FEATURES, features_of_sight
from simspark_ros.perceptors.vision import _MOST_TURNS, RestrictedVisionPerceptor
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.teams import Side
from test.rigs.robots.vision import ALL_AROUND, QUIET, cameras, cartesian, nao, seen


def look(play, x=0.0, y=0.0, yaw=0.0, **vision):
    """Percepts of one robot just placed in the air, where nothing has moved its head yet."""
    played = play()
    return played, played.world.add_robot(nao(**vision), (x, y, 0.385), yaw), played.run(1)


def test_without_noise_landmarks_are_where_they_are(play):
    played, robot, percepts = look(play, -3.0, 2.0, 0.3, **QUIET)
    selection = played.world.engine.select_links([(robot.handle, "head")])
    (head,), (rotation,) = played.world.engine.link_poses(selection)
    landmarks = played.world.settings.field.landmarks()
    found = {label: polar for label, polar in seen(percepts).items() if label in landmarks}
    assert found
    for label, polar in found.items():
        x, y, z = rotation.T @ (np.array(landmarks[label]) - head)
        expected = (math.hypot(x, y, z), math.atan2(y, x), math.asin(z / math.hypot(x, y, z)))
        assert polar == pytest.approx(expected, abs=1e-12)


def test_the_first_recorded_message_is_reproduced(played):
    """First See of the recorded session: a robot at (0, -1, 1.5) facing +y, after one cycle of free fall.

    Tolerance: four standard deviations of the noise and the calibration error of 5 mm seen at 1.89 m (0.15 degrees).
    """
    recorded = {"F1L": (18.68, 53.87, -5.02), "F1R": (18.68, -54.03, -4.98), "B": (1.89, 0.20, -58.05)}
    percepts = played.act(Action("a", "create", ("nao", 0)))
    objects = seen(percepts)
    assert set(objects) == set(recorded)
    for label, (distance, azimuth, elevation) in recorded.items():
        assert objects[label][0] == pytest.approx(distance, abs=2 * 0.01 + 4 * 0.000965 * distance)
        assert math.degrees(objects[label][1]) == pytest.approx(azimuth, abs=2 * (4 * 0.148 + 0.15))
        assert math.degrees(objects[label][2]) == pytest.approx(elevation, abs=2 * (4 * 0.1225 + 0.15))
    assert len(percepts.sight.line_polar) == 9


def test_a_robot_looks_in_its_first_cycle_and_every_third_after_and_later_ones_keep_their_own_rhythm(played):
    played.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    assert [played.run(1).sight is not None for _ in range(7)] == [True, False, False, True, False, False, True]
    played.world.add_robot(nao(), (2, 0, 0.385), 0.0)
    sights = [played.run(1).sight for _ in range(3)]
    assert [sight and sight.observers.tolist() for sight in sights] == [[1], None, [0]]


def test_more_sets_of_robots_than_are_kept_look_when_it_is_their_turn(play):
    world = play().world
    intervals = (2, 3, 4, 5, 7, 9, 11, 13)
    for row, interval in enumerate(intervals):
        world.add_robot(nao(interval=interval), (2.0 * row, 0.0, 0.385), 0.0)
    perceptor = RestrictedVisionPerceptor(np.random.default_rng(1))
    perceptor.bind(cameras(world), world)
    together = set()
    for world.cycle in range(600):
        due = [row for row, interval in enumerate(intervals) if world.cycle % interval == 0]
        together.add(tuple(due))
        present = np.ones(len(intervals), np.bool_)
        perceptor.sense(world, np.zeros(0), present)
        assert present.nonzero()[0].tolist() == due
        assert ([] if perceptor.sight is None else perceptor.sight.observers.tolist()) == due
        assert len(perceptor._turns) <= _MOST_TURNS
    assert len(together) > _MOST_TURNS


def test_own_arms_are_seen_but_neither_the_own_head_nor_robots_without_a_team(play):
    played = play()
    played.join()
    percepts = next(each for each in [played.run(1) for _ in range(3)] if each.sight is not None)
    assert {("rlowerarm", 0), ("llowerarm", 0)} <= set(seen(percepts)) and ("head", 0) not in seen(percepts)
    other = play()
    other.world.add_robot(nao(), (0, 0, 0.385), 0.0)
    assert not {("rlowerarm", 0), ("llowerarm", 0)} & set(seen(other.run(1)))


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
    assert not {"G1L", "F1L"} & landmarks(percepts, 0) and {"G1L", "F1L"} <= landmarks(percepts, 1)


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


def test_tilt_ends_at_the_vertical_and_impossible_views_are_refused_by_name(played):
    played.join("me")
    played.act(Action("me", "pantilt", (math.radians(270), math.radians(120))))
    assert played.world.robot_of("me").pan_tilt == pytest.approx((-math.pi / 2, math.pi / 2))
    for vision, message in (
        ({"horizontal_fov_deg": 360.0}, "vertical_fov_deg|horizontal_fov_deg"),
        ({"horizontal_fov_deg": 200.0}, "horizontal_fov_deg must be between 0 and 180 degrees, or both 360"),
        ({"occluder_radius": -0.1}, "occluder_radius must be at least 0"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            place(played, 0.0, 0.0, **vision)


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
    assert "B" in seen(played.run(1)) and ("head", 2) in seen(played.run(1), 1)


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


def test_distances_are_along_the_ground_and_goals_between_their_posts():
    seen = {"B": (2.0, 0.3, -math.pi / 3.0), "F2R": (5.0, -1.0, 0.0)}
    seen |= {"G1R": (5.0, math.atan2(1.0, 2.0), 0.0), "G2R": (5.0, math.atan2(-1.0, 2.0), 0.0)}
    features = features_of_sight(seen)
    lengths = {name: len(values) for name, values in features.items()}
    assert lengths == {feature.name: len(feature.columns) for feature in SIGHT_FEATURES}
    assert (features["ball_distance"], features["ball_angle"]) == (pytest.approx([1.0]), pytest.approx([0.3]))
    assert features["pole_angle"][POLES.index("F2R")] == -1.0
    assert np.isnan(features["pole_distance"][:3]).all()
    assert features["goal_distance"][1] == pytest.approx(5.0 * math.cos(math.atan2(1.0, 2.0)))
    assert features["goal_angle"][1] == pytest.approx(0.0) and np.isnan(features["goal_distance"][0])
