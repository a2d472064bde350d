"""A robot as its files were understood, in lines for people."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from simspark_ros.commands.robots.topics import MAP, rate_of, topics_of
from simspark_ros.configuration.schema import build
from simspark_ros.effectors import Effector
from simspark_ros.motion.wheels.dragging import dragging
from simspark_ros.motion.wheels.skidding import skidding
from simspark_ros.physics.presets import USUAL_CYCLE
from simspark_ros.robots.body.kinematics import base_frame
from simspark_ros.robots.description import EffectorSpec, PerceptorSpec, RobotDescription
from simspark_ros.simulation.registry import PERCEPTORS, known_effectors, perceptor_types
from simspark_ros.simulation.velocity.drives import DRIVES

_UNITS = {"radius": "m", "track": "m", "max_acceleration": "m/s2", "max_turn_acceleration": "rad/s2"}
"""Units of the parameters of drives."""


def lines_of(robot: RobotDescription) -> Iterator[str]:
    """The lines on a robot that `check_alone` has accepted."""
    yield from _body(robot)
    yield from ("", f"sensors (topics below the robot's name, frames, rates in cycles of {1e3 * USUAL_CYCLE:g} ms)")
    yield from (_sensor(spec, robot) for spec in robot.perceptors)
    effectors = known_effectors()
    yield from ("", "effectors (topics; joints: joint_command)")
    yield from (_effector(spec, robot, effectors.get(spec.kind)) for spec in robot.effectors)
    if warnings := [*robot.report.warnings, *dragging(robot), *skidding(robot)]:
        yield from ("", *warnings)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in robot.report.counts().items())
    yield from ("", f"report: {counts}", *robot.report.lines())


def _body(robot: RobotDescription) -> Iterator[str]:
    model = robot.model
    size = f"{model.mass:.4g} kg, {len(model.links)} links, {len(model.joints)} joints"
    stands = "is bolted to the world" if model.fixed_base else "stands"
    base, pose = base_frame(model)
    # Of the frame, as TF has it; the height at the spawn is that of the base's centre of mass.
    height = round(robot.spawn_height + pose.position[2], 6)
    yield f"{robot.name}: {size}; it {stands} with the frame {base} {height:.3g} m above the ground"
    yield from ("", f"{'link':32} {'kg':>8}  solids")
    for link in model.links:
        solids = Counter(shape.kind.value for shape in link.collisions)
        told = ", ".join(f"{count} {kind}" for kind, count in solids.items())
        yield f"{link.name:32} {link.mass:8.4g}  {told or '-'}"
    yield from ("", f"{'joint':32} {'kind':10}   lower   upper  velocity  effort")
    if model.joints:
        yield "(rad, rad/s, N m; prismatic: m, m/s, N)"
    for joint in model.joints:
        numbers = f"{joint.lower:7.3g} {joint.upper:7.3g} {joint.max_velocity:9.3g} {joint.max_effort:7.3g}"
        follows = "" if joint.mimic is None else f"  follows {joint.mimic.joint}"
        yield f"{joint.name:32} {joint.kind.value:10} {numbers}{follows}"


def _sensor(spec: PerceptorSpec, robot: RobotDescription) -> str:
    perceptor = perceptor_types()[spec.kind]
    topics = topics_of(spec, robot, perceptor)
    told = f"  {spec.kind} '{spec.name}'" + (f" on {spec.link}" if spec.link else "")
    if not topics:
        # Another distribution may have a class that publishes.
        return told + (": no topic" if PERCEPTORS.get(spec.kind) is perceptor else "")
    frames = [_known(frame, robot) for frame in dict.fromkeys(topics.values()) if frame]
    parts = [", ".join(_short(list(topics)))]
    if frames:
        parts.append(("frame " if len(frames) == 1 else "frames ") + ", ".join(frames))
    # Robots hear when somebody speaks.
    if spec.kind != "hear":
        parts.append(f"{rate_of(spec, robot, perceptor):.3g} Hz")
    return f"{told}: {'; '.join(parts)}"


def _short(topics: list[str]) -> Iterator[str]:
    """Names of topics, without compressed pictures; `vision_2d/...` for three and more in a folder."""
    plain = [name for name in topics if name.rpartition("/")[0] not in topics]
    folders = Counter(name.rpartition("/")[0] for name in plain)
    yield from dict.fromkeys(
        f"{folder}/..." if folder and folders[folder] > 2 else name
        for name, folder in ((name, name.rpartition("/")[0]) for name in plain)
    )


def _known(frame: str, robot: RobotDescription) -> str:
    """A frame, with a note if no transform says where it is."""
    model = robot.model
    known = {MAP, base_frame(model)[0], *(link.name for link in model.links), *(one.name for one in model.frames)}
    return frame if frame in known else f"{frame} (not in TF)"


def _effector(spec: EffectorSpec, robot: RobotDescription, effector: Effector[Any] | None) -> str:
    told = f"  {spec.kind} '{spec.name}'" + (f" on {spec.joint}" if spec.joint else "")
    if effector is None or effector.topic is None:
        return told
    told += f": {effector.topic.name or spec.kind}"
    if spec.kind not in DRIVES or effector.options is None:
        return told
    told += ", odom"
    options = build(effector.options, dict(spec.parameters), robot.place(spec))
    # Wheels with rollers have no rows.
    unused = ("track",) if getattr(options, "omni", ()) else ()
    values = {one.name: getattr(options, one.name) for one in dataclasses.fields(options) if one.name not in unused}
    # Joints come before numbers.
    ordered = sorted(values.items(), key=lambda item: isinstance(item[1], float))
    return "; ".join([told, *(f"{name} {text}" for name, value in ordered if (text := _value(name, value)))])


def _value(name: str, value: Any) -> str:
    """A parameter of a drive with its unit; empty for what is not set or has many numbers."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:g} {_UNITS.get(name, '')}".rstrip() if math.isfinite(value) else ""
    is_names = isinstance(value, tuple) and all(isinstance(one, str) for one in value)
    return ", ".join(value) if is_names else ""
