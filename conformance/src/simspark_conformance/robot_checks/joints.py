"""Checks of joints: stops, greatest speeds and efforts, joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from simspark_conformance.robot_checks.bench import NAME, Bench, home_of, torques_at_rest
from simspark_conformance.robot_checks.bodies import unit_of_effort
from simspark_conformance.robot_checks.finding import Finding, Verdict, judged, note
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind

BEYOND, BEYOND_SLIDE = math.radians(2.0), 0.005
"""Greatest distance of a joint beyond its stop, rad and m."""

_PRESSING = 0.3
"""Time for which a joint is pressed against its stop, s."""

_TIMES = 3.0
_BAD = (Verdict.RIGHT, Verdict.NOTE, Verdict.WRONG)
"""Verdicts, the worst one last."""

_FASTER, _STRONGER = 1.05, 1.02
"""Shares of a limit that count as exceeding it: steps end a little beyond."""

_MEAN = 5
"""Number of cycles of a mean speed: in the first cycle at full power a motor may be a little ahead."""

_REACHED = 0.9
_FASTEST = 100.0
"""Greatest speed that a joint is driven at, rad/s or m/s."""

_AWAY, _AWAY_SLIDE = 0.02, 0.003
"""Distance from its stop from which a joint is driven, rad and m: the stops of PyBullet begin 0.002 before the end."""

_MOVING = 0.6
"""Time for which a joint is driven at its greatest speed, s."""

_FOLLOWING = 0.02
"""Greatest distance of a follower from its place at rest, rad or m."""

_WAY = 0.5
"""Greatest way that a leader goes, rad or m; it is as fast as its followers, or faster."""

_SETTLING, _LONGEST = 1.5, 20.0
"""Time until followers rest after they have arrived, and the longest time that they have to arrive, s."""


def at_stops(check: str, joint: Joint, positions: Array, how: str, late: bool = True) -> Finding:
    """The finding about a joint's positions (N,) after N cycles in which it met its stops as told by `how`.

    late: whether the stop may act when the joint has passed it, by its way in one cycle, as ODE's do under a motor.
    """
    beyond = float(max(positions.max() - joint.upper, joint.lower - positions.min(), 0.0))
    right = BEYOND_SLIDE if joint.kind is JointKind.PRISMATIC else BEYOND
    step = float(np.abs(np.diff(positions)).max(initial=0.0))
    if late and right < beyond <= right + step:
        return note(check, joint.name, told(joint, beyond), "it passes its stop by no more than it moves in one cycle")
    why = f"{how}, it passes its stop by more than {told(joint, right)}"
    return judged(check, joint.name, beyond <= right, told(joint, beyond), why)


def told(joint: Joint, distance: float) -> str:
    """A distance of a joint, for people."""
    return f"{1000.0 * distance:.2f} mm" if joint.kind is JointKind.PRISMATIC else f"{math.degrees(distance):.2f} deg"


def check_stops(bench: Bench) -> Iterator[Finding]:
    """Each joint, driven into each of its stops by a motor of three times its strength."""
    model = bench.robot.model
    if not any(_has_stops(joint) for joint in model.joints):
        return
    strong = replace(model, joints=tuple(replace(joint, max_effort=_press(model, joint)) for joint in model.joints))
    bench.hang(strong)
    for number, joint in enumerate(strong.joints):
        if not _has_stops(joint):
            continue
        how = f"when it is pressed with {joint.max_effort:.3g} {unit_of_effort(joint)}"
        found = [
            at_stops("stops", joint, _pressed(bench, number, stop, way), how)
            for stop, way in ((joint.lower, -1.0), (joint.upper, 1.0))
            if math.isfinite(stop)
        ]
        yield max(found, key=lambda one: _BAD.index(one.verdict))


def _pressed(bench: Bench, number: int, stop: float, way: float) -> Array:
    """Positions of a joint that starts at its stop and is driven on, after each cycle."""
    joint = bench.arena[NAME].description.model.joints[number]
    start = home_of(bench.robot)
    start[number] = stop
    bench.put(start)
    control = bench.held()
    control.effort_limit[number] = joint.max_effort
    control.velocity[number] = way * min(joint.max_velocity, 1e3)
    seen = [stop]
    for _ in range(round(_PRESSING / bench.cycle)):
        bench.engine.step(control)
        seen.append(float(bench.engine.state.joint_position[number]))
    return np.array(seen)


def _has_stops(joint: Joint) -> bool:
    return joint.kind is not JointKind.CONTINUOUS and (math.isfinite(joint.lower) or math.isfinite(joint.upper))


def _press(model: ArticulatedModel, joint: Joint) -> float:
    """Three times the motor's effort; of a joint without a motor, or one of any strength, what lifts all beyond it."""
    if 0.0 < joint.max_effort < math.inf:
        return _TIMES * joint.max_effort
    weight = sum(link.mass for link in model.beyond(joint.child)) * 9.81
    return _TIMES * weight * (1.0 if joint.kind is JointKind.PRISMATIC else 0.1)


def check_speeds(bench: Bench) -> Iterator[Finding]:
    """Each motor at its greatest speed, others holding: neither speed nor effort passes the limits."""
    model, home = bench.robot.model, home_of(bench.robot)
    driven = [n for n, joint in enumerate(model.joints) if joint.max_effort > 0.0 and joint.mimic is None]
    if driven:
        bench.hang()
    for number in driven:
        yield from _check_speed(bench, number, home.copy())


def _check_speed(bench: Bench, number: int, home: Array) -> Iterator[Finding]:
    joint = bench.robot.model.joints[number]
    # A limb of 1 m is then as fast as the bodies that ODE puts back.
    fastest, strongest = min(joint.max_velocity, _FASTEST), joint.max_effort
    up, down = joint.upper - home[number], home[number] - joint.lower
    way = 1.0 if up >= down else -1.0
    # From the stop at which many joints start, which pushes them inward.
    home[number] += way * min(_AWAY_SLIDE if joint.kind is JointKind.PRISMATIC else _AWAY, 0.1 * (up + down))
    up, down = joint.upper - home[number], home[number] - joint.lower
    room, behind = (up, down) if way > 0.0 else (down, up)
    bench.put(home)
    control = bench.held()
    # Joints without a motor stay free, as they are.
    control.effort_limit[[joint.max_effort == 0.0 for joint in bench.robot.model.joints]] = 0.0
    control.velocity[number], control.effort_limit[number] = way * fastest, min(strongest, 1e6)
    speeds, efforts = [0.0], [0.0]
    for _ in range(round(_MOVING / bench.cycle)):
        before = way * (float(bench.engine.state.joint_position[number]) - home[number])
        near = 2.0 * bench.cycle * max(abs(speeds[-1]), min(fastest, 10.0))
        # Not at the stop, which has a force of its own, nor at the other one, to which a weak motor lets it fall.
        if before + near > room or (speeds[-1] < 0.0 and near - before > behind):
            break
        bench.engine.step(control)
        speeds.append(way * float(bench.engine.state.joint_velocity[number]))
        efforts.append(way * float(bench.engine.state.joint_effort[number]))
    means = np.convolve(speeds, np.full(_MEAN, 1.0 / _MEAN), "valid")
    speed, effort = max(means, default=0.0), float(np.abs(efforts).max())
    # What falls is faster than its motor, which brakes it with all its strength.
    brakes = np.convolve(np.array(efforts) <= -_REACHED * strongest, np.ones(_MEAN), "valid") > 0.0
    driven = max(means[~brakes], default=0.0)
    unit = "m/s" if joint.kind is JointKind.PRISMATIC else "rad/s"
    shown = f"{speed:.3g} {unit}"
    if len(speeds) <= _MEAN:
        yield note("speed", joint.name, "-", "its range is too short for its greatest speed")
    elif speed > _FASTER * fastest:
        why = f"it is faster than its limit of {fastest:.4g} {unit}"
        falls = driven <= _FASTER * fastest
        yield (
            note("speed", joint.name, shown, f"{why}: it falls, although its motor brakes it with full effort")
            if falls
            else judged("speed", joint.name, False, shown, why)
        )
    elif speed < _REACHED * fastest and math.isfinite(joint.max_velocity):
        load = abs(float(torques_at_rest(bench.robot, home, bench.gravity)[number]))
        weak = effort >= _REACHED * strongest or load >= _REACHED * strongest
        why = f"its limit is {fastest:.4g} {unit}"
        yield (
            note("speed", joint.name, shown, f"{why}: its motor reaches the limit of effort first")
            if weak
            else judged("speed", joint.name, False, shown, f"{why}, which it does not reach")
        )
    else:
        yield judged("speed", joint.name, True, shown, "")
    limit = f"its limit is {strongest:.4g} {unit_of_effort(joint)}"
    yield judged("effort", joint.name, effort <= _STRONGER * strongest, f"{effort:.3g} {unit_of_effort(joint)}", limit)


def check_followers(bench: Bench) -> Iterator[Finding]:
    """Each joint that follows another one, while its leader goes to two places and rests there.

    A leader without a motor would swing on; here it has one.
    """
    model, home = bench.robot.model, home_of(bench.robot)
    index = {joint.name: number for number, joint in enumerate(model.joints)}
    followers = [joint for joint in model.joints if joint.mimic is not None]
    if not followers:
        return
    leaders = {joint.mimic.joint for joint in followers if joint.mimic is not None}
    driven = [
        replace(joint, max_effort=joint.max_effort or _press(model, joint)) if joint.name in leaders else joint
        for joint in model.joints
    ]
    robot = bench.hang(replace(model, joints=tuple(driven)))
    ways = [(abs(joint.mimic.multiplier), joint) for joint in followers if joint.mimic is not None]
    arriving = max(_WAY * max(1.0, way) / min(joint.max_velocity, _FASTEST) for way, joint in ways)
    worst = dict.fromkeys((joint.name for joint in followers), 0.0)
    for share in (0.75, 0.25):
        goals = {name: _between(model.joints[index[name]], home[index[name]], share) for name in leaders}
        robot.set_positions(goals)
        bench.arena.step(round((_SETTLING + min(arriving, _LONGEST)) / bench.cycle))
        now = robot.joint_positions
        for joint in followers:
            assert joint.mimic is not None
            wanted = joint.mimic.multiplier * now[index[joint.mimic.joint]] + joint.mimic.offset
            wanted = min(max(wanted, joint.lower), joint.upper)
            worst[joint.name] = max(worst[joint.name], abs(float(now[index[joint.name]]) - wanted))
    for joint in followers:
        assert joint.mimic is not None
        why = f"it does not follow {joint.mimic.joint}"
        off = worst[joint.name]
        yield judged("mimic", joint.name, off <= _FOLLOWING, told(joint, off), why)


def _between(joint: Joint, home: float, share: float) -> float:
    """A place between the stops of a joint, at most half a radian or metre from its start."""
    lower, upper = max(joint.lower, home - _WAY), min(joint.upper, home + _WAY)
    return lower + share * (upper - lower)
