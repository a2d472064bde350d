"""Poses and velocities of all links of a model for given joint positions and velocities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspark_ros.kernels.link_motion import LinkTree
from simspark_ros.physics.geometry.solving import solved
from simspark_ros.physics.geometry.transforms import Array, product, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Vector
from simspark_ros.physics.model_cache import kept_with_model

_UNTURNED = np.eye(3).ravel()
_TENSOR = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
"""Places of xx, xy, xz, yy, yz, zz in a link's tensor of inertia."""


def link_tree(models: Sequence[ArticulatedModel]) -> LinkTree:
    """The tree of all links of robots with these models, robot by robot, each in its model's order."""
    parents: list[int] = []
    numbers: list[int] = []
    joints: list[Joint | None] = []
    joints_before = 0
    for model in models:
        first = len(parents)
        index = {link.name: first + number for number, link in enumerate(model.links)}
        moving = {joint.name: joints_before + number for number, joint in enumerate(model.joints)}
        joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
        carriers = [joint_to[link.name] for link in model.links[1:]]
        parents += [first, *(index[joint.parent] for joint in carriers)]
        numbers += [-1, *(moving.get(joint.name, -1) for joint in carriers)]
        joints += [None, *carriers]
        joints_before += len(moving)
    return LinkTree(
        parents=np.array(parents, np.int64),
        joints=np.array(numbers, np.int64),
        slides=np.array([joint is not None and joint.kind is JointKind.PRISMATIC for joint in joints], np.uint8),
        anchors=_rows([joint.position if joint else (0.0, 0.0, 0.0) for joint in joints], 3),
        turns=np.concatenate([np.zeros((0, 9)), *map(_turns, models)]),
        axes=_rows([joint.axis if joint else (0.0, 0.0, 0.0) for joint in joints], 3),
        centres=_rows([link.centre for model in models for link in model.links], 3),
        places=np.zeros((len(joints), 3)),
    )


@kept_with_model
def _turns(model: ArticulatedModel) -> Array:
    """(L, 9) rotations of the links' frames in their parents' frames, with all joints at zero."""
    rpy = {joint.child: joint.rpy for joint in (*model.joints, *model.fixed_joints)}
    return _rows([np.eye(3), *(rotation_from_rpy(rpy[link.name]) for link in model.links[1:])], 9)


def _rows(values: Sequence[Sequence[float] | Array], width: int) -> Array:
    """The values as rows of an array; without values the array has no rows."""
    return np.array(values, np.float64).reshape(-1, width)


class LinkMotion:
    """The motion of the links of a model, for many positions of its joints.

    Attributes:
        model: model of the robot.
    """

    def __init__(self, model: ArticulatedModel) -> None:
        self.model = model
        self._tree = link_tree([model])

    def poses(self, positions: Array, turn: Array | None = None) -> tuple[Array, Array]:
        """Centres of mass (L, 3), m, and rotations (L, 3, 3) of all links, in the model's order.

        They are relative to the base's centre of mass, in the base's axes, or in those to which `turn` (3, 3) turns;
        positions: (J,) joint positions, rad or m.
        """
        assert len(positions) == len(self.model.joints)
        count = len(self.model.links)
        centres, rotations = np.empty((count, 3)), np.empty((count, 9))
        centres[0], rotations[0] = 0.0, _UNTURNED if turn is None else turn.ravel()
        self._tree.pose(positions, centres, rotations)
        return centres, rotations.reshape(count, 3, 3)

    def velocities(
        self, centres: Array, rotations: Array, linear: Vector, angular: Vector, joints: Array
    ) -> tuple[Array, Array]:
        """Velocities of the centres of mass (L, 3), m/s, and angular velocities (L, 3), rad/s, of all links, world.

        Links are at centres (L, 3), turned by rotations (L, 3, 3); linear, angular: velocities of the base; joints:
        (J,) joint velocities, rad/s or m/s.
        """
        assert len(joints) == len(self.model.joints) and len(centres) == len(rotations) == len(self.model.links)
        moving, turning = np.empty_like(centres, order="C"), np.empty_like(centres, order="C")
        moving[0], turning[0] = linear, angular
        flat = np.ascontiguousarray(rotations).reshape(-1, 9)
        self._tree.move(np.ascontiguousarray(centres), flat, joints, moving, turning)
        return moving, turning


@kept_with_model
def joint_inertias(model: ArticulatedModel) -> Array:
    """(J,) inertia that each joint feels, all joints at zero and free, kg m^2 or kg; a base is free unless bolted.

    From the mass matrix M of base and joints: 1 / (M^-1)_jj.
    """
    motion, first = LinkMotion(model), 0 if model.fixed_base else 6
    centres, rotations = motion.poses(np.zeros(len(model.joints)))
    units = np.eye(first + len(model.joints))
    bases = units[:, :6] if first else np.zeros((len(units), 6))
    pairs = zip(bases, units[:, first:], strict=True)
    moved = [motion.velocities(centres, rotations, one[:3], one[3:], joints) for one, joints in pairs]
    linear, angular = np.array(moved).reshape(-1, 2, len(model.links), 3).transpose(1, 0, 2, 3)
    count, momenta = len(units), np.array([link.mass for link in model.links])[:, None] * linear
    own = np.array([link.inertia for link in model.links])[:, _TENSOR]
    spins = np.einsum("lxy,jly->jlx", product(product(rotations, own), rotations.transpose(0, 2, 1)), angular)
    matrix = np.einsum("ilx,jlx->ij", linear, momenta) + np.einsum("ilx,jlx->ij", angular, spins)
    # A little more than nothing, so that parts without inertia do no harm.
    felt: Array = 1.0 / np.diagonal(solved(matrix + 1e-12 * np.eye(count), np.eye(count)))[first:]
    return felt


def joint_anchors(model: ArticulatedModel) -> dict[str, tuple[Array, Array]]:
    """Anchor and axis of every joint, fixed ones included, with all joints at zero, as `LinkMotion.poses` has them."""
    centres, rotations = LinkMotion(model).poses(np.zeros(len(model.joints)))
    index = {link.name: number for number, link in enumerate(model.links)}
    anchors = {}
    for joint in (*model.joints, *model.fixed_joints):
        child = index[joint.child]
        anchor = centres[child] - product(rotations[child], model.links[child].centre)
        anchors[joint.name] = (anchor, product(rotations[child], joint.axis))
    return anchors
