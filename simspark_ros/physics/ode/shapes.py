"""The shapes of an ODE world as near-callbacks know them, and the memory that they fill."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from simspark_ros.physics.engine import Array
from simspark_ros.physics.ode.library import ContactGeom, ContactRecord, Feedback, SurfaceParameters, memory_of

BALL, NO_OWNER = -1, -2
"""Owners of shapes that belong to no robot."""

CAPACITY = 8192
"""Most contacts of one cycle, the rest is left out; 22 robots in a heap have about 2000."""

_REAL = ctypes.sizeof(ctypes.c_double)
CONTACT, FEEDBACK, SURFACE = ctypes.sizeof(ContactRecord), ctypes.sizeof(Feedback), ctypes.sizeof(SurfaceParameters)
GEOM = ContactRecord.geom.offset
_POSITION = (GEOM + ContactGeom.position.offset) // _REAL
DEPTH = (GEOM + ContactGeom.depth.offset) // _REAL
_LINKS = 16


class ShapeProperties(NamedTuple):
    """Properties of a shape.

    Attributes:
        surface: number of the kind of surface, see `Contacts.surface`.
        owner: robot's handle, BALL or NO_OWNER.
        body: ODE's body as an argument for calls; None for immovable shapes.
        felt: number of the touch link, see `touch_link`; -1 for others.
    """

    surface: int
    owner: int
    body: ctypes.c_void_p | None
    felt: int = -1


def touch_link(handle: int, link: int) -> int:
    """The number of a link that feels contacts: a robot's handle and the index of the link."""
    return (handle << _LINKS) + link


class ContactMemory:
    """The contacts of one cycle in ODE's records.

    Attributes:
        contacts, feedbacks: addresses of the first contact and of the first feedback.
        numbers: (CAPACITY, numbers of a contact) all contacts; a few of the numbers are really two integers.
        points: (CAPACITY, 3) places of the contacts, m.
        forces: (2 CAPACITY, 3) forces on bodies: row 2 i on the first body of contact i, row 2 i + 1 on the second, N.
    """

    def __init__(self) -> None:
        # The views keep the memory.
        contacts, feedbacks = (ContactRecord * CAPACITY)(), (Feedback * CAPACITY)()
        self.contacts, self.feedbacks = ctypes.addressof(contacts), ctypes.addressof(feedbacks)
        self.numbers: Array = memory_of(contacts).reshape(CAPACITY, CONTACT // _REAL)
        self.points: Array = self.numbers[:, _POSITION : _POSITION + 3]
        self.forces: Array = memory_of(feedbacks).reshape(2 * CAPACITY, 8)[:, :3]
        self.surfaces = self.numbers.view(np.uint8)[:, :SURFACE]
