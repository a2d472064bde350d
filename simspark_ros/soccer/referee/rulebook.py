"""Rule books: the numbers of the rules, read from `config/rules/NAME.yaml`.

`config/rules/rcssserver3d.yaml` explains every number; the defaults are its values, measured on rcssserver3d 0.7.3
(rules reference, "Parameters"). Times are in s, distances in m, speeds in m/s and angles in degrees. Numbers for only
one rule are declared in the rule's file (`Rule.options`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from simspark_ros.configuration.library import Library, merged
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, build

LONG = 1e6
"""Bound of times, s."""

FAR = 1000.0
"""Bound of distances, m, and speeds, m/s."""

Time = Annotated[float, Range(0.0, LONG, "s")]
Distance = Annotated[float, Range(0.0, FAR, "m")]
Speed = Annotated[float, Range(0.0, FAR, "m/s")]
Angle = Annotated[float, Range(0.0, 180.0, "degrees")]
Count = Annotated[int, Range(0, 1000)]


@dataclass(frozen=True)
class GameBook(Checked):
    """Section `game`: halves, clock and kick-offs."""

    half_time: Annotated[float, Range(0.0, LONG, "s", above=True)] = 300.0
    extra_half_time: Time = 180.0
    penalty_time: Time = 60.0
    first_half: Annotated[int, Range(1, 5)] = 1
    start_time: Annotated[float, Range(-1.0, LONG, "s")] = -1.0
    single_half: bool = False
    clock_restarts: bool = False
    change_sides: bool = False
    coin_toss: bool = False
    automatic_kick_off: bool = False
    wait_before_kick_off: Time = 30.0
    goal_pause: Time = 3.0
    pin_ball: bool = True
    automatic_quit: bool = False
    quit_after: Time = 10.0

    def begin_of(self, half: int) -> float:
        """Game time at which a half begins, s; a penalty shoot-out (5) begins at 0."""
        if self.clock_restarts or half > 4:
            return 0.0
        return sum((self.half_time, self.half_time, self.extra_half_time, self.extra_half_time)[: half - 1], 0.0)

    def end_of(self, half: int) -> float:
        """Game time at which a half is over, s."""
        if half > 4:
            return self.penalty_time
        return self.begin_of(half) + (self.half_time if half < 3 else self.extra_half_time)


@dataclass(frozen=True)
class SetPlayBook(Checked):
    """Section `set_plays`: kick-off, kick-in, corner, goal kick, free kicks, drop ball."""

    pause: Time = 1.0
    touch_margin: Time = 0.03
    free_kick_distance: Distance = 2.0
    free_kick_move_distance: Distance = 2.5
    kick_repel_distance: Distance = 0.5
    goal_kick_distance: Distance = 1.0
    drop_ball_time: Time = 15.0
    same_kick_time: Time = 0.1
    min_players: Count = 3
    spots: Literal["measured", "lines", "plain"] = "measured"
    clearing: bool = True


@dataclass(frozen=True)
class BallBook(Checked):
    """Section `ball`: conditions for a ball out and for a goal."""

    out_margin: Annotated[float, Range(-FAR, FAR, "m")] = 0.001
    goal_margin: Distance = 0.0
    out_reset: Literal["set_play", "put_back"] = "set_play"


@dataclass(frozen=True)
class PassModeBook(Checked):
    """Section `pass_mode`: conditions of the mode, and of the team's next goal."""

    max_ball_speed: Speed = 0.05
    max_ball_distance: Distance = 0.5
    min_opponent_distance: Distance = 1.0
    repel_distance: Distance = 1.1
    duration: Time = 4.0
    score_wait: Time = 10.0
    retry_wait: Time = 3.0
    clear_touches: Annotated[int, Range(0, 100)] = 2
    clear_distance: Distance = 1.0


@dataclass(frozen=True)
class PostureBook(Checked):
    """Section `incapable`: times that a player may be down; `goalie_` values hold for number 1."""

    standing_height: Distance = 0.25
    ground_height: Distance = 0.15
    field_margin: Distance = 0.1
    own_frame: bool = False
    upright_time: Time = 0.5
    ground_time: Time = 15.0
    goalie_ground_time: Time = 30.0
    not_standing_time: Time = 30.0
    goalie_not_standing_time: Time = 60.0


@dataclass(frozen=True)
class IllegalDefenceBook(Checked):
    """Section `illegal_defence`."""

    max_players: Count = 3
    beam_out: bool = False


@dataclass(frozen=True)
class PenaltyBook(Checked):
    """Section `penalties`: penalties of players, in leagues that have them."""

    time: Time = 45.0
    set_time: Time = 15.0
    increase: Time = 10.0
    outside_gap: Annotated[float, Range(0.0, FAR, "m", above=True)] = 0.5
    place_tolerance: Distance = 0.5


@dataclass(frozen=True)
class RepositioningBook(Checked):
    """Section `repositioning`: moves of players by the referee."""

    agent_radius: Annotated[float, Range(0.0, FAR, above=True)] = 0.4
    torso_reach: Distance = 0.2
    max_attempts: Annotated[int, Range(1, 10000)] = 100
    foul_hold_time: Time = 0.5
    lift_height: Distance = 1.0
    outside_step: Distance = 0.6
    outside_gap: Distance = 0.5
    outside_height: Distance = 0.4
    outside_places: Literal["numbers", "row"] = "numbers"


@dataclass(frozen=True)
class RuleBook:
    """A whole rule book.

    Attributes:
        order: rule -> whether it applies; the rules are applied in this order.
        own: built-in rule -> its numbers by name, as in the file; the referee checks them by `Rule.options`.
        plug_ins: rule of another distribution -> its numbers by name, as in the file.
    """

    game: GameBook = GameBook()
    set_plays: SetPlayBook = SetPlayBook()
    ball: BallBook = BallBook()
    pass_mode: PassModeBook = PassModeBook()
    incapable: PostureBook = PostureBook()
    illegal_defence: IllegalDefenceBook = IllegalDefenceBook()
    penalties: PenaltyBook = PenaltyBook()
    repositioning: RepositioningBook = RepositioningBook()
    order: Mapping[str, bool] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)
    plug_ins: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def changed(self, section: str, name: str, value: Any) -> RuleBook:
        """The same book with another number; numbers in `own` and `plug_ins` are not checked yet.

        section: section of the file, for rules of other distributions `plug_ins.RULE`.

        Raises:
            ConfigurationError: there is no such number, or the value is not allowed.
        """
        current = getattr(self, section, None)
        if section == "order":
            if not isinstance(value, bool):
                raise ConfigurationError(f"rules: order: {name}: must be true or false, not {value!r}")
            return replace(self, order={**self.order, name: value})
        if is_dataclass(current) and not isinstance(current, type):
            numbers = {**asdict(current), name: value}
            changes: dict[str, Any] = {section: build(type(current), numbers, f"rules: {section}")}
            return replace(self, **changes)
        if section.startswith("plug_ins."):
            rule = section.removeprefix("plug_ins.")
            return replace(self, plug_ins={**self.plug_ins, rule: {**self.plug_ins.get(rule, {}), name: value}})
        return replace(self, own={**self.own, section: {**self.own.get(section, {}), name: value}})


DEFAULT_BOOK = "rcssserver3d"
"""Name of the book with the measured rules."""

BOOK = "book"
"""Key of a world file's section `rules` that names the rule book; the other keys replace numbers of the book."""

RULE_BOOKS = Library("rules", "rule book")

SECTIONS = [section.name for section in fields(RuleBook) if section.name != "own"]
"""Keys of a rule book besides the names of built-in rules."""


def explanations() -> dict[str, str]:
    """Explanation of each number, by `section.number`: the comments of the default book's file."""
    found, section = {}, ""
    for line in RULE_BOOKS.path(DEFAULT_BOOK).read_text(encoding="utf-8").splitlines():
        key, _, comment = line.partition("#")
        name = key.partition(":")[0]
        if name.startswith(" ") and name.strip():
            found[f"{section}.{name.strip()}"] = comment.strip()
        elif name.strip():
            section = name.strip()
    return found


def load_rule_book(name: str = DEFAULT_BOOK, *changes: Mapping[str, Any], beside: Path | None = None) -> RuleBook:
    """Read a rule book; the numbers in `RuleBook.own` and `plug_ins` are not checked yet.

    Args:
        name: name of a shipped book, or path of a YAML file.
        changes: section -> keys that replace keys of the file; later changes win.
        beside: file that names the book.

    Raises:
        ConfigurationError: the book cannot be used; the message names file, section and key.
    """
    path = RULE_BOOKS.path(name, beside)
    return rule_book(RULE_BOOKS.document(path), str(path), *changes)


def rule_book(document: Mapping[str, Any], where: str, *changes: Mapping[str, Any]) -> RuleBook:
    """The rule book of a file's content; `where` is the file's path, for messages."""
    for change in changes:
        document = merged(document, change)
    known = {key: value for key, value in document.items() if key in SECTIONS}
    own = {str(key): value for key, value in document.items() if key not in SECTIONS}
    return build(RuleBook, {**known, "own": own}, where)
