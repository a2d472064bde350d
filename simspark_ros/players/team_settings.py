"""Tactics as data: `config/players/team.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from simspark_ros.configuration.library import PLAYERS
from simspark_ros.configuration.schema import Checked, Positive, Range, Share, build
from simspark_ros.players.ball_track import ROLLING_FRICTION
from simspark_ros.players.geometry import Point
from simspark_ros.soccer import TEAM_SIZE


@dataclass(frozen=True)
class FormationPlace:
    """Place of a number: `home` + `follow` * place of the ball, x between `back` and `front`, m."""

    home: tuple[float, float]
    follow: tuple[float, float]
    back: float
    front: float

    def at(self, ball: Point) -> Point:
        """Place of the number when the ball is there."""
        x, y = self.home[0] + self.follow[0] * ball.x, self.home[1] + self.follow[1] * ball.y
        return Point(min(self.front, max(self.back, x)), y)


@dataclass(frozen=True)
class SteeringSettings(Checked):
    """Walking to places: m, s, rad; gains are speed per error.

    Attributes:
        slowest: speed on the last centimetres.
        near: distance within which a player steps to a place in every direction.
        holonomic: whether it does so from any distance.
        avoid: free way on either side past other robots.
        look_ahead: distance ahead within which robots are avoided.
    """

    forward: Positive = 0.5
    sideways: Positive = 0.2
    turn: Positive = 1.5
    turn_gain: Positive = 2.0
    approach_gain: Positive = 1.5
    slowest: Positive = 0.08
    near: Positive = 0.6
    holonomic: bool = False
    avoid: Annotated[float, Range(0.0)] = 0.45
    look_ahead: Positive = 1.2


@dataclass(frozen=True)
class AttackSettings(Checked):
    """Playing the ball; m, rad.

    Attributes:
        gap: distance between the spot for a kick and the place where a player lines up for it.
        around: distance at which it passes the ball when it comes from the wrong side.
        place_tolerance, heading_tolerance: errors with which it kicks.
        push_ahead, push_outward: place of the ball ahead of the player, and out from its middle, when it walks into the
            ball.
        push_place, push_heading: errors with which it walks on into the ball.
        bar: time for which the taker of a set play leaves the ball alone, s.
        duel: distance of an opponent from the ball that leaves no time to line up.
        kick_strength: strength of kicks, 0 to 1; 0 for a team that never kicks.
        kick_range: distance from the goal within which the ball is kicked in play, and not dribbled.
    """

    gap: float = 0.13
    around: Positive = 0.5
    place_tolerance: Positive = 0.03
    heading_tolerance: Positive = 0.2
    push_ahead: Positive = 0.15
    push_outward: float = 0.0
    push_place: Positive = 0.06
    push_heading: Positive = 0.35
    bar: float = 3.0
    duel: float = 0.7
    kick_strength: Share = 1.0
    kick_range: float = 3.0


@dataclass(frozen=True)
class GoalkeeperSettings:
    """Keeping the goal: m, s.

    Attributes:
        radius: distance from the middle of the goal.
        come_out: distance of the ball from the goal within which it goes for the ball.
        dive_time, dive_speed: longest time to arrival, and least speed, of a ball for which it dives.
        reach, body: width of the widest dive, and width that needs no dive.
    """

    radius: float = 0.9
    come_out: float = 2.8
    dive_time: float = 1.2
    dive_speed: float = 0.7
    reach: float = 0.9
    body: float = 0.12


@dataclass(frozen=True)
class DribbleSettings(Checked):
    """Playing the ball on wheels, with ball handling and kicker; m, m/s, rad, s.

    Attributes:
        fetch_speed, fetch_slowest: speeds on the way to the ball, and near it.
        capture: distance from its place at the front within which the ball is held.
        speed, turn: largest speeds with the ball.
        careful: distance of an opponent ahead within which the ball is passed.
        shot_view: least angle under which the goal appears for a shot.
        shot_speed, shot_heading, shot_place: speed of a shot, and largest errors of heading and ball for one.
        pass_speed: speed of a pass at the receiver.
        pass_shortest, pass_longest: lengths of passes.
        lane: free width on either side of a pass or a shot.
        recharge: time from one shot to the next.
    """

    fetch_speed: Positive = 3.0
    fetch_slowest: Positive = 0.4
    capture: Positive = 0.09
    speed: Positive = 1.8
    turn: Positive = 3.5
    careful: Positive = 1.6
    shot_view: Positive = 0.45
    shot_speed: Positive = 9.0
    shot_heading: Positive = 0.04
    shot_place: Positive = 0.05
    pass_speed: Positive = 1.5
    pass_shortest: Positive = 1.5
    pass_longest: Positive = 8.0
    lane: Positive = 0.5
    recharge: Positive = 1.1


@dataclass(frozen=True)
class EffortSettings(Checked):
    """Estimate of the time to the ball: m/s, rad/s, s.

    Attributes:
        speed, turn: speeds on the way.
        wrong_side: time to get round the ball.
        barred: time added for the player that took a set play, so that it leaves the ball to others.
        lead: time by which another player has to be faster to take over the ball.
    """

    speed: Positive = 0.5
    turn: Positive = 1.5
    wrong_side: Annotated[float, Range(0.0)] = 1.5
    barred: Positive = 5.0
    lead: Annotated[float, Range(0.0)] = 0.6


@dataclass(frozen=True)
class DistanceSettings:
    """Distances kept from the ball, m: by opponents in set plays and in pass mode, and by supporting team mates."""

    free_kick: float = 2.4
    pass_mode: float = 1.3
    support: float = 1.2


@dataclass(frozen=True)
class TacticsSettings:
    """Everything about the tactics of a team.

    Attributes:
        types, formation: heterogeneous type and place of each number from 1.
        ball_friction: decay of the speed of a rolling ball, 1/s.
        dribble: play of a team on wheels, instead of `attack` and without dives; None = the team has legs.
        kick_off: places before a kick-off of the numbers from 1, m.
        kick_off_taker, taker_place: number of the player that takes an own kick-off, and its place before it, m; 0 =
            everybody stands as usual.
    """

    types: tuple[int, ...]
    formation: tuple[FormationPlace, ...]
    kick_off: tuple[tuple[float, float], ...]
    kick_off_taker: int = 0
    taker_place: tuple[float, float] = (0.0, 0.0)
    steering: SteeringSettings = SteeringSettings()
    attack: AttackSettings = AttackSettings()
    goalkeeper: GoalkeeperSettings = GoalkeeperSettings()
    distances: DistanceSettings = DistanceSettings()
    effort: EffortSettings = EffortSettings()
    dribble: DribbleSettings | None = None
    ball_friction: Positive = ROLLING_FRICTION

    def __post_init__(self) -> None:
        """Check that all eleven numbers have their entries."""
        for name in ("types", "formation", "kick_off"):
            if len(getattr(self, name)) != TEAM_SIZE:
                raise ValueError(f"{name}: has {len(getattr(self, name))} entries, needs one for each of {TEAM_SIZE}")


def load_team_settings(path: Path | str = "team") -> TacticsSettings:
    """Read tactics, by name of a file in `config/players` or by path.

    Raises:
        ConfigurationError: the message names file and key.
    """
    path = PLAYERS.path(path)
    return build(TacticsSettings, PLAYERS.document(path), str(path))
