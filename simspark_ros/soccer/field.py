"""The soccer field: sizes, landmarks, lines and the solid things on it.

World frame: origin at the centre of the field, +x toward the right team's goal, +y to the left of the left team,
z up; metres. Defaults are the measured values of rcssserver3d 0.7.3 (NAO model reference, "Field, goals").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from simspark_ros.configuration.schema import Checked, Range
from simspark_ros.physics.model import StaticBox, Vector

Segment = tuple[Vector, Vector]
FlatSegment = tuple[tuple[float, float], tuple[float, float]]

GOAL_COLOURS = {"left": (0.95, 0.85, 0.2, 1.0), "right": (0.35, 0.65, 0.95, 1.0)}


LARGEST = 1000.0
"""Bound of all sizes, m; engines take things farther away for lost."""

SMALLEST = 1e-4
"""Least size of things that cannot be zero, m, and mass of a ball, kg; engines cannot compute with far smaller ones."""

Place = Range(-LARGEST, LARGEST, "m")
"""Range of coordinates."""

Size = Annotated[float, Range(0.0, LARGEST)]
SolidSize = Annotated[float, Range(SMALLEST, LARGEST)]


@dataclass(frozen=True)
class FieldSizes(Checked):
    """Section `field` of a world file, m; the field lacks marks whose sizes are 0."""

    length: SolidSize
    width: SolidSize
    penalty_length: Size
    penalty_width: Size
    centre_circle: Size
    circle_chords: Annotated[int, Range(3, 100)]
    goal_area_length: Size = 0.0
    goal_area_width: Size = 0.0
    penalty_mark_distance: Size = 0.0
    penalty_mark_size: Size = 0.0


@dataclass(frozen=True, kw_only=True)
class Field(FieldSizes):
    """Sizes of field, goals and outer walls, m; posts, bar and nets are a goal's `goal_inset` inside of its sizes.

    Without `is_there` nothing of the field is seen, sensed and built.
    """

    goal_width: float
    goal_depth: float
    goal_height: float
    goal_thickness: float
    wall_distance_x: float
    wall_distance_y: float
    wall_thickness: float
    wall_height: float
    goal_inset: float = 0.0
    is_there: bool = True

    def landmarks(self) -> dict[str, Vector]:
        """Flags and goal-post tops by their classic names, in the order in which vision lists them."""
        if not self.is_there:
            return {}
        x, y, goal, top = self.length / 2, self.width / 2, self.goal_width / 2, self.goal_height
        return {
            "G1L": (-x, goal, top),
            "G2L": (-x, -goal, top),
            "G2R": (x, -goal, top),
            "G1R": (x, goal, top),
            "F1L": (-x, y, 0.0),
            "F2L": (-x, -y, 0.0),
            "F1R": (x, y, 0.0),
            "F2R": (x, -y, 0.0),
        }

    def markers(self) -> dict[str, Vector]:
        """Markers of the newer league by their names, in the order in which its vision lists them.

        As on rcssservermj 0.2.1 the corners of the areas are twice as far from the axis as the areas reach.
        """
        if not self.is_there:
            return {}
        x, y, goal, top = self.length / 2, self.width / 2, self.goal_width / 2, self.goal_height
        spot, circle = x - self.penalty_mark_distance, self.centre_circle
        areas = {"ga": (self.goal_area_length, self.goal_area_width), "pa": (self.penalty_length, self.penalty_width)}
        found = {
            **_corners("l", "f", x, y, 0.0),
            "t_cuf": (0.0, y, 0.0),
            "t_clf": (0.0, -y, 0.0),
            "x_cuc": (0.0, circle, 0.0),
            "x_clc": (0.0, -circle, 0.0),
            "p_lpm": (-spot, 0.0, 0.0),
            "p_rpm": (spot, 0.0, 0.0),
            **_corners("g", "p", x, goal, top),
        }
        for name, (length, width) in areas.items():
            if length and width:
                found |= {**_corners("l", name, x - length, width, 0.0), **_corners("t", name, x, width, 0.0)}
        return found

    def marks(self) -> dict[str, Vector]:
        """All named places: landmarks, centre, penalty marks, and goals by the middles of their mouths."""
        if not self.is_there:
            return {}
        x, spot = self.length / 2, self.length / 2 - self.penalty_mark_distance
        spots = {"left_penalty_mark": (-spot, 0.0, 0.0), "right_penalty_mark": (spot, 0.0, 0.0)}
        return {
            "centre": (0.0, 0.0, 0.0),
            **(spots if self.penalty_mark_size else {}),
            "left_goal": (-x, 0.0, self.goal_height / 2),
            "right_goal": (x, 0.0, self.goal_height / 2),
            **self.landmarks(),
        }

    def lines(self) -> tuple[Segment, ...]:
        """The sensed line segments (two ends each), in the order in which vision lists them.

        The league's field has 21 segments, the circle's chords last. Goal areas and penalty marks of other fields come
        before the circle.
        """
        if not self.is_there:
            return ()
        x, y = self.length / 2, self.width / 2
        flat: list[FlatSegment] = [
            ((0, -y), (0, y)),
            ((x, -y), (x, y)),
            ((-x, -y), (-x, y)),
            ((x, y), (-x, y)),
            ((x, -y), (-x, -y)),
            *self._area(self.penalty_length, self.penalty_width),
            *self._area(self.goal_area_length, self.goal_area_width),
            *self._penalty_marks(),
        ]
        step = 2 * math.pi / self.circle_chords
        circle = [
            (self.centre_circle * math.cos(i * step), self.centre_circle * math.sin(i * step))
            for i in range(self.circle_chords + 1)
        ]
        flat += list(pairwise(circle))
        return tuple(((float(a), float(b), 0.0), (float(c), float(d), 0.0)) for (a, b), (c, d) in flat)

    def _area(self, length: float, width: float) -> list[FlatSegment]:
        """The lines around the areas before both goals."""
        if not length or not width:
            return []
        x, front, side = self.length / 2, self.length / 2 - length, width / 2
        return [
            ((front, side), (front, -side)),
            ((front, side), (x, side)),
            ((front, -side), (x, -side)),
            ((-front, side), (-front, -side)),
            ((-front, side), (-x, side)),
            ((-front, -side), (-x, -side)),
        ]

    def _penalty_marks(self) -> list[FlatSegment]:
        """A cross before each goal."""
        arm = self.penalty_mark_size / 2
        if not arm:
            return []
        spot = self.length / 2 - self.penalty_mark_distance
        return [cross for x in (spot, -spot) for cross in (((x - arm, 0), (x + arm, 0)), ((x, -arm), (x, arm)))]

    def boxes(self) -> tuple[StaticBox, ...]:
        """All solid parts: both goals (side nets, back net, crossbar plate) and the outer walls."""
        if not self.is_there:
            return ()
        goals = [box for side, sign in (("left", -1), ("right", 1)) for box in self._goal(side, sign)]
        return (*goals, *self._walls())

    def _goal(self, side: str, sign: int) -> list[StaticBox]:
        t, inset = self.goal_thickness, self.goal_inset
        depth, height, width = self.goal_depth, self.goal_height - inset, self.goal_width - 2 * inset
        middle = sign * (self.length / 2 + depth / 2)
        colour = GOAL_COLOURS[side]
        sides = [
            StaticBox(f"{side}_goal_{name}", (middle, y, height / 2), (depth, t, height), colour)
            for name, y in (("left_post", sign * -(width + t) / 2), ("right_post", sign * (width + t) / 2))
        ]
        back = StaticBox(
            f"{side}_goal_net",
            (sign * (self.length / 2 + depth - t / 2 + inset), 0.0, height / 2),
            (t, width, height),
            (0.9, 0.9, 0.9, 1.0),
        )
        bar = StaticBox(f"{side}_goal_bar", (middle, 0.0, height + t / 2), (depth, width + 2 * t, t), colour)
        return [*sides, back, bar]

    def _walls(self) -> list[StaticBox]:
        dx, dy, t, height = self.wall_distance_x, self.wall_distance_y, self.wall_thickness, self.wall_height
        along_y, along_x = (t, 2 * dy + t, height), (2 * dx + t, t, height)
        return [
            StaticBox("wall_left", (-dx, 0.0, 0.0), along_y),
            StaticBox("wall_right", (dx, 0.0, 0.0), along_y),
            StaticBox("wall_top", (0.0, dy, 0.0), along_x),
            StaticBox("wall_bottom", (0.0, -dy, 0.0), along_x),
        ]


def _corners(kind: str, of: str, x: float, y: float, z: float) -> dict[str, Vector]:
    """Markers of a rectangle: left and right, upper and lower."""
    ends = {"lu": (-x, y), "ll": (-x, -y), "ru": (x, y), "rl": (x, -y)}
    return {f"{kind}_{end}{of}": (*place, z) for end, place in ends.items()}
