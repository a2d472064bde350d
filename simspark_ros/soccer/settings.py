"""Settings of a soccer world, from `config/worlds/NAME.yaml` or any such file."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.library import Library, is_path, merged
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, build
from simspark_ros.physics.model import BallModel, SceneModel, Vector
from simspark_ros.soccer.field import Field, FieldSizes, Place, Size, SolidSize
from simspark_ros.soccer.referee.rulebook import BOOK, DEFAULT_BOOK, RULE_BOOKS, RuleBook, load_rule_book, rule_book
from simspark_ros.soccer.speech import SpeechRules
from simspark_ros.soccer.teams import StartSlots, TeamRules
from simspark_ros.worlds.world_file import WORLD_READERS, WorldFile, WorldSettings, with_full_paths

Change = tuple[str, Mapping[str, Any]]
"""Source of changes of a world file, for messages, and the changes: section -> keys that are replaced."""


@dataclass(frozen=True)
class GoalSizes(Checked):
    """Section `goal`, m."""

    width: SolidSize
    depth: SolidSize
    height: SolidSize
    thickness: SolidSize
    inset: Size = 0.0


@dataclass(frozen=True)
class WallSizes(Checked):
    """Section `walls`, m."""

    distance_x: SolidSize
    distance_y: SolidSize
    thickness: SolidSize
    height: SolidSize


@dataclass(frozen=True)
class BallSettings(Checked):
    """Section `ball`, SI units; `colour` is red, green, blue, 0 to 1, in cameras' pictures and in the viewer."""

    radius: SolidSize
    mass: SolidSize
    linear_drag: Size
    angular_drag: Size
    rest_height: Size
    colour: Annotated[Vector, Range(0.0, 1.0)] = BallModel.colour


@dataclass(frozen=True)
class BeamSettings(Checked):
    """Section `beam`: limits (m, own-team frame) and uniform noise (+-m, +-degrees) of the beam effector."""

    height: Size
    min_x: Annotated[float, Place]
    max_x: Annotated[float, Place]
    max_y: Size
    noise_xy: Size
    noise_deg: Size

    def __post_init__(self) -> None:
        """Check that the range of x is not empty."""
        super().__post_init__()
        if self.min_x > self.max_x:
            raise ValueError(f"min_x {self.min_x} is above max_x {self.max_x}")


@dataclass(frozen=True, kw_only=True)
class SoccerWorldFile(WorldFile):
    """The whole file; its section `rules` names a rule book and may replace single numbers of the book."""

    field: FieldSizes
    goal: GoalSizes
    walls: WallSizes
    ball: BallSettings
    start: StartSlots
    beam: BeamSettings
    speech: SpeechRules
    teams: TeamRules
    rules: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class SoccerSettings(WorldSettings):
    """Everything that defines a soccer world but the robots.

    Attributes:
        ball_rest_height: height of the resting ball's centre, m.
        plays_soccer: whether the world has field, ball and game.
    """

    field: Field
    ball: BallModel
    ball_rest_height: float
    start: StartSlots
    beam: BeamSettings
    speech: SpeechRules
    teams: TeamRules
    rules: RuleBook
    plays_soccer: bool = True

    @property
    def scene(self) -> SceneModel:
        """The scene that a physics engine has to build."""
        ball = self.ball if self.plays_soccer else None
        return dataclasses.replace(super().scene, ball=ball, boxes=self.field.boxes())

    @property
    def environment(self) -> dict[str, float]:
        """Sizes and rules by their names for monitors (protocol reference, section 6)."""
        field, ball, rules = self.field, self.ball, self.rules
        return {
            "FieldLength": field.length,
            "FieldWidth": field.width,
            "GoalWidth": field.goal_width,
            "GoalDepth": field.goal_depth,
            "GoalHeight": field.goal_height,
            "FreeKickDistance": rules.set_plays.free_kick_distance,
            "WaitBeforeKickOff": rules.game.wait_before_kick_off,
            "AgentRadius": rules.repositioning.agent_radius,
            "BallRadius": ball.radius,
            "BallMass": ball.mass,
            "RuleGoalPauseTime": rules.game.goal_pause,
            "RuleKickInPauseTime": rules.set_plays.pause,
            "RuleHalfTime": rules.game.half_time,
            "PassModeMinOppBallDist": rules.pass_mode.min_opponent_distance,
            "PassModeDuration": rules.pass_mode.duration,
            "CenterCircleRadius": field.centre_circle,
            "GoalieAreaLength": field.goal_area_length,
            "GoalieAreaWidth": field.goal_area_width,
            "PenaltySpotDistance": field.penalty_mark_distance,
            "PenaltyAreaLength": field.penalty_length,
            "PenaltyAreaWidth": field.penalty_width,
        }


DEFAULT_WORLD = "soccer"
"""Name of the default world: the measured field of the 3D league."""


def _with_rules(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document with its section `rules` as a mapping, also for a plain name of a book, and full paths of files."""
    section = document.get("rules", {})
    if isinstance(section, str):
        section = {BOOK: section}
    if isinstance(section, Mapping) and is_path(str(section.get(BOOK))):
        section = {**section, BOOK: str(path.absolute().parent / section[BOOK])}
    return {**with_full_paths(document, path), "rules": section}


WORLDS = Library("worlds", "world", _with_rules, readers=WORLD_READERS)


@dataclass(frozen=True)
class WorldText:
    """The content of a world's files, from which its settings are made without further reading.

    Attributes:
        path: path of the world file, for messages.
        document: content of the world file and of its base files.
        books: content of rule books by their names in `document`; other books are read.
    """

    path: Path
    document: Mapping[str, Any]
    books: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def plays_soccer(self) -> bool:
        """Whether the world has a field."""
        return "field" in self.document

    @property
    def book(self) -> str:
        """Name or path of the rule book."""
        section = self.document["rules"]
        return str(section[BOOK]) if isinstance(section, Mapping) else ""


def read_world(world: str | Path | None = None) -> WorldText:
    """Read a world file; arguments and errors as `load_soccer_settings`."""
    path = WORLDS.path(world or DEFAULT_WORLD)
    return WorldText(path, merged({"rules": {BOOK: DEFAULT_BOOK}}, WORLDS.document(path)))


def changeable_keys() -> frozenset[str]:
    """All words in the keys of changes: sections and keys of the usual world file and of its rule book."""
    world, book = WORLDS.path(DEFAULT_WORLD), RULE_BOOKS.path(DEFAULT_BOOK)
    return frozenset(_words(WORLDS.document(world)) | _words(RULE_BOOKS.document(book)))


def _words(document: Mapping[str, Any]) -> set[str]:
    inner = [_words(value) for value in document.values() if isinstance(value, Mapping)]
    return {*document, *(word for words in inner for word in words)}


def load_soccer_settings(world: str | Path | None = None, *changes: Mapping[str, Any]) -> SoccerSettings:
    """Read a world file and the rule book that it names.

    Args:
        world: name of a shipped world, or path of a YAML or SDF file; None = `config/worlds/soccer.yaml`.
        changes: section -> keys that replace keys of the file, level by level; later changes win.

    Raises:
        ConfigurationError: the world cannot be used; the message names file and key, or the shipped worlds.
    """
    return soccer_settings(read_world(world), *changes)


def field_text(sizes: Field) -> str:
    """The line of JSON that describes a field to programs, see `field_of`."""
    return json.dumps(asdict(sizes))


def field_of(world: str) -> Field:
    """The field of a world: by its name or file, or by the line of `field_text`; empty = the 3D league's.

    Raises:
        ConfigurationError: there is no such field; the message says why.
    """
    if not world.startswith("{"):
        return load_soccer_settings(world or None).field
    try:
        sizes = json.loads(world)
    except (ValueError, RecursionError):
        raise ConfigurationError(f"field {shown(world)}: this is no JSON") from None
    return build(Field, sizes, "field")


def changed_settings(
    text: WorldText, changes: Sequence[Change], check: Callable[[SoccerSettings], object] = lambda soccer: None
) -> SoccerSettings:
    """The settings of a world that has been read, with changes in their order.

    An error, also of `check`, is blamed on the file, or else on the change that caused it.

    Raises:
        ConfigurationError: the settings cannot be used; the message names file and key.
    """

    def load(count: int) -> SoccerSettings:
        soccer = soccer_settings(text, *(change for _, change in changes[:count]))
        check(soccer)
        return soccer

    try:
        return load(len(changes))
    except ConfigurationError as whole:
        load(0)
        for count, (source, _) in enumerate(changes, 1):
            try:
                load(count)
            except ConfigurationError as error:
                # Other errors of a part of the changes are mended by later changes.
                if str(error) == str(whole):
                    raise ConfigurationError(f"{source}: {error}") from None
        raise


def soccer_settings(text: WorldText, *changes: Mapping[str, Any]) -> SoccerSettings:
    """The settings of a world that has been read; a world without a `field` has neither ball nor game.

    Settings without a meaning there have the values of the default world.
    """
    document = dict(text.document) if text.plays_soccer else merged(read_world().document, text.document)
    for change in changes:
        document = merged(document, change)
    rules = _rule_book(document["rules"], text)
    file = build(SoccerWorldFile, document, str(text.path))
    ball = file.ball
    return SoccerSettings(
        cycle_time=file.time.cycle,
        field=Field(
            **asdict(file.field),
            **{f"goal_{name}": size for name, size in asdict(file.goal).items()},
            **{f"wall_{name}": size for name, size in asdict(file.walls).items()},
            is_there=text.plays_soccer,
        ),
        ball=BallModel(ball.radius, ball.mass, ball.linear_drag, ball.angular_drag, ball.colour),
        ball_rest_height=ball.rest_height,
        start=file.start,
        create=file.create,
        beam=file.beam,
        speech=file.speech,
        teams=file.teams,
        rules=rules,
        max_robots=file.max_robots,
        clearance=file.start.clearance,
        things=file,
        plays_soccer=text.plays_soccer,
    )


def _rule_book(section: Any, text: WorldText) -> RuleBook:
    if not isinstance(section, Mapping) or not isinstance(section[BOOK], str):
        raise ConfigurationError(
            f"{text.path}: rules: must be the name of a rule book, or a mapping, not {shown(section)}"
        )
    name = section[BOOK]
    numbers = {key: value for key, value in section.items() if key != BOOK}
    if name in text.books:
        return rule_book(text.books[name], name, numbers)
    return load_rule_book(name, numbers, beside=text.path)


_NOT_DRAWN = ("objects", "robots")
"""Sections of a world file whose things are described as robots."""


def text_of_world(world: WorldText, changes: Iterable[Change] = ()) -> str:
    """The line of JSON that `world_of_text` reads."""
    document = dict(world.document)
    for _, change in changes:
        document = merged(document, change)
    drawn = {name: section for name, section in document.items() if name not in _NOT_DRAWN}
    if not world.plays_soccer:
        drawn.pop("field", None)
    # A rule book may be a file of the simulator's machine, and nobody draws it.
    return json.dumps({**drawn, "rules": {BOOK: DEFAULT_BOOK}}, separators=(",", ":"))


def world_of_text(text: str) -> SoccerSettings:
    """The world that a simulator describes.

    Raises:
        ConfigurationError: the text is none of `text_of_world`; the message says why.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise ConfigurationError("a message about the world: this is no JSON") from None
    if not isinstance(document, dict):
        raise ConfigurationError("a message about the world: it must be a mapping")
    return soccer_settings(WorldText(Path("a message about the world"), document))
