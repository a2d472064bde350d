"""The grammar of robot files in other formats than URDF: SDF, MJCF and SimSpark's RSG."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from simspark_stress.attacks.expressions import damage
from simspark_stress.fuzz.grammar import word

_LENGTHS = ("0.1", "0.05", "0.2")
_EXTREMES = ("0", "-1", "1e200", "1e30", "1e-20", "1e-300", "nan", "inf", "1e999", "x", "")

_SDF_JOINTS = ("revolute", "continuous", "prismatic", "fixed", "universal", "ball", "screw", "x")
_MJCF_JOINTS = ("hinge", "slide", "ball", "free", "x")
_MJCF_GEOMS = ("box", "sphere", "capsule", "cylinder", "mesh", "x")
_RSG_JOINTS = ("HingeJoint", "UniversalJoint", "FixedJoint", "x")

Value = Callable[[], str]
"""Function that draws the text of a number in a file."""


def foreign_robot_file(source: random.Random, name: str) -> dict[str, str]:
    """Draw a robot's only file: its text by its name."""
    absurd = source.choice((0.0, 0.0, 0.02, 0.2))
    value = partial(_value, source, absurd)
    kind, draw = source.choice((("sdf", _sdf), ("xml", _mjcf), ("rsg", _rsg)))
    text = draw(source, value, source.choice((1, 2, 3, 8, 40)))
    if source.random() < 0.2:
        text = damage(text.encode("latin-1", "replace"), source).decode("latin-1")
    return {f"{name}.{kind}": text}


def _value(source: random.Random, absurd: float) -> str:
    return source.choice(_EXTREMES) if source.random() < absurd else source.choice(_LENGTHS)


def _sdf(source: random.Random, value: Value, links: int) -> str:
    parts = []
    for number in range(links):
        shapes = (
            f"<box><size>{value()} {value()} {value()}</size></box>",
            f"<sphere><radius>{value()}</radius></sphere>",
            f"<cylinder><radius>{value()}</radius><length>{value()}</length></cylinder>",
            f"<mesh><uri>{word(source, 'nothing.dae', 'model://x/y.stl')}</uri></mesh>",
        )
        shape = source.choices(shapes, (5, 5, 5, 1))[0]
        parts.append(
            f'<link name="link_{number}"><pose>{value()} 0 0 0 0 {value()}</pose><inertial><mass>{value()}</mass>'
            f"<inertia><ixx>{value()}</ixx><iyy>{value()}</iyy><izz>{value()}</izz></inertia></inertial>"
            f'<collision name="c"><geometry>{shape}</geometry></collision>{_sensor(source, value)}</link>'
        )
        if number:
            kind = source.choices(_SDF_JOINTS, (20, 6, 6, 6, 2, 2, 1, 1))[0]
            limit = f"<limit><lower>-{value()}</lower><upper>{value()}</upper><effort>{value()}</effort></limit>"
            parts.append(
                f'<joint name="joint_{number}" type="{kind}"><parent>link_{source.randrange(number)}</parent>'
                f"<child>link_{number}</child><axis><xyz>0 1 0</xyz>{limit}</axis></joint>"
            )
    version = word(source, "1.4", "1.7", "1.11")
    return f'<sdf version="{version}"><model name="r">{"".join(parts)}</model></sdf>'


def _sensor(source: random.Random, value: Value) -> str:
    if source.random() < 0.8:
        return ""
    kind = source.choice(("imu", "camera", "gpu_lidar", "force_torque", "contact", "x"))
    return (
        f'<sensor name="s" type="{kind}"><update_rate>{value()}</update_rate><pose>0 0 {value()} 0 0 0</pose></sensor>'
    )


def _mjcf(source: random.Random, value: Value, links: int) -> str:
    inner = ""
    for number in reversed(range(links)):
        kind = source.choices(_MJCF_GEOMS, (40, 3, 3, 3, 1, 1))[0]
        joint = "<freejoint/>"
        if number:
            motion = source.choices(_MJCF_JOINTS, (40, 10, 1, 1, 1))[0]
            joint = f'<joint name="joint_{number}" type="{motion}" axis="0 1 0" range="-{value()} {value()}"/>'
        inner = (
            f'<body name="link_{number}" pos="{value()} 0 0">{joint}<geom type="{kind}" mass="{value()}" '
            f'size="{value()} {value()} {value()}"/>{inner}</body>'
        )
    moved = [source.randrange(links) for _ in range(source.choice((0, 0, 1, 3)))]
    motors = "".join(f'<motor joint="joint_{number}" gear="{value()}"/>' for number in moved)
    includes = f'<include file="{word(source, "r.xml", "/etc/passwd")}"/>' if source.random() < 0.05 else ""
    return f'<mujoco model="r">{includes}<worldbody>{inner}</worldbody><actuator>{motors}</actuator></mujoco>'


def _rsg(source: random.Random, value: Value, links: int) -> str:
    parts = []
    for number in range(links):
        joint = ""
        if number:
            other = f"../../link_{source.randrange(number)}/body"
            joint = (
                f"(nd {source.choices(_RSG_JOINTS, (9, 1, 1, 1))[0]} (attach ../body {other})"
                f" (setAnchor 0 0 {value()}) (setAxis 0 1 0) (setLowStopDeg 0 -{value()}) (setHighStopDeg 0 {value()})"
                f" (nd HingePerceptor (setName hj{number})) (nd HingeEffector (setName he{number})))"
            )
        total = f"(eval {value()} * {word(source, '2', '$x', '9 ** 9')})" if source.random() < 0.1 else value()
        parts.append(
            f"(nd Transform (setName link_{number}) (setLocalPos {value()} 0 0)"
            f" (nd RigidBody (setName body) (setBoxTotal {total} {value()} {value()} {value()}))"
            f" (nd BoxCollider (setBoxLengths {value()} {value()} {value()})) {joint})"
        )
    if source.random() < 0.1:
        parts.append(f"(importScene {word(source, 'r.rsg', '/etc/passwd')})")
    return f"(RSG 0 1)\n(\n{chr(10).join(parts)}\n)"
