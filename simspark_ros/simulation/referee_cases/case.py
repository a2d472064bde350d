"""What a referee case says, and how a file of cases is read.

Times are seconds since the start of the case; places are in the world frame (m, origin at the centre, the left team
defends x < 0), velocities in m/s, directions in degrees. Players are named `left 2`, `right 11`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, build, read_yaml
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

LONGEST = 700.0
"""No case lasts longer, s: two halves and a bit."""

FACTS = (
    *("play_mode", "score", "half", "time", "ball", "places", "frozen", "may_score", "fouls", "quits"),
    *("stage", "penalties"),
    *("decision", "rule", "player", "side", "evidence"),
)
"""Keys of an expectation that say what is expected."""

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
        raise ValueError(f"unknown play mode '{name}'; known are: {', '.join(mode.value for mode in PlayMode)}")


@dataclass(frozen=True)
class BallSetup:
    """Where the ball is (x, y, and z of its centre if it is not on the ground), and its velocity (vx, vy, and vz)."""

    at: Numbers
    velocity: Numbers = (0.0, 0.0)

    def __post_init__(self) -> None:
        _require_length("at", self.at, (2, 3))
        _require_length("velocity", self.velocity, (2, 3))


@dataclass(frozen=True)
class PlayerSetup:
    """Where a player is, and how it moves.

    Attributes:
        at: x, y of its torso.
        height: of its torso; None = standing.
        facing: direction, 0 = along x.
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
        until: for `touch` and `contact`: until when they last; None = one cycle.
        ball: put it there, as a trainer does.
        touch: players that touch the ball, in addition to those that do so in physics.
        contact: pairs of players that touch each other, in addition to physics.
        contact_at: x, y of that contact; None = half-way.
        play_mode: set it, as a trainer does without any side effects.
        trainer: `kick_off`, `kick_off left`, `drop_ball`, or `overrule N`.
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
            raise ValueError(f"trainer: '{self.trainer}' is none of kick_off [left|right], drop_ball, overrule N")


@dataclass(frozen=True)
class Expectation:
    """Something that has to be so. All facts given have to hold in one and the same cycle.

    Attributes:
        at: in the cycle that ends then.
        by: in some cycle that ends until then ...
        after: ... and in none that ends before this time.
        never: in no cycle of the case from `after` on.
        decision: a decision of this kind is taken in the cycle ...
        rule, player, side: ... by this rule, about this player or side ...
        evidence: ... with these numbers among its evidence.
        frozen: player some of whose joints stand still by a rule.
        stage: of a league's game.
        penalties: players that are being punished, and why; others are not.
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
            raise ValueError("say exactly one of at, by and never")
        _require_mode(self.play_mode)
        for name in [*self.places, *filter(None, (self.player, self.frozen))]:
            player_named(name)
        if (self.rule or self.player or self.side or self.evidence) and not self.decision:
            raise ValueError("rule, player, side and evidence belong to a decision; name its kind")
        if not self.facts:
            raise ValueError("it expects nothing; give play_mode, score, decision, ball, places or another fact")

    @property
    def facts(self) -> dict[str, Any]:
        """What is expected, by key."""
        values = {name: getattr(self, name) for name in FACTS}
        # No penalties at all is a fact, no places are none.
        return {
            name: value
            for name, value in values.items()
            if value not in (None, "") and (value != {} or name == "penalties")
        }

    @property
    def end(self) -> float:
        """When it is known, s."""
        return max(self.after, self.at or 0.0, self.by or 0.0)


@dataclass(frozen=True)
class Case:
    """One case.

    Attributes:
        world: whose field and ball it is played with.
        rules: rule book, shipped or the path of a file.
        set: numbers of that rule book replaced: section -> key -> value.
        physics: whether physics runs; without it nothing falls, rolls or collides, all keep their velocity.
        lasts: how long it runs, s; None = until all expectations are known.
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
            raise ValueError(f"case '{self.case}' expects nothing")
        if not 0.0 < self.duration <= LONGEST:
            raise ValueError(f"case '{self.case}' lasts {self.duration:g} s, must be above 0 and at most {LONGEST:g}")

    @property
    def duration(self) -> float:
        """How long it runs, s."""
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
