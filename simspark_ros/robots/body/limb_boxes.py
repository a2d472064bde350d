"""The boxes of a robot's limbs relative to its base, the pairs that must not overlap, and the gap between two boxes.

The poses of boxes depend on joint positions only, so a few array operations compute the poses for all robots, with any
engine. Two boxes are apart if their projections on one of 15 axes are apart: the three face normals of each box, and
the nine cross products of their edges (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 5).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.geometry.transforms import Array, Transform, product
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind
from simspark_ros.physics.model_cache import kept_with_model

Exclusions = tuple[tuple[str, str], ...]
"""Pairs of links that may overlap."""


class BoxNode(NamedTuple):
    """A box, or a link without one, on the way from the base to the boxes of limbs.

    Its pose in the frame of the parent node is `constant + sin(q) * sine + cos(q) * cosine` at the joint position q;
    for a prismatic joint q itself replaces sin(q).

    Attributes:
        link: name of the link that carries the box.
        parent: index of the parent node; -1 for the base.
        level: number of nodes between the node and the base.
        joint: index of the joint in the model, -1 for a fixed joint.
        prismatic: whether the joint is prismatic.
        constant, sine, cosine: (4, 4) homogeneous matrices of the pose.
        half_size: (3,) half edges of the box, m; None for a node without a box.
    """

    link: str
    parent: int
    level: int
    joint: int
    prismatic: bool
    constant: Array
    sine: Array
    cosine: Array
    half_size: Array | None


class LimbBoxes(NamedTuple):
    """The boxes of one model.

    Attributes:
        nodes: the boxes and links on the way to them; parents before children, the base first.
        pairs: indices of the two nodes of each pair of boxes that must not overlap.
        reach: (J,) largest movement of a box per unit of each joint, m/rad (1 for prismatic joints).
        limb_of: link -> joints (indices in the model) of its limb, the subtree behind one joint of the base.
    """

    nodes: tuple[BoxNode, ...]
    pairs: tuple[tuple[int, int], ...]
    reach: Array
    limb_of: dict[str, tuple[int, ...]]


@kept_with_model
def limb_boxes(model: ArticulatedModel, exclusions: Exclusions = ()) -> LimbBoxes:
    """Find the boxes of a model and the pairs to watch; other solids are ignored, as boxes around them are too large.

    Boxes are not watched if they belong to one link, to links that a joint connects, or to an excluded pair, or if they
    overlap by design while all joints are at zero. A model without joints has no node and no pair: nothing can move.
    """
    if not model.joints:
        return LimbBoxes((), (), np.zeros(0), {})
    joint_to = {joint.child: joint for joint in (*model.joints, *model.fixed_joints)}
    nodes = _nodes(model, joint_to)
    joined = {frozenset((joint.parent, joint.child)) for joint in joint_to.values()}
    joined.update(frozenset(pair) for pair in exclusions)
    boxes = [index for index, node in enumerate(nodes) if node.half_size is not None]
    candidates = [
        (first, second)
        for first, second in combinations(boxes, 2)
        if nodes[first].link != nodes[second].link and frozenset((nodes[first].link, nodes[second].link)) not in joined
    ]
    return LimbBoxes(tuple(nodes), _apart_at_zero(nodes, candidates), _reach(model, joint_to), _limbs(model, joint_to))


def _apart_at_zero(nodes: list[BoxNode], pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Pairs that do not overlap while all joints are at zero."""
    if not pairs:
        return ()
    poses: list[Array] = []
    for node in nodes:
        # sin 0 is 0 and cos 0 is 1.
        step = node.constant + node.cosine
        poses.append(step if node.parent < 0 else product(poses[node.parent], step))
    one, two = np.array(pairs).T
    stacked = np.array(poses)
    # Nodes without a box are in no pair.
    sizes = np.array([np.zeros(3) if node.half_size is None else node.half_size for node in nodes])
    # Transposed, a box's rotation turns vectors into the box's own axes, as the gaps want them.
    axes, other = stacked[one, :3, :3].transpose(0, 2, 1), stacked[two]
    offset = np.einsum("kij,kj->ki", axes, other[:, :3, 3] - stacked[one, :3, 3])
    gaps = box_gaps(offset, product(axes, other[:, :3, :3]), sizes[one], sizes[two])
    return tuple(pair for pair, gap in zip(pairs, gaps.tolist(), strict=True) if gap >= 0.0)


def _nodes(model: ArticulatedModel, joint_to: Mapping[str, Joint]) -> list[BoxNode]:
    """A node in the first box of each link with boxes, one per link on the way to such links, one per other box."""
    index = {joint.name: number for number, joint in enumerate(model.joints)}
    needed = {model.base.name}
    for link in model.links:
        name = link.name
        while _boxes(link) and name not in needed:
            needed.add(name)
            name = joint_to[name].parent
    nodes: list[BoxNode] = []
    node_of: dict[str, int] = {}
    place_of: dict[str, Transform] = {}
    zero = np.zeros((4, 4))
    for link in model.links:
        if link.name not in needed:
            continue
        boxes, joint, number = _boxes(link), joint_to.get(link.name), len(nodes)
        place = place_of[link.name] = Transform.of(boxes[0].position, boxes[0].rpy) if boxes else Transform()
        half_size = np.array(boxes[0].size) / 2 if boxes else None
        if joint is None:
            nodes.append(BoxNode(link.name, -1, 0, -1, False, np.eye(4), zero, zero, half_size))
        else:
            parent, back = node_of[joint.parent], _matrix(place_of[joint.parent].inverse())
            level, moving = nodes[parent].level + 1, index.get(joint.name, -1)
            prismatic = joint.kind is JointKind.PRISMATIC
            # Out of the parent's box, across the joint, into the own box: products with constants, in q still linear.
            constant, sine, cosine = (product(product(back, part), _matrix(place)) for part in _across(joint))
            nodes.append(BoxNode(link.name, parent, level, moving, prismatic, constant, sine, cosine, half_size))
        node_of[link.name], level = number, nodes[number].level + 1
        for box in boxes[1:]:
            offset = _matrix(place.inverse() @ Transform.of(box.position, box.rpy))
            nodes.append(BoxNode(link.name, number, level, -1, False, offset, zero, zero, np.array(box.size) / 2))
    return nodes


def _boxes(link: Link) -> list[Shape]:
    return [shape for shape in link.collisions if shape.kind is ShapeKind.BOX]


def _across(joint: Joint) -> tuple[Array, Array, Array]:
    """Pose of the child's frame in the parent's: constant part and the factors of sin(q) and cos(q), (4, 4) each."""
    origin = _matrix(Transform.of(joint.position, joint.rpy))
    constant, sine, cosine = np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))
    x, y, z = joint.axis
    if joint.kind is JointKind.PRISMATIC:
        sine[:3, 3] = joint.axis
    elif joint.kind is not JointKind.FIXED:
        # Rodrigues' formula: the component along the axis stays, the rest turns.
        along = np.outer(joint.axis, joint.axis)
        constant[:3, :3] = along
        cosine[:3, :3] = np.eye(3) - along
        sine[:3, :3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    return product(origin, constant), product(origin, sine), product(origin, cosine)


def _matrix(transform: Transform) -> Array:
    """The transform (4, 4) of homogeneous coordinates."""
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = transform.rotation, transform.position
    return matrix


def _reach(model: ArticulatedModel, joint_to: Mapping[str, Joint]) -> Array:
    """Largest distance of any box behind a joint from the joint's anchor, over all positions of the joints."""
    reach_of = {link.name: 0.0 for link in model.links}
    # Children come after their parents.
    for link in reversed(model.links):
        own = (_length(box.position) + _length(box.size) / 2 for box in _boxes(link))
        reach = reach_of[link.name] = max(reach_of[link.name], *own, 0.0)
        joint = joint_to.get(link.name)
        if joint is not None and reach > 0.0:
            stroke = max(abs(joint.lower), abs(joint.upper)) if joint.kind is JointKind.PRISMATIC else 0.0
            reach_of[joint.parent] = max(reach_of[joint.parent], _length(joint.position) + stroke + reach)
    moved = [1.0 if j.kind is JointKind.PRISMATIC and reach_of[j.child] else reach_of[j.child] for j in model.joints]
    return np.array(moved, dtype=float)


def _length(vector: Iterable[float]) -> float:
    return math.hypot(*vector)


def _limbs(model: ArticulatedModel, joint_to: Mapping[str, Joint]) -> dict[str, tuple[int, ...]]:
    """`LimbBoxes.limb_of`."""
    base = model.base.name
    root_of = {base: base}
    for link in model.links[1:]:
        parent = joint_to[link.name].parent
        root_of[link.name] = link.name if parent == base else root_of[parent]
    return {
        link: tuple(number for number, joint in enumerate(model.joints) if root_of[joint.child] == root)
        for link, root in root_of.items()
    }


PARALLEL = 1e-6
"""Length of a cross product below which edges are parallel; then the face normals decide."""


def face_gaps(offset: Array, turn: Array, first: Array, second: Array) -> Array:
    """Largest gap on the six face normals.

    Args:
        offset: (K, 3) centre of the second box from the first box's centre, in the axes of the first, m.
        turn: (K, 3, 3) axes of the second box in the axes of the first, as columns.
        first: (K, 3) half edge lengths of the first box, m.
        second: (K, 3) half edge lengths of the second box, m.

    Returns:
        (K,) gaps, m; a negative gap is the least overlap of the projections on all six normals.
    """
    # An axis sees a box as long as the sum of the box's half edges, each times its cosine with the axis.
    size = np.abs(turn)
    of_first = np.abs(offset) - first - np.einsum("kij,kj->ki", size, second)
    of_second = np.abs(np.einsum("ki,kij->kj", offset, turn)) - second - np.einsum("ki,kij->kj", first, size)
    gaps: Array = np.maximum(of_first, of_second).max(1)
    return gaps


def edge_gaps(offset: Array, turn: Array, first: Array, second: Array) -> tuple[Array, Array]:
    """Gaps on the nine cross products of edges. Arguments as `face_gaps`.

    Returns:
        Gaps (K, 9) in m times the length of the cross product, and these lengths (K, 9), 0 to 1; the quotient is the
        gap in m.
    """
    size = np.abs(turn)
    # Cyclic: the two other axes of each axis.
    i1, i2 = [1, 2, 0], [2, 0, 1]
    centre = np.abs(offset[:, i2, None] * turn[:, i1] - offset[:, i1, None] * turn[:, i2])
    of_first = first[:, i1, None] * size[:, i2] + first[:, i2, None] * size[:, i1]
    of_second = second[:, None, i1] * size[:, :, i2] + second[:, None, i2] * size[:, :, i1]
    # The sine of the angle between two edges, as an entry of `turn` is its cosine.
    lengths = np.sqrt(np.maximum(1.0 - turn * turn, 0.0))
    return (centre - of_first - of_second).reshape(-1, 9), lengths.reshape(-1, 9)


def box_gaps(offset: Array, turn: Array, first: Array, second: Array) -> Array:
    """Largest gap on all 15 axes, (K,) m; of boxes that overlap, minus the depth. Arguments as `face_gaps`."""
    gaps, lengths = edge_gaps(offset, turn, first, second)
    edges = np.where(lengths > PARALLEL, gaps / np.maximum(lengths, PARALLEL), -np.inf)
    largest: Array = np.maximum(face_gaps(offset, turn, first, second), edges.max(1))
    return largest
