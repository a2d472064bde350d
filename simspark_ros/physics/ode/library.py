"""Finds the Open Dynamics Engine (ODE 0.16) on this machine and describes the part of its C interface that is used.

ODE has no maintained Python binding, so it is called through ctypes. The library is searched for in this order:

1. the file that the environment variable `SIMSPARK_ODE_LIBRARY` names,
2. the system's `libode.so.8` (Debian and Ubuntu: package `libode8`),
3. the one inside the wheel of `dartpy`, which is never imported: only its file is loaded.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import os
import threading
from collections.abc import Iterator
from ctypes import POINTER, c_char_p, c_double, c_int, c_uint, c_ulong, c_void_p
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np

from simspark_ros.physics.engine import Array, PhysicsError

ENVIRONMENT_VARIABLE = "SIMSPARK_ODE_LIBRARY"
"""Names the library's file and overrules the search."""

SYSTEM_LIBRARY = "libode.so.8"
_WHEEL = "dartpy"
_REMEDY = (
    f"install it with 'pip install dartpy', or the system's package 'libode8', or name a file in {ENVIRONMENT_VARIABLE}"
)

# Indices of motor and stop parameters (ode/common.h).
LO_STOP, HI_STOP, VELOCITY, FORCE_MAX, FUDGE_FACTOR, BOUNCE, CFM, STOP_ERP, STOP_CFM = 0, 1, 2, 5, 6, 7, 8, 9, 10

# Bits of a contact's surface mode (ode/contact.h).
MODE_BOUNCE, MODE_SOFT_ERP, MODE_SOFT_CFM, MODE_SLIP = 0x004, 0x008, 0x010, 0x300

_ALLOCATE_ALL = 0xFFFFFFFF
Vector4 = c_double * 4
NearCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
"""Called with user data and the two geoms or spaces whose bounding boxes overlap."""

MessageHandler = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)
"""Called with a number, a format and a va_list."""


class SurfaceParameters(ctypes.Structure):
    """`dSurfaceParameters`."""

    _fields_ = (
        ("mode", c_int),
        ("mu", c_double),
        ("mu2", c_double),
        ("rho", c_double),
        ("rho2", c_double),
        ("rho_n", c_double),
        ("bounce", c_double),
        ("bounce_velocity", c_double),
        ("soft_erp", c_double),
        ("soft_cfm", c_double),
        ("motion1", c_double),
        ("motion2", c_double),
        ("motion_n", c_double),
        ("slip1", c_double),
        ("slip2", c_double),
    )


class ContactGeom(ctypes.Structure):
    """`dContactGeom`."""

    _fields_ = (
        ("position", Vector4),
        ("normal", Vector4),
        ("depth", c_double),
        ("geom1", c_void_p),
        ("geom2", c_void_p),
        ("side1", c_int),
        ("side2", c_int),
    )


class Contact(ctypes.Structure):
    """`dContact`."""

    _fields_ = (("surface", SurfaceParameters), ("geom", ContactGeom), ("direction1", Vector4))


class Feedback(ctypes.Structure):
    """`dJointFeedback`: force and torque of a joint on its first and second body."""

    _fields_ = (("force1", Vector4), ("torque1", Vector4), ("force2", Vector4), ("torque2", Vector4))


class Mass(ctypes.Structure):
    """`dMass`."""

    _fields_ = (("mass", c_double), ("centre", Vector4), ("inertia", c_double * 12))


_P, _I, _U, _R = c_void_p, c_int, c_uint, c_double
_REALS = POINTER(c_double)

# Function -> (result, arguments); grouped by what they concern.
_SIGNATURES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "dInitODE2": (_I, (_U,)),
    "dAllocateODEDataForThread": (_I, (_U,)),
    "dSetMessageHandler": (None, (MessageHandler,)),
    "dWorldCreate": (_P, ()),
    "dWorldDestroy": (None, (_P,)),
    "dWorldSetGravity": (None, (_P, _R, _R, _R)),
    "dWorldSetCFM": (None, (_P, _R)),
    "dWorldSetERP": (None, (_P, _R)),
    "dWorldSetContactSurfaceLayer": (None, (_P, _R)),
    "dWorldSetAutoDisableFlag": (None, (_P, _I)),
    "dHashSpaceCreate": (_P, (_P,)),
    "dSimpleSpaceCreate": (_P, (_P,)),
    "dSpaceDestroy": (None, (_P,)),
    "dSpaceCollide": (None, (_P, _P, NearCallback)),
    "dSpaceCollide2": (None, (_P, _P, _P, NearCallback)),
    "dCollide": (_I, (_P, _P, _I, _P, _I)),
    "dCreatePlane": (_P, (_P, _R, _R, _R, _R)),
    "dCreateBox": (_P, (_P, _R, _R, _R)),
    "dCreateSphere": (_P, (_P, _R)),
    "dCreateCapsule": (_P, (_P, _R, _R)),
    "dCreateCylinder": (_P, (_P, _R, _R)),
    "dGeomDestroy": (None, (_P,)),
    "dGeomSetBody": (None, (_P, _P)),
    "dGeomSetPosition": (None, (_P, _R, _R, _R)),
    "dGeomSetOffsetPosition": (None, (_P, _R, _R, _R)),
    "dGeomSetOffsetRotation": (None, (_P, _REALS)),
    "dGeomSetCategoryBits": (None, (_P, c_ulong)),
    "dGeomSetCollideBits": (None, (_P, c_ulong)),
    "dBodyCreate": (_P, (_P,)),
    "dBodyDestroy": (None, (_P,)),
    "dBodySetMass": (None, (_P, POINTER(Mass))),
    "dBodySetPosition": (None, (_P, _R, _R, _R)),
    "dBodySetRotation": (None, (_P, _REALS)),
    "dBodySetLinearVel": (None, (_P, _R, _R, _R)),
    "dBodySetAngularVel": (None, (_P, _R, _R, _R)),
    "dBodySetForce": (None, (_P, _R, _R, _R)),
    "dBodySetTorque": (None, (_P, _R, _R, _R)),
    "dBodyGetPosition": (_P, (_P,)),
    "dBodyGetRotation": (_P, (_P,)),
    "dBodyGetQuaternion": (_P, (_P,)),
    "dBodyGetLinearVel": (_P, (_P,)),
    "dBodyGetAngularVel": (_P, (_P,)),
    "dBodyGetForce": (_P, (_P,)),
    "dBodyGetTorque": (_P, (_P,)),
    "dBodyEnable": (None, (_P,)),
    "dBodyIsEnabled": (_I, (_P,)),
    "dMassSetParameters": (None, (POINTER(Mass), *[_R] * 10)),
    "dJointGroupCreate": (_P, (_I,)),
    "dJointGroupEmpty": (None, (_P,)),
    "dJointGroupDestroy": (None, (_P,)),
    "dJointCreateHinge": (_P, (_P, _P)),
    "dJointCreateSlider": (_P, (_P, _P)),
    "dJointCreateFixed": (_P, (_P, _P)),
    "dJointCreateContact": (_P, (_P, _P, _P)),
    "dJointAttach": (None, (_P, _P, _P)),
    "dJointDestroy": (None, (_P,)),
    "dJointSetFeedback": (None, (_P, _P)),
    "dJointSetFixed": (None, (_P,)),
    "dJointSetHingeAnchor": (None, (_P, _R, _R, _R)),
    "dJointSetHingeAxis": (None, (_P, _R, _R, _R)),
    "dJointSetHingeParam": (None, (_P, _I, _R)),
    "dJointSetSliderAxis": (None, (_P, _R, _R, _R)),
    "dJointSetSliderParam": (None, (_P, _I, _R)),
    "dJointAddHingeTorque": (None, (_P, _R)),
    "dJointAddSliderForce": (None, (_P, _R)),
}


class OdeLibrary:
    """The loaded library: its functions are attributes under their C names, with types set.

    Attributes:
        path: what was loaded.
        dWorldStep: lets other Python threads run meanwhile; the other functions are too short for that to pay.
    """

    def __init__(self, path: str) -> None:
        """Load and check the library.

        Raises:
            OSError: it cannot be loaded.
            PhysicsError: it is no ODE in double precision, or lacks a function.
        """
        self.path = path
        library, releasing = ctypes.PyDLL(path), ctypes.CDLL(path)
        try:
            library.dGetConfiguration.restype = c_char_p
            configuration = library.dGetConfiguration().decode()
            for name, (result, arguments) in _SIGNATURES.items():
                function = getattr(library, name)
                function.restype, function.argtypes = result, list(arguments)
                setattr(self, name, function)
            self.dWorldStep = releasing.dWorldStep
            self.dWorldStep.restype, self.dWorldStep.argtypes = c_int, [c_void_p, c_double]
        except AttributeError as error:
            raise PhysicsError(f"{path} is no ODE 0.16: {error}; {_REMEDY}") from None
        if "ODE_double_precision" not in configuration.split():
            raise PhysicsError(f"{path} was not built with double precision, which this engine needs; {_REMEDY}")
        # ODE writes to stderr whenever its solver gives up on a contact, which in a heap of robots it may often do.
        self._ignore = MessageHandler(lambda number, text, values: None)
        self.dSetMessageHandler(self._ignore)
        self._thread = threading.local()
        self.dInitODE2(0)
        self.prepare_thread()

    def prepare_thread(self) -> None:
        """Must have been called once in every thread that collides geoms; calling again costs nothing."""
        if not hasattr(self._thread, "ready"):
            self.dAllocateODEDataForThread(_ALLOCATE_ALL)
            self._thread.ready = True

    def __getattr__(self, name: str) -> Any:
        """Fail with a message that names the function.

        Raises:
            AttributeError: always.
        """
        # Reached only for names that are not set: the functions are, so this is for the type checker and for typos.
        raise AttributeError(f"{name} is not among the ODE functions that simspark_ros declares")


def memory_of(structures: Any) -> Array:
    """The numbers of an array of structures that hold only numbers of eight bytes, without a copy; keeps it alive."""
    return np.frombuffer(structures, np.float64)


def load_library() -> OdeLibrary:
    """ODE, loaded once per process and file.

    Raises:
        PhysicsError: no usable library was found; says where it was looked for and what to install.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        try:
            return _load(named)
        except OSError as error:
            raise PhysicsError(f"{ENVIRONMENT_VARIABLE} names '{named}', which cannot be loaded: {error}") from None
    problems = []
    for path in _candidates():
        try:
            return _load(path)
        except (OSError, PhysicsError) as error:
            problems.append(str(error))
    raise PhysicsError(f"physics engine 'ode' finds no ODE library ({'; '.join(problems)}); {_REMEDY}")


@functools.cache
def _load(path: str) -> OdeLibrary:
    return OdeLibrary(path)


def _candidates() -> Iterator[str]:
    """File names to try, in order of search."""
    yield SYSTEM_LIBRARY
    try:
        listed = files(_WHEEL) or []
    except PackageNotFoundError:
        return
    for entry in listed:
        if entry.name.startswith("libode") and ".so" in entry.name:
            yield str(Path(str(entry.locate())).resolve())
