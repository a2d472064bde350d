"""Detections against pictures that are rendered from the same poses, against true poses, and their errors."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.perceptors.camera import OPTICAL_DOWN
from simspark_ros.perceptors.detection.features import DETECTION_FEATURES, features_of_detections
from simspark_ros.perceptors.detection.markings import FieldMarkings
from simspark_ros.perceptors.readings import Detected, Detections, Markings
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation, quaternions_from_rotations
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import Vector
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.optics import CameraPose
from simspark_ros.rendering.renderer import BALL, FIRST_ROBOT, CameraView, Layer, SceneRenderer
from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.errors import UnusableRobotError
from test.rendering.scenes import BALL_RADIUS, FIELD, scene

NAO = load_robot("nao_sensors")
CAMERAS = {camera.name: camera for camera in cameras_of(NAO)}


class Observer:
    """A Nao with one more detector, which floats where it is put."""

    def __init__(self, played, place: Vector, rpy=(0.0, 0.0, 0.0), camera="camera", link="torso", **parameters) -> None:
        self.played, self.camera = played, camera
        spec = PerceptorSpec("detections", "own", link, {"camera": camera, "interval": 1, **parameters})
        self.robot = played.world.add_robot(replace(NAO, perceptors=(*NAO.perceptors, spec)), (0.0, 0.0, 5.0), 0.0)
        self.key = (self.robot.handle, "detections", "own")
        played.simulation.sensing.demand({self.key})
        turned = quaternion_from_rotation(rotation_from_rpy(rpy))
        played.world.engine.place_robot(self.robot.handle, place, turned)

    def look(self, cycles: int = 0) -> Detections:
        world = self.played.world
        world.cycle += cycles
        self.played.simulation.sensing.sense(world, 0.0)
        found: Detections = self.played.simulation.sensing.detections[self.key]
        return found

    def pose(self, place: str) -> tuple[np.ndarray, np.ndarray]:
        """Origin (3,) and rotation (3, 3) of a frame of the robot in the world."""
        engine = self.played.world.engine
        positions, rotations = engine.link_poses(engine.select_links([(self.robot.handle, place)]))
        return positions[0], rotations[0]


def picture(renderer: SceneRenderer, observer: Observer, *others: Any) -> CameraView:
    """What the observer's camera shows of ball and other robots."""
    engine, camera = observer.played.world.engine, CAMERAS[observer.camera]
    carrier = NAO.model.links[camera.mount.link].name
    renderer.set_robots([RobotLook(other.description.model) for other in others])
    robots = []
    for other in others:
        links = [(other.handle, link.name) for link in other.description.model.links]
        positions, rotations = engine.link_poses(engine.select_links(links))
        robots.append((positions, quaternions_from_rotations(rotations)))
    renderer.place(scene(*robots, ball=tuple(engine.state.ball_position.tolist())))
    pose = CameraPose.on_link(camera.mount, *observer.pose(carrier))
    return renderer.view(pose, camera.settings.lens, Layer.LABELS)


def of(found: Detections, kind: Detected) -> list[int]:
    return [int(index) for index in np.flatnonzero(found.kind == kind)]


def edges(labels: np.ndarray, label: int) -> list[int]:
    rows, columns = np.nonzero(labels == label)
    return [columns.min(), rows.min(), columns.max(), rows.max()]


@pytest.mark.parametrize("camera", ["camera", "camera_bottom"])
@pytest.mark.parametrize("place", [(1.2, 0.0), (0.9, 0.25), (2.0, -0.6)])
def test_the_ball_is_at_the_pixels_where_the_picture_shows_it(played, renderer, camera, place):
    observer = Observer(played, (0.0, 0.0, 0.385), (0.02, 0.3 if camera == "camera" else -0.1, 0.1), camera)
    played.world.engine.place_ball((*place, BALL_RADIUS))
    labels = picture(renderer, observer).labels
    found = observer.look()
    (ball,) = of(found, Detected.BALL)
    # What is drawn is a polyhedron in it, and has whole pixels.
    assert found.box[ball] == pytest.approx(edges(labels, BALL), abs=2.0)
    rows, columns = np.nonzero(labels == BALL)
    assert found.pixel[ball] == pytest.approx([columns.mean(), rows.mean()], abs=0.4)


def test_a_robot_is_in_the_box_that_the_picture_shows(played, renderer):
    observer = Observer(played, (-2.0, 0.0, 0.6))
    labels = picture(renderer, observer, played.world.add_robot(NAO, (0.0, 0.2, 0.385), 0.5)).labels
    found = observer.look()
    (robot,) = of(found, Detected.ROBOT)
    # Boxes are around what collides, pictures show what is drawn.
    assert found.box[robot] == pytest.approx(edges(labels, FIRST_ROBOT), abs=8.0)


def test_positions_are_in_the_detectors_frame_and_on_the_field(played):
    observer = Observer(played, (0.3, -0.4, 0.385), (0.0, 0.3, 0.1), link="camera_bottom_optical")
    played.world.engine.place_ball((1.3, -0.3, BALL_RADIUS))
    ball = played.world.engine.state.ball_position
    found = observer.look()
    (index,) = of(found, Detected.BALL)
    origin, rotation = observer.pose("camera_bottom_optical")
    assert found.position[index] == pytest.approx((ball - origin) @ rotation)
    assert found.position[index][2] > 0.8, "z is forward"
    assert found.in_map[index] == pytest.approx(ball)
    assert found.size[index] == pytest.approx([2.0 * BALL_RADIUS] * 3) and not found.covariance.any()
    base, turn = observer.pose("base_link")
    assert found.pose == pytest.approx(np.column_stack((turn, base)))


def test_a_camera_that_is_changed_is_the_one_whose_pictures_are_meant(played):
    observer = Observer(played, (0.3, -0.4, 0.385), (0.0, 0.3, 0.1))
    played.world.engine.place_ball((1.3, -0.3, BALL_RADIUS))
    found = observer.look()
    (before,) = found.box[of(found, Detected.BALL)]
    camera = next(one for one in NAO.perceptors if (one.kind, one.name) == ("camera", "camera"))
    twice = replace(camera, parameters={**camera.parameters, "width": 640, "height": 480})
    played.simulation.sensing.adjust(played.world, observer.robot, twice)
    found = observer.look(1)
    (after,) = found.box[of(found, Detected.BALL)]
    assert after[2:] == pytest.approx(2.0 * before[2:], rel=0.05)


def test_goal_posts_have_their_side_and_their_team(played):
    found = Observer(played, (FIELD.length / 2 - 4.0, 0.0, 0.6)).look()
    left, right = sorted(of(found, Detected.GOALPOST), key=lambda index: found.pixel[index, 0])
    assert (found.number[[left, right]] == [1, 2]).all()
    half = (FIELD.goal_width + FIELD.goal_thickness) / 2
    assert found.in_map[left][:2] == pytest.approx([FIELD.length / 2 + FIELD.goal_thickness / 2, half])
    assert found.in_map[right][1] == pytest.approx(-half)
    assert (found.team == 0).all(), "a robot without a team has neither goal"


def test_what_is_behind_a_robot_is_not_found_unless_nothing_hides(played):
    played.world.engine.place_ball((2.0, 0.0, BALL_RADIUS))
    played.world.add_robot(NAO, (1.2, 0.055, 0.385), 0.0)
    counts = []
    for occlusion in (True, False):
        observer = Observer(played, (0.0, 0.0, 0.385), (0.0, 0.1, 0.0), occlusion=occlusion)
        counts.append(len(of(observer.look(), Detected.BALL)))
        played.world.remove_robot(observer.robot)
    assert counts == [0, 1]


def test_lines_end_where_the_picture_does(played):
    observer = Observer(played, (-3.0, 1.0, 0.6), (0.0, 0.3, 0.2))
    found = observer.look()
    assert len(found.lines) > 3
    assert (found.line_pixels >= -0.5).all() and (found.line_pixels <= [319.5, 239.5]).all()
    # In the frame of the torso all of them are on the ground.
    origin, rotation = observer.pose("torso")
    offset = np.array(NAO.model.link("torso").centre)
    heights = (origin + (found.lines - offset) @ rotation.T)[..., 2]
    assert heights == pytest.approx(np.zeros_like(heights), abs=1e-9)


LOOKS = 1000
"""Number of looks; among so many a share of misses varies by 0.013, of phantoms by 0.017, a deviation by 2.2 %."""


def test_error_rates_hold(played):
    observer = Observer(
        played,
        (0.0, 0.0, 0.385),
        (0.0, 0.2, 0.0),
        occlusion=False,
        missed=0.2,
        phantoms=0.3,
        direction_noise_deg=1.0,
        distance_noise=0.05,
    )
    played.world.engine.place_ball((1.5, 0.0, BALL_RADIUS))
    camera, _ = observer.pose("camera_optical")
    true = played.world.engine.state.ball_position - camera
    distances, turns, phantoms = [], [], 0
    for _ in range(LOOKS):
        found = observer.look(1)
        balls = found.in_map[of(found, Detected.BALL)] - camera
        angles = np.arctan2(balls[:, 1], balls[:, 0])
        near = (np.abs(angles) < 0.1) & (np.abs(np.linalg.norm(balls, axis=1) - np.linalg.norm(true)) < 0.5)
        distances += (np.linalg.norm(balls[near], axis=1) / np.linalg.norm(true) - 1.0).tolist()
        turns += angles[near].tolist()
        phantoms += int((~near).sum())
    assert len(distances) / LOOKS == pytest.approx(0.8, abs=0.04)
    assert phantoms / LOOKS == pytest.approx(0.3, abs=0.06)
    assert np.std(distances) == pytest.approx(0.05, rel=0.1)
    # Of the azimuth: the camera looks down on the ball.
    level = math.hypot(*true[:2]) / np.linalg.norm(true)
    assert np.std(turns) == pytest.approx(math.radians(1.0) / level, rel=0.1)


def test_the_covariance_is_that_of_the_errors(played):
    noise = {f"{name}_noise_deg": 1.0 for name in ("direction", "heading")}
    noise |= {f"{name}_noise": 0.05 for name in ("distance", "position")}
    observer = Observer(played, (0.0, 0.0, 0.385), (0.0, 0.2, 0.6), occlusion=False, **noise)
    played.world.engine.place_ball((1.2, 0.9, BALL_RADIUS))
    looks = [observer.look(1) for _ in range(LOOKS)]
    balls = np.array([found.in_map[of(found, Detected.BALL)[0]] for found in looks])
    stated = np.mean([found.covariance[of(found, Detected.BALL)[0]] for found in looks], axis=0)
    # Variances vary by 4.5 %.
    np.testing.assert_allclose(np.cov(balls.T), stated, atol=0.1 * stated.max())
    heading = np.array([math.atan2(found.pose[1, 0], found.pose[0, 0]) for found in looks])
    assert heading.std() == pytest.approx(math.radians(1.0), rel=0.1)


def test_errors_depend_on_seed_robot_detector_and_cycle_alone(play):
    def noisy(*other_keys: str) -> Detections:
        played = play()
        errors = {"missed": 0.3, "phantoms": 1.0, "direction_noise_deg": 1.0}
        observer = Observer(played, (-3.0, 1.0, 0.6), (0.0, 0.2, 0.2), **errors)
        keys = {(observer.robot.handle, kind, kind) for kind in other_keys}
        played.simulation.sensing.demand({observer.key, *keys})
        observer.look(3)
        return observer.look(4)

    alone, beside = noisy(), noisy("laser", "detections")
    assert len(alone.kind) > 3
    np.testing.assert_equal(alone._asdict(), beside._asdict())


def test_nothing_is_detected_without_demand(played, monkeypatch):
    observer = Observer(played, (0.0, 0.0, 5.0))
    monkeypatch.setattr(played.world.engine, "cast_rays", None)
    played.simulation.sensing.demand(())
    played.run(3)
    assert played.simulation.sensing.detections == {} and observer.robot.handle in played.world.robots


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"camera": "third_eye"}, "unknown camera 'third_eye'; the robot has: camera, camera_bottom, camera_depth"),
        ({"missed": 1.5}, "missed must be at least 0 and at most 1"),
    ],
)
def test_wrong_parameters_are_refused(played, parameters, text):
    with pytest.raises(UnusableRobotError, match=text):
        Observer(played, (0.0, 0.0, 5.0), **parameters)


def test_a_field_has_corners_ends_and_crosses() -> None:
    there = FieldMarkings.of(FIELD)
    rays = [len(own) for own in there.rays]
    # Field and front corners of penalty areas; halfway line and penalty areas at border lines; halfway line and circle.
    assert (rays.count(2), rays.count(3), rays.count(4)) == (8, 6, 2)
    corner = int(np.argmin(np.linalg.norm(there.points - [FIELD.length / 2, FIELD.width / 2, 0.0], axis=1)))
    assert sorted(there.rays[corner].tolist()) == [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]


def test_a_camera_finds_the_circle_and_crossings_where_they_are(played: Any) -> None:
    observer = Observer(played, (-5.0, 0.0, 2.0), (0.0, 0.4, 0.0))
    found = observer.look().markings
    origin, turn = observer.pose("torso")
    (circle,) = found.ellipses
    assert origin + turn @ circle.position == pytest.approx(np.zeros(3), abs=1e-9)
    assert circle.diameter == 2.0 * FIELD.centre_circle
    left, top, right, bottom = circle.box
    assert left < circle.pixel[0] < right and top < circle.pixel[1] < bottom
    places = {tuple(np.round(origin + turn @ one.position, 6)[:2]) for one in found.crossings}
    assert {(0.0, FIELD.centre_circle), (0.0, -FIELD.centre_circle)} <= places
    for one in found.crossings:
        assert (np.diff(one.headings) > 0.0).all() and one.headings[0] >= 0.0 and one.headings[-1] < 2.0 * math.pi
    assert Observer(played, (-5.0, 0.0, 2.0), (0.0, 0.4, 0.0), missed=1.0).look().markings == Markings()


KEY = "detections", "omni_detections"


@pytest.fixture
def looking(play):
    """A robot in the middle of a field, with a ball behind it."""
    played = play(engine="planar", world="msl", referee=False)
    robot = load_robot("differential_sensors")
    played.robot = played.world.add_robot(robot, (0.0, 0.0, robot.spawn_height), 0.5)
    played.world.place_ball((-1.0, -0.5))
    exact = {"camera": "omni_camera", "interval": 1}
    played.simulation.sensing.adjust(played.world, played.robot, PerceptorSpec(*KEY, "omni_camera", exact))
    played.simulation.sensing.demand({(played.robot.handle, *KEY)})
    played.run(1)
    return played


def found_by(looking: Any) -> Detections:
    found: Detections = looking.simulation.sensing.detections[looking.robot.handle, KEY[0], KEY[1]]
    return found


def test_the_ball_behind_lines_goals_and_crossings_are_found_where_the_mirror_shows_them(looking):
    found = found_by(looking)
    (ball,) = np.flatnonzero(found.kind == Detected.BALL)
    engine = looking.world.engine
    (place,), (axes,) = engine.link_poses(engine.select_links([(looking.robot.handle, "omni_camera")]))
    position = (engine.state.ball_position - place) @ axes
    assert found.position[ball] == pytest.approx(position, abs=1e-6)
    # Behind is below the middle of the picture, and left is left.
    toward = position @ OPTICAL_DOWN
    column, row = found.pixel[ball] - 159.5
    assert row > 20.0 and column / row == pytest.approx(toward[0] / toward[1], rel=1e-6)
    box = found.box[ball]
    assert (box[:2] < found.pixel[ball]).all() and (box[2:] > found.pixel[ball]).all()
    assert (found.kind == Detected.GOALPOST).sum() == 4 and len(found.lines) > 30
    assert len(found.markings.crossings) > 10 and len(found.markings.ellipses) == 1


def found(*kinds: Detected, lines: int = 0) -> Detections:
    """Things at (0, 1, 2), (1, 2, 3), ... m in all frames, with boxes of these numbers, and lines alike."""
    rows = np.add.outer(np.arange(float(len(kinds))), np.arange(4.0))
    told: dict[str, Any] = dict.fromkeys(("team", "number", "state", "facing"), np.zeros(len(kinds), np.int64))
    told |= dict.fromkeys(("position", "size", "velocity"), rows[:, :3])
    told |= {"pixel": rows[:, :2], "box": rows, "in_map": rows[:, :3] + 5.0, "heading": rows[:, 0], "axes": np.eye(3)}
    return Detections(
        **told,
        kind=np.array(kinds, np.int64),
        line_pixels=np.tile([[1.0, 2.0], [3.0, 4.0]], (lines, 1, 1)),
        lines=np.tile([[3.0, 4.0, -1.0], [0.0, 2.0, -1.0]], (lines, 1, 1)),
        covariance=np.zeros((len(kinds), 3, 3)),
        pose=np.array([[0.0, -1.0, 0.0, 7.0], [1.0, 0.0, 0.0, 8.0], [0.0, 0.0, 1.0, 9.0]]),
    )


def test_things_and_lines_have_columns_on_each_level_and_nan_where_there_is_none():
    values = features_of_detections(found(Detected.BALL, Detected.BALL, Detected.ROBOT, lines=1))
    lengths = {name: len(one) for name, one in values.items()}
    assert lengths == {feature.name: len(feature.columns) for feature in DETECTION_FEATURES}
    # The true ball comes before phantoms.
    assert values["ball_box"].tolist() == [0.0, 1.0, 2.0, 3.0] and values["ball_position"].tolist() == [5.0, 6.0, 7.0]
    assert (values["ball_distance"], values["ball_angle"]) == (pytest.approx([1.0]), pytest.approx([np.pi / 2]))
    assert values["robot_box"][:5] == pytest.approx([2.0, 3.0, 4.0, 5.0, np.nan], nan_ok=True)
    assert values["robot_pose"][:4] == pytest.approx([7.0, 8.0, 2.0, np.nan], nan_ok=True)
    assert values["line_pixels"][:5] == pytest.approx([1.0, 2.0, 3.0, 4.0, np.nan], nan_ok=True)
    assert values["line_distance"][:3] == pytest.approx([5.0, 2.0, np.nan], nan_ok=True)
    assert values["line_angle"][:2] == pytest.approx([np.arctan2(4.0, 3.0), np.pi / 2])
    assert values["pose"] == pytest.approx([7.0, 8.0, np.pi / 2])
    assert np.isnan(values["goalpost_distance"]).all()


def test_more_lines_and_things_than_columns_are_cut_and_none_are_all_nan():
    many = features_of_detections(found(*[Detected.GOALPOST] * 20, lines=50))
    assert np.isfinite(many["goalpost_distance"]).all() and np.isfinite(many["line_distance"]).all()
    none = features_of_detections(found())
    assert all(np.isnan(values).all() for name, values in none.items() if name != "pose")
