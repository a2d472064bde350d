"""The links of several models as the kernel `robot_trees` wants them."""

from __future__ import annotations

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.geometry.solving import principal
from simspark_ros.physics.model import ArticulatedModel, JointKind
from simspark_ros.physics.model_cache import kept_with_model

_HINGES = (JointKind.REVOLUTE, JointKind.CONTINUOUS)


class Trees:
    """P links of N models, one model after the other, each link after the one that carries it.

    Models with sliding joints do not take part: their links count as massless, and their joints as no hinges.

    Attributes:
        robots: (P,) number of each link's model.
        parents: (P,) link that carries each link; -1 for bases.
        hinges: (P,) number of the hinge that carries each link among all joints; -1 for none.
        axes: (P, 3) axis of that hinge, in the link's axes.
        levers: (P, 3) centre of mass less the hinge's anchor, in the link's axes, m.
        masses: (P,) masses, kg.
        inertias: (P, 3) principal inertias, kg m2.
        principal: (P, 3, 3) principal axes of inertia as columns, right-handed, in the links' axes.
        taking: (P,) whether the link takes part.
        joints: number of all joints.
    """

    def __init__(self, models: list[ArticulatedModel]) -> None:
        parents: list[int] = []
        hinges: list[int] = []
        axes: list[tuple[float, float, float]] = []
        self.joints = 0
        for model in models:
            links = {link.name: len(parents) + number for number, link in enumerate(model.links)}
            carriers = {joint.child: links[joint.parent] for joint in (*model.joints, *model.fixed_joints)}
            hinge = {joint.child: (self.joints + number, joint.axis) for number, joint in enumerate(model.joints)}
            for name in links:
                number, axis = hinge.get(name, (-1, (0.0, 0.0, 0.0)))
                parents.append(carriers.get(name, -1))
                hinges.append(number)
                axes.append(axis)
            self.joints += len(model.joints)
        sizes = [len(model.links) for model in models]
        self.robots = np.repeat(np.arange(len(models)), sizes)
        self.taking = np.repeat([all(joint.kind in _HINGES for joint in model.joints) for model in models], sizes)
        self.parents = np.array(parents, np.int64)
        self.hinges = np.where(self.taking, np.array(hinges, np.int64), -1)
        self.axes = np.array(axes).reshape(-1, 3)
        every = [link for model in models for link in model.links]
        # A link's frame lies at its joint.
        self.levers = np.array([link.centre for link in every]).reshape(-1, 3)
        self.masses = np.where(self.taking, [link.mass for link in every], 0.0)
        own = [_principal_of(model) for model in models]
        inertias = np.concatenate([np.zeros((0, 3)), *(moments for moments, _ in own)])
        self.principal = np.concatenate([np.zeros((0, 3, 3)), *(axes for _, axes in own)])
        self.inertias = np.where(self.taking[:, None], inertias, 0.0)


@kept_with_model
def _principal_of(model: ArticulatedModel) -> tuple[Array, Array]:
    """Principal inertias (L, 3) and axes (L, 3, 3) of all links, as in `Trees`."""
    moments, axes = zip(*(principal(link.inertia_matrix) for link in model.links), strict=True)
    return np.array(moments), np.array(axes)
