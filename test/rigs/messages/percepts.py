"""Percepts and commands of any number of robots, made up from a seed."""

import numpy as np

from simspark_ros.exchange import Action, Commands, GameSnapshot, Layout, Notice, Percepts, Poses, RobotLayout, Slot
from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.robots.types.random_types import RobotType
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side

JOINTS = ("he1", "he2", "lae1", "lae2", "lae3", "lae4", "lle1", "lle2", "lle3", "lle4", "lle5", "lle6")
LANDMARKS = ("F1L", "F2L", "F1R", "F2R", "G1L", "G2L", "G1R", "G2R", "B")
PARTS = ("head", "rlowerarm", "llowerarm", "rfoot", "lfoot")
TYPES = (RobotType("nao", 1, 4, (("hip_y", 0.06), ("toe_length", 0.03))),)
LINKS = ("torso", "head", "neck", "lfoot", "rfoot")
FOULS = (Foul(3, FoulKind.CHARGING, Side.LEFT, 4), Foul(4, FoulKind.TOUCHING, Side.RIGHT, 11))
GAME = GameSnapshot(1.25, "PlayOn", 1, 0, 1, "Red", "Blue", 0.1, 9.5, FOULS, 12)


def robot(row: int, client: str = "", *, start: int = 0, team: str = "Red", registrations: int = 1) -> RobotLayout:
    """A robot with few perceptors whose readings start somewhere."""
    slots = [Slot("time", "", (), start), Slot("gyroscope", "torso", ("x", "y", "z"), start)]
    for index, joint in enumerate(JOINTS):
        slots.append(Slot("hinge_joint", joint.replace("e", "j"), ("angle",), start + 3 + index))
    slots.append(Slot("see", "", (), start + 3 + len(JOINTS)))
    side = "left" if row < 11 else "right"
    return RobotLayout(
        10 + row, client, "nao", row % 5, team, side, row % 11 + 1, registrations, tuple(slots), JOINTS, PARTS, LINKS
    )


def layout(clients: list[str], revision: int = 1) -> Layout:
    """One robot for each client; an empty name is a robot without one."""
    width = 3 + len(JOINTS)
    robots = [robot(row, client, start=row * width) for row, client in enumerate(clients)]
    return Layout(revision, tuple(robots), LANDMARKS, (("FieldLength", 30.0), ("BallMass", 0.026)), TYPES)


def percepts(structure: Layout, cycle: int, seed: int = 0, *, full: bool = True) -> Percepts:
    """Random percepts; with everything that can be in them if full, else without vision, hearing, poses."""
    random = np.random.default_rng([seed, cycle])
    robots = structure.robots
    values = random.normal(0.0, 3.0, sum(len(s.columns) for r in robots for s in r.slots))
    present = np.ones(sum(len(r.slots) for r in robots), np.bool_)
    if not full:
        return Percepts(cycle, cycle * 0.02, structure, GAME, values, present)
    links = sum(len(r.links) for r in robots)
    poses = Poses(random.normal(size=(links, 3)), random.normal(size=(links, 3, 3)), random.normal(size=3))
    heard = tuple(
        Heard(r.handle, r.team, None if row == 0 else float(random.normal()), f"hi{row}", cycle * 0.02)
        for row, r in enumerate(robots)
    )
    notices = (Notice(robots[0].client, "init refused: 'käse' is no team"),) if robots else ()
    return Percepts(
        cycle, cycle * 0.02, structure, GAME, values, present, sight(structure, random), heard, poses, notices
    )


def sight(structure: Layout, random: np.random.Generator) -> Sight:
    """All robots look and see a third of everything."""
    count, targets = len(structure.robots), len(structure.targets)
    seen = [np.flatnonzero(random.random(targets) < 1 / 3) for _ in range(count)]
    lines = random.integers(0, 20, count)
    return Sight(
        observers=np.arange(count),
        object_offset=np.concatenate([[0], np.cumsum([len(s) for s in seen], dtype=np.int64)]).astype(np.int64),
        object_target=np.concatenate([*seen, np.zeros(0, np.int64)]).astype(np.int64),
        object_polar=random.normal(size=(sum(map(len, seen)), 3)),
        line_offset=np.concatenate([[0], np.cumsum(lines)]).astype(np.int64),
        line_polar=random.normal(size=(int(lines.sum()), 2, 3)),
    )


def commands(clients: list[str], cycle: int, seed: int = 0) -> Commands:
    """All joints of all robots, and a few actions."""
    random = np.random.default_rng([seed, cycle])
    count = len(clients) * len(JOINTS)
    return Commands(
        answers=cycle,
        participants=len(clients),
        handles=np.repeat(10 + np.arange(len(clients)), len(JOINTS)),
        joints=np.tile(np.arange(len(JOINTS)), len(clients)),
        velocities=np.where(random.random(count) < 0.1, np.inf, random.normal(size=count)),
        actions=tuple(
            Action(client, kind, arguments)
            for client in clients[:3]
            for kind, arguments in (
                ("say", ("hello", "world")),
                ("beam", (-1.5, 0.1, 0.7853981633974483)),
                ("pass", ()),
            )
        ),
        wants_poses=True,
        rejected={"no such effector": 3},
    )


def same(left: object, right: object) -> bool:
    """Whether two dataclasses with arrays are equal in type, shape and every bit."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
    if isinstance(left, Percepts | Commands | Sight | Poses) and type(left) is type(right):
        return all(same(getattr(left, name), getattr(right, name)) for name in left.__dataclass_fields__)
    return left == right
