"""Models that are known to come out of a step with sound numbers."""

from __future__ import annotations

from collections.abc import Collection

from simspark_ros.physics.model import ArticulatedModel

# Number of models remembered: more than leave and come again at a time.
_MOST = 32


class SoundModels:
    """Models whose robots came out of a step with sound numbers: robots of others are no spare ones.

    With a weak set the simulation would depend on who else holds a model, and how long.
    """

    def __init__(self) -> None:
        self._sound: dict[ArticulatedModel, None] = {}
        self._untried: dict[int, ArticulatedModel] = {}

    def __contains__(self, model: ArticulatedModel) -> bool:
        return model in self._sound

    def add(self, handle: int, model: ArticulatedModel) -> None:
        """A robot has come."""
        if model not in self._sound:
            self._untried[handle] = model

    def drop(self, handle: int) -> None:
        """A robot has gone."""
        self._untried.pop(handle, None)

    def look(self, recovered: Collection[int]) -> None:
        """A step is over; recovered: handles of the robots that had to be put back."""
        if not self._untried:
            return
        for handle in [handle for handle in self._untried if handle not in recovered]:
            self._sound[self._untried.pop(handle)] = None
        while len(self._sound) > _MOST:
            del self._sound[next(iter(self._sound))]
