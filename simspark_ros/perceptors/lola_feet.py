"""Feet as the real Nao's drivers feel them: four pressure sensors under each sole, two bumpers at its front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from simspark_ros.perceptors.base import Mount
from simspark_ros.physics.engine import Array
from simspark_ros.physics.model import Link, ShapeKind
from simspark_ros.robots.lola import START, TOUCH
from simspark_ros.worlds.world import World

BUMPER_TRAVEL = 0.003
"""Distance before a foot's front within which a thing presses the bumper, m."""

_DEPTH = 0.02
"""Distance behind the front at which rays start, m: bodies in contact overlap a little."""

_ASIDE = (0.15, 0.55, 0.95)
_UP = (0.0, 0.95)
"""Starts of rays, as parts of half the width (`_ASIDE`) and of half the height (`_UP`) of the front."""


@dataclass(frozen=True)
class Sole:
    """The four pressure sensors under a foot, in the corners of a link's box; a toe presses only the front ones.

    Attributes:
        touch: index of the link in the touch arrays.
        place: index of the first sensor's value.
        length, width: size of the box, m.
    """

    touch: int
    place: int
    length: float
    width: float
    is_toe: bool

    def sense(self, world: World, values: Array) -> None:
        """Share the force among the corners so that its centre stays."""
        state = world.engine.state
        if not state.touching[self.touch]:
            return
        x, y, _ = state.touch_point[self.touch].tolist()
        force = max(0.0, float(state.touch_force[self.touch, 2]))
        front = 1.0 if self.is_toe else _share(x, self.length)
        left = _share(y, self.width)
        corners = (front * left, front * (1.0 - left), (1.0 - front) * left, (1.0 - front) * (1.0 - left))
        values[self.place : self.place + 4] += force * np.array(corners)


def _share(offset: float, extent: float) -> float:
    return min(max(0.5 + offset / extent, 0.0), 1.0)


def soles(mount: Mount, first: int) -> list[Sole]:
    """The soles of a robot; `first` is the index of its first touch link in the touch arrays."""
    found = []
    for side, link, number in _feet(mount):
        length, width = link.collisions[0].size[:2]
        place = mount.start + START["FSR"] + (0 if side == "l" else 4)
        found.append(Sole(first + number, place, length, width, link.name.endswith("toe")))
    return found


def _feet(mount: Mount) -> Iterator[tuple[str, Link, int]]:
    """Yield side, link and index among the touch links, of feet and, after them, toes."""
    model = mount.robot.description.model
    for number, name in enumerate(model.touch_links):
        side, part = name[0], name[1:]
        if side in "lr" and part in ("foot", "toe") and model.link(name).collisions:
            yield side, model.link(name), number


class Bumpers:
    """The bumpers of all robots with feet: rays from the front of each foot find things that press them."""

    def __init__(self, mounts: Sequence[Mount], world: World) -> None:
        fronts = [
            (mount, side, link)
            for mount in mounts
            for side, link in {side: link for side, link, _ in _feet(mount)}.items()
            if link.collisions[0].kind is ShapeKind.BOX
        ]
        self._links = world.engine.select_links([(mount.robot.handle, link.name) for mount, _, link in fronts])
        self._origins = np.array([_starts(link) for _, _, link in fronts]).reshape(-1, 2, len(_ASIDE) * len(_UP), 3)
        rays = self._origins.shape[1] * self._origins.shape[2]
        self._handles = np.array([mount.robot.handle for mount, _, _ in fronts], np.int64).repeat(rays)
        firsts = [mount.start + START["Touch"] + TOUCH.index(f"{side}_foot_bumper_left") for mount, side, _ in fronts]
        self._places = np.array(firsts, np.int64)[:, None] + np.arange(2)

    def sense(self, world: World, values: Array) -> None:
        """Write 1 for bumpers that something presses."""
        if not len(self._places):
            return
        centres, rotations = world.engine.link_poses(self._links)
        origins = centres[:, None, None] + np.einsum("fij,fskj->fski", rotations, self._origins)
        directions = np.broadcast_to(rotations[:, None, None, :, 0], origins.shape)
        reach = _DEPTH + BUMPER_TRAVEL
        hits = world.engine.cast_rays(origins.reshape(-1, 3), directions.reshape(-1, 3), reach, ignore=self._handles)
        pressed = np.isfinite(hits.distance).reshape(origins.shape[:3]).any(axis=2)
        values[self._places] = pressed


def _starts(link: Link) -> Array:
    """(2, rays, 3): starts of the rays of the left and of the right bumper, from the link's centre of mass, m."""
    box = link.collisions[0]
    length, width, height = box.size
    front = np.array(box.position) - link.centre
    front[0] += length / 2.0 - _DEPTH
    half = np.array([(0.0, aside * width / 2.0, up * height / 2.0) for aside in _ASIDE for up in _UP])
    starts: Array = front + np.array([half, half * (1.0, -1.0, 1.0)])
    return starts
