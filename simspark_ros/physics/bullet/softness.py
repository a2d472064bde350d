"""How soft contacts and all other constraints of a world are, for the weight that presses on them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simspark_ros.physics.bullet.document.soles import standing_corners
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import on_circle, product
from simspark_ros.physics.model import ArticulatedModel, ShapeKind
from simspark_ros.physics.model_cache import kept_with_model

# Mass of a robot, kg, up to which the preset's softness suits it; a Nao has 5.3. Heavier robots would sink in, by
# 0.2 mm per kilogram on four contacts.
_SUITS_UP_TO = 5.5

# Square of the way from below a robot's centre of mass to the nearest edge of what it stands on, for a metre of its
# height, m, from which on its contacts right it with ten times the torque that tips it.
_WIDE = 0.011

# Greatest factor for a robot that leans: those above an edge balance.
_TALLEST = 16.0

_DIRECTIONS = on_circle(np.arange(16) * np.pi / 8.0)


def softness(cfm: float, models: Iterable[ArticulatedModel]) -> float:
    """The softness of all constraints that the heaviest robot needs, 1/(N s) times a step.

    cfm: the softness for light robots, likewise.

    Bullet has one number for the whole world.
    """
    heaviest = max(map(_weight_on_four, models), default=0.0)
    return cfm * min(1.0, _SUITS_UP_TO / max(heaviest, _SUITS_UP_TO))


@kept_with_model
def _weight_on_four(model: ArticulatedModel) -> float:
    """Mass of a robot whose four contacts press as hard as each contact of this one, kg; a ball has one contact.

    A tall robot on small feet leans on soft contacts, and leans more for that: it tips over where they give way.
    """
    solids = [shape for link in model.links for shape in link.collisions]
    if len(solids) == 1 and solids[0].kind is ShapeKind.SPHERE:
        return 4.0 * model.mass
    corners = np.concatenate([np.zeros((0, 3)), *(places for *_, places in standing_corners(model))])
    if model.fixed_base or not len(corners):
        return model.mass
    frames = link_frames(model)
    centres = [link.mass * frames[link.name].apply(np.array(link.centre)) for link in model.links]
    x, y, height = (corners - np.sum(centres, axis=0) / model.mass).T
    # How far contacts reach is least in the direction of the nearest edge.
    edge = product(_DIRECTIONS, (x, y)).max(axis=1).min()
    return model.mass * min(max(1.0, -_WIDE * height[0] / edge**2), _TALLEST) if edge > 0.0 else model.mass
