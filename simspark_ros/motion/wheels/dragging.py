"""Parts of a robot on wheels that drag on the ground, and cost it speed."""

from __future__ import annotations

from simspark_ros.configuration.errors import cut, named
from simspark_ros.motion.wheels.synchro_drive import KIND as SYNCHRO
from simspark_ros.motion.wheels.wheel_drive import KIND as WHEELS
from simspark_ros.physics.geometry.kinematics import link_frames, lowest_point
from simspark_ros.robots.description import RobotDescription

_NEAR = 0.003
"""Height above the lowest wheel at which a part still touches the ground: robots sink in that far, m."""

_SLIPPERY = 0.05
"""Friction below which a part costs a robot less than a percent of its speed."""


def dragging(description: RobotDescription) -> list[str]:
    """A line, if any, about links that no joint moves, but that touch the ground with friction beside driven wheels."""
    if not (description.has_effector(WHEELS) or description.has_effector(SYNCHRO)):
        return []
    model = description.model
    frames = link_frames(model, {joint.name: at for joint, at in zip(model.joints, description.home, strict=False)})
    lows = {
        link.name: min(lowest_point(frames[link.name], solid) for solid in link.collisions)
        for link in model.links
        if link.collisions
    }
    ground = min(lows.values(), default=0.0)
    above = {joint.child: joint.parent for joint in model.fixed_joints}
    rough = [link.name for link in model.links if link.material is None or link.material.friction > _SLIPPERY]
    names = [
        name for name in rough if name in lows and lows[name] < ground + _NEAR and _hangs(name, above, model.base.name)
    ]
    if not names:
        return []
    first, drags, it = cut(names[0], 80), *(("drags", "it") if len(names) == 1 else ("drag", "them"))
    return [
        f"{named('link', names)} {drags} on the ground, as no joint moves {it}, and the robot is slow: give {it} no "
        f"friction (YAML: materials: {{{first}: {{friction: 0}}}}, URDF: "
        f'<gazebo reference="{first}"><mu1>0</mu1><mu2>0</mu2></gazebo>, SDF: <mu>0</mu>), or joints'
    ]


def _hangs(link: str, above: dict[str, str], base: str) -> bool:
    """Whether fixed joints alone connect a link with the base."""
    while link in above:
        link = above[link]
    return link == base
