"""Centres of mass of links, without an engine."""

from collections.abc import Mapping

import numpy as np

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Array
from simspark_ros.physics.model import ArticulatedModel


def link_centres(model: ArticulatedModel, positions: Mapping[str, float] | None = None) -> dict[str, Array]:
    """Centres of mass (3,) of all links relative to the base's, in the base's axes, m. Arguments as `link_frames`."""
    poses = link_frames(model, positions)
    base = np.array(model.base.centre)
    return {link.name: poses[link.name].apply(np.array(link.centre)) - base for link in model.links}
