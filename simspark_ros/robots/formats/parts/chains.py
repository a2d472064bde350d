"""Turns joints with several degrees of freedom into chains of joints with one each."""

from __future__ import annotations

from dataclasses import replace

from simspark_ros.configuration.names import unique
from simspark_ros.robots.formats.parts.bodies import Body, BodyJoint

SHARE = 0.01
"""Share of a body's mass that each link between two of its joints gets; the total mass and inertia stay."""


def as_chain(body: Body, joints: list[BodyJoint], names: set[str]) -> tuple[list[Body], list[BodyJoint]]:
    """Links between the joints of one body, and these joints as a chain.

    The body loses the mass and inertia that the links get.

    Args:
        body: body that all joints carry.
        joints: joints of the body, the one next to the parent first, all with the same parent.
        names: names of links that are taken.
    """
    links, chain = [], []
    parent = joints[0].parent
    mass, inertia = body.mass, body.inertia
    for joint in joints[:-1]:
        link = Body(unique(f"{body.name}_{joint.name}", names), body.pose, SHARE * mass, body.centre, SHARE * inertia)
        body.mass -= link.mass
        body.inertia = body.inertia - link.inertia
        links.append(link)
        chain.append(replace(joint, parent=parent, child=link.name))
        parent = link.name
    return links, [*chain, replace(joints[-1], parent=parent, child=body.name)]
