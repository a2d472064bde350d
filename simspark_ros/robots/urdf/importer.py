"""URDF documents to `ArticulatedModel`s.

URDF is a tree of links joined by joints. Here only links with mass are bodies. A link without mass becomes a `Frame`
of the body to which fixed joints tie it, whether that body is its ancestor or, for the usual massless root `base_link`,
its descendant; its shapes and the joints that start at it pass to that body.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from simspark_ros.physics.geometry.transforms import Transform
from simspark_ros.physics.model import ArticulatedModel, Frame, Joint, JointKind, Link, Shape, ShapeKind
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.urdf.attributes import AttributeReader
from simspark_ros.robots.urdf.elements import LinkReader, read_colours, read_joint


def import_urdf(
    document: str,
    *,
    source: str = "URDF",
    shapes: Mapping[str, ShapeKind] | None = None,
    touch_links: Sequence[str] = (),
    linear_drag: float = 0.0,
    angular_drag: float = 0.0,
) -> ArticulatedModel:
    """Build a model from a URDF document. Solids: box, sphere, cylinder, and `<capsule radius length/>`.

    Args:
        document: the XML text, xacro already processed.
        source: name of the document for error messages.
        shapes: link -> kind that replaces `cylinder` in its collisions (same radius, same length).
        touch_links: links whose contacts are measured.
        linear_drag: force per velocity on every link, N s/m.
        angular_drag: torque per angular velocity on every link, N m s/rad.

    Returns:
        The model; its joints are in the order of the document.

    Raises:
        RobotError: the document cannot be used; the message names source, element and remedy.
    """
    read = AttributeReader(source)
    root = _parse(document, read)
    shapes = shapes or {}
    links = _by_name([LinkReader(read, read_colours(root, read), shapes).link(e) for e in root.findall("link")], read)
    joints = [read_joint(e, read) for e in root.findall("joint")]
    for name in (*shapes, *touch_links):
        if name not in links:
            raise read.fail(f"link '{name}'", f"there is no such link; there are: {', '.join(links)}")
    tree = _Tree.of(links, joints, read)
    return _Assembly(tree, read).model(
        replace(
            _EMPTY,
            name=root.get("name") or source,
            touch_links=tuple(touch_links),
            linear_drag=linear_drag,
            angular_drag=angular_drag,
        )
    )


def urdf_joints(document: str, source: str = "URDF") -> tuple[Joint, ...]:
    """All joints of a URDF document in its order, also those that a model merges: fixed ones of massless links.

    Raises:
        RobotError: as `import_urdf`.
    """
    read = AttributeReader(source)
    return tuple(read_joint(element, read) for element in _parse(document, read).findall("joint"))


_EMPTY = ArticulatedModel("", (), ())


def _parse(document: str, read: AttributeReader) -> ET.Element:
    try:
        root = ET.fromstring(document)
    except ET.ParseError as error:
        line, column = error.position
        raise RobotError(f"{read.source}: line {line}, column {column + 1}: not well-formed XML: {error.msg}") from None
    if root.tag != "robot":
        raise RobotError(f"{read.source}: a URDF document starts with <robot>, this one with <{root.tag}>")
    return root


def _by_name(links: list[Link], read: AttributeReader) -> dict[str, Link]:
    named: dict[str, Link] = {}
    for link in links:
        if link.name in named:
            raise read.fail(f"link '{link.name}'", "the name is used twice; rename one")
        named[link.name] = link
    return named


@dataclass(frozen=True)
class _Tree:
    """A document's links and joints, known to form one tree.

    Attributes:
        links: by name.
        joints: in the order of the document.
        children: link -> joints that start at it, in the order of the document.
        joint_to: link -> the joint that carries it.
        root: name of the link that no joint carries.
    """

    links: Mapping[str, Link]
    joints: Sequence[Joint]
    children: Mapping[str, Sequence[Joint]]
    joint_to: Mapping[str, Joint]
    root: str

    @classmethod
    def of(cls, links: Mapping[str, Link], joints: Sequence[Joint], read: AttributeReader) -> _Tree:
        """Join links and joints.

        Raises:
            RobotError: they do not form exactly one tree.
        """
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
                    raise read.fail(where, f"link '{end}' does not exist; there are: {', '.join(links)}")
            if joint.child in joint_to:
                other = joint_to[joint.child].name
                raise read.fail(where, f"link '{joint.child}' is already the child of joint '{other}'; remove one")
            children[joint.parent].append(joint)
            joint_to[joint.child] = joint
        roots = [name for name in links if name not in joint_to]
        if len(roots) > 1:
            raise read.fail(f"links {', '.join(roots)}", "all of them are roots; join them so that one is left")
        tree = cls(links, joints, children, joint_to, roots[0] if roots else "")
        tree._refuse_cycles(read)
        return tree

    def _refuse_cycles(self, read: AttributeReader) -> None:
        if not self.links:
            raise RobotError(f"{read.source}: there is no link; a robot needs at least one with mass")
        reached = set(self.order())
        lost = [name for name in self.links if name not in reached]
        if lost:
            problem = "no root leads to them: their joints form a cycle; remove one of these joints"
            raise read.fail(f"links {', '.join(lost)}", problem)

    def order(self) -> list[str]:
        """Links from the root, every parent before its children, branch after branch."""
        order, stack = [], [self.root] if self.root else []
        while stack:
            name = stack.pop()
            order.append(name)
            stack.extend(joint.child for joint in reversed(self.children[name]))
        return order


@dataclass(frozen=True)
class _Mount:
    """The body that carries a massless link, and the link's pose in the body's frame."""

    body: str
    pose: Transform


class _Assembly:
    """Turns a tree of links into bodies, joints and frames."""

    def __init__(self, tree: _Tree, read: AttributeReader) -> None:
        self._tree = tree
        self._read = read
        self._base, base_in_root = self._find_base()
        self._mounts: dict[str, _Mount] = {}
        for name in tree.order():
            self._mounts[name] = self._mount(name, base_in_root)

    def model(self, empty: ArticulatedModel) -> ArticulatedModel:
        """The finished model; name, touch links and drags are those of `empty`."""
        order = self._tree.order()
        bodies = [self._base, *(name for name in order if name != self._base and self._has_mass(name))]
        for name in empty.touch_links:
            if not self._has_mass(name):
                raise self._read.fail(f"link '{name}'", "contacts are measured on links with mass only")
        carried = [joint for joint in self._tree.joints if self._has_mass(joint.child) and joint.child != self._base]
        joints = [self._rebased(joint) for joint in carried]
        return replace(
            empty,
            links=tuple(self._body(name) for name in bodies),
            joints=tuple(joint for joint in joints if joint.kind is not JointKind.FIXED),
            fixed_joints=tuple(joint for joint in joints if joint.kind is JointKind.FIXED),
            frames=tuple(self._frame(name) for name in order if not self._has_mass(name)),
        )

    def _has_mass(self, name: str) -> bool:
        return self._tree.links[name].mass > 0.0

    def _find_base(self) -> tuple[str, Transform]:
        """The first link with mass that is rigid with the root, and its pose in the root's frame."""
        reached = [(self._tree.root, Transform())]
        for name, pose in reached:
            if self._has_mass(name):
                return name, pose
            fixed = (joint for joint in self._tree.children[name] if joint.kind is JointKind.FIXED)
            reached.extend((joint.child, pose @ Transform.of(joint.position, joint.rpy)) for joint in fixed)
        problem = "neither it nor a link fixed to it has an <inertial>; the robot's base needs a mass"
        raise self._read.fail(f"root link '{self._tree.root}'", problem)

    def _mount(self, name: str, base_in_root: Transform) -> _Mount:
        if self._has_mass(name):
            return _Mount(name, Transform())
        joint = self._tree.joint_to.get(name)
        if joint is None:
            return _Mount(self._base, base_in_root.inverse())
        if joint.kind is not JointKind.FIXED:
            problem = f"joint '{joint.name}' moves it, so it needs an <inertial> with a mass"
            raise self._read.fail(f"link '{name}'", problem)
        parent = self._mounts[joint.parent]
        return _Mount(parent.body, parent.pose @ Transform.of(joint.position, joint.rpy))

    def _rebased(self, joint: Joint) -> Joint:
        """The joint, starting at a body even if the document lets it start at a massless link."""
        mount = self._mounts[joint.parent]
        if mount.body == joint.parent:
            return joint
        pose = mount.pose @ Transform.of(joint.position, joint.rpy)
        return replace(joint, parent=mount.body, position=pose.vector(), rpy=pose.rpy())

    def _frame(self, name: str) -> Frame:
        mount = self._mounts[name]
        return Frame(name, mount.body, mount.pose.vector(), mount.pose.rpy())

    def _body(self, name: str) -> Link:
        """A link with the shapes of the massless links that it carries."""
        body = self._tree.links[name]
        for frame, mount in self._mounts.items():
            if mount.body == name and frame != name:
                guest = self._tree.links[frame]
                collisions = tuple(_moved(shape, mount.pose) for shape in guest.collisions)
                visuals = tuple(_moved(shape, mount.pose) for shape in guest.visuals)
                body = replace(body, collisions=body.collisions + collisions, visuals=body.visuals + visuals)
        return body


def _moved(shape: Shape, pose: Transform) -> Shape:
    moved = pose @ Transform.of(shape.position, shape.rpy)
    return replace(shape, position=moved.vector(), rpy=moved.rpy())
