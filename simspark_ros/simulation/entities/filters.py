"""Selects entities by name, category, tags and place; all filters have to hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from simspark_ros.simulation.entities.bounds import Overlap, box_of
from simspark_ros.simulation.entities.entity import Entity, EntityInfos, entities_of
from simspark_ros.simulation.entities.name_pattern import NamePattern
from simspark_ros.soccer.world import SoccerWorld
from simspark_ros.worlds.errors import CommandRejectedError

ANY, ALL = 0, 1
"""Modes of a filter of tags, with the numbers of simulation_interfaces/TagsFilter."""


@dataclass(frozen=True)
class TagFilter:
    """Selects entities that have any or all of the tags; without tags it selects all entities.

    Raises:
        CommandRejectedError: the mode is neither.
    """

    tags: frozenset[str] = frozenset()
    mode: int = ANY

    def __post_init__(self) -> None:
        if self.mode not in (ANY, ALL):
            raise CommandRejectedError(f"tags: filter_mode must be {ANY} (any of them) or {ALL} (all), not {self.mode}")

    def selects(self, tags: Collection[str]) -> bool:
        """Whether an entity with these tags is selected."""
        if not self.tags:
            return True
        return self.tags <= set(tags) if self.mode == ALL else not self.tags.isdisjoint(tags)


@dataclass(frozen=True)
class EntityFilter:
    """Selects entities; an empty set of categories and None select all."""

    name: NamePattern | None = None
    categories: frozenset[int] = frozenset()
    tags: TagFilter = TagFilter()
    overlap: Overlap | None = None

    def select(self, world: SoccerWorld, infos: EntityInfos) -> list[Entity]:
        """The selected entities of a world, in the order in which they were added."""
        return [entity for entity in entities_of(world) if self._selects(world, entity, infos)]

    def _selects(self, world: SoccerWorld, entity: Entity, infos: EntityInfos) -> bool:
        if self.name is not None and not self.name.matches(entity.name):
            return False
        if self.categories or self.tags.tags:
            info = infos.of(world, entity)
            if self.categories and int(info.category) not in self.categories:
                return False
            if not self.tags.selects(info.tags):
                return False
        return self.overlap is None or self.overlap(box_of(world, entity, in_world=True))
