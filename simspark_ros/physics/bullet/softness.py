"""How soft contacts and all other constraints of a world are, for the weight that presses on them."""

from __future__ import annotations

from collections.abc import Iterable

from simspark_ros.physics.model import ArticulatedModel, ShapeKind

# Mass of a robot, kg, up to which the preset's softness suits it; a Nao has 5.3. Heavier robots would sink in, by
# 0.2 mm per kilogram on four contacts.
_SUITS_UP_TO = 5.5


def softness(cfm: float, models: Iterable[ArticulatedModel]) -> float:
    """The softness of all constraints that the heaviest robot needs, 1/(N s) times a step.

    cfm: the softness for light robots, likewise.

    Bullet has one number for the whole world.
    """
    heaviest = max(map(_weight_on_four, models), default=0.0)
    return cfm * min(1.0, _SUITS_UP_TO / max(heaviest, _SUITS_UP_TO))


def _weight_on_four(model: ArticulatedModel) -> float:
    """Mass of a robot whose four contacts press as hard as each contact of this one, kg; a ball has one contact."""
    solids = [shape for link in model.links for shape in link.collisions]
    is_ball = len(solids) == 1 and solids[0].kind is ShapeKind.SPHERE
    return model.mass * (4.0 if is_ball else 1.0)
