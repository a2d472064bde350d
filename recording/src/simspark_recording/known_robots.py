"""Robots of the package as scenes of monitors show them: what a scene loads tells which robot it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from simspark_ros.protocol.monitor.look import Look, LookNode, appearance

MAX_VARIANTS = 10
"""Heterogeneous types that are looked for."""


@dataclass(frozen=True)
class KnownRobot:
    """A robot of a type, and the parts that show it, in the order of the scene."""

    robot: str
    variant: int
    parts: tuple[LookNode, ...]

    @property
    def links(self) -> tuple[str, ...]:
        """The link that each part shows."""
        return tuple(part.moves for part in self.parts)


def robots_by_loads(look: Look) -> dict[tuple[str, ...], KnownRobot]:
    """The robots of a look by everything that a scene loads for them."""
    known: dict[tuple[str, ...], KnownRobot] = {}
    for name, file in look.robots.items():
        for variant in range(MAX_VARIANTS):
            parts = tuple(part for part in appearance(file).parts if variant in (part.variants or (variant,)))
            loads = tuple(load for part in parts for load in _loads(part, variant))
            known.setdefault(loads, KnownRobot(name, variant, parts))
    return known


def _loads(node: LookNode, variant: int) -> Iterator[str]:
    if node.mesh:
        yield node.mesh.file.replace("{variant}", str(variant))
    if node.shape:
        yield node.shape.kind
    for child in node.children:
        yield from _loads(child, variant)
