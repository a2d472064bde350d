"""A world in the plane for tests of behaviours: robots that move exactly as commanded, a ball that rolls."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from simspark_ros.motion.interface import (
    Activity,
    BodyReadings,
    Command,
    Dive,
    Foot,
    Gains,
    Kick,
    LookAt,
    MotionStatus,
    Travel,
    Triple,
    Walk,
)
from simspark_ros.physics.geometry.scalars import limited
from simspark_ros.players.answer import Answer
from simspark_ros.players.behaviour.intention import Behaviour
from simspark_ros.players.geometry import Point, Polar, Pose
from simspark_ros.players.percepts import GameReport, HeardMessage, Percept, SeenObjects, SeenPlayer
from simspark_ros.players.player import PlayerAgent
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.settings import load_soccer_settings

CYCLE = 0.02
LOOK_EVERY = 3
HALF_VIEW = math.radians(60.0)
EYES = 0.5
"""Height of the camera, m."""

FOOT_REACH = 0.12
"""A robot's body pushes the ball to this distance, m."""

PITCH: Field = load_soccer_settings().field


class IdealMotion:
    """Legs without inertia, within the limits of a good walk."""

    joints: tuple[str, ...] = ("hj1", "hj2")

    def __init__(self) -> None:
        self.status = MotionStatus()
        self.gains: Gains = {}
        self.command: Command = Walk()
        self.look = LookAt()

    def update(self, readings: BodyReadings, command: Command, look: LookAt) -> list[float]:
        self.command, self.look = command, look
        travel = Travel()
        if isinstance(command, Walk):
            forward, left, turn = min(0.6, command.forward), limited(command.left, 0.25), limited(command.turn, 1.5)
            travel = Travel(max(-0.3, forward) * CYCLE, left * CYCLE, turn * CYCLE)
        activity = Activity.WALKING if isinstance(command, Walk) else Activity.STANDING
        self.status = MotionStatus(activity, travel=travel)
        return [0.0, 0.0]

    def camera_pose(self, angles: Sequence[float]) -> tuple[Triple, float, float]:
        return (0.0, 0.0, EYES), angles[0], angles[1]

    def kick_spot(self, foot: Foot) -> tuple[float, float]:
        return (0.16, 0.055 if foot is Foot.LEFT else -0.055)

    def reset(self) -> None:
        self.status = MotionStatus()


@dataclass
class PlanarRobot:
    """A player with its body; `pose` is in the frame of its own team."""

    player: PlayerAgent
    motion: IdealMotion
    team: str
    unum: int
    side: str
    pose: Pose
    answer: Answer = field(default_factory=Answer)

    @property
    def sign(self) -> float:
        return 1.0 if self.side == "left" else -1.0

    @property
    def place(self) -> Point:
        return Point(self.sign * self.pose.x, self.sign * self.pose.y)


class PlanarWorld:
    def __init__(self, mode: PlayMode = PlayMode.PLAY_ON, ball: tuple[float, float] = (0.0, 0.0)) -> None:
        self.mode = mode
        self.ball, self.speed = Point(*ball), Point(0.0, 0.0)
        self.robots: list[PlanarRobot] = []
        self.kicks: list[tuple[PlanarRobot, Kick, Point]] = []
        self.dives: list[tuple[PlanarRobot, Dive]] = []
        self.cycle = 0
        self._said: list[tuple[PlanarRobot, str]] = []

    def add(self, behaviour: Behaviour, unum: int, pose: tuple[float, float, float], side: str = "left") -> PlanarRobot:
        motion = IdealMotion()
        team = side.capitalize()
        robot = PlanarRobot(PlayerAgent(team, PITCH, motion, behaviour), motion, team, unum, side, Pose(*pose))
        self.robots.append(robot)
        return robot

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.step()

    def run_until(self, condition: Callable[[], object], seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.step()
            if condition():
                return
        pytest.fail(f"not within {seconds} s")

    def step(self) -> None:
        said, self._said = self._said, []
        for robot in self.robots:
            robot.answer = robot.player.act(self._percept(robot, said))
            if robot.answer.say:
                self._said.append((robot, robot.answer.say))
        for robot in self.robots:
            self._move(robot)
        self.ball = self.ball.plus(self.speed.times(CYCLE))
        self.speed = self.speed.times(math.exp(-1.06 * CYCLE))
        self.cycle += 1

    def _move(self, robot: PlanarRobot) -> None:
        if robot.answer.beam is not None and self.mode is PlayMode.BEFORE_KICK_OFF:
            robot.pose = robot.answer.beam
            return
        travel = robot.motion.status.travel
        robot.pose = robot.pose.moved(travel.forward, travel.left, travel.turn)
        command = robot.motion.command
        local = robot.pose.local(self._own(robot, self.ball))
        if isinstance(command, Kick) and self.speed.range < 0.01:
            self.kicks.append((robot, command, local))
            self.speed = Point(3.0, 0.0).turned(robot.pose.heading).times(robot.sign)
        elif isinstance(command, Dive):
            self.dives.append((robot, command))
        elif local.range < FOOT_REACH:
            out = local.times(FOOT_REACH / max(local.range, 1e-6))
            self.ball = self._own(robot, robot.pose.outer(out))

    @staticmethod
    def _own(robot: PlanarRobot, point: Point) -> Point:
        """A point of the world in the frame of the robot's team, and back."""
        return point.times(robot.sign)

    def _percept(self, robot: PlanarRobot, said: Sequence[tuple[PlanarRobot, str]]) -> Percept:
        first = self.cycle == 0
        game = GameReport(self.mode, self.cycle * CYCLE, 0, 0, robot.unum if first else 0, robot.side if first else "")
        heard = tuple(HeardMessage(one.team, None if one is robot else 0.0, text) for one, text in said)
        look = robot.motion.look
        sight = self._sight(robot, look) if self.cycle % LOOK_EVERY == 0 else None
        joints = {"hj1": look.pan, "hj2": look.tilt}
        return Percept(10.0 + self.cycle * CYCLE, joints, sight=sight, heard=heard, game=game)

    def _sight(self, robot: PlanarRobot, look: LookAt) -> SeenObjects:
        camera = (0.0, 0.0, EYES), look.pan, look.tilt

        def in_view(point: Point, height: float) -> Polar | None:
            polar = polar_of(robot.pose, (*self._own(robot, point), height), camera)
            is_there = max(abs(polar.bearing), abs(polar.elevation)) <= HALF_VIEW and polar.range >= 0.1
            return polar if is_there else None

        marks = {name: polar for name, (x, y, z) in PITCH.landmarks().items() if (polar := in_view(Point(x, y), z))}
        heads = ((other, in_view(other.place, EYES)) for other in self.robots if other is not robot)
        players = [SeenPlayer(other.team, other.unum, {"head": head}) for other, head in heads if head]
        return SeenObjects(marks, in_view(self.ball, 0.04), tuple(players))


def polar_of(pose: Pose, point: Triple, camera: tuple[Triple, float, float]) -> Polar:
    """Where the camera of a robot at a pose sees a point; `camera` is as `MotionEngine.camera_pose` gives it."""
    (x, y, z), pan, tilt = camera
    ground = pose.local(Point(point[0], point[1]))
    level = Point(ground.x - x, ground.y - y).turned(-pan)
    up = point[2] - z
    ahead = math.cos(tilt) * level.x + math.sin(tilt) * up
    above = math.cos(tilt) * up - math.sin(tilt) * level.x
    distance = math.sqrt(ahead**2 + level.y**2 + above**2)
    return Polar(distance, math.atan2(level.y, ahead), math.asin(limited(above / max(distance, 1e-6), 1.0)))
