"""One robot in an ODE world: a body per link, hinges and sliders with motors, one space without inner collisions."""

from __future__ import annotations

import ctypes
import logging
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from simspark_ros.physics.engine import Array, BoolArray, PhysicsError
from simspark_ros.physics.geometry.link_motion import LinkMotion, joint_anchors
from simspark_ros.physics.geometry.solving import principal
from simspark_ros.physics.geometry.transforms import product, rotation_about, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Shape, ShapeKind
from simspark_ros.physics.model_cache import kept_with_model
from simspark_ros.physics.ode.early_stops import HingeStops, SlideStops, softness
from simspark_ros.physics.ode.hulls import HullArguments, hull_arguments
from simspark_ros.physics.ode.library import (
    BOUNCE,
    CFM,
    FORCE_MAX,
    FUDGE_FACTOR,
    HI_STOP,
    LO_STOP,
    STOP_CFM,
    STOP_ERP,
    Mass,
    OdeLibrary,
)
from simspark_ros.physics.ode.settings import OdeSettings

UNLIMITED = 1.0e6
"""Effort of an unlimited motor, N m or N: products with infinity may be NaN."""

_LONGEST_STEP_OF_ROLLERS = 0.005
"""Longest step with which robots on rollers keep their commanded speed, s."""

_log = logging.getLogger(__name__)
_Setter = Callable[..., None]
# Kinds of joints as parts of ODE's function names.
_KINDS = {
    JointKind.REVOLUTE: "Hinge",
    JointKind.CONTINUOUS: "Hinge",
    JointKind.PRISMATIC: "Slider",
    JointKind.FIXED: "Fixed",
}


def rotation_values(rotation: Array) -> ctypes.Array[ctypes.c_double]:
    """A rotation (3, 3) as ODE's 3 x 4 numbers."""
    values = (ctypes.c_double * 12)()
    for row in range(3):
        values[4 * row : 4 * row + 3] = rotation[row].tolist()
    return values


def _stops(joint: Joint) -> tuple[float, float, float]:
    """Stops of a joint from ODE's zero, and the joint's position at that zero; rad or m.

    ODE knows a hinge's angle within half a turn each way, and takes an angle beyond for one far past the other stop. So
    ODE's zero is the middle of ranges that go beyond, and ranges of a turn or more have no stops.
    """
    lower, upper = joint.lower, joint.upper
    if joint.kind is JointKind.PRISMATIC or max(-lower, upper) <= math.pi:
        return lower, upper, 0.0
    if not upper - lower < 2.0 * math.pi:
        return -math.inf, math.inf, 0.0
    middle = (lower + upper) / 2.0
    return lower - middle, upper - middle, middle


@kept_with_model
def early_stops_of(model: ArticulatedModel, step: float) -> BoolArray:
    """(2, J) whether a joint can have early stops, and whether ODE's own never suit it, in steps of that length, s."""
    rules = []
    for joint in model.joints:
        may, (lower, upper, _) = joint.has_stops and joint.lower < joint.upper, _stops(joint)
        # Half a turn beyond its zero an angle of ODE's jumps to the other side of it.
        is_wide = joint.kind is JointKind.REVOLUTE and max(-lower, upper) + joint.way(step) > math.pi
        rules.append((may, may and (is_wide or joint.never_bounces(step))))
    return np.array(rules, np.bool_).reshape(-1, 2).T


def least_moment(model: ArticulatedModel) -> float:
    """The smallest moment of inertia of all links, kg m2: the smaller, the sooner ODE's numbers leave all bounds."""
    return min(min(ixx, iyy, izz) for ixx, _, _, iyy, _, izz in (link.inertia for link in model.links))


@lru_cache(256)
def _warn_of_rollers(name: str, step: float) -> None:
    _log.warning(
        "robot '%s' has wheels with rollers: in ODE's steps of %g s it becomes much faster than commanded; start the"
        " simulator with the preset 'fine' (--preset fine) or on another engine",
        name,
        step,
    )


class OdeRobot:
    """A robot, built with all joints at zero, its base at the origin.

    Attributes:
        space: ODE's space of the robot's shapes.
        bodies: ODE's body of each link, in the model's order.
        joints: ODE's joint of each joint of the model, in the model's order.
        setters, adders: ODE's functions that set a parameter of each joint, and that add an effort for the next step.
        shapes: ODE's geom of each collision shape and the index of its link.
        frozen: whether the robot takes no part in physics.
        early_stops: stops of the joints that have or had them, by index in the model.
    """

    def __init__(
        self, library: OdeLibrary, world: int, space: int, settings: OdeSettings, model: ArticulatedModel
    ) -> None:
        self.model = model
        self.frozen = False
        self._library, self._world, self._settings = library, world, settings
        self._check(model)
        if settings.step_time > _LONGEST_STEP_OF_ROLLERS and model.has_rollers:
            _warn_of_rollers(model.name, settings.step_time)
        self.space: int = library.dSimpleSpaceCreate(space)
        self.bodies: list[int] = [library.dBodyCreate(world) for _ in model.links]
        for body in self.bodies if model.is_fast else ():
            library.dBodySetFiniteRotationMode(body, 1)
        self.shapes: list[tuple[int, int]] = []
        centres, self._rotations = LinkMotion(model).poses(np.zeros(len(model.joints)))
        # ODE keeps pointers to the numbers of hulls.
        self._hulls: list[HullArguments] = []
        for index, link in enumerate(model.links):
            self._set_mass(self.bodies[index], link)
            self.shapes += [(self._shape(shape, link, index), index) for shape in link.collisions]
        if model.fixed_base:
            # Nothing pushes a kinematic body, and it keeps its velocity, which is zero.
            library.dBodySetKinematic(self.bodies[0])
        self.early_stops: dict[int, HingeStops | SlideStops] = {}
        # A joint's zero is at the bodies' poses at the time when the joint is made.
        self.put(centres, self._rotations)
        self._index = {link.name: number for number, link in enumerate(model.links)}
        anchors = joint_anchors(model)
        self.joints: list[int] = [self._joint(world, joint, *anchors[joint.name]) for joint in model.joints]
        self._fixed = [self._joint(world, joint, *anchors[joint.name]) for joint in model.fixed_joints]
        kinds = [_KINDS[joint.kind] for joint in model.joints]
        self.setters: list[_Setter] = [getattr(library, f"dJointSet{kind}Param") for kind in kinds]
        adders = {"Hinge": library.dJointAddHingeTorque, "Slider": library.dJointAddSliderForce}
        self.adders: list[_Setter] = [adders[kind] for kind in kinds]
        for joint, made, setter in zip(model.joints, self.joints, self.setters, strict=True):
            self._set_up(joint, made, setter, settings)

    @staticmethod
    def _check(model: ArticulatedModel) -> None:
        for link in model.links:
            moments, _ = principal(link.inertia_matrix)
            if not (link.mass > 0.0 and moments[0] > 0.0):
                raise PhysicsError(
                    f"link '{link.name}' of model '{model.name}' needs a mass and moments of inertia above zero"
                )

    def _set_mass(self, body: int, link: Link) -> None:
        ixx, ixy, ixz, iyy, iyz, izz = link.inertia
        mass = Mass()
        self._library.dMassSetParameters(mass, link.mass, 0.0, 0.0, 0.0, ixx, iyy, izz, ixy, ixz, iyz)
        self._library.dBodySetMass(body, mass)

    def _shape(self, shape: Shape, link: Link, index: int) -> int:
        library = self._library
        if shape.kind is ShapeKind.HULL:
            arguments = hull_arguments(shape.vertices, product(self._rotations[index], rotation_from_rpy(shape.rpy)))
            geom = library.dCreateConvex(self.space, *arguments)
            self._hulls.append(arguments)
        else:
            geom = getattr(library, f"dCreate{shape.kind.name.capitalize()}")(self.space, *shape.size)
        library.dGeomSetBody(geom, self.bodies[index])
        offset = np.subtract(shape.position, link.centre)
        if offset.any():
            library.dGeomSetOffsetPosition(geom, *offset.tolist())
        if any(shape.rpy):
            library.dGeomSetOffsetRotation(geom, rotation_values(rotation_from_rpy(shape.rpy)))
        return int(geom)

    def _joint(self, world: int, joint: Joint, anchor: Array, axis: Array) -> int:
        library, kind = self._library, _KINDS[joint.kind]
        made: int = getattr(library, f"dJointCreate{kind}")(world, None)
        # With the child first, positions and velocities are the child's against its parent.
        library.dJointAttach(made, self.bodies[self._index[joint.child]], self.bodies[self._index[joint.parent]])
        if kind == "Fixed":
            library.dJointSetFixed(made)
        elif kind == "Slider":
            library.dJointSetSliderAxis(made, *axis.tolist())
        else:
            library.dJointSetHingeAnchor(made, *anchor.tolist())
            self._set_axis(made, joint, axis)
        return made

    def _set_axis(self, made: int, joint: Joint, axis: Array) -> None:
        """Set a hinge's axis and zero; ODE takes the bodies' present poses as the zero."""
        library, child, (_, _, zero) = self._library, self.bodies[self._index[joint.child]], _stops(joint)
        if zero:
            rotation = self._rotations[self._index[joint.child]]
            library.dBodySetRotation(child, rotation_values(product(rotation_about(axis.tolist(), zero), rotation)))
            library.dJointSetHingeAxis(made, *axis.tolist())
            library.dBodySetRotation(child, rotation_values(rotation))
        else:
            library.dJointSetHingeAxis(made, *axis.tolist())

    @staticmethod
    def _set_up(joint: Joint, made: int, set_parameter: _Setter, settings: OdeSettings) -> None:
        lower, upper, _ = _stops(joint)
        for parameter, value in (
            (FORCE_MAX, min(joint.max_effort, UNLIMITED)),
            (CFM, settings.joint_cfm),
            (STOP_CFM, settings.stop_cfm),
            (STOP_ERP, settings.stop_erp),
            (FUDGE_FACTOR, settings.fudge_factor),
            (BOUNCE, settings.stop_bounce),
            # ODE ignores a lower stop above the upper one, so the lower stop is set again after the upper.
            (LO_STOP, lower),
            (HI_STOP, upper),
            (LO_STOP, lower),
        ):
            if joint.kind is not JointKind.CONTINUOUS or parameter not in (LO_STOP, HI_STOP):
                set_parameter(made, parameter, value)

    def stops_early(self, index: int) -> bool:
        """Whether a joint has early stops now."""
        return index in self.early_stops and self.early_stops[index].enabled

    def stop_early(self, index: int, early: bool) -> None:
        """Let a joint have early stops in place of ODE's, or ODE's again."""
        joint, made = self.model.joints[index], self.joints[index]
        if index not in self.early_stops:
            child, parent = (self.bodies[self._index[name]] for name in (joint.child, joint.parent))
            kind = SlideStops if joint.kind is JointKind.PRISMATIC else HingeStops
            cfm = softness(self.model, joint, self._settings)
            self.early_stops[index] = kind(self._library, self._world, made, (child, parent), cfm)
        self.early_stops[index].enable(early)
        lower, upper, _ = (-math.inf, math.inf, 0.0) if early else _stops(joint)
        for parameter, value in ((LO_STOP, lower), (HI_STOP, upper), (LO_STOP, lower)):
            self.setters[index](made, parameter, value)

    def put(self, centres: Array, rotations: Array) -> None:
        """Put all bodies somewhere, at rest, awake. centres: (L, 3) places, m; rotations: (L, 3, 3) body to world."""
        library = self._library
        for body, centre, rotation in zip(self.bodies, centres.tolist(), rotations, strict=True):
            library.dBodySetPosition(body, *centre)
            library.dBodySetRotation(body, rotation_values(rotation))
            library.dBodySetForce(body, 0.0, 0.0, 0.0)
            library.dBodySetTorque(body, 0.0, 0.0, 0.0)
        still = np.zeros_like(centres)
        self.set_velocities(still, still)

    def set_velocities(self, linear: Array, angular: Array) -> None:
        """Set the velocities of all bodies, (L, 3) each, m/s and rad/s, and wake them."""
        library = self._library
        for body, velocity, spin in zip(self.bodies, linear.tolist(), angular.tolist(), strict=True):
            library.dBodySetLinearVel(body, *velocity)
            library.dBodySetAngularVel(body, *spin)
            if not self.frozen:
                library.dBodyEnable(body)

    def is_awake(self) -> bool:
        """Whether ODE moves the robot."""
        return bool(self._library.dBodyIsEnabled(self.bodies[0]))

    def wake(self) -> None:
        """Wake the robot or keep it awake; waking one body is enough, the others follow through the joints."""
        if not self.frozen:
            self._library.dBodyEnable(self.bodies[0])

    def freeze(self) -> None:
        """Take the robot out of physics for good; it stays where it is."""
        self.frozen = True
        self._library.dGeomDisable(self.space)
        for body in self.bodies:
            self._library.dBodyDisable(body)

    def remove(self) -> None:
        """Take the robot out of the world."""
        library = self._library
        for stops in self.early_stops.values():
            stops.remove()
        for joint in (*self.joints, *self._fixed):
            library.dJointDestroy(joint)
        for geom, _ in self.shapes:
            library.dGeomDestroy(geom)
        for body in self.bodies:
            library.dBodyDestroy(body)
        library.dSpaceDestroy(self.space)
