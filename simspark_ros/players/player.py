"""One player: a percept in and an answer out per cycle, without access to the simulator or a connection."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from simspark_ros.motion.interface import BodyReadings, Command, Foot, MotionEngine, Shoot, Triple
from simspark_ros.players.answer import Answer
from simspark_ros.players.ball_track import ROLLING_FRICTION
from simspark_ros.players.behaviour.intention import Behaviour, Intention, gaze
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.percepts import FootForce, Percept
from simspark_ros.players.speech import NEVER, TeamMessage, encode, is_turn
from simspark_ros.players.world_model import WorldModel
from simspark_ros.soccer.field import Field

REST: Triple = (0.0, 0.0, 9.81)
"""Specific force at rest, m/s2; assumed where the server sends none."""


class SimpleBehaviour:
    """A behaviour that is one function, from the player's beliefs to a command for its legs; the head follows the ball.

    The player beams to `start` before kick-offs; None = it stays where the server puts it.
    """

    def __init__(self, think: Callable[[WorldModel], Command], start: Pose | None = None) -> None:
        self._think = think
        self._start = start
        self._beamed = -math.inf

    def decide(self, world: WorldModel) -> Intention:
        """Let the function decide."""
        beam = None
        if self._start is not None and world.situation.is_beam_time and world.side and self._beamed < world.since:
            beam, self._beamed = self._start, world.since
        return Intention(self._think(world), gaze(world), beam)


class PlayerAgent:
    """Perceives, decides, moves; `ball_friction` as in `BallTrack`.

    Attributes:
        world: the player's beliefs.
        gains: stiffness and damping by joint, if the robot's motors follow angles.
    """

    def __init__(
        self,
        team: str,
        pitch: Field,
        motion: MotionEngine,
        behaviour: Behaviour,
        ball_friction: float = ROLLING_FRICTION,
    ) -> None:
        self.world = WorldModel(team, pitch, ball_friction)
        self.world.kick_spots = {foot: Point(*motion.kick_spot(foot)) for foot in Foot}
        self.gains = motion.gains
        self._motion = motion
        self._behaviour = behaviour
        self._angles = [0.0] * len(motion.joints)

    def notice(self, percept: Percept) -> None:
        """Take up the parts of a percept that must not be missed, though it is too old to be answered."""
        self.world.notice(percept)

    def act(self, percept: Percept) -> Answer:
        """Answer a percept."""
        motion, world = self._motion, self.world
        known = percept.joints
        # A joint missing in a percept keeps its angle.
        self._angles = [known.get(name, last) for name, last in zip(motion.joints, self._angles, strict=True)]
        world.update(percept, motion.status, motion.camera_pose(self._angles))
        if world.was_carried:
            motion.reset()
        decision = self._behaviour.decide(world)
        if decision.beam is not None:
            world.beamed(decision.beam)
        speeds = motion.update(self._readings(percept), decision.command, decision.look)
        command = decision.command
        return Answer(
            dict(zip(motion.joints, speeds, strict=True)),
            decision.beam,
            self._message(decision) if world.unum else "",
            shot=(command.forward, command.up) if isinstance(command, Shoot) else None,
            hold=decision.hold,
        )

    def _readings(self, percept: Percept) -> BodyReadings:
        feet = percept.feet
        return BodyReadings(
            percept.time,
            self._angles,
            percept.gyro or (0.0, 0.0, 0.0),
            percept.accelerometer or REST,
            _force(feet, "lf"),
            _force(feet, "rf"),
            percept.up,
        )

    def _message(self, decision: Intention) -> str:
        world = self.world
        pose = world.pose
        if pose is None or not is_turn(world.time, world.unum):
            return ""
        ball = world.ball_place
        age = NEVER if ball is None else world.ball_age
        return encode(TeamMessage(world.unum, pose.point, ball or Point(0.0, 0.0), age, decision.effort))


def _force(feet: Mapping[str, FootForce], name: str) -> float:
    """Upward force on foot and toes, N."""
    return sum((feet[part].force[2] for part in (name, f"{name}1") if part in feet), start=0.0)
