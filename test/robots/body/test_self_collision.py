"""Boxes of limbs that meet each other."""

import math
from functools import partial

import numpy as np
import pytest

from simspark_ros.physics.engine import EngineState
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind
from simspark_ros.robots.body.limb_boxes import box_gaps, limb_boxes
from simspark_ros.robots.body.self_collision import SelfCollisions
from simspark_ros.robots.catalogue import load_robot

INERTIA = (0.001, 0.0, 0.0, 0.001, 0.0, 0.001)
CROSSED_LEGS = {"rlj1": -35.0, "rlj4": -55.0, "llj2": -20.0}
"""The right foot in the left one, 7 cm deep, with hardly an edge of one parallel to one of the other."""


nao = partial(load_robot, "nao")


def boxes_of(robot):
    return limb_boxes(robot.model, robot.self_collision_exclusions)


def state_of(*models, **degrees):
    """A state of robots of those models; joints of the first one are given by name."""
    offsets = np.cumsum([0, *(len(model.joints) for model in models)])
    position = np.zeros(offsets[-1])
    for index, joint in enumerate(models[0].joints):
        position[index] = math.radians(degrees.get(joint.name, 0.0))
    handles = tuple(range(1, len(models) + 1))
    return EngineState(revision=1, handles=handles, models=models, joint_offset=offsets, joint_position=position)


def found(robot, test="exact", tolerance=0.04, **degrees):
    state = state_of(robot.model, **degrees)
    overlaps = SelfCollisions(state, [boxes_of(robot)], tolerance, test).overlaps(state)
    return {(overlap.first, overlap.second) for overlap in overlaps}


@pytest.mark.parametrize("variant", range(5))
def test_boxes_are_where_forward_kinematics_puts_the_links(variant):
    robot = nao(variant)
    # At zero they do not overlap, even without tolerance.
    assert not found(robot, tolerance=0.0)
    random = np.random.default_rng(variant)
    angles = {j.name: random.uniform(j.lower, j.upper) for j in robot.model.joints}
    state = state_of(robot.model, **{name: math.degrees(angle) for name, angle in angles.items()})
    boxes = boxes_of(robot)
    poses = SelfCollisions(state, [boxes], 0.04, "exact")._chain.poses(state.joint_position)
    frames = link_frames(robot.model, angles)
    by_level = sorted(boxes.nodes, key=lambda node: node.level)
    base = frames["torso"].apply(np.array(robot.model.base.collisions[0].position))
    for node, pose in zip(by_level, poses, strict=True):
        if node.half_size is not None:
            shape = robot.model.link(node.link).collisions[0]
            assert np.allclose(pose[:3, 3], frames[node.link].apply(np.array(shape.position)) - base, atol=1e-9)
            assert np.allclose(pose[:3, :3], frames[node.link].rotation, atol=1e-9)


def test_crossed_legs_are_found_connected_links_not_and_the_measured_test_finds_less():
    boxes = boxes_of(nao(4))
    pairs = {frozenset((boxes.nodes[a].link, boxes.nodes[b].link)) for a, b in boxes.pairs}
    for side in "rl":
        for first, second in (("torso", "thigh"), ("shank", "thigh"), ("foot", "shank"), ("toe", "foot")):
            assert frozenset((first if first == "torso" else side + first, side + second)) not in pairs
    assert frozenset(("rthigh", "lthigh")) in pairs and frozenset(("torso", "rlowerarm")) in pairs
    # A limb is what hangs on the base by one joint.
    names = [joint.name for joint in nao(4).model.joints]
    assert [names[i] for i in boxes.limb_of["rfoot"]] == [f"rlj{number}" for number in range(1, 8)]
    assert boxes.limb_of["torso"] == ()
    assert found(nao(), "measured", **CROSSED_LEGS) == {("rfoot", "lfoot")}
    assert found(nao(), "exact", **CROSSED_LEGS) == {("rfoot", "lfoot"), ("rshank", "lshank")}
    assert found(nao(), tolerance=0.065, **CROSSED_LEGS) and not found(nao(), tolerance=0.075, **CROSSED_LEGS)
    legs = {"rlj2": 25.0, "llj2": -25.0}
    assert found(nao(), "exact", **legs)
    # both legs only roll: their pitch axes stay parallel
    assert not found(nao(), "measured", **legs)
    robot, random = nao(), np.random.default_rng(5)
    counts = np.zeros(2)
    for _ in range(60):
        angles = {j.name: math.degrees(random.uniform(j.lower, j.upper)) for j in robot.model.joints}
        measured, exact = found(robot, "measured", **angles), found(robot, "exact", **angles)
        assert measured <= exact
        counts += len(measured), len(exact)
    assert 0 < counts[0] < counts[1]


def test_a_motion_in_small_steps_ends_with_what_one_look_finds():
    robots = [nao(t) for t in (0, 3, 4)]
    models = tuple(robot.model for robot in robots)
    state = state_of(*models)
    watch = SelfCollisions(state, [boxes_of(robot) for robot in robots], 0.04, "exact")
    goal = state_of(*models, **CROSSED_LEGS).joint_position
    seen = []
    for step in range(101):
        state.joint_position = goal * step / 100
        fresh = SelfCollisions(state, [boxes_of(robot) for robot in robots], 0.04, "exact").overlaps(state)
        kept = watch.overlaps(state)
        # looked at again at the latest after 2 mm
        depth = {(o.first, o.second): o.depth for o in fresh}
        for overlap in kept:
            assert overlap.row == 0
            assert overlap.depth == pytest.approx(depth.get((overlap.first, overlap.second), 0.04), abs=0.0021)
        missed = set(depth) - {(o.first, o.second) for o in kept}
        assert all(depth[pair] < 0.0421 for pair in missed)
        seen.append(len(kept))
    assert seen[0] == 0 and seen[-1] > 0


CUBE = Shape(ShapeKind.BOX, (0.1, 0.1, 0.1))


def cubes(*names, shape=CUBE):
    return tuple(Link(name, 1.0, INERTIA, collisions=(shape,)) for name in names)


def two_rails():
    rails = tuple(
        Joint(name, JointKind.PRISMATIC, "body", name, (0.0, y, 0.0), axis=(0.0, 1.0, 0.0), lower=-1.0, upper=1.0)
        for name, y in (("left", 0.5), ("right", -0.5))
    )
    return ArticulatedModel("rails", (Link("body", 1.0, INERTIA), *cubes("left", "right")), rails)


def test_boxes_on_rails_meet_unless_they_overlap_at_zero_and_robots_without_joints_are_not_watched():
    model = two_rails()
    state = state_of(model)
    watch = SelfCollisions(state, [limb_boxes(model)], 0.04, "exact")
    assert not watch.overlaps(state)
    state.joint_position = np.array([-0.5, 0.45])
    (overlap,) = watch.overlaps(state)
    assert (overlap.first, overlap.second) == ("left", "right") and overlap.depth == pytest.approx(0.05)
    links = cubes("body", "one", "two", shape=Shape(ShapeKind.BOX, (0.2, 0.2, 0.2)))
    joints = tuple(Joint(n, JointKind.REVOLUTE, "body", n, (0.05, y, 0.0)) for n, y in (("one", 0.05), ("two", -0.05)))
    assert not limb_boxes(ArticulatedModel("heap", links, joints)).pairs
    links = cubes("body", "shelf", "top")
    welds = tuple(
        Joint(child, JointKind.FIXED, parent, child, (0.0, 0.0, 0.3))
        for parent, child in (("body", "shelf"), ("shelf", "top"))
    )
    rack, rails = ArticulatedModel("rack", links, (), welds), two_rails()
    for models in ((rack,), (rails, rack), (rack, rails)):
        state = state_of(*models)
        assert SelfCollisions(state, [limb_boxes(model) for model in models], 0.04, "exact").overlaps(state) == []


def test_gaps_agree_with_a_search_over_all_directions():
    random = np.random.default_rng(1)
    directions = random.normal(size=(20000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for _ in range(20):
        turn = rotation_about(tuple(directions[random.integers(1000)]), random.uniform(0, math.pi))
        offset, one, two = random.uniform(-1, 1, 3), random.uniform(0.1, 0.5, 3), random.uniform(0.1, 0.5, 3)
        projected = np.abs(directions @ offset) - np.abs(directions) @ one - np.abs(directions @ turn) @ two
        gap = box_gaps(offset[None], turn[None], one[None], two[None])[0]
        # of boxes apart by a corner the true distance may be larger than the gap on any of the 15 axes
        if gap < 0:
            # the best of 20000 directions is within a degree or two of the axis that decides
            assert gap - 0.03 < projected.max() <= gap + 1e-9
        else:
            assert projected.max() >= gap - 0.03
