"""The teams: team names, uniform numbers, limits of heterogeneous types and start slots."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.names import MAX_NAME, WORD, is_word
from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import Vector
from simspark_ros.soccer import TEAM_SIZE
from simspark_ros.soccer.field import LARGEST, Place, Size


class Side(Enum):
    """The half that a team defends at the start.

    Attributes:
        sign: factor from own-team to world coordinates: +1 for the left team, -1 for the right team.
    """

    LEFT = "left"
    RIGHT = "right"

    # A fast hash: Enum's hash runs Python code; members are unique.
    __hash__ = object.__hash__

    def __init__(self, value: str) -> None:
        self.sign = 1 if value == "left" else -1

    @property
    def other(self) -> Side:
        """The opponents' side."""
        return Side.RIGHT if self is Side.LEFT else Side.LEFT


class InitRefusedError(Exception):
    """An init cannot be accepted; the message gives the reason and the accepted values."""


def check_team_name(name: str, longest: int = MAX_NAME) -> None:
    """Refuse a team name that messages to agents and monitors cannot carry, by an `InitRefusedError`."""
    if not is_word(name, longest):
        raise InitRefusedError(f"the name of a team must have 1 to {longest} {WORD}, not {shown(name)}")


@dataclass(frozen=True)
class TeamRules(Checked):
    """Limits of a team (protocol reference, section 3, "Hetero limits")."""

    size: Annotated[int, Range(1, 99)] = TEAM_SIZE
    max_of_one_type: Annotated[int, Range(1, 99)] = 7
    max_of_two_types: Annotated[int, Range(1, 99)] = 9
    min_types: Annotated[int, Range(0, 99)] = 3
    greatest_number: Annotated[int, Range(0, 99)] = 0

    @property
    def numbers(self) -> int:
        """Greatest uniform number; 0 in the file = the team's size."""
        return self.greatest_number or self.size


@dataclass(frozen=True)
class StartSlots(Checked):
    """Start places of accepted robots: from `first` in steps of `step_y`, then one row further in.

    Placed robots keep the clearance from others. All numbers are in m; a height of 0 is the robot's own. Robots
    face the opponents' goal, or across the field.
    """

    first: Annotated[Vector, Place]
    step_y: Annotated[float, Range(-LARGEST, -0.01, "m")]
    step_x: Annotated[float, Place]
    clearance: Size
    faces_field: bool = False

    def position(self, index: int, side: Side) -> Vector:
        """Slot number `index` of a side, world frame, m."""
        x, y, z = self.first
        per_row = int(2 * abs(y) / abs(self.step_y)) + 1
        row, place = divmod(index, per_row)
        return (side.sign * (x + row * self.step_x), y + place * self.step_y, z)


@dataclass
class Team:
    """One team: its name and the type of robot behind each uniform number."""

    side: Side
    name: str = ""
    players: dict[int, int] = field(default_factory=dict)
    placed: int = 0


@dataclass
class Teams:
    """Both teams and the rules for joining them; `stranger` is the name that was last refused for want of a side."""

    rules: TeamRules = field(default_factory=TeamRules)
    left: Team = field(default_factory=lambda: Team(Side.LEFT))
    right: Team = field(default_factory=lambda: Team(Side.RIGHT))
    stranger: str = ""

    def of(self, side: Side) -> Team:
        """The team of a side."""
        return self.left if side is Side.LEFT else self.right

    def register(self, name: str, unum: int, variant: int) -> tuple[Side, int]:
        """Accept a player whose robot is of a heterogeneous type; returns its side and uniform number.

        The first team becomes the left team, the second the right team. Number 0 asks for the lowest free number.

        Raises:
            InitRefusedError: a name that messages cannot carry, a third team, a number that is taken or out of range,
                or too many of one type.
        """
        check_team_name(name)
        team = self._team(name)
        if not 0 <= unum <= self.rules.numbers:
            raise InitRefusedError(f"uniform number {unum} is not between 0 (any free one) and {self.rules.numbers}")
        if unum == 0:
            unum = next((n for n in range(1, self.rules.numbers + 1) if n not in team.players), 0)
        if unum in team.players:
            raise InitRefusedError(f"number {unum} of team '{name}' is taken; 0 asks for a free one")
        if len(team.players) >= self.rules.size:
            raise InitRefusedError(f"team '{name}' is complete: it has {self.rules.size} players")
        self._check_types(team, name, variant)
        team.name = name
        team.players[unum] = variant
        return team.side, unum

    def release(self, side: Side, unum: int) -> None:
        """Free a number; the side keeps its team's name."""
        self.of(side).players.pop(unum, None)

    def clear(self) -> None:
        """Forget both teams."""
        self.left, self.right = Team(Side.LEFT), Team(Side.RIGHT)

    def _team(self, name: str) -> Team:
        for wanted in (name, ""):
            for team in (self.left, self.right):
                if team.name == wanted:
                    return team
        self.stranger = name
        raise InitRefusedError(f"there are two teams already, '{self.left.name}' and '{self.right.name}', not '{name}'")

    def _check_types(self, team: Team, name: str, variant: int) -> None:
        rules, counts = self.rules, Counter(team.players.values())
        counts[variant] += 1
        if counts[variant] > rules.max_of_one_type:
            raise InitRefusedError(f"team '{name}' has {rules.max_of_one_type} robots of type {variant} already")
        other = max((n for t, n in counts.items() if t != variant), default=0)
        if counts[variant] + other > rules.max_of_two_types:
            raise InitRefusedError(f"team '{name}' may have {rules.max_of_two_types} robots of any two types together")
        free = rules.size - sum(counts.values())
        if len(counts) + free < rules.min_types:
            raise InitRefusedError(f"a complete team '{name}' needs at least {rules.min_types} types of robots")
