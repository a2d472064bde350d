"""The form of a referee case, and the reader of files of cases.

Times are seconds since the start of the case; places are in the world frame (m, origin at the centre, the left team
defends x < 0), velocities in m/s, directions in degrees. Players are named `left 2`, `right 11`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, build, read_yaml
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

LONGEST = 700.0
"""Longest duration of a case, s: two halves and a bit."""

FACTS = (
    *("play_mode", "score", "half", "time", "ball", "places", "frozen", "may_score", "fouls", "quits"),
    *("stage", "penalties"),
    *("decision", "rule", "player", "side", "evidence"),
)
"""Keys of an expectation that name the expected facts."""

Numbers = tuple[float, ...]


def player_named(text: str) -> tuple[Side, int]:
    """Side and number of `left 2`; a `ValueError` for other texts."""
    side, _, number = text.partition(" ")
    if side not in ("left", "right") or not number.isdecimal() or not 1 <= int(number) <= 99:
        raise ValueError(f"'{text}' is not a player; write for example 'left 2'")
    return Side(side), int(number)


def _require_length(name: str, numbers: Numbers, lengths: tuple[int, ...]) -> None:
    if len(numbers) not in lengths:
        raise ValueError(f"{name} must have {' or '.join(map(str, lengths))} numbers, not {len(numbers)}")


def _require_mode(name: str) -> None:
    if name and name not in {mode.value for mode in PlayMode}:
        raise ValueError(f"unknown play mode '{name}'; use one of: {', '.join(mode.value for mode in PlayMode)}")


@dataclass(frozen=True)
class BallSetup:
    """Place of the ball (x, y, and z of its centre if it is above the ground), and its velocity (vx, vy, and vz)."""

    at: Numbers
    velocity: Numbers = (0.0, 0.0)

    def __post_init__(self) -> None:
        _require_length("at", self.at, (2, 3))
        _require_length("velocity", self.velocity, (2, 3))


@dataclass(frozen=True)
class PlayerSetup:
    """Place, posture and movement of a player.

    Attributes:
        at: x, y of its torso.
        height: height of its torso; None = standing.
        facing: direction that it faces; 0 = along x.
        joints: angles of joints that are not at zero, degrees.
    """

    at: tuple[float, float]
    height: float | None = None
    facing: float = 0.0
    lying: Literal["", "back", "front"] = ""
    velocity: tuple[float, float] = (0.0, 0.0)
    joints: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Event(Checked):
    """Something that happens.

    Attributes:
        until: end of a `touch` or `contact`; None = it lasts one cycle.
        ball: place and velocity that the ball is given, as by a trainer.
        touch: players that touch the ball, in addition to touches in physics.
        contact: pairs of players that touch each other, in addition to physics.
        contact_at: x, y of that contact; None = half-way.
        play_mode: play mode to set, as by a trainer, without any side effects.
        trainer: command of a trainer: `kick_off`, `kick_off left`, `drop_ball`, or `overrule N`.
    """

    at: Annotated[float, Range(0.0, LONGEST)] = 0.0
    until: float | None = None
    ball: BallSetup | None = None
    players: Mapping[str, PlayerSetup] = field(default_factory=dict)
    touch: tuple[str, ...] = ()
    contact: tuple[tuple[str, str], ...] = ()
    contact_at: tuple[float, float] | None = None
    play_mode: str = ""
    time: float | None = None
    request_pass: str = ""
    trainer: str = ""
    leave: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        _require_mode(self.play_mode)
        named = [*self.players, *self.touch, *self.leave, *(name for pair in self.contact for name in pair)]
        for name in [*named, *([self.request_pass] if self.request_pass else [])]:
            player_named(name)
        word, _, rest = self.trainer.partition(" ")
        good = {"": rest == "", "kick_off": rest in ("", "left", "right"), "drop_ball": rest == ""}
        if not good.get(word, word == "overrule" and rest.isdecimal()):
            raise ValueError(f"trainer: '{self.trainer}' is not one of kick_off [left|right], drop_ball, overrule N")


@dataclass(frozen=True)
class Expectation:
    """Something that has to be so. All given facts have to hold in one and the same cycle.

    Attributes:
        at: end of the very cycle in which the facts hold.
        by: latest end of a cycle in which the facts hold for the first time ...
        after: ... and earliest end of that cycle.
        never: whether the facts hold in no cycle of the case from `after` on.
        decision: kind of a decision that is taken in the cycle ...
        rule, player, side: ... the rule that decides, and the player or side that the decision is about ...
        evidence: ... and numbers among its evidence.
        frozen: player with joints that a rule holds still.
        stage: stage of a league's game.
        penalties: players that are being punished, and why; nobody else is.
        may_score: sides that are not barred from scoring after a pass mode: `left`, `right`, `both` or `none`.
    """

    at: float | None = None
    by: float | None = None
    after: float = 0.0
    never: bool = False
    play_mode: str = ""
    score: tuple[int, int] | None = None
    half: int | None = None
    time: float | None = None
    decision: str = ""
    rule: str = ""
    player: str = ""
    side: Literal["", "left", "right"] = ""
    evidence: Mapping[str, float] = field(default_factory=dict)
    ball: Numbers | None = None
    places: Mapping[str, Numbers] = field(default_factory=dict)
    frozen: str = ""
    may_score: Literal["", "left", "right", "both", "none"] = ""
    stage: Literal["", "initial", "ready", "set", "playing", "finished"] = ""
    penalties: Mapping[str, str] | None = None
    fouls: int | None = None
    quits: bool | None = None
    tolerance: float = 0.01

    def __post_init__(self) -> None:
        if (self.at is not None) + (self.by is not None) + self.never != 1:
            raise ValueError("give exactly one of at, by and never")
        _require_mode(self.play_mode)
        for name in [*self.places, *filter(None, (self.player, self.frozen))]:
            player_named(name)
        if (self.rule or self.player or self.side or self.evidence) and not self.decision:
            raise ValueError("rule, player, side and evidence belong to a decision; name its kind")
        if not self.facts:
            raise ValueError("the expectation is empty; give play_mode, score, decision, ball, places or another fact")

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The expected facts, by key."""
        values = {name: getattr(self, name) for name in FACTS}
        # An empty `penalties` is a fact (nobody is punished), an empty `places` is not.
        return {
            name: value
            for name, value in values.items()
            if value not in (None, "") and (value != {} or name == "penalties")
        }

    @property
    def end(self) -> float:
        """Time at which the outcome is known, s."""
        return max(self.after, self.at or 0.0, self.by or 0.0)


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        world: world that gives the field and the ball.
        rules: rule book, a name of the package or the path of a file.
        set: replaced numbers of that rule book: section -> key -> value.
        physics: whether physics runs; without it nothing falls, rolls or collides, all keep their velocity.
        lasts: duration of the case, s; None = until the outcome of all expectations is known.
    """

    case: str
    expect: tuple[Expectation, ...]
    world: str = "soccer"
    rules: str = "rcssserver3d"
    set: Mapping[str, Any] = field(default_factory=dict)
    physics: bool = True
    play_mode: str = "PlayOn"
    time: float = 0.0
    half: int = 1
    score: tuple[int, int] = (0, 0)
    ball: BallSetup = BallSetup((0.0, 0.0))
    players: Mapping[str, PlayerSetup] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    lasts: float | None = None

    def __post_init__(self) -> None:
        if not self.case.strip():
            raise ValueError("case: give it a name")
        _require_mode(self.play_mode)
        for name in self.players:
            player_named(name)
        if not self.expect:
            raise ValueError(f"case '{self.case}' has no expectation; add one under `expect`")
        if not 0.0 < self.duration <= LONGEST:
            raise ValueError(
                f"case '{self.case}' lasts {self.duration:g} s; the duration must be above 0 and at most {LONGEST:g}"
            )

    @property
    def duration(self) -> float:
        """Duration of the case, s."""
        known = max(expectation.end for expectation in self.expect)
        return known if self.lasts is None else max(known, self.lasts)


@dataclass(frozen=True)
class CaseFile:
    """A file of cases."""

    cases: tuple[Case, ...]


def load_cases(path: Path) -> tuple[Case, ...]:
    """Read a file of cases; a `ConfigurationError` names file, case and key."""
    cases = build(CaseFile, read_yaml(path), str(path)).cases
    names = [case.case for case in cases]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise ConfigurationError(f"{path}: two cases are called '{doubled}'")
    return cases
