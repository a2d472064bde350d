"""Time the agent protocol: messages out of one cycle for 1 and 22 robots, and one message in.

Run it as `python benchmarks/protocol.py`; it prints the best of several rounds per case.
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

import numpy as np

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, RobotLayout, Slot
from simspark_ros.perceptors.readings import Sight
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder

FORCE = ("px", "py", "pz", "fx", "fy", "fz")
JOINTS = ["hj1", "hj2"]
JOINTS += [f"{side}aj{index}" for side in "rl" for index in range(1, 5)]
JOINTS += [f"{side}lj{index}" for side in "rl" for index in range(1, 7)]
EFFECTORS = tuple(joint.replace("j", "e") for joint in JOINTS)
LANDMARKS = ("G1L", "G2L", "G2R", "G1R", "F1L", "F2L", "F1R", "F2R", "B")


def kinds() -> list[tuple[str, str, tuple[str, ...]]]:
    entries: list[tuple[str, str, tuple[str, ...]]] = [(kind, kind, ()) for kind in ("time", "game_state", "hear")]
    entries += [(kind, "torso", ("x", "y", "z")) for kind in ("gyroscope", "accelerometer")]
    for joint in JOINTS:
        if joint.endswith("lj6"):
            entries.append(("force_resistance", f"{joint[0]}f", FORCE))
        entries.append(("hinge_joint", joint, ("angle",)))
        if joint == "hj2":
            entries.append(("restricted_vision", "vision", ()))
    return entries


def layout(robots: int) -> Layout:
    rows = []
    start = 0
    for row in range(robots):
        slots = []
        for kind, name, columns in kinds():
            slots.append(Slot(kind, name, columns, start))
            start += len(columns)
        side = ("left", "right")[row % 2]
        parts = ("head", "rlowerarm", "llowerarm", "rfoot", "lfoot")
        identity = (row + 1, f"client{row}", "nao", 0, f"team_{side}", side, row // 2 + 1, 1)
        rows.append(RobotLayout(*identity, tuple(slots), EFFECTORS, parts, ()))
    return Layout(1, tuple(rows), LANDMARKS)


def sight(rng: np.random.Generator, observers: int, targets: int) -> Sight:
    """Observations of a third of all targets and of twelve lines by every robot."""
    seen, lines = targets // 3, 12
    chosen = [np.sort(rng.choice(targets, seen, replace=False)) for _ in range(observers)]
    return Sight(
        observers=np.arange(observers),
        object_offset=np.arange(observers + 1) * seen,
        object_target=np.concatenate(chosen),
        object_polar=rng.uniform(0.2, 1.0, (observers * seen, 3)),
        line_offset=np.arange(observers + 1) * lines,
        line_polar=rng.uniform(0.2, 1.0, (observers * lines, 2, 3)),
    )


def percepts(robots: int, seeing: bool) -> Percepts:
    rng = np.random.default_rng(1)
    robot_layout = layout(robots)
    slots = [slot for robot in robot_layout.robots for slot in robot.slots]
    values = rng.uniform(-2.0, 2.0, slots[-1].start + 1)
    seen = sight(rng, robots, len(robot_layout.targets)) if seeing else None
    game = GameSnapshot(1.0, "PlayOn", 0, 0, 1, "team_left", "team_right")
    return Percepts(1, 1.0, robot_layout, game, values, np.ones(len(slots), np.bool_), seen)


def report(what: str, call: Callable[[], object], count: int) -> None:
    best = min(timeit.repeat(call, number=count, repeat=7)) / count
    print(f"{what:44} {best * 1e6:8.1f} us")


def main() -> None:
    profile = load_dialect("measured")
    for robots in (1, 22):
        for seeing in (False, True):
            encoder, cycle = AgentEncoder(profile), percepts(robots, seeing)
            size = max(map(len, encoder.encode(cycle).values()))
            what = f"out: {robots:2} robots, {'with' if seeing else 'no'} vision, {size} bytes"
            report(what, lambda encoder=encoder, cycle=cycle: encoder.encode(cycle), 2000 // robots)  # type: ignore[misc]
    decoder = AgentDecoder(profile)
    decoder.bind("client", 1, EFFECTORS)
    commands = [f"({word} {index * 0.37 - 3:.3f})" for index, word in enumerate(EFFECTORS)]
    plain = "".join(commands) + "(syn)"
    messages = {
        "9 joints and syn": "".join(commands[:9]) + "(syn)",
        "22 joints and syn": plain,
        "say before 22 joints and syn": "(say hello)" + plain,
        "22 joints and syn, tolerant": plain + "\n",
    }
    for name, text in messages.items():
        payload = text.encode()
        report(f"in: {name}", lambda payload=payload: decoder.decode("client", payload), 3000)  # type: ignore[misc]


if __name__ == "__main__":
    main()
