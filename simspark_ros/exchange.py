"""Exchange of simulator and servers: one `Percepts` out and one `Commands` in per cycle, plain arrays and tuples.

Everything is SI, REP-103 and radians; classic units and frames exist only in `simspark_ros.protocol`. Both values
pass by reference within a process, and as bytes between processes (`simspark_ros.server.remote.codec`, which derives
the message from the fields declared here). Nobody changes the values; they are not frozen, because making a frozen
one takes three times as long.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspark_ros.perceptors.readings import Heard, Sight
from simspark_ros.robots.types.random_types import RobotType
from simspark_ros.soccer.game_state import Foul


class Slot(NamedTuple):
    """The place of one perceptor of one robot in the value vector.

    Attributes:
        columns: names of its values, e.g. ("x", "y", "z"); empty for perceptors without a fixed number of values
            (time, game state, hear, vision), which still have a place in the message.
        start: index of its first value in `Percepts.values`.
    """

    kind: str
    name: str
    columns: tuple[str, ...]
    start: int


class RobotLayout(NamedTuple):
    """One robot as its client sees it.

    Attributes:
        handle: handle of the robot in the world; never reused.
        client: key of the client that commands it, empty for robots without a classic client.
        team: team name, empty until its init is accepted.
        side: `left`, `right` or empty.
        unum: uniform number, 0 until its init is accepted.
        registrations: number of accepted inits of its client; a change is announced once in the game state.
        slots: its perceptors in message order.
        hinge_effectors: the effector word of each of its joints in joint order, empty where a joint has none.
        visible_parts: labels of its parts in vision messages.
        body: type that gives its looks, -1 = its own type.
    """

    handle: int
    client: str
    robot: str
    variant: int
    team: str
    side: str
    unum: int
    registrations: int
    slots: tuple[Slot, ...]
    hinge_effectors: tuple[str, ...]
    visible_parts: tuple[str, ...]
    links: tuple[str, ...]
    body: int = -1

    @property
    def look(self) -> int:
        """Type that gives its looks."""
        return self.variant if self.body < 0 else self.body


class Layout(NamedTuple):
    """Meaning of the arrays of `Percepts`; sent again only when it changes.

    Attributes:
        revision: number that increases with every change.
        robots: robots in row order.
        landmarks: names of the fixed visible objects, the ball (`B`) last.
        environment: sizes and rules by their names in monitor messages, SI.
        robot_types: types drawn for this match that agents may ask for.
        markers: number of landmarks, the first ones, that are markers of the newer league.
    """

    revision: int
    robots: tuple[RobotLayout, ...]
    landmarks: tuple[str, ...]
    environment: tuple[tuple[str, float], ...] = ()
    robot_types: tuple[RobotType, ...] = ()
    markers: int = 0

    @property
    def targets(self) -> tuple[tuple[str, int], ...]:
        """Visible targets as (label, row of the robot or -1): landmarks first, then the parts of each robot."""
        marks = [(name, -1) for name in self.landmarks]
        parts = [(part, row) for row, robot in enumerate(self.robots) for part in robot.visible_parts]
        return tuple(marks + parts)


class GameSnapshot(NamedTuple):
    """State of the game for clients.

    Attributes:
        time: game time, s.
        play_mode: classic name of the play mode, e.g. `BeforeKickOff`.
        score_wait_left, score_wait_right: time for which a team may not score yet after its pass mode, s.
        fouls: the last fouls, in order.
        lights: handle of each robot with commanded lights, with `simspark_ros.robots.lights.lights_text`.
        selected: handle of the robot that a trainer has selected, -1 = none.
    """

    time: float
    play_mode: str
    score_left: int
    score_right: int
    half: int
    team_left: str
    team_right: str
    score_wait_left: float = 0.0
    score_wait_right: float = 0.0
    fouls: tuple[Foul, ...] = ()
    selected: int = -1
    lights: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Poses:
    """Poses of all things, for monitors.

    Attributes:
        positions: (K, 3) centres of mass of all links of all robots (`RobotLayout.links`), world frame, m.
        rotations: (K, 3, 3) rotations from links to world; link axes are x forward, y left, z up.
        ball: (3,) centre of the ball, m.
        ball_quaternion: (4,) rotation of the ball, x, y, z, w.
    """

    positions: NDArray[np.float64]
    rotations: NDArray[np.float64]
    ball: NDArray[np.float64]
    ball_quaternion: NDArray[np.float64] = field(default_factory=lambda: np.array([0.0, 0.0, 0.0, 1.0]))


class Notice(NamedTuple):
    """Message for the operator of a client, with cause and remedy: a refused init, a robot put back."""

    client: str
    text: str


@dataclass
class Percepts:
    """All perception computed at the end of one cycle.

    Attributes:
        cycle: number of the cycle that computed it, from 1.
        time: simulated time, s.
        values: (V,) readings of all robots' perceptors, see `Slot`.
        present: (S,) whether each perceptor has something to report, in the order robots x slots.
        sight: vision of the robots that look in this cycle, or None.
        heard: messages heard in this cycle, in the order in which they are to be sent.
        poses: poses of all things, only in cycles for which a monitor wants them.
        notices: messages for the operators of clients.
    """

    cycle: int
    time: float
    layout: Layout
    game: GameSnapshot
    values: NDArray[np.float64]
    present: NDArray[np.bool_]
    sight: Sight | None = None
    heard: tuple[Heard, ...] = ()
    poses: Poses | None = None
    notices: tuple[Notice, ...] = ()


Argument = str | int | float | bool
"""One argument of a command."""


@dataclass(frozen=True)
class Action:
    """One command that is not a joint velocity.

    Attributes:
        client: key of the client that acts; never reused.
        kind: name of an effector (`simspark_ros.effectors`) or of a trainer command (`simspark_ros.trainer`).
        arguments: arguments of the function of that name after world and robot, SI units and radians.
    """

    client: str
    kind: str
    arguments: tuple[Argument, ...] = ()

    @property
    def is_finite(self) -> bool:
        """Whether no argument is an infinite number or NaN."""
        return all(math.isfinite(argument) for argument in self.arguments if isinstance(argument, float))


def _no_ints() -> NDArray[np.int64]:
    return np.zeros(0, np.int64)


class MotorCommands(NamedTuple):
    """Commands of M motors that get their gains along.

    Attributes:
        handles: (M,) handles of commanded robots.
        joints: (M,) index of the joint in its robot's model.
        numbers: (M, 5) the commands, see `simspark_ros.physics.engine.ServoControl`; finite.
    """

    handles: NDArray[np.int64]
    joints: NDArray[np.int64]
    numbers: NDArray[np.float64]


@dataclass
class Commands:
    """Everything that a server's clients sent since the last exchange.

    Attributes:
        answers: cycle of the last percepts that every participant has answered with `(syn)`; 0 = none.
        participants: number of clients that lock-step has to wait for.
        handles: (K,) handles of commanded robots.
        joints: (K,) index of the joint in its robot's model.
        velocities: (K,) target velocity, rad/s; later entries for the same joint win.
        motors: commands of motors that get their gains along; None = none.
        actions: all other commands, in the order of their execution.
        wants_poses: whether a monitor is connected.
        rejected: inputs rejected since the last exchange, by reason.
    """

    answers: int = 0
    participants: int = 0
    handles: NDArray[np.int64] = field(default_factory=_no_ints)
    joints: NDArray[np.int64] = field(default_factory=_no_ints)
    velocities: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    motors: MotorCommands | None = None
    actions: tuple[Action, ...] = ()
    wants_poses: bool = False
    rejected: dict[str, int] = field(default_factory=dict)
