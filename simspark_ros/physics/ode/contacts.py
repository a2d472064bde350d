"""Finds contacts in every cycle, makes contact joints of them and reads the forces on touch links."""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.contact_summary import NO_CONTACTS, ContactSummary
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.island_limit import IslandLimit
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.physics.ode.ghost_pairs import GhostPairs
from simspark_ros.physics.ode.library import (
    ContactGeom,
    ContactRecord,
    Feedback,
    NearCallback,
    OdeLibrary,
    SurfaceParameters,
    memory_of,
)
from simspark_ros.physics.ode.settings import OdeSettings, surface_table
from simspark_ros.physics.overlap import pair_of
from simspark_ros.physics.rows import TouchArrays
from simspark_ros.physics.surfaces import Material, SurfaceKinds

BALL, NO_OWNER = -1, -2
"""Owners of shapes that belong to no robot."""

# Most contacts of one cycle, the rest is left out; 22 robots in a heap have about 2000.
_CAPACITY = 8192
# Ghosts looked at closely in one cycle; one look takes about 0.2 ms.
_LOOKS = 4
_REAL = ctypes.sizeof(ctypes.c_double)
_CONTACT, _FEEDBACK, _SURFACE = ctypes.sizeof(ContactRecord), ctypes.sizeof(Feedback), ctypes.sizeof(SurfaceParameters)
_GEOM = ContactRecord.geom.offset
_POSITION = (_GEOM + ContactGeom.position.offset) // _REAL
_DEPTH = (_GEOM + ContactGeom.depth.offset) // _REAL


_Meeting = tuple[int, int, list[list[float]]]
"""Two owners and the points where they touch, world frame, m."""


class ShapeProperties(NamedTuple):
    """Properties of a shape.

    Attributes:
        surface: number of the kind of surface, see `Contacts.surface`.
        owner: robot's handle, BALL or NO_OWNER.
        body: ODE's body as an argument for calls; None for immovable shapes.
        link: handle of the robot and index of the link, for touch links; else None.
    """

    surface: int
    owner: int
    body: ctypes.c_void_p | None
    link: tuple[int, int] | None = None


class Contacts:
    """All contacts of a world.

    Attributes:
        placed: handles of robots put somewhere since the last step, to be checked for overlaps.
        ghosts: pairs that pass through each other and have no contacts.
    """

    def __init__(self, library: OdeLibrary, world: int, space: int, settings: OdeSettings) -> None:
        self._library, self._space = library, space
        # Arguments of every call are converted once.
        self._world, self._group = ctypes.c_void_p(world), ctypes.c_void_p(library.dJointGroupCreate(0))
        self._at_most, self._stride = ctypes.c_int(settings.contacts_per_pair), ctypes.c_int(_CONTACT)
        self._per_pair, self._ghost_depth = settings.contacts_per_pair, settings.ghost_depth
        self._shapes: dict[int, ShapeProperties] = {}
        self._spaces: dict[int, int] = {}
        self._robots: dict[int, int] = {}
        self._ball = 0
        self.placed: set[int] = set()
        self.ghosts = GhostPairs()
        self._limit = IslandLimit(settings.pile_size)
        # Number of links of each robot.
        self._sizes: dict[int, float] = {}
        self._contacts = (ContactRecord * _CAPACITY)()
        self._feedbacks = (Feedback * _CAPACITY)()
        self._contact_address = ctypes.addressof(self._contacts)
        self._feedback_address = ctypes.addressof(self._feedbacks)
        # Views of ODE's memory for numpy: contacts as bytes to copy surfaces into, and as numbers to read points from.
        # A few of these numbers are really two integers; neither use touches them.
        self._numbers: Array = memory_of(self._contacts).reshape(_CAPACITY, _CONTACT // _REAL)
        self._surface_bytes = self._numbers.view(np.uint8)[:, :_SURFACE]
        self._points = self._numbers[:, _POSITION : _POSITION + 3]
        # (2 _CAPACITY, 3) forces on bodies: row 2 i is for the first body of contact i, row 2 i + 1 for the second.
        self._felt: Array = memory_of(self._feedbacks).reshape(2 * _CAPACITY, 8)[:, :3]
        self._settings = settings
        self._kinds = SurfaceKinds()
        self._surfaces = self._surface_bytes_of_pairs()
        # The surface that each contact has already, as surfaces mostly stay the same from cycle to cycle.
        self._laid: list[NDArray[np.uint8] | None] = [None] * _CAPACITY
        self._count = 0
        self._touches: list[tuple[int, int, tuple[int, int], int]] = []
        self._contact_owners: list[tuple[int, int, int, int]] = []
        self._earlier: list[_Meeting] = []
        self._deepest = 0.0
        self._callbacks: tuple[Any, ...] = (
            NearCallback(self._near),
            NearCallback(self._near_shapes),
            NearCallback(self._probe),
        )

    def surface(self, material: Material, own: SurfaceMaterial | None = None) -> int:
        """The number of a kind of surface; shapes of this kind may be added from now on."""
        number = self._kinds.number(material, own)
        if number == len(self._surfaces):
            self._surfaces = self._surface_bytes_of_pairs()
        return number

    def _surface_bytes_of_pairs(self) -> list[list[NDArray[np.uint8]]]:
        table = surface_table(self._settings, self._kinds)
        return [[np.frombuffer(bytes(one), np.uint8) for one in row] for row in table]

    def add_shape(self, shape: int, properties: ShapeProperties) -> None:
        """Add a shape that may have contacts; the ball's shape is remembered."""
        self._shapes[shape] = properties
        if properties.owner == BALL:
            self._ball = shape

    def add_robot(self, handle: int, space: int, links: int) -> None:
        """Add a robot by the space of its shapes and the number of its links."""
        self._spaces[space] = handle
        self._robots[handle] = space
        self._sizes[handle] = links
        self.placed.add(handle)

    def remove_robot(self, handle: int) -> None:
        """Forget a robot and its shapes."""
        del self._spaces[self._robots.pop(handle)], self._sizes[handle]
        self._shapes = {shape: properties for shape, properties in self._shapes.items() if properties.owner != handle}
        self.placed.discard(handle)
        self.ghosts.forget(handle)

    def find(self) -> None:
        """Make a contact joint for every contact; `clear` has to follow the step."""
        self._library.prepare_thread()
        self._count = 0
        self._touches.clear()
        self._contact_owners.clear()
        self._limit.start(self._sizes)
        self._library.dSpaceCollide(self._space, None, self._callbacks[0])
        self.placed.clear()
        for pair in self.ghosts.candidates(_LOOKS):
            if self._depth_between(*map(self._place_of, pair)) <= 0.0:
                self.ghosts.pairs.discard(pair)

    def clear(self) -> None:
        """Take the contact joints away."""
        self._library.dJointGroupEmpty(self._group)

    def close(self) -> None:
        """Free the joint group and the tables; nothing works afterwards."""
        self._library.dJointGroupDestroy(self._group)
        # ODE's callbacks refer to this object and this object to them.
        self._callbacks = ()

    def _place_of(self, owner: int) -> int:
        return self._ball if owner == BALL else self._robots[owner]

    def _depth_between(self, one: int, other: int) -> float:
        """Depth of two robots, or of a robot and the ball, in each other, m; 0 if they do not touch."""
        self._deepest = 0.0
        self._library.dSpaceCollide2(one, other, None, self._callbacks[2])
        return self._deepest

    # The next three methods run for every pair of overlapping boxes, so they are written for speed.

    def _near(self, data: int | None, one: int, other: int) -> None:
        """Handle two entries of the world, each the space of a robot or a single shape."""
        a, b = self._shapes.get(one), self._shapes.get(other)
        if a is not None and b is not None:
            self._near_shapes(None, one, other)
            return
        owner_a = self._spaces[one] if a is None else a.owner
        owner_b = self._spaces[other] if b is None else b.owner
        if owner_a != NO_OWNER and owner_b != NO_OWNER:
            pair = pair_of(owner_a, owner_b)
            if self.ghosts.passes(pair):
                return
            was_placed = owner_a in self.placed or owner_b in self.placed
            if was_placed and BALL not in pair and self._depth_between(one, other) > self._ghost_depth:
                self.ghosts.add(pair)
                return
        self._library.dSpaceCollide2(one, other, None, self._callbacks[1])

    def _near_shapes(self, data: int | None, one: int, other: int) -> None:
        first = self._count
        if first + self._per_pair > _CAPACITY:
            return
        library = self._library
        address = self._contact_address + first * _CONTACT
        found = library.dCollide(one, other, self._at_most, address + _GEOM, self._stride)
        if not found:
            return
        surface_a, owner_a, body_a, link_a = self._shapes[one]
        surface_b, owner_b, body_b, link_b = self._shapes[other]
        if body_a is not None and body_b is not None:
            if not self._limit.join(owner_a, owner_b):
                self.ghosts.add(pair_of(owner_a, owner_b))
                return
            self._contact_owners.append((first, first + found, owner_a, owner_b))
        end = self._count = first + found
        surface, laid = self._surfaces[surface_a][surface_b], self._laid
        create, attach, world, group = library.dJointCreateContact, library.dJointAttach, self._world, self._group
        felt = link_a is not None or link_b is not None
        for index in range(first, end):
            if laid[index] is not surface:
                self._surface_bytes[index] = laid[index] = surface
            joint = create(world, group, address)
            address += _CONTACT
            attach(joint, body_a, body_b)
            if felt:
                library.dJointSetFeedback(joint, self._feedback_address + index * _FEEDBACK)
        if link_a is not None:
            self._touches.append((first, end, link_a, 0))
        if link_b is not None:
            # If the first shape is immovable, ODE makes the second shape's body the joint's first body.
            self._touches.append((first, end, link_b, 0 if body_a is None else 1))

    def _probe(self, data: int | None, one: int, other: int) -> None:
        if self._deepest > self._ghost_depth:
            return
        # The part of the memory after the contacts of this cycle is free.
        first = self._count
        if first + self._per_pair > _CAPACITY:
            return
        address = self._contact_address + first * _CONTACT + _GEOM
        found = self._library.dCollide(one, other, self._at_most, address, self._stride)
        if found:
            # Shapes that touch at depth 0 count as touching.
            depth = float(self._numbers[first : first + found, _DEPTH].max())
            self._deepest = max(self._deepest, depth, 1e-12)

    def read_touch(self, index: dict[tuple[int, int], int], centres: Array, rotations: Array) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the step, see EngineState.

        index: place of each (handle, link index) in the touch arrays; centres, rotations: present poses of touch links.
        """
        count = len(index)
        if not self._touches:
            return np.zeros(count, np.bool_), np.zeros((count, 3)), np.zeros((count, 3))
        touching: list[bool] = []
        loads: list[float] = []
        for sums, centre in zip(self._add_up(index), centres.tolist(), strict=True):
            weight, point, force = sums[0], sums[1:4], sums[4:]
            touching.append(weight > 0.0)
            if weight > 0.0:
                point = [total / weight - own for total, own in zip(point, centre, strict=True)]
            loads += point + force
        own = np.array(loads).reshape(-1, 2, 3) @ rotations
        return np.array(touching), own[:, 0], own[:, 1]

    def _add_up(self, index: dict[tuple[int, int], int]) -> list[list[float]]:
        """Sum of weights, of weighted points (3) and of forces (3) of each touch link, axes of the world.

        Plain Python: there are at most a few contacts a robot, and numpy's overhead costs more.
        """
        sums = [[0.0] * 7 for _ in index]
        for first, end, link, side in self._touches:
            total = sums[index[link]]
            forces = self._felt[2 * first + side : 2 * end : 2].tolist()
            for (fx, fy, fz), (x, y, z) in zip(forces, self._points[first:end].tolist(), strict=True):
                weight = math.sqrt(fx * fx + fy * fy + fz * fz)
                total[0] += weight
                total[1] += weight * x
                total[2] += weight * y
                total[3] += weight * z
                total[4] += fx
                total[5] += fy
                total[6] += fz
        return sums

    def touched(self, index: dict[tuple[int, int], int]) -> BoolArray:
        """(T,) whether a touch link has a contact, felt or asleep."""
        flags = np.zeros(len(index), np.bool_)
        for _, _, link, _ in self._touches:
            flags[index[link]] = True
        return flags

    def look(self) -> None:
        """Remember the meetings in a step of ODE that is not the last one of its cycle."""
        self._earlier += self._meetings()

    def _meetings(self) -> list[_Meeting]:
        points = self._points
        return [(one, other, points[first:end].tolist()) for first, end, one, other in self._contact_owners]

    def read_contacts(self, row_of: dict[int, int]) -> ContactSummary:
        """Contacts of robots with the ball and with each other in the cycle. row_of: row of each handle."""
        if not self._contact_owners and not self._earlier:
            return NO_CONTACTS
        summary = ContactSummary()
        for one, other, points in (*self._earlier, *self._meetings()):
            if one == BALL or other == BALL:
                summary.add_ball(row_of[other if one == BALL else one])
                continue
            for point in points:
                summary.add_robots(row_of[one], row_of[other], point)
        self._earlier.clear()
        return summary
