"""Joints of SDF models."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np

from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.formats.parts.bodies import BodyJoint, Coupling
from simspark_ros.robots.formats.parts.robot_assembly import SHARE, RobotAssembly
from simspark_ros.robots.formats.sdf.scope import WORLD, Scope
from simspark_ros.robots.formats.urdf.document import line_of

SPEED, EFFORT = 10.0, 100.0
"""Limits of joints without limits in the file: rad/s or m/s, N m or N."""

_UNLIMITED = 1e15
"""Value beyond which a stop stands for no stop, by the specification."""

_KINDS = {
    "revolute": JointKind.REVOLUTE,
    "continuous": JointKind.CONTINUOUS,
    "prismatic": JointKind.PRISMATIC,
    "fixed": JointKind.FIXED,
}
_TWO_AXES = ("universal", "revolute2")
_BALL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class JointReader:
    """Adds the joints of a robot to its assembly."""

    def __init__(self, assembly: RobotAssembly) -> None:
        self._assembly = assembly
        self._report = assembly.report

    def add(self, scope: Scope, element: ET.Element) -> None:
        """Add one joint, which may become a chain of several."""
        name, kind = scope.prefix + scope.values.name(element), element.get("type", "")
        what, place = f"joint '{name}'", (scope.values.file.name, line_of(element))
        ends = {end: scope.values.text(element, end) for end in ("parent", "child")}
        if ends["child"] == WORLD:
            self._report.dropped(what, "the world cannot be the child of a joint", *place)
            return
        child = scope.body_of(ends["child"], element)
        if ends["parent"] == WORLD:
            if kind == "fixed":
                self._assembly.bolt(child)
                self._report.understood(what, "its child is bolted to the world", *place)
                return
            parent = self._assembly.world().name
        else:
            parent = scope.body_of(ends["parent"], element)
        pose = scope.in_robot() @ scope.pose_of(scope.values.name(element))
        joint = BodyJoint(name, _KINDS.get(kind, JointKind.FIXED), parent, child, pose)
        self._connect(self._degrees(scope, element, kind, joint), child, what, place)

    def _connect(self, joints: list[BodyJoint], child: str, what: str, place: tuple[str, int]) -> None:
        chain = self._assembly.chain(self._assembly.bodies[child], joints)
        self._assembly.joints += chain
        if len(chain) > 1:
            how = f"it becomes {len(chain)} hinges, with links between them of {SHARE:.0%} of the mass of '{child}'"
            self._report.approximated(what, how, *place)
        else:
            self._report.understood(what, "", *place)

    def _degrees(self, scope: Scope, element: ET.Element, kind: str, joint: BodyJoint) -> list[BodyJoint]:
        """The joints with one degree of freedom each, the joint next to the parent first."""
        if kind == "ball":
            hinge = replace(joint, kind=JointKind.CONTINUOUS, velocity=SPEED, effort=0.0)
            return [replace(hinge, name=f"{joint.name}_{'xyz'[k]}", axis=axis) for k, axis in enumerate(_BALL)]
        if kind in _TWO_AXES:
            return [
                self._turning(scope, element, tag, replace(joint, name=f"{joint.name}_{tag}", kind=JointKind.REVOLUTE))
                for tag in ("axis", "axis2")
            ]
        if kind not in _KINDS:
            how = f"type '{kind[:40]}' is not supported; its links are fixed to each other"
            self._report.dropped(f"joint '{joint.name}'", how, scope.values.file.name, line_of(element))
        return [joint if joint.kind is JointKind.FIXED else self._turning(scope, element, "axis", joint)]

    def _turning(self, scope: Scope, element: ET.Element, tag: str, joint: BodyJoint) -> BodyJoint:
        """The joint with the axis and limits of an element."""
        values, axis = scope.values, element.find(tag)
        limit = None if axis is None else axis.find("limit")
        lower = values.number(limit, "lower", -math.inf, infinite=True)
        upper = values.number(limit, "upper", math.inf, infinite=True)
        if limit is not None and lower > upper:
            values.fail(limit, f"its lower limit {lower:g} lies above its upper limit {upper:g}")
        kind = joint.kind
        if kind is JointKind.REVOLUTE and lower < -_UNLIMITED and upper > _UNLIMITED:
            kind = JointKind.CONTINUOUS
        velocity, effort = (values.number(limit, key, -1.0, infinite=True) for key in ("velocity", "effort"))
        if not (0.0 <= effort < math.inf and 0.0 <= velocity < math.inf):
            how = f"its motor lacks limits: missing ones become {SPEED:g} rad/s or m/s, and {EFFORT:g} N m or N"
            self._report.approximated(
                f"joint '{joint.name}'", how, values.file.name, line_of(element if axis is None else axis)
            )
        dynamics = None if axis is None else axis.find("dynamics")
        if values.number(dynamics, "spring_stiffness", 0.0):
            self._report.dropped(f"spring of joint '{joint.name}'", "springs are not supported", values.file.name)
        return replace(
            joint,
            kind=kind,
            axis=self._axis(scope, element, axis, joint.pose),
            lower=lower,
            upper=upper,
            velocity=velocity if 0.0 <= velocity < math.inf else SPEED,
            effort=effort if 0.0 <= effort < math.inf else math.inf,
            damping=values.number(dynamics, "damping", 0.0),
            friction=values.number(dynamics, "friction", 0.0),
            mimic=self._mimic(scope, axis),
        )

    def _axis(
        self, scope: Scope, element: ET.Element, axis: ET.Element | None, pose: Transform
    ) -> tuple[float, float, float]:
        """Unit vector in the frame of the joint.

        The file gives it in the model's frame up to version 1.4, in 1.5 and 1.6 if `use_parent_model_frame` says so.
        """
        values = scope.values
        direction = np.array(values.vector(axis, "xyz", (0.0, 0.0, 1.0)))
        length = math.hypot(*direction)
        if length < 1e-9:
            values.fail(element, "its axis has no length; give it a direction such as '0 0 1'")
        xyz = None if axis is None else axis.find("xyz")
        frame = "" if xyz is None else xyz.get("expressed_in", "")
        old = scope.version < (1, 7) and axis is not None
        if old and axis is not None and values.flag(axis, "use_parent_model_frame", default=scope.version < (1, 5)):
            frame = "__model__"
        if frame:
            turn = product(scope.in_robot().rotation, scope.pose_of(frame).rotation)
            direction = product(pose.rotation.T, product(turn, direction))
        x, y, z = (direction / length).tolist()
        return (x, y, z)

    def _mimic(self, scope: Scope, axis: ET.Element | None) -> Coupling | None:
        found = None if axis is None else axis.find("mimic")
        if found is None:
            return None
        values = scope.values
        factor = values.number(found, "multiplier", 1.0)
        offset = values.number(found, "offset", 0.0) - factor * values.number(found, "reference", 0.0)
        return Coupling(scope.prefix + values.name(found, "joint"), factor, offset)
