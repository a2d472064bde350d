"""Stops that a joint does not pass within a step: of joints without power, of wide ranges and of narrow ones.

ODE's own stop has a row only in steps that begin beyond it, and that row takes the place of the motor's, which brakes a
limp joint. So an impact turned a light limb through its stop by its whole way in a step, and a motor drove a joint of a
narrow range to and fro through both. And ODE knows angles within a turn only. Here each stop is a row of its own, which
bounds the joint's speed to what reaches the stop at the end of the step: v <= room / h.
"""

from __future__ import annotations

import ctypes

import numpy as np

from simspark_ros.physics.geometry.solving import solved
from simspark_ros.physics.geometry.transforms import product, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind
from simspark_ros.physics.ode.library import (
    HI_STOP,
    LO_STOP,
    MODE_MOTION_N,
    MODE_SOFT_CFM,
    STOP_CFM,
    STOP_ERP,
    ContactRecord,
    OdeLibrary,
    SurfaceParameters,
)
from simspark_ros.physics.ode.settings import OdeSettings

_SECOND = 0x100
"""Number that ODE adds to parameters for the second axis of a motor."""

_RETURN = 0.8
"""Part of the way beyond a stop that is taken back in a step, ODE's own for stops."""

_NEAR, _NEAR_SLIDE = 2.0, 0.5
"""Distance from a stop within which it has a row, rad and m: the way of 100 rad/s and 25 m/s in a step of 20 ms."""

_ENDLESS = 1e3
"""Room at the side on which a hinge has no stop, rad."""

_SHARE = 1e-9  # least softness of a stop, of how much its joint yields


def softness(model: ArticulatedModel, joint: Joint, settings: OdeSettings) -> float:
    """CFM of a joint's early stops: the preset's, or more for bodies so light that ODE's numbers would not hold it.

    Softness alone tells the rows of stops and motor apart. Where rounding took it, ODE's solver left rows out.
    """
    child, parent, axis = model.link(joint.child), model.link(joint.parent), np.array(joint.axis)
    ends = [(child, axis), (parent, product(rotation_from_rpy(joint.rpy), axis))]
    if model.fixed_base and parent.name == model.base.name:
        # A bolted base does not yield.
        ends.pop()
    if joint.kind is JointKind.PRISMATIC:
        yields = sum(1.0 / link.mass for link, _ in ends)
    else:
        yields = sum(float(product(along, solved(np.array(link.inertia_matrix), along))) for link, along in ends)
    return max(settings.stop_cfm, _SHARE * settings.step_time * yields)


class HingeStops:
    """The stops of one hinge: a motor of ODE's with an axis for each stop, both the hinge's.

    ODE's row of a stop says v <= -erp err / h; with err = 1 and erp = -room it is the row that is wanted.

    Attributes:
        enabled: whether the stops act.
    """

    def __init__(self, library: OdeLibrary, world: int, hinge: int, bodies: tuple[int, int], cfm: float) -> None:
        self._library = library
        self.enabled = self._acts = True
        self._motor = ctypes.c_void_p(library.dJointCreateAMotor(world, None))
        library.dJointAttach(self._motor, *bodies)
        library.dJointSetAMotorNumAxes(self._motor, 2)
        axis = (ctypes.c_double * 4)()
        library.dJointGetHingeAxis(hinge, axis)
        for number in (0, 1):
            library.dJointSetAMotorAxis(self._motor, number, 1, *axis[:3])
        for first in (0, _SECOND):
            library.dJointSetAMotorParam(self._motor, STOP_CFM + first, cfm)
        library.dJointSetAMotorParam(self._motor, HI_STOP, 0.0)
        library.dJointSetAMotorAngle(self._motor, 0, 1.0)
        library.dJointSetAMotorParam(self._motor, LO_STOP + _SECOND, 0.0)
        library.dJointSetAMotorAngle(self._motor, 1, -1.0)

    def enable(self, enabled: bool) -> None:
        """Let the stops act from the next step on, or not."""
        self.enabled = enabled
        self._act(enabled)

    def _act(self, acts: bool) -> None:
        if acts != self._acts:
            self._acts = acts
            (self._library.dJointEnable if acts else self._library.dJointDisable)(self._motor)

    def set_room(self, below: float, above: float, step: float) -> None:
        """Tell the distances to the lower and the upper stop before a step of that length, s; negative beyond."""
        self._act(below < _NEAR or above < _NEAR)
        for axis, room in ((0, above), (_SECOND, below)):
            self._library.dJointSetAMotorParam(self._motor, STOP_ERP + axis, -_way(min(room, _ENDLESS)))

    def remove(self) -> None:
        """Take the stops out of the world."""
        self._library.dJointDestroy(self._motor)


class SlideStops:
    """The stops of one slide: contacts without friction, made anew for each step, along the slide's axis.

    Attributes:
        enabled: whether the stops act.
    """

    def __init__(self, library: OdeLibrary, world: int, slide: int, bodies: tuple[int, int], cfm: float) -> None:
        self._library, self._world, self._slide, self._bodies = library, world, slide, bodies
        self.enabled = True
        self._contacts: list[int] = []
        self._record = ContactRecord(
            surface=SurfaceParameters(mode=MODE_MOTION_N | MODE_SOFT_CFM, mu=0.0, soft_cfm=cfm)
        )

    def enable(self, enabled: bool) -> None:
        """Let the stops act from the next step on, or not."""
        self.enabled = enabled
        self.remove()

    def set_room(self, below: float, above: float, step: float) -> None:
        """Tell the distances to the lower and the upper stop before a step of that length, s; negative beyond."""
        self.remove()
        library, geom = self._library, self._record.geom
        axis = (ctypes.c_double * 4)()
        library.dJointGetSliderAxis(self._slide, axis)
        geom.position[:3] = (ctypes.c_double * 3).from_address(library.dBodyGetPosition(self._bodies[0]))
        out = 0.5 * step**2 * self._fling(axis[:3])
        for sign, room in ((1.0, below + out), (-1.0, above - out)):
            if room < _NEAR_SLIDE:
                geom.normal[:3] = [sign * part for part in axis[:3]]
                self._record.surface.motion_n = -_way(room) / step
                contact = library.dJointCreateContact(self._world, None, ctypes.addressof(self._record))
                library.dJointAttach(contact, *self._bodies)
                self._contacts.append(contact)

    def _fling(self, axis: list[float]) -> float:
        """Acceleration along the axis, m/s2, by which bodies on straight ways leave a slide that turns meanwhile."""
        library, (child, parent) = self._library, self._bodies
        place, centre, spin = (
            np.array((ctypes.c_double * 3).from_address(address))
            for address in (
                library.dBodyGetPosition(child),
                library.dBodyGetPosition(parent),
                library.dBodyGetAngularVel(parent),
            )
        )
        return float(product(np.cross(spin, axis), np.cross(spin, place - centre)))

    def remove(self) -> None:
        """Take the stops out of the world."""
        while self._contacts:
            self._library.dJointDestroy(self._contacts.pop())


def _way(room: float) -> float:
    """The way that a step may take a joint towards its stop, rad or m; negative = back from beyond it."""
    return room if room >= 0.0 else _RETURN * room
