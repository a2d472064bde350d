"""URDF documents to `ArticulatedModel`s.

URDF is a tree of links joined by joints. Here only links with mass are bodies. A link without mass becomes a `Frame`
of the body to which fixed joints tie it, whether that body is its ancestor or, for the usual massless root `base_link`,
its descendant; its shapes and the joints that start at it pass to that body.

A root named `world` is the world itself: what is fixed to it is bolted there.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import NamedTuple

from simspark_ros.configuration.errors import shown
from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel, Frame, Joint, JointKind, Link, Mimic, Shape, ShapeKind, Vector
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.attributes import AttributeReader
from simspark_ros.robots.formats.urdf.document import parse_urdf
from simspark_ros.robots.formats.urdf.elements import LinkReader, read_colours, read_joint

WORLD = "world"
"""Name of a root link that is the world itself, by convention."""


def import_urdf(
    document: str,
    *,
    source: str = "URDF",
    shapes: Mapping[str, ShapeKind] | None = None,
    touch_links: Sequence[str] = (),
    linear_drag: float = 0.0,
    angular_drag: float = 0.0,
) -> ArticulatedModel:
    """Build a model from a URDF document.

    Solids are URDF's solids without meshes, `<capsule radius length/>`, and `<hull points/>`, the convex hull of
    points. `adaptation` turns other documents into such documents.

    Args:
        document: the XML text, xacro already processed.
        source: name of the document for error messages.
        shapes: link -> kind of solid that replaces `cylinder` in its collisions (same radius, same length).
        touch_links: links whose contacts are measured.
        linear_drag: force per velocity on every link, N s/m.
        angular_drag: torque per angular velocity on every link, N m s/rad.

    Returns:
        The model; its joints are in the order of the document.

    Raises:
        RobotError: the document cannot be used; the message names source, element and remedy.
    """
    read = AttributeReader(source)
    root = parse_urdf(document, read.source)
    shapes = shapes or {}
    reader = LinkReader(read, read_colours(root, read), shapes)
    links = _by_name([reader.link(element) for element in root.findall("link")], read)
    joints = _led([read_joint(e, read) for e in root.findall("joint")], read)
    for name in (*shapes, *touch_links):
        if name not in links:
            raise read.fail(f"link '{name}'", f"the robot has no such link; it has: {', '.join(links)}")
    tree = _Tree.of(links, joints, read)
    bodies = _Assembly(tree, read)
    for name in touch_links:
        if not bodies.has_mass(name):
            raise read.fail(f"link '{name}'", "contacts are measured only on links with mass")
    rebased = bodies.joints()
    return ArticulatedModel(
        name=read.name(root, "name", "the document") if root.get("name") else source,
        links=bodies.links(),
        joints=tuple(joint for joint in rebased if joint.kind is not JointKind.FIXED),
        fixed_joints=tuple(joint for joint in rebased if joint.kind is JointKind.FIXED),
        frames=bodies.frames(),
        touch_links=tuple(touch_links),
        linear_drag=linear_drag,
        angular_drag=angular_drag,
        fixed_base=tree.root == WORLD,
    )


def urdf_joints(document: str, source: str = "URDF") -> tuple[Joint, ...]:
    """All joints of a URDF document in its order, fixed joints of massless links, which a model merges, included.

    Raises:
        RobotError: as `import_urdf`.
    """
    return joints_of(parse_urdf(document, source), source)


def joints_of(robot: ET.Element, source: str = "URDF") -> tuple[Joint, ...]:
    """The same of a document's tree."""
    read = AttributeReader(source)
    return tuple(read_joint(element, read) for element in robot.findall("joint"))


def _led(joints: Sequence[Joint], read: AttributeReader) -> list[Joint]:
    """The joints; a joint that follows a follower is made to follow the follower's leader."""
    named = {joint.name: joint for joint in joints}
    return [joint if joint.mimic is None else replace(joint, mimic=_leader(joint, named, read)) for joint in joints]


def _leader(joint: Joint, named: Mapping[str, Joint], read: AttributeReader) -> Mimic:
    multiplier, offset, one, where = 1.0, 0.0, joint, f"joint '{joint.name}'"
    for _ in named:
        if one.mimic is None:
            return Mimic(one.name, multiplier, offset)
        offset += multiplier * one.mimic.offset
        multiplier *= one.mimic.multiplier
        leader = named.get(one.mimic.joint)
        if leader is None or leader.kind is JointKind.FIXED:
            raise read.fail(where, f"it follows {shown(one.mimic.joint)}, which is fixed or missing")
        one = leader
    raise read.fail(where, "it follows joints that follow one another in a circle; give one of them a motor")


def _by_name(links: list[Link], read: AttributeReader) -> dict[str, Link]:
    named: dict[str, Link] = {}
    for link in links:
        if link.name in named:
            raise read.fail(f"link '{link.name}'", "the name is used twice; rename one")
        named[link.name] = link
    return named


class _Tree(NamedTuple):
    """A document's links and joints, known to form one tree; `joint_to` has the joint that carries each link."""

    links: Mapping[str, Link]
    joints: Sequence[Joint]
    children: Mapping[str, Sequence[Joint]]
    joint_to: Mapping[str, Joint]
    root: str

    @classmethod
    def of(cls, links: Mapping[str, Link], joints: Sequence[Joint], read: AttributeReader) -> _Tree:
        """Join links and joints; `RobotError` if they do not form exactly one tree."""
        if not links:
            raise RobotError(f"{read.source}: there is no link; a robot needs at least one with mass")
        children: dict[str, list[Joint]] = {name: [] for name in links}
        joint_to: dict[str, Joint] = {}
        names = set()
        for joint in joints:
            where = f"joint '{joint.name}'"
            if joint.name in names:
                raise read.fail(where, "the name is used twice; rename one")
            names.add(joint.name)
            for end in (joint.parent, joint.child):
                if end not in links:
                    raise read.fail(where, f"link '{end}' does not exist; use one of: {', '.join(links)}")
            if joint.child in joint_to:
                other = joint_to[joint.child].name
                raise read.fail(where, f"link '{joint.child}' is already the child of joint '{other}'; remove one")
            children[joint.parent].append(joint)
            joint_to[joint.child] = joint
        roots = [name for name in links if name not in joint_to]
        if len(roots) > 1:
            raise read.fail(f"links {', '.join(roots)}", "all of them are roots; join them until one root is left")
        tree = cls(links, joints, children, joint_to, roots[0] if roots else "")
        lost = links.keys() - tree.order()
        if lost:
            problem = "no root leads to them: their joints form a cycle; remove one of these joints"
            raise read.fail(f"links {', '.join(name for name in links if name in lost)}", problem)
        return tree

    def order(self) -> list[str]:
        """Links from the root, every parent before its children, branch after branch."""
        order, stack = [], [self.root] if self.root else []
        while stack:
            name = stack.pop()
            order.append(name)
            stack.extend(joint.child for joint in reversed(self.children[name]))
        return order


class _Assembly:
    """Turns a tree of links into bodies, joints and frames."""

    def __init__(self, tree: _Tree, read: AttributeReader) -> None:
        self._tree = tree
        self._order = tree.order()
        self._base, base_in_root = self._find_base(read)
        # Link -> body that the link belongs to, and pose of the link in the body's frame.
        self._mounts: dict[str, tuple[str, Transform]] = {}
        for name in self._order:
            self._mounts[name] = self._mount(name, base_in_root, read)

    def has_mass(self, name: str) -> bool:
        """Whether a link is a body."""
        return self._tree.links[name].mass > 0.0

    def links(self) -> tuple[Link, ...]:
        """The bodies, the base first, each with the shapes of the massless links that it carries."""
        others = [name for name in self._order if name != self._base and self.has_mass(name)]
        return tuple(self._body(name) for name in (self._base, *others))

    def joints(self) -> list[Joint]:
        """Joints between bodies in the order of the document, joints that start at a massless link included."""
        carried = [joint for joint in self._tree.joints if self.has_mass(joint.child) and joint.child != self._base]
        return [self._rebased(joint) for joint in carried]

    def frames(self) -> tuple[Frame, ...]:
        """The massless links."""
        massless = [(name, *self._mounts[name]) for name in self._order if not self.has_mass(name)]
        return tuple(Frame(name, body, pose.vector(), pose.rpy()) for name, body, pose in massless)

    def _find_base(self, read: AttributeReader) -> tuple[str, Transform]:
        """The first link with mass that is rigid with the root, and its pose in the root's frame."""
        reached = [(self._tree.root, Transform())]
        for name, pose in reached:
            if self.has_mass(name):
                return name, pose
            fixed = (joint for joint in self._tree.children[name] if joint.kind is JointKind.FIXED)
            reached.extend((joint.child, pose @ Transform.of(joint.position, joint.rpy)) for joint in fixed)
        problem = "neither it nor a link fixed to it has an <inertial>; the robot's base needs a mass"
        raise read.fail(f"root link '{self._tree.root}'", problem)

    def _mount(self, name: str, base_in_root: Transform, read: AttributeReader) -> tuple[str, Transform]:
        if self.has_mass(name):
            return name, Transform()
        joint = self._tree.joint_to.get(name)
        if joint is None:
            return self._base, base_in_root.inverse()
        if joint.kind is not JointKind.FIXED:
            problem = f"joint '{joint.name}' moves it, so it needs an <inertial> with a mass"
            raise read.fail(f"link '{name}'", problem)
        body, pose = self._mounts[joint.parent]
        return body, pose @ Transform.of(joint.position, joint.rpy)

    def _rebased(self, joint: Joint) -> Joint:
        body, pose = self._mounts[joint.parent]
        if body == joint.parent:
            return joint
        pose = pose @ Transform.of(joint.position, joint.rpy)
        return replace(joint, parent=body, position=pose.vector(), rpy=pose.rpy())

    def _body(self, name: str) -> Link:
        link = self._tree.links[name]
        collisions, visuals, surfaces = [*link.collisions], [*link.visuals], [*link.surfaces]
        for frame, (body, pose) in self._mounts.items():
            if body == name != frame:
                collisions += [_moved(shape, pose) for shape in self._tree.links[frame].collisions]
                visuals += [_moved(shape, pose) for shape in self._tree.links[frame].visuals]
                surfaces += [one.moved(pose.position, pose.rotation) for one in self._tree.links[frame].surfaces]
        return replace(link, collisions=tuple(collisions), visuals=tuple(visuals), surfaces=tuple(surfaces))


def _moved(shape: Shape, pose: Transform) -> Shape:
    moved = pose @ Transform.of(shape.position, shape.rpy)
    return replace(shape, position=moved.vector(), rpy=moved.rpy())


_END = "</robot>"


def with_frame(urdf: str, name: str, link: str, position: Vector, rpy: Vector) -> str:
    """The document with a link `name` without mass, fixed to another link at a position (m) and rpy (rad).

    A text that is no URDF document stays as it is: the importer refuses it.
    """
    before, end, after = urdf.rpartition(_END)
    if not end:
        return urdf
    own, joint, parent = (f'"{escape(one)}"' for one in (name, f"{name}_mount", link))
    origin = f'<origin xyz="{_numbers(position)}" rpy="{_numbers(rpy)}"/>'
    mount = f'<joint name={joint} type="fixed"><parent link={parent}/><child link={own}/>{origin}</joint>'
    return f"{before}  <link name={own}/>\n  {mount}\n{end}{after}"


def _numbers(values: Sequence[float]) -> str:
    return " ".join(map(repr, values))
