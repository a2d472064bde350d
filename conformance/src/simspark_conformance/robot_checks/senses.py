"""Checks of sensors: each gives a reading, and its topics name values that it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from simspark_conformance.robot_checks.bench import Bench
from simspark_conformance.robot_checks.finding import Finding, judged, note
from simspark_ros.arena.robot import ArenaRobot
from simspark_ros.exchange import Slot
from simspark_ros.physics.engine import Array
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.simulation.registry import perceptor_types

_READING = 1.0
"""Time in which each sensor gives a reading, s."""

_PICTURES = ("camera", "depth_camera")


def check_sensors(bench: Bench) -> Iterator[Finding]:
    """Each sensor of the standing robot, for a second."""
    specs = bench.robot.perceptors
    if not specs:
        return
    robot = bench.stand()
    seen: dict[tuple[str, str], list[Array]] = {(spec.kind, spec.name): [] for spec in specs}
    slots: dict[tuple[str, str], Slot] = {}
    for _ in range(round(_READING / bench.cycle)):
        bench.arena.step()
        percepts = bench.arena.percepts
        layout = percepts.layout.robots[0]
        for number, slot in enumerate(layout.slots):
            slots[slot.kind, slot.name] = slot
            if percepts.present[number]:
                seen[slot.kind, slot.name].append(percepts.values[slot.start : slot.start + len(slot.columns)].copy())
    for spec in specs:
        yield _judged(robot, spec, slots.get((spec.kind, spec.name)), seen[spec.kind, spec.name])


def _judged(robot: ArenaRobot, spec: PerceptorSpec, slot: Slot | None, readings: list[Array]) -> Finding:
    part = spec.kind if spec.name == spec.kind else f"{spec.kind} {spec.name}"
    kind = perceptor_types().get(spec.kind)
    if kind is None or slot is None:
        return judged("sensors", part, False, "-", "the percepts have no place for it")
    missing = [
        column
        for topic in kind.topics_of(spec)
        for columns in topic.fields.values()
        for column in ((columns,) if isinstance(columns, str) else columns)
        if column not in slot.columns
    ]
    if missing:
        return judged(
            "sensors", part, False, missing[0], "its topic has a field for a value that the sensor does not give"
        )
    if spec.kind in _PICTURES:
        picture = robot.picture(spec.name)
        return judged(
            "sensors", part, picture.size > 0, f"{picture.shape[1]} x {picture.shape[0]}", "it has no picture"
        )
    if not slot.columns:
        return note("sensors", part, "-", "its readings are not lists of numbers, so they are not checked")
    if not readings:
        return note("sensors", part, "-", "it has nothing to report in an empty world")
    figure = _figure(slot.columns)
    if any(np.isnan(reading).any() for reading in readings):
        return note("sensors", part, figure, "some of them are empty (NaN)")
    return judged("sensors", part, True, figure, "")


def _figure(columns: tuple[str, ...]) -> str:
    """How many values a reading has; of a scan `period, 360 ranges`, as one of them is no beam."""
    names = Counter(column.rstrip("0123456789") for column in columns)
    if len(names) > 2 or max(names.values()) < 10:
        return "1 value" if len(columns) == 1 else f"{len(columns)} values"
    return ", ".join(name if count == 1 else f"{count} {name}s" for name, count in names.items())
