"""The near-callbacks of ODE's collision in Python, where `native.c` could not be compiled.

The order of all calls into ODE is the same as there, so results are equal to the bit; `test_native.py` compares them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Collection, Sequence
from typing import Protocol

from simspark_ros.physics.ode.library import NearCallback, OdeLibrary
from simspark_ros.physics.ode.shapes import (
    CAPACITY,
    CONTACT,
    DEPTH,
    FEEDBACK,
    GEOM,
    NO_OWNER,
    ContactMemory,
    ShapeProperties,
)

Found = list[list[int]]
Entry = tuple[int, int]
"""An entry of the world's space that moves, the ball or the space of a robot, and one of its bodies with a shape."""


class Decisions(Protocol):
    """The rare cases that near-callbacks leave to others."""

    def may_meet(self, one: int, other: int) -> bool:
        """Whether the shapes of two owners may touch; the arguments are ODE's spaces or shapes."""

    def may_join(self, one: int, other: int) -> bool:
        """Whether two owners (robots' handles, BALL) that touch may do so."""


class NearCallbacks(Protocol):
    """Finds contacts and makes contact joints of them.

    Attributes:
        touches: first contact, the contact after the last, touch link, and its side (0 or 1) of each touch of a cycle.
        meetings: first contact, the contact after the last, and both owners, of each meeting of two movable shapes.
    """

    touches: Found
    meetings: Found

    def add_shape(self, shape: int, properties: ShapeProperties) -> None:
        """Add a shape that may have contacts."""

    def add_space(self, space: int, owner: int) -> None:
        """Add the space of a robot's shapes."""

    def remove(self, owner: int) -> None:
        """Forget a robot's shapes and their space."""

    def set_movable(self, entries: Collection[Entry]) -> None:
        """Set the entries that can move, in the order in which the awake ones are to stand in the space."""

    def set_surfaces(self, surfaces: Sequence[Sequence[bytes]]) -> None:
        """Set the surfaces of the contacts of all kinds of surfaces with each other."""

    def find(self) -> None:
        """Make a contact joint for every contact of the world."""

    def depth_between(self, one: int, other: int) -> float:
        """Depth of two robots, or of a robot and the ball, in each other, m; 0 if they do not touch."""

    def close(self) -> None:
        """Free what refers to the world."""


class PythonNearCallbacks:
    """`NearCallbacks` through ctypes.

    Args:
        at_most: most contacts of two shapes.
        ghost_depth: depth from which on the exact depth does not matter, m.
    """

    def __init__(
        self,
        library: OdeLibrary,
        places: tuple[int, int, int],
        memory: ContactMemory,
        decisions: Decisions,
        at_most: int,
        ghost_depth: float,
    ) -> None:
        self._library, self._memory, self._decisions = library, memory, decisions
        # Arguments of every call are converted once.
        self._world, self._space, self._group = map(ctypes.c_void_p, places)
        self._at_most, self._stride = ctypes.c_int(at_most), ctypes.c_int(CONTACT)
        self._per_pair, self._ghost_depth = at_most, ghost_depth
        self._shapes: dict[int, ShapeProperties] = {}
        self._spaces: dict[int, int] = {}
        self._surfaces: Sequence[Sequence[bytes]] = []
        self._movable: tuple[Entry, ...] = ()
        self.touches: Found = []
        self.meetings: Found = []
        self._count = 0
        self._deepest = 0.0
        self._callbacks = tuple(map(NearCallback, (self._near, self._near_shapes, self._probe)))

    def add_shape(self, shape: int, properties: ShapeProperties) -> None:
        self._shapes[shape] = properties

    def add_space(self, space: int, owner: int) -> None:
        self._spaces[space] = owner

    def remove(self, owner: int) -> None:
        self._spaces = {space: other for space, other in self._spaces.items() if other != owner}
        self._shapes = {shape: properties for shape, properties in self._shapes.items() if properties.owner != owner}

    def set_movable(self, entries: Collection[Entry]) -> None:
        self._movable = tuple(entries)

    def set_surfaces(self, surfaces: Sequence[Sequence[bytes]]) -> None:
        self._surfaces = surfaces

    def find(self) -> None:
        self._count = 0
        self.touches, self.meetings = [], []
        self._sort_awake()
        self._library.dSpaceCollide(self._space, None, self._callbacks[0])

    def _sort_awake(self) -> None:
        # A step puts the entries that move in front of the space's list, as its threads come to them.
        library = self._library
        for entry, body in reversed(self._movable):
            if library.dBodyIsEnabled(body):
                # In front ODE expects what has moved. An entry that was just woken has not.
                x, y, z = (ctypes.c_double * 3).from_address(library.dBodyGetPosition(body))
                library.dBodySetPosition(body, x, y, z)
                library.dSpaceRemove(self._space, entry)
                library.dSpaceAdd(self._space, entry)

    def depth_between(self, one: int, other: int) -> float:
        self._deepest = 0.0
        self._library.dSpaceCollide2(one, other, None, self._callbacks[2])
        return self._deepest

    def close(self) -> None:
        # ODE's callbacks refer to this object and this object to them.
        self._callbacks = ()

    def _near(self, data: int | None, one: int, other: int) -> None:
        """Handle two entries of the world, each the space of a robot or a single shape."""
        a, b = self._shapes.get(one), self._shapes.get(other)
        if a is not None and b is not None:
            self._near_shapes(None, one, other)
            return
        owners = self._spaces[one] if a is None else a.owner, self._spaces[other] if b is None else b.owner
        if NO_OWNER in owners or self._decisions.may_meet(one, other):
            self._library.dSpaceCollide2(one, other, None, self._callbacks[1])

    def _near_shapes(self, data: int | None, one: int, other: int) -> None:
        first = self._count
        if first + self._per_pair > CAPACITY:
            return
        address = self._memory.contacts + first * CONTACT
        found = self._library.dCollide(one, other, self._at_most, address + GEOM, self._stride)
        if not found:
            return
        a, b = self._shapes[one], self._shapes[other]
        end = first + found
        if a.body is not None and b.body is not None:
            if not self._decisions.may_join(a.owner, b.owner):
                return
            self.meetings.append([first, end, a.owner, b.owner])
        self._count = end
        surface = self._surfaces[a.surface][b.surface]
        self._make_joints(first, end, surface, a, b)
        if a.felt >= 0:
            self.touches.append([first, end, a.felt, 0])
        if b.felt >= 0:
            # If the first shape is immovable, ODE makes the second shape's body the joint's first body.
            self.touches.append([first, end, b.felt, 0 if a.body is None else 1])

    def _make_joints(self, first: int, end: int, surface: bytes, a: ShapeProperties, b: ShapeProperties) -> None:
        library = self._library
        for index in range(first, end):
            address = self._memory.contacts + index * CONTACT
            ctypes.memmove(address, surface, len(surface))
            joint = library.dJointCreateContact(self._world, self._group, address)
            library.dJointAttach(joint, a.body, b.body)
            if a.felt >= 0 or b.felt >= 0:
                library.dJointSetFeedback(joint, self._memory.feedbacks + index * FEEDBACK)

    def _probe(self, data: int | None, one: int, other: int) -> None:
        # The part of the memory after the contacts of this cycle is free.
        first = self._count
        if self._deepest > self._ghost_depth or first + self._per_pair > CAPACITY:
            return
        address = self._memory.contacts + first * CONTACT + GEOM
        found = self._library.dCollide(one, other, self._at_most, address, self._stride)
        if found:
            # Shapes that touch at depth 0 count as touching.
            depth = float(self._memory.numbers[first : first + found, DEPTH].max())
            self._deepest = max(self._deepest, depth, 1e-12)
