"""Joints of SimSpark's scenes, and their perceptors and effectors."""

from __future__ import annotations

import math
from dataclasses import replace

from simspark_ros.configuration.names import as_word, unique
from simspark_ros.physics.geometry.transforms import Transform, product
from simspark_ros.physics.model import JointKind, Vector
from simspark_ros.robots.formats.parts.bodies import Body, BodyJoint
from simspark_ros.robots.formats.parts.robot_assembly import SHARE, RobotAssembly
from simspark_ros.robots.formats.rsg.bodies import BodyReader
from simspark_ros.robots.formats.rsg.nodes import Node, pose_in_scene, turned

SPEED, EFFORT = 10.0, 100.0
"""Limits of motors without limits in the file: rad/s or m/s, N m or N."""

_HINGES = {
    "HingeJoint": ("setAxis",),
    "UniversalJoint": ("setAxis1", "setAxis2"),
    "Hinge2Joint": ("setAxis1", "setAxis2"),
}
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class JointReader:
    """Adds the joints of a scene, once all bodies are known."""

    def __init__(self, bodies: BodyReader, assembly: RobotAssembly) -> None:
        self._bodies = bodies
        self._assembly = assembly
        self._names: set[str] = set()
        self._waiting: list[tuple[Node, Body, Body]] = []

    def add(self, node: Node) -> None:
        """Note a joint for `connect`."""
        call = node.call("attach")
        ends = [self._bodies.body_at(node.at(str(path))) for path in call.arguments[:2]] if call else []
        first, second = (*ends, None, None)[:2]
        if first is None or second is None or first is second:
            how = "it does not attach two bodies to each other"
            self._assembly.report.dropped(f"{node.kind} '{node.name}'", how, node.file.name, node.line)
        else:
            self._waiting.append((node, first, second))

    def connect(self, base: str) -> None:
        """Add the joints in the order of the file, each from its body nearer to the base to its other body."""
        depth = self._depths(base)
        for node, first, second in self._waiting:
            if first.name not in depth:
                self._assembly.report.dropped(
                    f"{node.kind} '{node.name}'", f"not tied to '{base}'", node.file.name, node.line
                )
            elif depth[first.name] >= depth[second.name]:
                self._connect(node, parent=second, child=first, forward=True)
            else:
                self._connect(node, parent=first, child=second, forward=False)

    def _depths(self, base: str) -> dict[str, int]:
        neighbours: dict[str, list[str]] = {}
        for _, first, second in self._waiting:
            neighbours.setdefault(first.name, []).append(second.name)
            neighbours.setdefault(second.name, []).append(first.name)
        depth, order = {base: 0}, [base]
        # The list grows while it is read: a search in breadth, so that depths are the shortest ways.
        for name in order:
            for other in neighbours.get(name, []):
                if other not in depth:
                    depth[other] = depth[name] + 1
                    order.append(other)
        return depth

    def _connect(self, node: Node, parent: Body, child: Body, forward: bool) -> None:
        """Add one joint; `forward` says that its first body is the child."""
        place = pose_in_scene(node)
        anchor = turned(node.numbers("setAnchor", 3) or (0.0, 0.0, 0.0))
        # The joint's frame has the axes of the body that it moves.
        pose = Transform(child.pose.rotation, place.apply(anchor))
        name = self._name(node)
        joint = BodyJoint(name, JointKind.FIXED, parent.name, child.name, pose)
        joints = [
            self._moving(node, index, method, replace(joint, name=own), place, forward)
            for index, (method, own) in enumerate(self._degrees(node, name))
        ]
        what, where = f"{node.kind} '{name}'", (node.file.name, node.line)
        # The first axis is fixed to the first body.
        outward = joints[::-1] if forward else joints
        chain = self._assembly.chain(child, outward or [joint])
        self._assembly.joints += sorted(chain, key=lambda one: [own.name for own in joints or [joint]].index(one.name))
        self._add_devices(node, joints)
        if len(chain) > 1:
            how = f"it becomes two hinges, with a link between them of {SHARE:.0%} of the mass of '{child.name}'"
            self._assembly.report.approximated(what, how, *where)
        elif not joints and node.kind != "FixedJoint":
            self._assembly.report.dropped(what, "it is not supported; its bodies are fixed to each other", *where)
        else:
            self._assembly.report.understood(what, "", *where)

    def _degrees(self, node: Node, name: str) -> list[tuple[str, str]]:
        """Method that sets the axis of each degree of freedom, and name of that degree."""
        if node.kind == "SliderJoint":
            return [("setAxis", name)]
        methods = _HINGES.get(node.kind, ())
        return [(methods[0], name)] if len(methods) == 1 else [(m, f"{name}_{m[-1]}") for m in methods]

    def _moving(
        self, node: Node, index: int, method: str, joint: BodyJoint, place: Transform, forward: bool
    ) -> BodyJoint:
        slides = node.kind == "SliderJoint"
        direction = product(joint.pose.rotation.T, product(place.rotation, turned(self._axis(node, method, index))))
        # ODE counts the turn of the first body against the second. If the second one is the child, it turns the other
        # way.
        x, y, z = (direction if forward else -direction).tolist()
        length = math.hypot(x, y, z)
        if length < 1e-9:
            raise node.fail(f"{method}: the axis has no length")
        low, high = (self._stop(node, f"set{end}Stop{'Pos' if slides else 'Deg'}", index) for end in ("Low", "High"))
        if low is not None and high is not None and low > high:
            raise node.fail(f"its low stop {low:g} lies above its high stop {high:g}")
        lower, upper = (-math.inf if low is None else low), (math.inf if high is None else high)
        if not slides:
            lower, upper = math.radians(lower), math.radians(upper)
        kind = JointKind.PRISMATIC if slides else JointKind.REVOLUTE
        kind = JointKind.CONTINUOUS if low is None and high is None and not slides else kind
        driven = any(child.kind.endswith("Effector") for child in node.children)
        speed = node.numbers(f"setJointMaxSpeed{index + 1}", 1)
        force = self._stop(node, "setMaxMotorForce", index)
        return replace(
            joint,
            kind=kind,
            axis=(x / length, y / length, z / length),
            lower=lower,
            upper=upper,
            velocity=speed[0] if speed else SPEED,
            effort=0.0 if not driven else EFFORT if force is None else force,
        )

    def _axis(self, node: Node, method: str, index: int) -> Vector:
        """Axis from a method: three numbers, or the number of an axis."""
        call = node.call(method)
        if call is None:
            return _AXES[2 if index == 0 else 0]
        if len(call.arguments) == 1:
            (number,) = node.numbers_of(call, 1)
            if number not in (0.0, 1.0, 2.0):
                raise node.fail(f"{method} {number:g}: axes are 0, 1, 2 for x, y, z")
            return _AXES[int(number)]
        x, y, z = node.numbers_of(call, 3)
        return (x, y, z)

    def _stop(self, node: Node, method: str, index: int) -> float | None:
        """Stop of an axis from a method, whose first argument is the number of the axis."""
        calls = [call for call in node.calls if call.method == method]
        pairs = [node.numbers_of(call, 2) for call in calls]
        return next((value for axis, value in pairs if axis == index), None)

    def _name(self, node: Node) -> str:
        """The name of the joint's perceptor, else of the joint."""
        named = [child for child in node.children if child.kind.endswith("Perceptor") and child.call("setName")]
        return unique(as_word((named or [node])[0].name), self._names)

    def _add_devices(self, node: Node, joints: list[BodyJoint]) -> None:
        """Add the words that command and report the joint."""
        words = [child.name for child in node.children if child.kind.endswith("Effector")]
        if joints and words:
            self._assembly.devices.words.update({joint.name: as_word(words[0]) for joint in joints})
        if len(joints) == 2 and node.kind == "UniversalJoint":
            self._assembly.devices.pairs.append((joints[0].name.removesuffix("_1"), joints[0].name, joints[1].name))
