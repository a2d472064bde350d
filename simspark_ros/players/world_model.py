"""Beliefs of a player: its own place, ball, team mates, opponents, and the state of the game.

They come from percepts and from messages of team mates. Places are in the frame of the own team (attacking +x, own goal
at negative x), unless they are said to be relative to the player.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from simspark_ros.motion.interface import Foot, MotionStatus, Travel, Triple
from simspark_ros.physics.geometry.scalars import wrapped
from simspark_ros.players.ball_track import ROLLING_FRICTION, BallTrack
from simspark_ros.players.geometry import Point, Pose, below_torso
from simspark_ros.players.localization import Localization
from simspark_ros.players.percepts import GameReport, HeardMessage, Percept, SeenObjects, SeenPlayer
from simspark_ros.players.situation import Situation, situation_of
from simspark_ros.players.speech import NEVER, TeamMessage, decode
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.game_state import PlayMode

CYCLE = 0.02
"""Usual time between two percepts, s."""

MATE_MEMORY, ROBOT_MEMORY = 1.5, 1.5
"""Time for which a team mate counts after it was heard (three of its turns), and a robot after it was seen, s."""

BALL_MEMORY = 2.0
"""Time without the ball after which a player believes its team mates about it, s."""

ON_THE_WAY = 0.15
"""Longest time by which a mate's look seems younger than it is: its message takes time and has a rounded age, s."""

CARRIED = 0.3
"""Movement in one cycle that no player makes by itself, m."""

FIRST_HALF = 10.0
"""Time on the clock below which a kick-off begins the first half, s."""

CENTRE = Point(0.0, 0.0)
"""The ball's place at a kick-off."""

Camera = tuple[Triple, float, float]


class Mate(NamedTuple):
    """A team mate by its own words: its place (m), its time to the ball (s), and the time of its message (s)."""

    place: Point
    effort: float
    heard: float


@dataclass
class ObservedRobot:
    """Another robot as it was seen last: place (m) and time (s)."""

    is_mate: bool
    unum: int
    place: Point
    seen: float


class WorldModel:
    """Beliefs of one player.

    Attributes:
        team, unum, side: the player's team, number and side; 0 and empty until the server has sent them.
        time: simulated time, s.
        situation: meaning of the play mode for the own team.
        since: time at which the situation began, s.
        ball: the ball relative to the player.
        mates: team mates by number.
        kick_spots: place of the ball for a kick with either foot, relative to the player, m.
        was_nearest: whether the player went to the ball in the last cycle; behaviours set it.
        was_carried: whether somebody put the player elsewhere in the last cycle, where the server sends its pose.
        barred_until: time until which the player may not touch the ball again, s; behaviours set it.
    """

    def __init__(self, team: str, pitch: Field, ball_friction: float = ROLLING_FRICTION) -> None:
        self.team, self.unum, self.side = team, 0, ""
        self.pitch = pitch
        self.time = 0.0
        self.game = GameReport()
        self.situation = Situation.WAIT
        self.since = 0.0
        self.status = MotionStatus()
        self.ball = BallTrack(ball_friction)
        self.mates: dict[int, Mate] = {}
        self.kick_spots: dict[Foot, Point] = {}
        self.was_nearest = False
        self.barred_until = -math.inf
        self.was_carried = False
        self._others: dict[tuple[bool, int], ObservedRobot] = {}
        self._localization: Localization | None = None
        self._heard_ball: tuple[Point, float] | None = None
        self._is_hearsay = False
        self._put_back = -math.inf
        self._told: Pose | None = None

    @property
    def pose(self) -> Pose | None:
        """The player's own pose, None if it does not know it."""
        return None if self._localization is None else self._localization.pose

    @property
    def ball_age(self) -> float:
        """Time since the ball was seen, or certainly lay somewhere, s."""
        return self.time - self.ball.seen

    @property
    def ball_place(self) -> Point | None:
        """The ball on the field; None if it or the own pose is not known."""
        pose = self.pose
        return pose.outer(self.ball.place) if pose and self.ball.place else None

    @property
    def goal(self) -> Point:
        """Middle of the opponents' goal."""
        return Point(self.pitch.length / 2, 0.0)

    @property
    def own_goal(self) -> Point:
        """Middle of the own goal."""
        return Point(-self.pitch.length / 2, 0.0)

    @property
    def kicks_off_next(self) -> bool:
        """Whether the next kick-off is probably ours: after a goal if we let it in, else by side and half."""
        if self.situation is Situation.GOAL:
            return self.game.play_mode is (PlayMode.GOAL_RIGHT if self.side == "left" else PlayMode.GOAL_LEFT)
        return (self.side == "left") is (self.game.time < FIRST_HALF)

    @property
    def fallen(self) -> bool:
        """Whether the player lies on the ground or gets up."""
        return self.status.fallen

    def others(self) -> list[ObservedRobot]:
        """Robots that were seen lately."""
        return [other for other in self._others.values() if self.time - other.seen < ROBOT_MEMORY]

    def active_mates(self) -> dict[int, Mate]:
        """Team mates that were heard lately, by number."""
        return {unum: mate for unum, mate in self.mates.items() if self.time - mate.heard < MATE_MEMORY}

    def beamed(self, pose: Pose) -> None:
        """Believe that a beam has worked."""
        if self._localization is not None:
            self._localization.place(pose)
        self._others.clear()

    def notice(self, percept: Percept) -> None:
        """Take in news that is sent only once; for percepts that came too late to be answered."""
        game = percept.game
        self.unum = game.unum or self.unum
        if game.side and game.side != self.side:
            self.side = game.side
            self._localization = Localization(_marks(self.pitch, game.side))
        self._listen(percept.heard, percept.time)

    def update(self, percept: Percept, status: MotionStatus, camera: Camera) -> None:
        """Take a percept into account.

        `status` is the legs' status after the last percept; `camera` is as `MotionEngine.camera_pose` gives it.
        """
        elapsed = min(max(percept.time - self.time, 0.0), 1.0) if self.time else CYCLE
        self.time, self.status = percept.time, status
        self.notice(percept)
        self._take_game(percept.game)
        travel = status.travel
        if self._localization is not None:
            if percept.pose is None:
                self._localization.move(travel, elapsed)
            else:
                before = self._told
                self._told = _of_team(percept.pose, self.side)
                self._localization.place(self._told)
                travel = _travel(before or self._told, self._told)
        self.was_carried = math.hypot(travel.forward, travel.left) > CARRIED
        self.ball.move(travel, elapsed)
        if status.fallen:
            self.ball.rest()
        if percept.sight is not None and not status.fallen:
            self._look(percept.sight, camera)
        if self._is_hearsay or self.ball_age > BALL_MEMORY:
            self._believe_mates()

    def _take_game(self, game: GameReport) -> None:
        self.game = game
        mode = game.play_mode or PlayMode.BEFORE_KICK_OFF
        situation = situation_of(mode, self.side)
        if situation is self.situation:
            return
        self.situation, self.since = situation, self.time
        if situation.is_kick_off and self.pose is not None:
            # The referee has just put it there; the player and its mates saw it last in the goal.
            self.ball.expect(self.pose.local(CENTRE), self.time)
            self._heard_ball, self._is_hearsay, self._put_back = None, False, self.time

    def _look(self, sight: SeenObjects, camera: Camera) -> None:
        if self._localization is not None:
            self._localization.look(sight.marks, camera)
        if sight.ball is not None:
            x, y, _ = below_torso(sight.ball, camera)
            self.ball.see(Point(x, y), self.time)
            self._is_hearsay = False
        pose = self.pose
        if pose is not None:
            for player in sight.players:
                self._see(player, pose, camera)

    def _see(self, player: SeenPlayer, pose: Pose, camera: Camera) -> None:
        is_mate = player.team == self.team
        if (is_mate and player.unum == self.unum) or not player.parts:
            return
        part = player.parts.get("head") or next(iter(player.parts.values()))
        x, y, _ = below_torso(part, camera)
        place = pose.outer(Point(x, y))
        self._others[is_mate, player.unum] = ObservedRobot(is_mate, player.unum, place, self.time)

    def _listen(self, heard: tuple[HeardMessage, ...], time: float) -> None:
        for one in heard:
            message = decode(one.text) if one.bearing is not None and one.team in ("", self.team) else None
            if message is not None and message.unum != self.unum:
                self._take(message, time)

    def _take(self, message: TeamMessage, time: float) -> None:
        self.mates[message.unum] = Mate(message.place, message.effort, time)
        seen = time - message.ball_age
        is_news = self._heard_ball is None or seen >= self._heard_ball[1] - 0.2
        if message.ball_age < NEVER and is_news and seen > self._put_back + ON_THE_WAY:
            self._heard_ball = (message.ball, seen)

    def _believe_mates(self) -> None:
        pose = self.pose
        if pose is not None and self._heard_ball is not None and self._heard_ball[1] > self.ball.seen:
            place, seen = self._heard_ball
            self.ball.expect(pose.local(place), seen)
            self._is_hearsay = True


def _of_team(pose: Pose, side: str) -> Pose:
    """A pose on the field in the frame of the team on a side."""
    x, y, heading = pose
    return Pose(-x, -y, wrapped(heading + math.pi)) if side == "right" else pose


def _travel(before: Pose, after: Pose) -> Travel:
    """The movement from one pose to another."""
    forward, left = before.local(after.point)
    return Travel(forward, left, wrapped(after.heading - before.heading))


def _marks(pitch: Field, side: str) -> dict[str, Triple]:
    """Marks in the frame of the team on a side."""
    sign = -1.0 if side == "right" else 1.0
    return {name: (sign * x, sign * y, z) for name, (x, y, z) in pitch.landmarks().items()}
