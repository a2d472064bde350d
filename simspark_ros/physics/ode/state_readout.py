"""Index arrays and tables of an ODE world's robots; made again when a robot comes or goes."""

from __future__ import annotations

import ctypes

import numpy as np

from simspark_ros.kernels.touches import TouchSums
from simspark_ros.physics.engine import MAX_SPIN, Array, BoolArray, EngineState, JointControl
from simspark_ros.physics.ode.bodies import ANGULAR, LINEAR, POSITION, BodyTable
from simspark_ros.physics.ode.joints import JointTable
from simspark_ros.physics.ode.library import Feedback, OdeLibrary, memory_of
from simspark_ros.physics.ode.motors import OdeMotors
from simspark_ros.physics.ode.robot import OdeRobot
from simspark_ros.physics.ode.scene import OdeBall
from simspark_ros.physics.ode.settings import OdeSettings
from simspark_ros.physics.ode.shapes import touch_link

# A body may turn with the greatest speed, and a little more by rounding and by the motion of what carries it, rad/s.
_SPIN = 1.1 * MAX_SPIN


class StateReadout:
    """The objects that read and drive all robots of the state at once.

    Attributes:
        bodies: table of the bodies: robots in order, links in the models' order, then the ball.
        joints: table of the joints.
        motors: motors of the joints.
        first: row of each robot's base in the table of bodies, and the number of robots' bodies.
        seen: (T + N + 1,) rows in the table of bodies of the touch links, the bases and the ball, if there is one.
        feet, bases: parts of `seen` that hold the touch links and the bases.
        row_of: row of each handle.
        touch_index: place of each touch link in the touch arrays.
        touches: contacts of the touch links.
    """

    def __init__(
        self,
        library: OdeLibrary,
        settings: OdeSettings,
        state: EngineState,
        robots: list[OdeRobot],
        ball: OdeBall | None,
    ) -> None:
        models = [robot.model for robot in robots]
        drag = [(model.linear_drag, model.angular_drag) for model in models for _ in model.links]
        bodies = [body for robot in robots for body in robot.bodies]
        if ball is not None:
            bodies.append(ball.body)
            drag.append(ball.drag)
        self.bodies = BodyTable(library, bodies, drag)
        self.joints = JointTable(models)
        self.motors = OdeMotors(robots, state, settings)
        self._robots = robots
        # One more than there are robots, so that differences are numbers of bodies, and the last is the ball's row.
        self.first: list[int] = np.cumsum([0, *(len(model.links) for model in models)]).tolist()
        # Touch links in the order of the touch arrays: handle, row and index of the link in its model.
        touches = [
            (handle, row, [link.name for link in model.links].index(name))
            for row, (handle, model) in enumerate(zip(state.handles, models, strict=True))
            for name in model.touch_links
        ]
        feet = [self.first[row] + link for _, row, link in touches]
        self.feet, self.bases = slice(0, len(feet)), slice(len(feet), len(feet) + len(robots))
        # Touch links, then bases, then the ball, so that one lookup in the table fills all arrays of the state.
        self.seen = np.array(feet + self.first[:-1] + ([] if ball is None else self.first[-1:]), np.int64)
        self.row_of = {handle: row for row, handle in enumerate(state.handles)}
        self.touch_index = {touch_link(handle, link): place for place, (handle, _, link) in enumerate(touches)}
        self.touches = TouchSums(np.zeros((len(touches), 7)))
        joints = [joint for robot in robots for joint in robot.joints]
        # ODE writes the forces of all joints into one block, which numpy reads: asking each joint takes a call.
        feedbacks = (Feedback * max(1, len(joints)))()
        for index, joint in enumerate(joints):
            library.dJointSetFeedback(joint, ctypes.addressof(feedbacks[index]))
        self.feedback: Array = memory_of(feedbacks).reshape(-1, 16)[: len(joints)]
        # (B, 25) largest sound numbers, in the columns of the table of bodies. ODE keeps rotations at length one, so
        # 1000 is no real limit for them.
        self._limits = np.full((len(bodies), 25), 1000.0)
        self._limits[:, POSITION] = settings.max_distance
        self._limits[:, LINEAR], self._limits[:, ANGULAR] = settings.max_speed, _SPIN
        if ball is not None:
            # A vector is shorter than twice its largest component.
            self._limits[-1, LINEAR] = settings.max_ball_speed / 2.0
        self._scale = 1.0 / self._limits

    def command(self, control: JointControl, expected: Array) -> Array:
        """Set motors, efforts and early stops for the coming step; see `OdeMotors.command`, `JointTable.positions`."""
        effort = self.motors.command(control)
        if self.motors.early:
            self.motors.stop_early(self.joints.positions(self.bodies.read(), expected))
        return effort

    def asleep(self) -> list[int]:
        """Rows of the robots that sleep after a step."""
        # Falling asleep takes several steps without a command.
        if len(self.motors.moved) == len(self._robots):
            return []
        return [row for row, robot in enumerate(self._robots) if not robot.is_awake()]

    def is_sound(self, table: Array) -> bool:
        """Whether nothing has to be put back or slowed down: cheap, and sometimes wrongly False with a fast ball."""
        # A comparison with NaN is false, so one test also finds NaN. If the sum of squares is small, all numbers are.
        scaled = (table * self._scale).reshape(-1)
        if scaled.dot(scaled) <= 1.0:
            return True
        return bool((np.abs(table) <= self._limits).all())

    def bad_robots(self, table: Array) -> list[int]:
        """Robots (rows of the state) with a body whose numbers are not finite or absurd."""
        count = self.first[-1]
        good: BoolArray = np.abs(table[:count]) <= self._limits[:count]
        bodies = np.flatnonzero(~good.all(axis=1))
        # A body belongs to the last robot whose first body is not behind it.
        return sorted(set((np.searchsorted(self.first, bodies, side="right") - 1).tolist()))
