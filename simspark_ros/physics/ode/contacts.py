"""Finds contacts in every cycle, makes contact joints of them and reads the forces on touch links."""

from __future__ import annotations

import ctypes

import numpy as np

from simspark_ros.kernels.touches import TouchSums
from simspark_ros.physics.contact_summary import NO_CONTACTS, ContactSummary
from simspark_ros.physics.engine import Array, BoolArray
from simspark_ros.physics.island_limit import IslandLimit
from simspark_ros.physics.model import SurfaceMaterial
from simspark_ros.physics.ode.ghost_pairs import GhostPairs
from simspark_ros.physics.ode.library import OdeLibrary
from simspark_ros.physics.ode.native import Native, NativeNearCallbacks
from simspark_ros.physics.ode.near_callbacks import NearCallbacks, PythonNearCallbacks
from simspark_ros.physics.ode.settings import OdeSettings, surface_table
from simspark_ros.physics.ode.shapes import BALL, ContactMemory, ShapeProperties
from simspark_ros.physics.overlap import pair_of
from simspark_ros.physics.rows import TouchArrays, touch_arrays
from simspark_ros.physics.surfaces import Material, SurfaceKinds

# Ghosts looked at closely in one cycle; one look takes about 0.2 ms.
_LOOKS = 4

_Meeting = tuple[int, int, list[list[float]]]
"""Two owners and the points where they touch, world frame, m."""


class Contacts:
    """All contacts of a world.

    Attributes:
        placed: handles of robots put somewhere since the last step, to be checked for overlaps.
        ghosts: pairs that pass through each other and have no contacts.
    """

    def __init__(
        self, library: OdeLibrary, native: Native | None, world: int, space: int, settings: OdeSettings
    ) -> None:
        self._library = library
        self._group = ctypes.c_void_p(library.dJointGroupCreate(0))
        self._ghost_depth = settings.ghost_depth
        self._owners: dict[int, int] = {}
        self._places: dict[int, int] = {}
        # A body of each owner that has a shape.
        self._bodies: dict[int, int] = {}
        self._movable_changed = False
        self.placed: set[int] = set()
        self.ghosts = GhostPairs()
        self._limit = IslandLimit(settings.pile_size)
        # Number of links of each robot.
        self._sizes: dict[int, float] = {}
        self._memory = ContactMemory()
        places = world, space, self._group.value or 0
        arguments = library, places, self._memory, self, settings.contacts_per_pair, settings.ghost_depth
        self._near: NearCallbacks = (
            PythonNearCallbacks(*arguments) if native is None else NativeNearCallbacks(native, *arguments)
        )
        self._settings = settings
        self._kinds = SurfaceKinds()
        self._known_kinds = 0
        self._lay_surfaces()
        self._earlier: list[_Meeting] = []

    def surface(self, material: Material, own: SurfaceMaterial | None = None, hardness: float = 1.0) -> int:
        """The number of a kind of surface; shapes of this kind may be added from now on."""
        number = self._kinds.number(material, own, hardness)
        if number == self._known_kinds:
            self._lay_surfaces()
        return number

    def _lay_surfaces(self) -> None:
        table = surface_table(self._settings, self._kinds)
        self._known_kinds = len(table)
        self._near.set_surfaces([[bytes(one) for one in row] for row in table])

    def add_shape(self, shape: int, properties: ShapeProperties) -> None:
        """Add a shape that may have contacts; the ball's shape is remembered."""
        self._near.add_shape(shape, properties)
        if properties.body is not None and properties.body.value is not None:
            self._bodies.setdefault(properties.owner, properties.body.value)
            self._movable_changed = True
        if properties.owner == BALL:
            self._owners[shape], self._places[BALL] = BALL, shape

    def add_robot(self, handle: int, space: int, links: int) -> None:
        """Add a robot by the space of its shapes and the number of its links."""
        self._near.add_space(space, handle)
        self._owners[space], self._places[handle] = handle, space
        self._sizes[handle] = links
        self.placed.add(handle)

    def remove_robot(self, handle: int) -> None:
        """Forget a robot and its shapes."""
        self._near.remove(handle)
        del self._owners[self._places.pop(handle)], self._sizes[handle]
        self._bodies.pop(handle, None)
        self._movable_changed = True
        self.placed.discard(handle)
        self.ghosts.forget(handle)

    def find(self) -> None:
        """Make a contact joint for every contact; `clear` has to follow the step."""
        self._library.prepare_thread()
        self._limit.start(self._sizes)
        if self._movable_changed:
            self._movable_changed = False
            places = self._places
            self._near.set_movable([(places[owner], body) for owner, body in self._bodies.items()])
        self._near.find()
        self.placed.clear()
        for pair in self.ghosts.candidates(_LOOKS):
            if self._near.depth_between(*map(self._places.__getitem__, pair)) <= 0.0:
                self.ghosts.pairs.discard(pair)

    def may_meet(self, one: int, other: int) -> bool:
        """Whether the shapes of two owners may touch; ghosts may not. The arguments are ODE's spaces or shapes."""
        pair = pair_of(self._owners[one], self._owners[other])
        if self.ghosts.passes(pair):
            return False
        if BALL in pair or self.placed.isdisjoint(pair) or self._near.depth_between(one, other) <= self._ghost_depth:
            return True
        self.ghosts.add(pair)
        return False

    def may_join(self, one: int, other: int) -> bool:
        """Whether two owners that touch may do so, or become ghosts as their group would be too large."""
        if self._limit.join(one, other):
            return True
        self.ghosts.add(pair_of(one, other))
        return False

    def clear(self) -> None:
        """Take the contact joints away."""
        self._library.dJointGroupEmpty(self._group)

    def close(self) -> None:
        """Free the joint group and the tables; nothing works afterwards."""
        self._library.dJointGroupDestroy(self._group)
        self._near.close()

    def read_touch(self, index: dict[int, int], sums: TouchSums, centres: Array, rotations: Array) -> TouchArrays:
        """`touching`, `touch_point` and `touch_force` of the step, see EngineState.

        index: place of each touch link in the touch arrays; sums: sums to be filled; centres, rotations: present poses
        of touch links.
        """
        count = len(index)
        if not self._near.touches:
            return np.zeros(count, np.bool_), np.zeros((count, 3)), np.zeros((count, 3))
        sums.clear()
        points, forces = self._memory.points, self._memory.forces
        for first, end, link, side in self._near.touches:
            sums.add_all(index[link], points[first:end], forces[2 * first + side : 2 * end : 2])
        return touch_arrays(sums, np.arange(count), centres, rotations)

    def touched(self, index: dict[int, int]) -> BoolArray:
        """(T,) whether a touch link has a contact, felt or asleep."""
        flags = np.zeros(len(index), np.bool_)
        for _, _, link, _ in self._near.touches:
            flags[index[link]] = True
        return flags

    def look(self) -> None:
        """Remember the meetings in a step of ODE that is not the last one of its cycle."""
        self._earlier += self._meetings()

    def _meetings(self) -> list[_Meeting]:
        points = self._memory.points
        return [(one, other, points[first:end].tolist()) for first, end, one, other in self._near.meetings]

    def read_contacts(self, row_of: dict[int, int]) -> ContactSummary:
        """Contacts of robots with the ball and with each other in the cycle. row_of: row of each handle."""
        if not self._near.meetings and not self._earlier:
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
