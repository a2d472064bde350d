"""Players who run into an opponent."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from simspark_ros.configuration.schema import Checked
from simspark_ros.physics.engine import Array, EngineState
from simspark_ros.soccer.game_state import FoulKind
from simspark_ros.soccer.posture import stands
from simspark_ros.soccer.referee.decision import Spot
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.referee.match_view import Player
from simspark_ros.soccer.referee.restarts import TIME_TOLERANCE
from simspark_ros.soccer.referee.rule import Rule
from simspark_ros.soccer.referee.rulebook import Angle, Distance, Speed, Time

MEAN_TIME = 0.06
"""Time over which a player's speed is averaged, s: three cycles of the classic server."""

MAX_REMEMBERED = 256
"""Number of calm contacts, falls and immunities above which old ones are dropped."""

NEVER = float("-inf")


@dataclass(frozen=True)
class ChargingBook(Checked):
    """Section `charging`."""

    min_speed: Speed = 0.4
    min_collision_speed: Speed = 0.2
    min_ball_angle_deg: Angle = 30.0
    min_delta_distance: Distance = 0.05
    min_delta_angle_deg: Angle = 15.0
    immunity_time: Time = 1.0
    collision_min_time: Time = 0.2
    max_ball_distance: Distance = 1.0
    min_ball_collision_distance: Distance = 0.1


class _Run(NamedTuple):
    """Motion of one of two players in contact: speed and its component toward the contact, m/s.

    The distance is in m; the angles are between its velocity and the directions to ball and opponent, degrees.
    """

    player: Player
    speed: float
    closing: float
    ball_distance: float
    ball_angle: float
    opponent_angle: float


class _Before(NamedTuple):
    """Data from before a cycle, by handle: times of the last calm contact, ends of immunity, s."""

    calm_at: dict[int, float]
    immune_until: dict[int, float]


class Charging(Rule):
    """Two opponents are in contact, and exactly one of them runs into the other: it is beamed out.

    A contact is calm if neither player runs into the other, if both do, or right at the ball. For a moment after a calm
    contact both players, and players that they run into then, are not blamed. A player that has just touched the ball
    is not blamed either, nor a goalkeeper in or behind its own penalty area; players that these run into are not blamed
    for as long, or for the whole time after the goalkeeper.
    """

    name: ClassVar[str] = "charging"
    options: ClassVar = ChargingBook
    settings: ChargingBook

    def __init__(self) -> None:
        self._velocities: deque[Array] = deque()
        self._handles: tuple[int, ...] = ()
        self._down_at: dict[int, float] = {}
        self._calm_at: dict[int, float] = {}
        self._immune_until: dict[int, float] = {}

    def apply(self, match: Match) -> None:
        state, paused = match.state, match.paused
        self._remember(match, state, paused)
        contacts = state.robot_contacts
        if paused or not len(contacts):
            return
        players = {player.row: player for player in match.players}
        points = state.robot_contact_points.tolist()
        # All contacts of a cycle are judged by the data from before the cycle.
        before = _Before(dict(self._calm_at), dict(self._immune_until))
        for (first, second), (x, y, _) in zip(contacts.tolist(), points, strict=True):
            one, other = players.get(first), players.get(second)
            if one is None or other is None or one.side is other.side:
                continue
            if self._counts(match, one) and self._counts(match, other):
                self._decide(match, (one, other), (x, y), before)

    def reset(self) -> None:
        self._velocities.clear()
        self._forget_all()

    def _forget_all(self) -> None:
        self._down_at.clear()
        self._calm_at.clear()
        self._immune_until.clear()

    def _remember(self, match: Match, state: EngineState, paused: bool) -> None:
        height = match.book.incapable.standing_height
        if state.handles != self._handles:
            self._velocities.clear()
            self._handles = state.handles
        self._velocities.append(state.linear_velocity.copy())
        if len(self._velocities) > max(1, round(MEAN_TIME / match.world.engine.cycle_time)):
            self._velocities.popleft()
        if paused:
            self._forget_all()
            return
        limit_y = match.field.width / 2 + match.book.incapable.field_margin
        for row, (_, y, z) in enumerate(match.places):
            if z < height and abs(y) < limit_y:
                handle = state.handles[row]
                if not stands(match.world.robots[handle].description, state.rotation[row, 2, 2], z, height):
                    self._down_at[handle] = match.now
        if len(self._calm_at) + len(self._down_at) + len(self._immune_until) > MAX_REMEMBERED:
            self._forget(match)

    def _forget(self, match: Match) -> None:
        """Drop entries that are over."""
        now, upright = match.now, match.book.incapable.upright_time + match.time_step
        calm = now - self.settings.collision_min_time - match.time_step
        self._calm_at = {handle: time for handle, time in self._calm_at.items() if time >= calm}
        self._down_at = {handle: time for handle, time in self._down_at.items() if time >= now - upright}
        self._immune_until = {handle: time for handle, time in self._immune_until.items() if time > now}

    def _counts(self, match: Match, player: Player) -> bool:
        """Whether a player has stood for longer than a while, and the referee has not moved it lately."""
        stood = match.now - self._down_at.get(player.handle, NEVER)
        moved = match.repositioning.was_moved_within(player.handle, self.settings.immunity_time)
        return stood > match.book.incapable.upright_time + TIME_TOLERANCE and not moved

    def _decide(self, match: Match, pair: tuple[Player, Player], contact: Spot, before: _Before) -> None:
        runs = (self._run(match, pair[0], pair[1], contact), self._run(match, pair[1], pair[0], contact))
        chargers = _chargers(self.settings, runs)
        for run in chargers:
            self._protect(match, run.player, pair[1] if run.player is pair[0] else pair[0], before)
        ball_x, ball_y, _ = match.ball.position
        contact_distance = math.hypot(contact[0] - ball_x, contact[1] - ball_y)
        if len(chargers) != 1 or contact_distance < self.settings.min_ball_collision_distance:
            for player in pair:
                self._calm_at[player.handle] = match.now
            return
        run = chargers[0]
        charger, victim = run.player, pair[1] if run.player is pair[0] else pair[0]
        calm = match.now - before.calm_at.get(charger.handle, NEVER)
        immune = match.now < self._immunity(match, charger, before) - TIME_TOLERANCE
        if calm <= self.settings.collision_min_time + TIME_TOLERANCE or immune or _is_goalie_at_home(match, charger):
            return
        evidence = {
            "speed_m_s": run.speed,
            "closing_speed_m_s": run.closing,
            "ball_distance_m": run.ball_distance,
            "ball_angle_deg": run.ball_angle,
            "opponent_angle_deg": run.opponent_angle,
            "contact_ball_distance_m": contact_distance,
            "opponent_unum": victim.unum,
        }
        why = (
            f"runs into {victim} at {run.speed:.2f} m/s ({run.closing:.2f} m/s toward the contact); the ball is "
            f"{run.ball_distance:.2f} m away and {run.ball_angle:.0f} degrees off the run"
        )
        self.punish(match, charger, victim, why, evidence)

    def punish(self, match: Match, charger: Player, victim: Player, why: str, evidence: Mapping[str, float]) -> None:
        """Punish the charger; `why` is the rest of a sentence that begins with the charger."""
        match.foul(FoulKind.CHARGING, f"{charger} {why}.", charger, evidence)
        match.beam_out(charger)

    def _protect(self, match: Match, charger: Player, victim: Player, before: _Before) -> None:
        """Pass on to a victim the immunity of its charger."""
        calm_at = before.calm_at.get(charger.handle, NEVER)
        self._calm_at[victim.handle] = max(calm_at, self._calm_at.get(victim.handle, NEVER))
        until = self._immunity(match, charger, before)
        if _is_goalie_at_home(match, charger):
            until = match.now + self.settings.immunity_time
        self._immune_until[victim.handle] = max(until, self._immune_until.get(victim.handle, NEVER))

    def _immunity(self, match: Match, player: Player, before: _Before) -> float:
        """End of a player's immunity, from its last touch of the ball, or passed on by a player who had touched it."""
        touched = match.ball.touched_at.get(player.handle, NEVER)
        return max(touched + self.settings.immunity_time, before.immune_until.get(player.handle, NEVER))

    def _run(self, match: Match, player: Player, opponent: Player, contact: Spot) -> _Run:
        cycles = len(self._velocities)
        velocity = (
            sum(float(velocities[player.row, 0]) for velocities in self._velocities) / cycles,
            sum(float(velocities[player.row, 1]) for velocities in self._velocities) / cycles,
        )
        x, y, _ = match.position(player)
        opponent_x, opponent_y, _ = match.position(opponent)
        ball_x, ball_y, _ = match.ball.position
        # On the reference, the place of the collision is the middle between contact and opponent.
        to_contact = ((contact[0] + opponent_x) / 2 - x, (contact[1] + opponent_y) / 2 - y)
        length = math.hypot(*to_contact)
        closing = (velocity[0] * to_contact[0] + velocity[1] * to_contact[1]) / length if length > 0 else 0.0
        return _Run(
            player=player,
            speed=math.hypot(*velocity),
            closing=closing,
            ball_distance=math.hypot(ball_x - x, ball_y - y),
            ball_angle=_angle(velocity, (ball_x - x, ball_y - y)),
            opponent_angle=_angle(velocity, (opponent_x - x, opponent_y - y)),
        )


def _chargers(book: ChargingBook, runs: tuple[_Run, _Run]) -> list[_Run]:
    """The players, of two, who run into the other one."""
    suspects = list(runs)
    if min(run.ball_distance for run in runs) < book.max_ball_distance:
        suspects = [
            run
            for run in runs
            if run.speed >= book.min_speed and run.ball_angle >= max(book.min_ball_angle_deg, run.opponent_angle)
        ] or _behind(book, *runs)
    return [run for run in suspects if run.speed >= book.min_speed and run.closing >= book.min_collision_speed]


def _behind(book: ChargingBook, one: _Run, other: _Run) -> list[_Run]:
    """The rear one of two players who go for the ball, if their directions differ or the front one hardly runs.

    Directions are angles to each one's opponent.
    """
    behind, ahead = (one, other) if one.ball_distance > other.ball_distance else (other, one)
    aside = abs(behind.opponent_angle - ahead.opponent_angle) > book.min_delta_angle_deg
    clearly = behind.ball_distance - ahead.ball_distance > book.min_delta_distance
    return [behind] if clearly and (aside or ahead.speed < book.min_speed) else []


def _is_goalie_at_home(match: Match, player: Player) -> bool:
    """Whether a player is a goalkeeper in or behind its own penalty area."""
    x, y, _ = match.position(player)
    field = match.field
    depth = field.length / 2 + player.side.sign * x
    return player.is_goalie and depth <= field.penalty_length and abs(y) <= field.penalty_width / 2


def _angle(one: Spot, other: Spot) -> float:
    """Angle between two directions, degrees; 0 if one has no length."""
    across = one[0] * other[1] - one[1] * other[0]
    along = one[0] * other[0] + one[1] * other[1]
    return abs(math.degrees(math.atan2(across, along)))
