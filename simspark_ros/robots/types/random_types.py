"""The heterogeneous types of a match, drawn at random from what a robot's file allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simspark_ros.robots.catalogue import body_rules, drawn_bodies, variants
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.types.parameters import BodyRules, RobotName, TypesJson

_DIGITS = 5
"""Decimals of a drawn number, so that names stay short."""

_MOST_DRAWS = 100_000
"""Most draws for one type, after which the rules are taken to leave no room."""


@dataclass(frozen=True)
class RobotType:
    """One type of the robots of a match.

    Attributes:
        robot: name in the catalogue, or path of the robot's file.
        number: number by which agents ask for the type.
        body: variant of the file that gives the type its sensors, joints and looks.
        parameters: names and values of the parameters, SI.
    """

    robot: str
    number: int
    body: int
    parameters: tuple[tuple[str, float], ...]

    @property
    def name(self) -> str:
        """The argument of `load_robot`."""
        if self.number == 0:
            return self.robot
        own = body_rules(self.robot).of_body(self.body)
        return str(RobotName(self.robot, self.body, {name: value for name, value in self.parameters if name in own}))

    def as_json(self) -> dict[str, Any]:
        """The type for programs, without the robot."""
        return {"number": self.number, "body": self.body, "parameters": dict(self.parameters)}

    @classmethod
    def from_json(cls, robot: str, value: Mapping[str, Any]) -> RobotType:
        """The type from the result of `as_json`; KeyError, TypeError and ValueError for other values."""
        parameters = tuple((str(name), float(number)) for name, number in value["parameters"].items())
        return cls(robot, int(value["number"]), int(value["body"]), parameters)


@dataclass(frozen=True)
class RobotTypes:
    """The types of robots in a world: types of the files, or types drawn with a seed.

    Type 0 is the standard robot in any case. Robots whose files have equal parameters get equal types.

    Attributes:
        seed: seed of the draws; None = nothing is drawn.
        count: number of types, the standard robot included.
        announced: robots whose types clients are told.
    """

    seed: int | None = None
    count: int = 5
    announced: tuple[str, ...] = ()
    _known: dict[str, tuple[RobotType, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def name(self, name: str, variant: int) -> str:
        """The argument of `load_robot` for a type of a robot, whose name may have changed parameters.

        Raises:
            RobotError: there is no such robot or type.
        """
        if self.seed is None:
            return name
        wish = RobotName.parse(name)
        types = self.of(wish.robot) if wish.body is None else ()
        if not types:
            return name
        if variant >= self.count:
            raise RobotError(
                f"unknown type {variant} of '{wish.robot}'; the types of this match are 0 to {self.count - 1}"
            )
        if not wish.changes and wish.fixed_base is None:
            return types[variant].name
        drawn = RobotName.parse(types[variant].name)
        return str(replace(wish, body=drawn.body, changes={**drawn.changes, **wish.changes}))

    def numbers(self, robot: str) -> tuple[int, ...]:
        """Numbers of all types of a robot, the types of its file if nothing is drawn; errors as in `load_robot`."""
        return tuple(one.number for one in self.of(robot)) or variants(robot)

    def of(self, robot: str) -> tuple[RobotType, ...]:
        """The types of a robot; none if nothing is drawn, or if it has no parameters."""
        if self.seed is None:
            return ()
        if robot not in self._known:
            self._known[robot] = _drawn(self.seed, self.count, robot)
        return self._known[robot]

    @property
    def told(self) -> tuple[RobotType, ...]:
        """All types that clients are told."""
        return tuple(one for robot in self.announced for one in self.of(robot))

    def as_json(self) -> TypesJson:
        """The announced types for programs, by robot."""
        return {robot: [one.as_json() for one in self.of(robot)] for robot in self.announced}


TYPES_OF_FILES = RobotTypes()
"""Types for worlds in which nothing is drawn."""


def _drawn(seed: int, count: int, robot: str) -> tuple[RobotType, ...]:
    rules = body_rules(robot)
    if not rules.parameters:
        return ()
    random = np.random.default_rng([seed, 0])
    first = min(rules.variants)
    types = [RobotType(robot, 0, first, tuple(rules.values(first, {}).items()))]
    bodies = drawn_bodies(robot)
    for number in range(1, count):
        body = bodies[int(random.integers(len(bodies)))]
        types.append(RobotType(robot, number, body, tuple(_draw(rules, body, random, robot).items())))
    return tuple(types)


def _draw(rules: BodyRules, body: int, random: np.random.Generator, robot: str) -> dict[str, float]:
    """Values drawn evenly within all bounds, again and again until no rule is broken."""
    limits = rules.of_body(body)
    values = rules.values(body, {})
    lows, highs = [one.low for one in limits.values()], [one.high for one in limits.values()]
    for _ in range(_MOST_DRAWS):
        drawn = np.round(random.uniform(lows, highs), _DIGITS).tolist()
        try:
            return rules.checked(body, {**values, **dict(zip(limits, drawn, strict=True))})
        except ValueError:
            continue
    raise RobotError(
        f"{robot}: parameter_rules leave too little room to draw types: none of {_MOST_DRAWS} draws is valid"
    )
