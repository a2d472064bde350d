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
from simspark_ros.physics.ode.assertions import on_failure

ENVIRONMENT_VARIABLE = "SIMSPARK_ODE_LIBRARY"
"""Environment variable with the library's file; it overrules the search."""

SYSTEM_LIBRARY = "libode.so.8"
_WHEEL = "dartpy"
_REMEDY = (
    f"install it with 'pip install dartpy', or the system's package 'libode8', or name a file in {ENVIRONMENT_VARIABLE}"
)

# Indices of motor and stop parameters (ode/common.h).
LO_STOP, HI_STOP, VELOCITY, FORCE_MAX, FUDGE_FACTOR, BOUNCE, CFM, STOP_ERP, STOP_CFM = 0, 1, 2, 5, 6, 7, 8, 9, 10

# Bits of a contact's surface mode (ode/contact.h).
MODE_BOUNCE, MODE_SOFT_ERP, MODE_SOFT_CFM, MODE_MOTION_N, MODE_SLIP = 0x004, 0x008, 0x010, 0x080, 0x300
MODE_COULOMB = 0x3000
"""Mode in which friction is a coefficient (dContactApprox1) and not a largest force."""

_ALLOCATE_ALL = 0xFFFFFFFF
Vector4 = c_double * 4
NearCallback = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
"""Type of a function called with user data and the two geoms or spaces whose bounding boxes overlap."""

MessageHandler = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)
"""Type of a function called with a number, a format and a va_list."""


class SurfaceParameters(ctypes.Structure):
    """`dSurfaceParameters`."""

    _fields_ = (
        ("mode", c_int),
        *((name, c_double) for name in ("mu", "mu2", "rho", "rho2", "rho_n", "bounce", "bounce_velocity")),
        *((name, c_double) for name in ("soft_erp", "soft_cfm", "motion1", "motion2", "motion_n", "slip1", "slip2")),
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


class ContactRecord(ctypes.Structure):
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

# (result, *arguments) -> functions
_SIGNATURES: dict[tuple[Any, ...], str] = {
    (_I, _U): "dInitODE2 dAllocateODEDataForThread",
    (None, MessageHandler): "dSetMessageHandler dSetErrorHandler dSetDebugHandler",
    (_P,): "dWorldCreate dGeomHeightfieldDataCreate",
    (None, _P): (
        "dWorldDestroy dSpaceDestroy dGeomDestroy dBodyDestroy dBodyEnable dBodyDisable dBodySetKinematic dGeomDisable "
        "dJointGroupEmpty dJointGroupDestroy dJointDestroy dJointEnable dJointDisable dJointSetFixed "
        "dGeomHeightfieldDataDestroy"
    ),
    (None, _P, _R, _R, _R): (
        "dWorldSetGravity dGeomSetPosition dGeomSetOffsetPosition dBodySetPosition dBodySetLinearVel "
        "dBodySetAngularVel dBodySetForce dBodySetTorque dJointSetHingeAnchor dJointSetHingeAxis "
        "dJointSetSliderAxis"
    ),
    (None, _P, _R): (
        "dWorldSetCFM dWorldSetERP dWorldSetContactSurfaceLayer dJointAddHingeTorque dJointAddSliderForce"
    ),
    (None, _P, _I): "dWorldSetAutoDisableFlag dBodySetFiniteRotationMode dJointSetAMotorNumAxes",
    (_P, _P): (
        "dHashSpaceCreate dSimpleSpaceCreate dGeomGetData dBodyCreate dBodyGetPosition dBodyGetRotation "
        "dBodyGetQuaternion dBodyGetLinearVel dBodyGetAngularVel dBodyGetForce dBodyGetTorque"
    ),
    (None, _P, _P, NearCallback): "dSpaceCollide",
    (None, _P, _P, _P, NearCallback): "dSpaceCollide2",
    (_I, _P, _P, _I, _P, _I): "dCollide",
    (_P, _P, _R, _R, _R, _R): "dCreatePlane",
    (_P, _P, _REALS, _U, _REALS, _U, POINTER(_U)): "dCreateConvex",
    (_P, _P, _P, _I): "dCreateHeightfield",
    (None, _P, _REALS, _I, _R, _R, _I, _I, _R, _R, _R, _I): "dGeomHeightfieldDataBuildDouble",
    (_P, _P, _R, _R, _R): "dCreateBox",
    (_P, _P, _R): "dCreateSphere",
    (_P, _P, _R, _R): "dCreateCapsule dCreateCylinder",
    (None, _P, _P): "dGeomSetBody dGeomSetData dJointSetFeedback dSpaceRemove dSpaceAdd",
    (None, _P, _REALS): (
        "dGeomSetOffsetRotation dGeomSetRotation dBodySetRotation dJointGetHingeAxis dJointGetSliderAxis"
    ),
    (None, _P, c_ulong): "dGeomSetCategoryBits dGeomSetCollideBits",
    (None, _P, POINTER(Mass)): "dBodySetMass",
    (_I, _P): "dBodyIsEnabled",
    (None, POINTER(Mass), *[_R] * 10): "dMassSetParameters",
    (_P, _I): "dJointGroupCreate",
    (_P, _P, _P): "dJointCreateHinge dJointCreateSlider dJointCreateFixed dJointCreateAMotor",
    (_P, _P, _P, _P): "dJointCreateContact",
    (None, _P, _P, _P): "dJointAttach",
    (None, _P, _I, _R): "dJointSetHingeParam dJointSetSliderParam dJointSetAMotorParam dJointSetAMotorAngle",
    (None, _P, _I, _I, _R, _R, _R): "dJointSetAMotorAxis",
}

# Those of 0.16.5 and later, by which each island is stepped by one thread.
_ISLANDS: dict[tuple[Any, ...], str] = {
    (_P,): "dThreadingAllocateMultiThreadedImplementation",
    (_P, _U, _U, _U, _P): "dThreadingAllocateThreadPool",
    (_P, _P): "dThreadingImplementationGetFunctions",
    (None, _P): ("dThreadingFreeImplementation dThreadingFreeThreadPool dThreadingImplementationShutdownProcessing"),
    (None, _P, _P): "dThreadingThreadPoolServeMultiThreadedImplementation dWorldSetSteppingThreadingParameters",
    (None, _P, _P, _P): "dWorldSetStepThreadingImplementation",
}


class OdeLibrary:
    """The library loaded from a path: its functions are attributes under their C names, with types set.

    Only `dWorldStep` lets other Python threads run meanwhile; for the other, short functions that does not pay.

    Attributes:
        steps_islands: whether this ODE can step each island by one thread; the functions for it are missing otherwise.

    Raises:
        OSError: the library cannot be loaded.
        PhysicsError: the library is no ODE in double precision, or lacks a function.
    """

    def __init__(self, path: str) -> None:
        library, releasing = ctypes.PyDLL(path), ctypes.CDLL(path)
        try:
            library.dGetConfiguration.restype = c_char_p
            configuration = library.dGetConfiguration().decode()
            self._declare(library, _SIGNATURES)
            self.steps_islands = hasattr(library, "dWorldSetSteppingThreadingParameters")
            if self.steps_islands:
                self._declare(library, _ISLANDS)
            self.dWorldStep = releasing.dWorldStep
            self.dWorldStep.restype, self.dWorldStep.argtypes = c_int, [c_void_p, c_double]
        except AttributeError as error:
            raise PhysicsError(f"{path} is not ODE 0.16: {error}; {_REMEDY}") from None
        if "ODE_double_precision" not in configuration.split():
            raise PhysicsError(f"{path} was not built with double precision, which this engine needs; {_REMEDY}")
        # Without this ODE writes to stderr whenever its solver gives up on a contact, as often in a heap of robots.
        self._ignore = MessageHandler(lambda number, text, values: None)
        self.dSetMessageHandler(self._ignore)
        self.on_failure = MessageHandler(on_failure)
        self.dSetErrorHandler(self.on_failure)
        self.dSetDebugHandler(self.on_failure)
        self._thread = threading.local()
        self.dInitODE2(0)
        self.prepare_thread()

    def _declare(self, library: ctypes.CDLL, signatures: dict[tuple[Any, ...], str]) -> None:
        for (result, *arguments), names in signatures.items():
            for name in names.split():
                function = getattr(library, name)
                function.restype, function.argtypes = result, arguments
                setattr(self, name, function)

    def prepare_thread(self) -> None:
        """Prepare the calling thread to collide geoms; needed once per thread, calling again costs nothing."""
        if not hasattr(self._thread, "ready"):
            self.dAllocateODEDataForThread(_ALLOCATE_ALL)
            self._thread.ready = True

    def __getattr__(self, name: str) -> Any:
        """Fail with a message that names the function.

        Raises:
            AttributeError: always.
        """
        # Python calls this for missing attributes only: functions are set, so this is for type checkers and typos.
        raise AttributeError(f"{name} is not among the ODE functions that simspark_ros declares")


def memory_of(structures: Any) -> Array:
    """View, without a copy, of an array of structures with numbers of eight bytes only; it keeps the array alive."""
    return np.frombuffer(structures, np.float64)


def load_library() -> OdeLibrary:
    """ODE, loaded once per process and file.

    Raises:
        PhysicsError: no usable library was found; the message names the places searched and the package to install.
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
    yield SYSTEM_LIBRARY
    try:
        listed = files(_WHEEL) or []
    except PackageNotFoundError:
        return
    for entry in listed:
        if entry.name.startswith("libode") and ".so" in entry.name:
            yield str(Path(str(entry.locate())).resolve())
