"""Actions of one player of the team in each play mode."""

from __future__ import annotations

import math

from simspark_ros.motion.interface import Activity, Command, Stand, Walk
from simspark_ros.physics.geometry.scalars import limited
from simspark_ros.players.behaviour.aim import Aim
from simspark_ros.players.behaviour.attack import AttackPlay
from simspark_ros.players.behaviour.dribble import DribblePlay
from simspark_ros.players.behaviour.goalkeeper import Goalkeeper, WheeledGoalkeeper
from simspark_ros.players.behaviour.intention import BallPlay, Intention, gaze
from simspark_ros.players.behaviour.steering import Steering
from simspark_ros.players.geometry import Point, Pose
from simspark_ros.players.situation import Situation
from simspark_ros.players.speech import NEVER
from simspark_ros.players.team_settings import EffortSettings, TacticsSettings
from simspark_ros.players.world_model import WorldModel

GOALKEEPER = 1
"""Usual number of the goalkeeper."""

BEAM_AGAIN = 1.5
"""Time after which a player that is not on its place is beamed again, s."""

CLEAR = 0.1
"""Distance of a player from the centre circle before a kick-off, m."""

STOPPING = 1.5
"""Longest wait for a walking player to stand before it is beamed, s: lifted in its stride it would fall."""

LOST_BALL, SEARCH_TURN = 3.0, 0.8
"""Time without the ball after which a player turns to search it, s, and the speed of that turn, rad/s."""

TOUCHED = 0.15
"""Distance of the ball beyond its place for a push within which a player has taken a set play, m."""

PASS_BALL = 0.5
"""Distance from the ball that players keep on their way if they do not play it, m."""

PASS_AHEAD, PASS_REACH = 1.2, 3.5
"""Lead of a kick-off before a team mate, and greatest distance of that mate, m."""

OUT = 0.15
"""Distance beyond the lines at which a ball has left the field, m."""

PUT_BACK = 2.0
"""Time after the beginning of a set play by which the ball lies in its place, s."""

IN_SIGHT = 0.2
"""Time since a look at the ball within which it is in sight, s."""

MARGIN = 0.3
"""Distance from the lines that players keep inside the field, m."""


class TeamPlay:
    """Decides for one player of the demonstration team; `goalkeeper` is the number that keeps the goal, 0 = none."""

    def __init__(self, settings: TacticsSettings, goalkeeper: int = GOALKEEPER) -> None:
        self._settings = settings
        self._keeper = goalkeeper
        self._steering = Steering(settings.steering)
        self._attack: BallPlay
        if settings.dribble is None:
            self._attack = AttackPlay(settings.attack, self._steering)
            self._goalkeeper = Goalkeeper(settings.goalkeeper, self._steering, self._attack)
        else:
            self._attack = DribblePlay(settings.dribble, self._steering, settings.ball_friction)
            self._goalkeeper = WheeledGoalkeeper(settings.goalkeeper, self._steering, self._attack)
        self._aim = Aim()
        self._beamed = -math.inf
        self._took = False

    def decide(self, world: WorldModel) -> Intention:
        """Decide what to do now."""
        look = gaze(world)
        if not world.side:
            return Intention(Stand(), look)
        if world.situation.is_beam_time:
            world.was_nearest = self._took = False
            return Intention(Stand(), look, self._beam(world))
        if world.situation is Situation.OVER:
            return Intention(Stand(), look)
        self._watch_set_plays(world)
        own = self._effort(world)
        world.was_nearest = is_nearest(world, own)
        return Intention(self._move(world), look, effort=own, hold=self._attack.holds)

    def _beam(self, world: WorldModel) -> Pose | None:
        """Ask for a beam once after the mode has begun, and again as long as the player is somewhere else."""
        if self._beamed >= world.since and world.time - self._beamed < BEAM_AGAIN:
            return None
        if world.status.activity is Activity.WALKING and world.time - world.since < STOPPING:
            return None
        settings = self._settings
        takes = world.unum == settings.kick_off_taker and world.kicks_off_next
        x, y = settings.taker_place if takes else self._kick_off_place(world)
        place = Pose(x, y, math.atan2(-y, -x) if world.unum != self._keeper else 0.0)
        pose = world.pose
        if self._beamed >= world.since and pose is not None and pose.point.to(place.point).range < 0.5:
            return None
        self._beamed = world.time
        return place

    def _kick_off_place(self, world: WorldModel) -> tuple[float, float]:
        """The player's place before a kick-off, outside the centre circle of a field of any size."""
        x, y = self._settings.kick_off[world.unum - 1]
        clear, distance = world.pitch.centre_circle + CLEAR, math.hypot(x, y)
        return (x, y) if distance > clear else (x * clear / distance, y * clear / distance)

    def _effort(self, world: WorldModel) -> float:
        if world.unum == self._keeper and not self._goalkeeper.comes_out(world):
            return NEVER
        seconds = effort(world, self._settings.effort)
        if world.unum == self._keeper and world.situation is Situation.OUR_GOAL_KICK:
            return 0.0
        return seconds

    def _watch_set_plays(self, world: WorldModel) -> None:
        """The taker of a set play may not touch the ball again before another player does."""
        if self._attack.holds:
            # The league of robots with ball handling has no such rule.
            return
        ball = world.ball.place
        if world.situation.is_ours:
            near = ball is not None and ball.range < self._settings.attack.push_ahead + TOUCHED
            self._took = world.was_nearest and (near or self._took)
        elif self._took:
            self._took = False
            if world.situation is Situation.PLAY and world.active_mates():
                world.barred_until = world.time + self._settings.attack.bar

    def _move(self, world: WorldModel) -> Command:
        if world.pose is None:
            return Stand()
        if world.ball.place is None or world.ball_age > LOST_BALL or self._is_put_back(world):
            return Walk(turn=SEARCH_TURN)
        if not world.was_nearest:
            return self._goalkeeper.keep(world) if world.unum == self._keeper else self._take_place(world)
        if world.situation.is_theirs:
            return self._stand_in_the_way(world)
        if world.time < world.barred_until:
            return self._take_place(world)
        if world.unum == self._keeper:
            return self._goalkeeper.clear(world)
        target = self._pass(world) if world.situation is Situation.OUR_KICK_OFF else None
        return self._attack.play(world, target or self._aim.target(world), kick=self._kicks(world))

    def _is_put_back(self, world: WorldModel) -> bool:
        """Whether the ball was last seen outside the field, and lies somewhere else now or will in a moment.

        A ball that is still seen there is not out: the player is wrong about its own place.
        """
        ball, pitch = world.ball_place, world.pitch
        out = ball is not None and (abs(ball.x) > pitch.length / 2 + OUT or abs(ball.y) > pitch.width / 2 + OUT)
        lies_there = world.ball_age < IN_SIGHT and world.time - world.since > PUT_BACK
        return out and world.situation is not Situation.PLAY and not lies_there

    def _pass(self, world: WorldModel) -> Point | None:
        """The target of a kick-off: before the nearest team mate, who waits outside the centre circle."""
        ball = world.ball_place
        mates = [other.place for other in world.others() if other.is_mate]
        if ball is None or not mates:
            return None
        mate = min(mates, key=lambda place: ball.to(place).range)
        return mate.plus(Point(PASS_AHEAD, 0.0)) if ball.to(mate).range < PASS_REACH else None

    def _kicks(self, world: WorldModel) -> bool:
        """Whether to kick the ball: in set plays, where one touch is allowed, and near the goal if there is time."""
        ball = world.ball_place
        near = ball is not None and ball.to(world.goal).range < self._settings.attack.kick_range
        return world.situation is not Situation.PLAY or (near and not self._attack.is_duel(world))

    def _take_place(self, world: WorldModel) -> Command:
        ball = world.ball_place or Point(0.0, 0.0)
        if world.situation is Situation.OUR_KICK_OFF:
            place = Point(*self._kick_off_place(world))
        else:
            place = self._settings.formation[world.unum - 1].at(ball)
        return self._go(world, place, ball)

    def _go(self, world: WorldModel, place: Point, ball: Point) -> Command:
        """Walk to the nearest allowed place, round the ball, and face the ball."""
        distance = self._distance(world)
        clear = distance if world.situation.is_theirs else min(distance, PASS_BALL)
        return self._steering.walk_to(world, self._allowed(world, place, ball), ball, clear)

    def _stand_in_the_way(self, world: WorldModel) -> Command:
        """Go between the ball, which the opponents play, and the own goal."""
        ball = world.ball_place or Point(0.0, 0.0)
        way = ball.to(world.own_goal)
        place = ball.plus(way.times(self._distance(world) / max(way.range, 0.1)))
        return self._go(world, place, ball)

    def _distance(self, world: WorldModel) -> float:
        """Distance from the ball that a player has to keep if it does not play it, m."""
        distances = self._settings.distances
        if world.situation is Situation.THEIR_PASS:
            return distances.pass_mode
        return distances.free_kick if world.situation.is_theirs else distances.support

    def _allowed(self, world: WorldModel, place: Point, ball: Point) -> Point:
        """The nearest place that the rules and good manners allow."""
        pitch, situation = world.pitch, world.situation
        distance = self._distance(world)
        away = ball.to(place)
        if away.range < distance:
            # A place on the ball itself is moved back, toward the own goal.
            away = away if away.range > 0.01 else Point(-1.0, 0.0)
            place = ball.plus(away.times(distance / away.range))
        x = limited(place.x, pitch.length / 2 - MARGIN)
        y = limited(place.y, pitch.width / 2 - MARGIN)
        if situation.is_kick_off:
            x = min(x, -MARGIN)
            if situation is Situation.THEIR_KICK_OFF and math.hypot(x, y) < distance:
                # Straight back, to the edge of the circle.
                x = -math.sqrt(max(distance**2 - y**2, 0.0))
        if situation is Situation.THEIR_GOAL_KICK and abs(y) < pitch.penalty_width / 2 + MARGIN:
            x = min(x, pitch.length / 2 - pitch.penalty_length - 2 * MARGIN)
        return Point(x, y)


GETTING_UP = 3.0
"""Time to get up, s."""

RECENT_BALL = 4.0
"""Age of the ball beyond which a player does not go, s."""


def effort(world: WorldModel, settings: EffortSettings) -> float:
    """Time that the player would take to the place behind the ball, s; `NEVER` if it does not know the ball."""
    pose, ball = world.pose, world.ball.place
    if pose is None or ball is None or world.ball_age > RECENT_BALL:
        return NEVER
    to_goal = pose.local(world.goal)
    away = ball.to(to_goal).bearing - ball.bearing
    seconds = ball.range / settings.speed + abs(ball.bearing) / settings.turn
    seconds += settings.wrong_side * (1.0 - math.cos(away)) / 2.0
    if world.fallen:
        seconds += GETTING_UP
    if world.time < world.barred_until:
        seconds += settings.barred
    return seconds - settings.lead if world.was_nearest else seconds


def is_nearest(world: WorldModel, own: float) -> bool:
    """Whether the player, with its `own` effort (s), goes to the ball; the lower number wins a tie."""
    return own < NEVER and all((own, world.unum) < (mate.effort, unum) for unum, mate in world.active_mates().items())
