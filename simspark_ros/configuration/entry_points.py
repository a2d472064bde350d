"""Plug-ins of other distributions, announced by Python entry points.

A plug-in that cannot be used is reported by a warning and left out; the others are not affected. A request for it by
name is an error, whose message `why_missing` completes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints
from importlib.metadata import entry_points as announced
from typing import Any

_reported: set[str] = set()


@cache
def entry_points(group: str) -> EntryPoints:
    """The entry points of a group; searching all installed distributions takes milliseconds."""
    return announced(group=group)


def third_party(group: str, base: type[Any] | None = None, *, instances: bool = False) -> dict[str, Any]:
    """Plug-ins of other distributions in a group of entry points, by the name of the entry point.

    They are subclasses of `base`, or objects of it if `instances`; without base they are functions.
    """
    found: dict[str, Any] = {}
    for point in entry_points(group):
        plug_in, trouble = _load(point, base, instances)
        if trouble:
            _report(trouble)
        else:
            found[point.name] = plug_in
    return found


@contextmanager
def left_out_if_broken(group: str, name: str) -> Iterator[None]:
    """Use a plug-in in this block: its exceptions become a warning."""
    try:
        yield
    except Exception as error:
        places = [_place(point) for point in entry_points(group) if point.name == name]
        _report(f"{' or '.join(places)} fails: {type(error).__name__}: {error}")


def why_missing(group: str, name: str, base: type[Any] | None = None, *, instances: bool = False) -> str:
    """Addition to an error about an unknown name if a plug-in of that name is installed but cannot be used."""
    troubles = [_load(point, base, instances)[1] for point in entry_points(group) if point.name == name]
    return "".join(f"; {trouble}" for trouble in troubles if trouble)


def _load(point: EntryPoint, base: type[Any] | None, instances: bool) -> tuple[Any, str]:
    """A plug-in, and its fault; empty = none."""
    where = _place(point)
    try:
        plug_in = point.load()
    # Any code may run there.
    except Exception as error:
        return None, f"{where} cannot be loaded: {type(error).__name__}: {error}"
    if base is None:
        return plug_in, "" if callable(plug_in) else f"{where} is not a function"
    if instances:
        return plug_in, "" if isinstance(plug_in, base) else f"{where} is not an object of {base.__name__}"
    fits = isinstance(plug_in, type) and issubclass(plug_in, base)
    return plug_in, "" if fits else f"{where} is not a subclass of {base.__name__}"


def _place(point: EntryPoint) -> str:
    distribution = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
    return f"plug-in '{point.name}' ({point.value} of {distribution}, group {point.group})"


def _report(trouble: str) -> None:
    # Once for each trouble: plug-ins are looked up several times.
    if trouble not in _reported:
        _reported.add(trouble)
        logging.getLogger("simspark").warning("%s; it is left out", trouble)
