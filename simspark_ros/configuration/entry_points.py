"""Parts by name: parts of this package, and plug-ins of other distributions, announced by Python entry points.

A plug-in that cannot be used is reported by a warning and left out; other plug-ins are not affected. A request for it
by name is an error, whose message `Group.suggestion` completes. Code that uses parts treats all alike.
"""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints
from importlib.metadata import entry_points as search
from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import in_a_line, suggestion

PREFIX = "simspark_ros."
"""Prefix of the names of all groups."""

WITHOUT = "SIMSPARK_WITHOUT_PLUG_INS"
"""Environment variable: if it is not empty, this process and its children use no plug-ins."""

_OURS = ("simspark_ros", "importlib")
"""Modules that call plug-ins, or load them."""

OWN = tuple(f"simspark_{name}" for name in ("conformance", "learning", "matches", "recording", "stress", "watching"))
"""Names of this project's other distributions, whose parts are never left out."""

MOST_LINES = 10
"""Most lines in the log about one sort of exception of a plug-in, as clients choose names that appear in them."""

_reported: dict[str, set[str]] = {}
"""Logged consequences, by fault."""


@cache
def announced() -> dict[str, EntryPoints]:
    """The entry points of all groups of all installed distributions, by group; one search takes 20 ms."""
    found = search()
    return {group: found.select(group=group) for group in found.groups if group.startswith(PREFIX)}


def entry_points(group: str) -> EntryPoints:
    """The entry points of a group that may be used."""
    points = announced().get(group, EntryPoints())
    if not os.environ.get(WITHOUT):
        return points
    return EntryPoints(point for point in points if point.dist and point.dist.name in OWN)


def all_points() -> list[EntryPoint]:
    """The entry points of all groups, usable or not, by group and name; none if plug-ins are left out."""
    if os.environ.get(WITHOUT):
        return []
    groups = sorted(announced())
    return [point for group in groups for point in sorted(entry_points(group), key=lambda point: point.name)]


@dataclass(frozen=True)
class Group:
    """A group of entry points: the built-in parts and the plug-ins of one sort.

    Attributes:
        name: name of the group.
        base: class that the plug-ins are subclasses of, or objects of if `instances`; None = they are functions.
        built_in: parts of this package, by name.
        reserved: further names that plug-ins cannot have.
        own_name: attribute of a plug-in that has to be the name of its entry point; empty = no such attribute.
    """

    name: str
    base: type[Any] | None = None
    instances: bool = False
    built_in: Mapping[str, Any] = field(default_factory=dict)
    reserved: Collection[str] = ()
    own_name: str = ""

    def parts(self) -> dict[str, Any]:
        """All parts that can be used, by name."""
        return {**self.built_in, **self.plug_ins()}

    def plug_ins(self) -> dict[str, Any]:
        """All usable plug-ins, by the name of their entry point."""
        found: dict[str, Any] = {}
        for point in entry_points(self.name):
            plug_in, trouble = self._load(point)
            if trouble:
                _report(trouble, trouble, [point])
            else:
                found[point.name] = plug_in
        return found

    @contextmanager
    def left_out_if_broken(self, name: str) -> Iterator[None]:
        """Use a plug-in in this block: its exceptions become a warning."""
        try:
            yield
        except Exception as error:
            trouble = f"{self.place(name)} fails: {type(error).__name__}: {error}{line_of(error)}"
            _report(trouble, trouble, self._points(name))

    def fails(self, name: str, error: Exception, consequence: str) -> str:
        """The report on a part whose code raised in use.

        It is logged once for each type of exception and consequence, not for each message, which may quote a command.
        The fault of a built-in part is a bug of this package: it is logged with its traceback.
        """
        fault, trouble = f"{self.place(name)} {type(error).__name__}", self._trouble(name, error)
        bug = error if name in self.built_in else None
        return _report(fault, trouble, self._points(name), consequence, bug)

    def blame(self, name: str, error: Exception, consequence: str) -> str:
        """As `fails`, for an error that replaces the plug-in's; it is not logged."""
        return _told(self._trouble(name, error), self._points(name), consequence)

    def _trouble(self, name: str, error: Exception) -> str:
        # Reports on built-in parts have a traceback.
        where = "" if name in self.built_in else line_of(error)
        return f"{self.place(name)} fails: {in_a_line(f'{type(error).__name__}: {error}')}{where}"

    def place(self, name: str) -> str:
        """Name of a part in messages; a plug-in comes with its distribution if it has one."""
        if name in self.built_in:
            return f"built-in '{name}' (group {self.name})"
        return " or ".join(map(_place, self._points(name))) or f"plug-in '{name}' of this program"

    def suggestion(self, name: str, known: Iterable[str]) -> str:
        """List of the known names for an unknown one, and the fault of an installed plug-in of that name."""
        return suggestion(name, known, self.faults(name))

    def faults(self, name: str) -> str:
        """Fault of an installed plug-in of that name, as the end of a list; empty if there is none."""
        troubles = [self._load(point)[1] for point in self._points(name)]
        return "".join(f"; {trouble}" for trouble in troubles if trouble)

    def _points(self, name: str) -> list[EntryPoint]:
        """Entry points of a name: one, unless several distributions announce it; none if a built-in part has it."""
        return [point for point in entry_points(self.name) if point.name == name and name not in self.built_in]

    def _load(self, point: EntryPoint) -> tuple[Any, str]:
        """A plug-in, and its fault; empty = none."""
        where = _place(point)
        if point.name in self.built_in or point.name in self.reserved:
            return None, f"{where} has the name of the built-in '{point.name}', which cannot be replaced"
        try:
            plug_in = point.load()
        # Loading may run any code.
        except Exception as error:
            return None, f"{where} cannot be loaded: {type(error).__name__}: {error}{line_of(error)}"
        if self.base is None:
            return plug_in, "" if callable(plug_in) else f"{where} is not a function"
        if self.instances:
            fits, wanted = isinstance(plug_in, self.base), "an object"
        else:
            fits, wanted = isinstance(plug_in, type) and issubclass(plug_in, self.base), "a subclass"
        if not fits:
            return plug_in, f"{where} is not {wanted} of {self.base.__name__}"
        if self.own_name and (own := getattr(plug_in, self.own_name)) != point.name:
            return plug_in, f"{where} has the {self.own_name} '{own}', which must be the name of its entry point"
        return plug_in, ""


def line_of(error: Exception) -> str:
    """Where another's code has failed, ` (file, line N)`: its last line, whatever it called; empty = unknown."""
    frames = [
        (str(frame.f_globals.get("__name__", "")).partition(".")[0], frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    others = [one for one in frames if one[0] not in _OURS]
    own = [one for one in others if one[0] == others[0][0]]
    return f" ({Path(own[-1][1]).name}, line {own[-1][2]})" if own else ""


def _place(point: EntryPoint) -> str:
    distribution = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
    return f"plug-in '{point.name}' ({point.value} of {distribution}, group {point.group})"


def _told(trouble: str, points: Iterable[EntryPoint], consequence: str) -> str:
    remedy = "".join(f"; 'pip uninstall {point.dist.name}' removes it" for point in points if point.dist)
    return f"{trouble}; {consequence}{remedy}"


def _report(
    fault: str,
    trouble: str,
    points: Iterable[EntryPoint],
    consequence: str = "it is left out",
    bug: Exception | None = None,
) -> str:
    text = _told(trouble, points, consequence)
    # Plug-ins are looked up and used several times, so each report is logged once.
    told = _reported.setdefault(fault, set())
    if consequence not in told and len(told) < MOST_LINES:
        told.add(consequence)
        logging.getLogger("simspark").warning("%s", text, exc_info=bug)
    return text
