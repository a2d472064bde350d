"""The near-callbacks of ODE's collision, and calls that survive a failed assertion inside ODE, by `native.c`."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Sequence
from ctypes import CFUNCTYPE, c_char_p, c_double, c_int, c_int64, c_void_p
from importlib.util import find_spec
from itertools import chain

import numpy as np

from simspark_ros.physics.engine import IntArray
from simspark_ros.physics.ode.assertions import OdeFailedError
from simspark_ros.physics.ode.library import MessageHandler, OdeLibrary
from simspark_ros.physics.ode.near_callbacks import Decisions, Entry, Found
from simspark_ros.physics.ode.shapes import (
    CAPACITY,
    CONTACT,
    DEPTH,
    FEEDBACK,
    GEOM,
    SURFACE,
    ContactMemory,
    ShapeProperties,
)

_MODULE = f"{__name__.rpartition('.')[0]}._native"
_FUNCTIONS = (
    *("dCollide", "dSpaceCollide2", "dSpaceCollide", "dGeomGetData"),
    *("dJointCreateContact", "dJointAttach", "dJointSetFeedback"),
    *("dBodyIsEnabled", "dBodyGetPosition", "dBodySetPosition", "dSpaceRemove", "dSpaceAdd"),
)
_MayMeet, _MayJoin = CFUNCTYPE(c_int, c_void_p, c_void_p), CFUNCTYPE(c_int, c_int64, c_int64)


class _Shape(ctypes.Structure):
    """`Shape` of native.c."""

    _fields_ = (("surface", c_int64), ("owner", c_int64), ("body", c_void_p), ("felt", c_int64))


class _Contacts(ctypes.Structure):
    """`Contacts` of native.c."""

    _fields_ = (
        *((name, c_void_p) for name in _FUNCTIONS),
        ("may_meet", _MayMeet),
        ("may_join", _MayJoin),
        *((name, c_void_p) for name in ("world", "group", "contacts", "feedbacks", "surfaces", "touches", "meetings")),
        *((name, c_int64) for name in ("contact_size", "geom_offset", "depth_offset", "surface_size", "feedback_size")),
        *((name, c_int64) for name in ("capacity", "per_pair", "kinds", "count", "touch_count", "meeting_count")),
        ("ghost_depth", c_double),
        ("deepest", c_double),
        ("movable", c_void_p),
        ("movable_count", c_int64),
    )


class Native:
    """The functions of `native.c`, for one ODE library.

    Attributes:
        functions: the functions of ODE that near-callbacks call.

    Args:
        file: the compiled library.
    """

    def __init__(self, file: str, library: OdeLibrary) -> None:
        self._holding, self._releasing = ctypes.PyDLL(file), ctypes.CDLL(file)
        self._library = library
        self._holding.simspark_message.restype = c_char_p
        self._holding.simspark_find.argtypes = [c_void_p, c_void_p]
        self._holding.simspark_probe.argtypes = [c_void_p, c_void_p, c_void_p]
        self._releasing.simspark_step.argtypes = [c_void_p, c_void_p, c_double]
        # Errors in calls other than this class's.
        self._holding.simspark_set_unarmed_handler(library.on_failure)
        handler = ctypes.cast(self._holding.simspark_on_failure, MessageHandler)
        library.dSetErrorHandler(handler)
        library.dSetDebugHandler(handler)
        library.dSetMessageHandler(ctypes.cast(self._holding.simspark_ignore, MessageHandler))
        self.find, self.probe = self._holding.simspark_find, self._holding.simspark_probe
        self._step = self._releasing.simspark_step
        self._world_step = ctypes.cast(library.dWorldStep, c_void_p)
        self.functions = {name: ctypes.cast(getattr(library, name), c_void_p) for name in _FUNCTIONS}

    def step(self, world: int, time: float) -> None:
        """`dWorldStep`, while other Python threads run; time: s.

        Raises:
            OdeFailedError: an assertion failed.
        """
        if self._step(self._world_step, world, time):
            raise self.failure()

    def failure(self) -> OdeFailedError:
        """The error of the last call, which has failed."""
        return OdeFailedError(f"ODE: {self._holding.simspark_message().decode(errors='replace')}")


@functools.cache
def native_of(library: OdeLibrary) -> Native | None:
    """`native.c` for an ODE library, whose errors it handles from now on; None where it could not be compiled."""
    spec = find_spec(_MODULE)
    return None if spec is None or spec.origin is None else Native(spec.origin, library)


class NativeNearCallbacks:
    """`NearCallbacks` by `native.c`; the arguments are as for `PythonNearCallbacks`."""

    def __init__(
        self,
        native: Native,
        library: OdeLibrary,
        places: tuple[int, int, int],
        memory: ContactMemory,
        decisions: Decisions,
        at_most: int,
        ghost_depth: float,
    ) -> None:
        world, self._space, group = places
        self._native, self._library, self._memory, self._decisions = native, library, memory, decisions
        # By address of a shape or space: what ODE keeps a pointer to.
        self._shapes: dict[int, _Shape] = {}
        self._touches: IntArray = np.zeros((2 * CAPACITY, 4), np.int64)
        self._meetings: IntArray = np.zeros((CAPACITY, 4), np.int64)
        self._surfaces = ctypes.create_string_buffer(0)
        self._movable: ctypes.Array[c_void_p] = (c_void_p * 0)()
        self._failed: OdeFailedError | None = None
        self.touches: Found = []
        self.meetings: Found = []
        self._contacts = _Contacts(
            **native.functions,
            may_meet=_MayMeet(self._may_meet),
            may_join=_MayJoin(decisions.may_join),
            world=world,
            group=group,
            contacts=memory.contacts,
            feedbacks=memory.feedbacks,
            touches=self._touches.ctypes.data,
            meetings=self._meetings.ctypes.data,
            contact_size=CONTACT,
            geom_offset=GEOM,
            depth_offset=DEPTH * ctypes.sizeof(c_double),
            surface_size=SURFACE,
            feedback_size=FEEDBACK,
            capacity=CAPACITY,
            per_pair=at_most,
            ghost_depth=ghost_depth,
        )
        self._address = ctypes.addressof(self._contacts)

    def add_shape(self, shape: int, properties: ShapeProperties) -> None:
        self._add(shape, _Shape(*properties))

    def add_space(self, space: int, owner: int) -> None:
        self._add(space, _Shape(-1, owner, None, -1))

    def _add(self, geom: int, record: _Shape) -> None:
        self._shapes[geom] = record
        self._library.dGeomSetData(geom, ctypes.addressof(record))

    def remove(self, owner: int) -> None:
        self._shapes = {geom: record for geom, record in self._shapes.items() if record.owner != owner}

    def set_movable(self, entries: Collection[Entry]) -> None:
        self._movable = (c_void_p * (2 * len(entries)))(*chain.from_iterable(entries))
        self._contacts.movable, self._contacts.movable_count = ctypes.addressof(self._movable), len(entries)

    def set_surfaces(self, surfaces: Sequence[Sequence[bytes]]) -> None:
        self._surfaces = ctypes.create_string_buffer(b"".join(b"".join(row) for row in surfaces))
        self._contacts.surfaces, self._contacts.kinds = ctypes.addressof(self._surfaces), len(surfaces)

    def find(self) -> None:
        if self._native.find(self._address, self._space):
            raise self._native.failure()
        if self._failed is not None:
            raise self._failed
        contacts = self._contacts
        self.touches = self._touches[: contacts.touch_count].tolist()
        self.meetings = self._meetings[: contacts.meeting_count].tolist()

    def depth_between(self, one: int, other: int) -> float:
        if self._native.probe(self._address, one, other):
            raise self._native.failure()
        return float(self._contacts.deepest)

    def _may_meet(self, one: int, other: int) -> bool:
        # An exception cannot leave a callback.
        try:
            return self._decisions.may_meet(one, other)
        except OdeFailedError as error:
            self._failed = error
            return False

    def close(self) -> None:
        # Callbacks refer to this object and this object to them.
        self._contacts.may_meet, self._contacts.may_join = _MayMeet(), _MayJoin()
