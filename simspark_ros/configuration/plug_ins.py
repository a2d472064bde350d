"""Plug-ins of other distributions, announced by Python entry points."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Any

from simspark_ros.configuration.schema import ConfigurationError


def third_party(group: str, base: type[Any] | None = None) -> dict[str, Any]:
    """What other distributions announce in a group, by the name of the entry point.

    Args:
        group: of entry points.
        base: class that every plug-in has to derive from; None = they are functions.

    Raises:
        ConfigurationError: one cannot be loaded or is something else; the message names it.
    """
    found: dict[str, Any] = {}
    for point in entry_points(group=group):
        try:
            plug_in = point.load()
        except Exception as error:
            raise ConfigurationError(f"plug-in '{point.name}' of {point.value} cannot be loaded: {error}") from error
        if base is None and not callable(plug_in):
            raise ConfigurationError(f"plug-in '{point.name}': {point.value} is not a function")
        if base is not None and not (isinstance(plug_in, type) and issubclass(plug_in, base)):
            raise ConfigurationError(f"plug-in '{point.name}': {point.value} is not a subclass of {base.__name__}")
        found[point.name] = plug_in
    return found
