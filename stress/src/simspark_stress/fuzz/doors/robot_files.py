"""The grammar of robot files: a YAML file and the URDF or xacro file that it names, valid or invalid."""

from __future__ import annotations

import random

from simspark_ros.configuration.schema import Checked
from simspark_ros.perceptors.agent_state import AgentStateParameters
from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.perceptors.detection.detecting import DetectionParameters
from simspark_ros.perceptors.force_torque import ForceTorqueParameters
from simspark_ros.perceptors.inertial import AccelerometerParameters, InertialParameters, MagnetometerParameters
from simspark_ros.perceptors.laser_objects import LaserObjectsParameters
from simspark_ros.perceptors.lola import LolaParameters
from simspark_ros.perceptors.odometry import OdometryParameters
from simspark_ros.perceptors.rays import LaserParameters, RangeParameters
from simspark_ros.perceptors.vision import VisionParameters
from simspark_stress.attacks.expressions import damage
from simspark_stress.fuzz.doors.bombs import chain, model_bomb, yaml_bomb
from simspark_stress.fuzz.doors.schema import draw_settings
from simspark_stress.fuzz.grammar import number, word

_USUAL = ("0", "0.1", "1", "0.3", "0.02")

_EXTREMES = ("1e200", "1e30", "1e-20", "1e-300", "-1", "nan", "inf", "1e999", "${1/0}", "${2**2000}", "x", "")

_KINDS = ("revolute", "revolute", "continuous", "prismatic", "fixed", "floating", "planar", "x")

_PARAMETERS: dict[str, type[Checked] | None] = {
    **dict.fromkeys(("time", "game_state", "hear", "touch", "force_resistance", "hinge_joint", "universal_joint")),
    "gyroscope": InertialParameters,
    "accelerometer": AccelerometerParameters,
    "magnetometer": MagnetometerParameters,
    "restricted_vision": VisionParameters,
    "agent_state": AgentStateParameters,
    "camera": CameraParameters,
    "detections": DetectionParameters,
    "laser": LaserParameters,
    "laser_objects": LaserObjectsParameters,
    "odometry": OdometryParameters,
    "range": RangeParameters,
    "force_torque": ForceTorqueParameters,
    "lola": LolaParameters,
    "nothing": None,
}
"""Classes that declare the parameters of each kind of perceptor; None for kinds without parameters."""

_OTHERS = ("touch", "force_resistance", "hinge_joint", "universal_joint", "force_torque", "lola", "nothing")
"""Kinds of perceptors that most robots of these files cannot have."""

_USUAL_KINDS = tuple(kind for kind in _PARAMETERS if kind not in _OTHERS)

_NAMES = ("'a b'", r'"x\ud800"', "'x)(y'", r'"\0"', r'"\n"', "'..'", "'/'", "\xe4", "x" * 300, "'1'", "[a]", "~", "")
"""Names of devices and labels as YAML, all of them invalid words."""


def robot_file(source: random.Random, name: str) -> dict[str, str]:
    """Draw the files of a robot: texts by name, the YAML file first."""
    model = f"{name}.urdf" + source.choice(("", ".xacro"))
    links = source.choice((1, 2, 3, 8, 30, 40))
    files = {f"{name}.yaml": _yaml(source, model, links), model: _urdf(source, links)}
    for file, text in files.items():
        if source.random() < 0.15:
            files[file] = damage(text.encode("latin-1", "replace"), source).decode("latin-1")
    return files


def bomb_file(source: random.Random, name: str) -> dict[str, str]:
    """Draw files as `robot_file` does, but with a YAML file or model out of all proportion, slow to be refused."""
    main, model = f"{name}.yaml", f"{name}.urdf.xacro"
    if source.random() < 0.5:
        return {main: _yaml(source, model, 2), **model_bomb(source, model)}
    key = source.choice(("perceptors", "variants", "shapes", "x"))
    return {main: f"model: {model}\n{yaml_bomb(source, key, main)}", model: chain(2)}


def _value(source: random.Random, absurd: float = 0.03) -> str:
    return source.choice(_EXTREMES) if source.random() < absurd else source.choice(_USUAL)


def _yaml(source: random.Random, model: str, links: int) -> str:
    lines = [f"model: {model}"]
    if source.random() < 0.3:
        lines.append(f"linear_drag: {_value(source, 0.3)}")
    if source.random() < 0.1:
        lines.append(f"based_on: {word(source, 'nao', 'sphere', model)}")
    lines.append("perceptors:")
    lines += [f"  - {_perceptor(source, number, links)}" for number in range(source.randint(1, 3))]
    if source.random() < 0.3:
        label = source.choice(_NAMES) if source.random() < 0.2 else "head"
        lines.append(f"visible_parts: {{{label}: link_{source.randint(0, links)}}}")
    hinge = ", {kind: hinge, joints: {joint_1: he1}}" if links > 1 or source.random() < 0.1 else ""
    lines.append(f"effectors: [{{kind: beam}}{hinge}]")
    return "\n".join(lines) + "\n"


def _perceptor(source: random.Random, number: int, links: int) -> str:
    kind = source.choice(_USUAL_KINDS) if source.random() < 0.8 else word(source, *_PARAMETERS)
    link = source.randrange(links) if source.random() < 0.9 else links
    name = source.choice(_NAMES) if source.random() < 0.05 else f"s{number}"
    entries = [f"kind: {kind!r}", f"name: {name}", f"link: link_{link}"]
    declared = _PARAMETERS.get(kind)
    if declared and source.random() < 0.7:
        entries.append(f"parameters: {draw_settings(source, declared, {}, source.choice((0.0, 0.0, 0.1)))}")
    return f"{{{', '.join(entries)}}}"


def _urdf(source: random.Random, links: int) -> str:
    absurd = source.choice((0.0, 0.0, 0.01, 0.1))
    parts = ['<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">']
    for link in range(links):
        parts.append(_link(source, link, absurd))
        if link:
            parts.append(_joint(source, link, absurd))
    return "\n".join(parts) + "\n</robot>\n"


def _link(source: random.Random, link: int, absurd: float) -> str:
    def value() -> str:
        return source.choice(_EXTREMES) if source.random() < absurd else source.choice(("0.1", "0.05", "0.2"))

    shapes = [
        f'<box size="{value()} {value()} {value()}"/>',
        f'<sphere radius="{value()}"/>',
        f'<cylinder radius="{value()}" length="{value()}"/>',
    ]
    mesh = f'<mesh filename="{word(source, "nothing.obj", "package://x/y.stl")}"/>'
    shape = mesh if source.random() < absurd else source.choice(shapes)
    return (
        f'<link name="link_{link}"><inertial><mass value="{value()}"/>'
        f'<inertia ixx="{value()}" iyy="{value()}" izz="{value()}" ixy="0" ixz="0" iyz="0"/></inertial>'
        f"<collision><geometry>{shape}</geometry></collision></link>"
    )


def _joint(source: random.Random, link: int, absurd: float) -> str:
    # A joint whose parent is its own child or missing makes no tree.
    parent = source.randrange(link) if source.random() > absurd else source.randint(0, link + 1)
    offset = " ".join(_value(source, absurd) for _ in range(3))
    kind = source.choice(_KINDS[:4]) if source.random() > absurd else source.choice(_KINDS)
    turn = number(source) if absurd else "0"
    return (
        f'<joint name="joint_{link}" type="{kind}"><parent link="link_{parent}"/><child link="link_{link}"/>'
        f'<origin xyz="{offset}" rpy="0 {turn} 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" '
        f'effort="{_value(source, absurd)}" velocity="{_value(source, absurd)}"/></joint>'
    )
