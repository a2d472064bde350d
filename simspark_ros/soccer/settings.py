"""Settings of a soccer world, from `config/worlds/NAME.yaml` or any such file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simspark_ros.configuration.library import Shelf, merged
from simspark_ros.configuration.schema import ConfigurationError, build, require
from simspark_ros.physics.model import BallModel, Vector
from simspark_ros.soccer.field import Field
from simspark_ros.soccer.referee.rulebook import RuleBook
from simspark_ros.soccer.referee.rulebook_file import DEFAULT_BOOK, load_rule_book
from simspark_ros.soccer.speech import SpeechRules
from simspark_ros.soccer.teams import StartSlots, TeamRules

LARGEST = 1000.0
"""Bound of all sizes, m; engines take things farther away than that for lost."""


@dataclass(frozen=True)
class FieldSizes:
    """Section `field`, m; marks whose sizes are 0 are not there."""

    length: float
    width: float
    penalty_length: float
    penalty_width: float
    centre_circle: float
    circle_chords: int
    goal_area_length: float = 0.0
    goal_area_width: float = 0.0
    penalty_mark_distance: float = 0.0
    penalty_mark_size: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "length width", 0.0, LARGEST, above=True)
        require(self, "penalty_length penalty_width centre_circle goal_area_length goal_area_width", 0.0, LARGEST)
        require(self, "penalty_mark_distance penalty_mark_size", 0.0, LARGEST)
        require(self, "circle_chords", 3, 100)


@dataclass(frozen=True)
class GoalSizes:
    """Section `goal`, m."""

    width: float
    depth: float
    height: float
    thickness: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "width depth height thickness", 0.0, LARGEST, above=True)


@dataclass(frozen=True)
class WallSizes:
    """Section `walls`, m."""

    distance_x: float
    distance_y: float
    thickness: float
    height: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "distance_x distance_y thickness height", 0.0, LARGEST, above=True)


@dataclass(frozen=True)
class BallSettings:
    """Section `ball`, SI units."""

    radius: float
    mass: float
    linear_drag: float
    angular_drag: float
    rest_height: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "radius mass", 0.0, LARGEST, above=True)
        require(self, "linear_drag angular_drag rest_height", 0.0, LARGEST)


@dataclass(frozen=True)
class StartSettings:
    """Section `start`: slots of accepted robots and the clearance that placed robots keep, m."""

    first: Vector
    step_y: float
    step_x: float
    clearance: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "clearance", 0.0, LARGEST)
        if self.step_y >= 0:
            raise ValueError(f"step_y must be negative: slots go down the side line; not {self.step_y}")


@dataclass(frozen=True)
class CreateSettings:
    """Section `create`: where a robot appears before its init (m, degrees, world frame), how far from others (m)."""

    position: Vector
    heading_deg: float
    clearance: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "clearance", 0.0, LARGEST)


@dataclass(frozen=True)
class BeamSettings:
    """Section `beam`: limits (m, own-team frame) and uniform noise (+-m, +-degrees) of the beam effector."""

    height: float
    min_x: float
    max_x: float
    max_y: float
    noise_xy: float
    noise_deg: float

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "height max_y noise_xy noise_deg", 0.0, LARGEST)
        if self.min_x > self.max_x:
            raise ValueError(f"min_x {self.min_x} is above max_x {self.max_x}")


@dataclass(frozen=True)
class WorldFile:
    """The whole file; its section `rules` names a rule book and may replace single numbers of it."""

    field: FieldSizes
    goal: GoalSizes
    walls: WallSizes
    ball: BallSettings
    start: StartSettings
    create: CreateSettings
    beam: BeamSettings
    speech: SpeechRules
    teams: TeamRules
    max_robots: int = 64

    def __post_init__(self) -> None:
        """Refuse what cannot be built."""
        require(self, "max_robots", 1, 1000)


@dataclass(frozen=True)
class SoccerSettings:
    """Everything that defines a soccer world but the robots.

    Attributes:
        field: geometry.
        ball: mechanics of the ball.
        ball_rest_height: centre height of the resting ball, m.
        start: slots of accepted robots.
        start_clearance: distance that placed robots keep from others, m.
        create: where robots appear before their init.
        beam, speech, teams: limits.
        rules: the rule book.
        max_robots: the world refuses more.
    """

    field: Field
    ball: BallModel
    ball_rest_height: float
    start: StartSlots
    start_clearance: float
    create: CreateSettings
    beam: BeamSettings
    speech: SpeechRules
    teams: TeamRules
    rules: RuleBook
    max_robots: int = 64

    @property
    def environment(self) -> dict[str, float]:
        """Sizes and rules by the names under which monitors are told of them (protocol reference, section 6)."""
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
        }


BOOK = "book"
"""Key of a world file's section `rules` that names the rule book; the other keys replace numbers of it."""

DEFAULT_WORLD = "soccer"
"""The field of the 3D league as it was measured."""


def _with_named_book(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The section `rules` as a mapping, for which plain text is the name of a rule book, with the file's full path."""
    section = document.get("rules", {})
    if isinstance(section, str):
        section = {BOOK: section}
    if isinstance(section, Mapping) and str(section.get(BOOK)).endswith((".yaml", ".yml")):
        section = {**section, BOOK: str(path.absolute().parent / section[BOOK])}
    return {**document, "rules": section}


WORLDS = Shelf("worlds", "world", _with_named_book)


def load_soccer_settings(world: str | Path | None = None, *changes: Mapping[str, Any]) -> SoccerSettings:
    """Read a world file and the rule book that it names.

    Args:
        world: name of a shipped one, or the path of a YAML file; None = `config/worlds/soccer.yaml`.
        changes: section -> keys that replace those of the file, level by level; later ones win.

    Raises:
        ConfigurationError: the message names file and key, or the worlds there are.
    """
    path = WORLDS.path(str(world or DEFAULT_WORLD))
    document = merged({"rules": {BOOK: DEFAULT_BOOK}}, WORLDS.document(path))
    for change in changes:
        document = merged(document, change)
    rules = _rule_book(document.pop("rules"), path)
    file = build(WorldFile, document, str(path))
    f, g, w, b, s = file.field, file.goal, file.walls, file.ball, file.start
    return SoccerSettings(
        field=Field(
            f.length,
            f.width,
            f.penalty_length,
            f.penalty_width,
            f.centre_circle,
            f.circle_chords,
            g.width,
            g.depth,
            g.height,
            g.thickness,
            w.distance_x,
            w.distance_y,
            w.thickness,
            w.height,
            f.goal_area_length,
            f.goal_area_width,
            f.penalty_mark_distance,
            f.penalty_mark_size,
        ),
        ball=BallModel(b.radius, b.mass, b.linear_drag, b.angular_drag),
        ball_rest_height=b.rest_height,
        start=StartSlots(s.first, s.step_y, s.step_x),
        start_clearance=s.clearance,
        create=file.create,
        beam=file.beam,
        speech=file.speech,
        teams=file.teams,
        rules=rules,
        max_robots=file.max_robots,
    )


def _rule_book(section: Any, path: Path) -> RuleBook:
    if not isinstance(section, Mapping) or not isinstance(section[BOOK], str):
        raise ConfigurationError(f"{path}: rules: must be the name of a rule book, or a mapping, not {section!r}")
    numbers = {key: value for key, value in section.items() if key != BOOK}
    return load_rule_book(section[BOOK], numbers, beside=path)
