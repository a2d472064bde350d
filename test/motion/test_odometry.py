"""Odometry of a robot on feet."""

import math

import numpy as np
import pytest

from simspark_ros.motion.interface import Triple
from simspark_ros.motion.odometry import LegOdometers
from simspark_ros.physics.geometry.kinematics import LinkChains, link_frames
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot

MODEL = load_robot("nao").model
FEET = ("lfoot", "rfoot")
UP = (0.0, 0.0, 1.0)
CYCLE = 0.02


def angles_of(**named: float) -> np.ndarray:
    return np.array([named.get(joint.name, 0.0) for joint in MODEL.joints])


SIDES = (("l", "lfoot"), ("r", "rfoot"))
SOLES = link_frames(MODEL)
POINTS = np.array(
    [SOLES[f"{side}_sole"].position - SOLES[foot].apply(np.array(MODEL.link(foot).centre)) for side, foot in SIDES]
)


class Walker:
    """One robot's row of odometers, which it may share with others that stand still."""

    def __init__(self, row: int = 0, robots: int = 1) -> None:
        self.legs = LegOdometers([(MODEL, FEET)] * robots)
        self.row, self.robots = row, robots

    def feel(
        self, angles: np.ndarray, left: float, right: float, gyro: Triple = (0.0, 0.0, 0.0), up: Triple = UP
    ) -> None:
        """A cycle in which the ground presses on the soles' middles with these forces, N."""
        row, robots = self.row, self.robots
        joints, feet = np.zeros((robots, len(angles))), np.full((robots, 2), 20.0)
        rates, verticals = np.zeros((robots, 3)), np.tile(UP, (robots, 1))
        joints[row], feet[row], rates[row], verticals[row] = angles, (left, right), gyro, up
        forces = np.zeros((2 * robots, 3))
        forces[:, 2] = feet.ravel()
        points = np.tile(POINTS, (robots, 1))
        self.legs.update(np.ones(robots, bool), joints.ravel(), rates, verticals, points, forces, CYCLE)

    def pause(self) -> None:
        self.legs.pause(np.arange(self.robots) == self.row)

    @property
    def position(self) -> np.ndarray:
        return np.array(self.legs.position[self.row])

    @property
    def rotation(self) -> np.ndarray:
        return np.array(self.legs.rotation[self.row])


@pytest.fixture(params=[(0, 1), (1, 3)], ids=["alone", "among others"])
def walker(request: pytest.FixtureRequest) -> Walker:
    return Walker(*request.param)


def test_the_torso_moves_against_the_foot_that_bears_it(walker: Walker) -> None:
    walker.feel(angles_of(), 20.0, 20.0)
    height = walker.position[2]
    # The left leg, on the ground, swings back; the right one swings forward in the air.
    walker.feel(angles_of(llj3=-0.2, llj5=0.2, rlj3=0.3), 40.0, 0.0)
    x, y, z = walker.position
    leg = height - -link_frames(MODEL)["lthigh"].position[2]
    assert x > 0.5 * leg * math.sin(0.2) and abs(y) < 1e-6
    assert z < height
    assert walker.legs.linear[walker.row, 0] == pytest.approx(x / CYCLE)


def test_a_robot_in_the_air_and_after_a_gap_stays_where_it_was(walker: Walker) -> None:
    walker.feel(angles_of(), 20.0, 20.0)
    before = walker.position
    walker.feel(angles_of(llj3=0.5, rlj3=0.5), 0.0, 0.0)
    assert walker.position == pytest.approx(before)
    walker.pause()
    walker.feel(angles_of(), 20.0, 20.0, gyro=(0.0, 0.0, 5.0))
    assert walker.position == pytest.approx(before)
    assert walker.rotation == pytest.approx(np.eye(3))


def test_the_gyroscope_gives_the_heading(walker: Walker) -> None:
    for _ in range(51):
        walker.feel(angles_of(), 20.0, 20.0, gyro=(0.0, 0.0, 1.0))
    assert walker.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, 1.0)), abs=1e-6)
    assert walker.legs.angular[walker.row] == pytest.approx([0.0, 0.0, 1.0])


def test_a_robot_on_its_chest_keeps_its_last_heading_and_knows_the_vertical(walker: Walker) -> None:
    for tilt in np.linspace(0.0, math.pi / 2.0, 50).tolist():
        walker.feel(angles_of(), 0.0, 0.0, up=(-math.sin(tilt), 0.0, math.cos(tilt)))
    assert walker.rotation == pytest.approx(rotation_from_rpy((0.0, math.pi / 2.0, 0.0)), abs=1e-6)


def test_others_stand_still_and_those_that_are_not_chosen_stay(walker: Walker) -> None:
    for swing in (0.0, 0.1, 0.2):
        walker.feel(angles_of(llj3=-swing, llj5=swing), 40.0, 0.0)
    others = np.arange(walker.robots) != walker.row
    assert walker.legs.position[others, :2] == pytest.approx(np.zeros((walker.robots - 1, 2)))
    before = walker.legs.position.copy()
    nobody, joints = np.zeros(walker.robots, bool), np.ones(walker.robots * len(MODEL.joints))
    vectors = np.ones((walker.robots, 3))
    feet = np.ones((2 * walker.robots, 3))
    walker.legs.update(nobody, joints, vectors, vectors, feet, feet, CYCLE)
    assert walker.legs.position == pytest.approx(before)


def test_a_robot_goes_on_among_others_where_it_was_and_chains_of_links_agree_with_the_model() -> None:
    alone, joined = Walker(), Walker(row=1, robots=2)
    for swing in (0.0, 0.1, 0.2, 0.3):
        alone.feel(angles_of(llj3=-swing, llj5=swing), 40.0, 0.0, gyro=(0.0, 0.1, 0.2))
        if swing == 0.1:
            joined.legs.go_on(1, alone.legs, 0)
        elif swing > 0.1:
            joined.feel(angles_of(llj3=-swing, llj5=swing), 40.0, 0.0, gyro=(0.0, 0.1, 0.2))
    assert joined.position == pytest.approx(alone.position) and alone.position[0] > 0.01
    assert joined.rotation == pytest.approx(alone.rotation)
    assert joined.legs.linear[1] == pytest.approx(alone.legs.linear[0])
    model = load_robot("nao_lola", 4).model
    angles = np.random.default_rng(1).uniform(-0.7, 0.7, len(model.joints))
    names = ["ltoe", "head", "torso"]
    other = load_robot("nao").model
    # The joints of another robot come first.
    chains = LinkChains([(other, ["lfoot"]), (model, names)])
    _, *placed = chains.at(np.concatenate([np.ones(len(other.joints)), angles]))
    assert LinkChains([(model, ["torso"])]).at(angles)[0] == pytest.approx(np.eye(4))
    poses = link_frames(model, dict(zip([joint.name for joint in model.joints], angles.tolist(), strict=True)))
    for name, pose in zip(names, placed, strict=True):
        assert pose[:3, :3] == pytest.approx(poses[name].rotation), name
        assert pose[:, 3] == pytest.approx([*poses[name].position, 1.0]), name
