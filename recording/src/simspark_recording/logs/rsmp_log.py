"""Reads logs of monitors of the league since 2026 (RSMP 1.0), as rcssservermj 0.2.1 and this package write them.

A frame becomes percepts, from which `MonitorEncoder` writes a frame that replays, the page and films read. Meshes tell
what a robot is: `models/NAME/...` are of the league's robot NAME, whose file names its links; other robots have the
looks that this package's monitors know. A robot that is neither is shown by a body for each link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from simspark_recording.known_robots import robots_by_loads
from simspark_ros.configuration.league_models import league_file
from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.model import Vector
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import (
    Array,
    FrameError,
    MonitorReader,
    all_below,
    children_of,
    read_environment,
)
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.soccer.game_state import Foul, FoulKind
from simspark_ros.soccer.teams import Side

OPENING = b"((RSMP 1 "
"""First bytes of a frame."""

_SIMULATED = re.compile(rb"\(\(gt 1 \d+\)([0-9.]+)\)")
_FOUL = re.compile(r"\(foul (\d+) ([12]) (\d+)\)")
_MODEL = re.compile(r"models/([A-Za-z]\w*)/")
_NOBODY = ("<LEFT>", "<RIGHT>")
"""Names of the teams while there are none."""

_KEPT_FOULS = 10


@dataclass(frozen=True)
class _Robot:
    """A robot of the scene: node of each of its links, and from there to the centre of mass in the link's frame, m."""

    layout: RobotLayout
    nodes: tuple[int, ...]
    centres: tuple[Vector, ...]
    description: RobotDescription | None = None


class RsmpReader(MonitorReader):
    """The state of such a monitor after some frames; link frames are forward, left, up, and the link's own.

    Attributes:
        simulated: simulated time, s.
    """

    def __init__(self) -> None:
        super().__init__()
        self.simulated = 0.0
        self._known = robots_by_loads(load_look())
        self._scene: object = None
        self._robots: tuple[_Robot, ...] = ()
        self._ball: int | None = None
        self._layout = Layout(0, (), ())
        self._seen_fouls: tuple[Foul, ...] = ()

    def show(self, frame: bytes) -> None:
        """Take a frame, as `MonitorReader.show`."""
        text = frame.decode("utf-8", "replace")
        sections = {piece.partition(" ")[0]: piece.partition(")")[2] for piece in text.split("((")}
        try:
            simulated = float(sections["gt"].rstrip(")"))
            scene = sections["sg"].removesuffix(")")
            game = sections["gs"] + sections.get("ge", "")
        except (KeyError, ValueError):
            raise FrameError("a frame without simulated time, scene or game") from None
        environment, _ = read_environment(_FOUL.sub("", game))
        if scene.startswith("full"):
            self._show_full(f"({scene[4:]})")
            self.environment = environment
        else:
            self._show_changes(scene)
            self.environment.update(environment)
        self.simulated = simulated
        for kind, team, unum in _FOUL.findall(game):
            self._add_foul(int(kind), Side.LEFT if team == "1" else Side.RIGHT, int(unum))

    def percepts(self) -> Percepts:
        """The present state; the layout is a new one when the scene has changed."""
        if self.nodes is not self._scene:
            self._scene = self.nodes
            self._find()
        world = self.world()
        rows = [node for robot in self._robots for node in robot.nodes]
        turns, places = world[rows, :3, :3], world[rows, :3, 3]
        centres = np.array([centre for robot in self._robots for centre in robot.centres]).reshape(-1, 3)
        ball = world[self._ball, :3, 3] if self._ball is not None else np.zeros(3)
        poses = Poses(places + np.einsum("nij,nj->ni", turns, centres), turns, ball)
        nothing: tuple[Array, NDArray[np.bool_]] = np.zeros(0), np.zeros(0, np.bool_)
        return Percepts(0, self.simulated, self._layout, self._game(), *nothing, poses=poses)

    @property
    def layout(self) -> Layout:
        """The robots and the field of the last percepts."""
        return self._layout

    @property
    def descriptions(self) -> tuple[RobotDescription, ...]:
        """The robots of the layout as their files describe them; empty unless there is a file for each."""
        found = tuple(robot.description for robot in self._robots if robot.description)
        return found if len(found) == len(self._robots) else ()

    def _game(self) -> GameSnapshot:
        told = {key: "" if value in _NOBODY else value for key, value in self.environment.items()}
        return GameSnapshot(
            self.time,
            self.play_mode,
            int(told.get("score_left", "0")),
            int(told.get("score_right", "0")),
            int(told.get("half", "1")),
            told.get("team_left", ""),
            told.get("team_right", ""),
            fouls=self._seen_fouls,
        )

    def _add_foul(self, kind: int, side: Side, unum: int) -> None:
        index = self._seen_fouls[-1].index + 1 if self._seen_fouls else 1
        with suppress(ValueError):
            self._seen_fouls = (*self._seen_fouls[1 - _KEPT_FOULS :], Foul(index, FoulKind(kind), side, unum))

    def _find(self) -> None:
        """Find ball and robots in a new scene."""
        children = children_of(self.nodes)
        robots, self._ball = list[_Robot](), None
        for number, node in enumerate(self.nodes):
            word, *names = node.load.split() if node.kind == "DSC" else ("",)
            if word == "ball":
                self._ball = next(iter(children.get(number, ())), None)
            elif word in ("agent", "robot"):
                robots.append(self._robot(number, names, children, len(robots)))
        self._robots = tuple(robots)
        environment = tuple((name, value) for name, value in _sizes(self.environment))
        layouts = tuple(robot.layout for robot in robots)
        self._layout = Layout(self._layout.revision + 1, layouts, (), environment)

    def _robot(self, top: int, names: list[str], children: Mapping[int, list[int]], handle: int) -> _Robot:
        links, flat = tuple(self._links(top, children)), tuple(self._flat_links(top, children))
        loads = tuple(self.nodes[number].load for number in all_below(top, children) if self.nodes[number].load)[1:]
        *words, last = names or [""]
        team, unum = (" ".join(words), int(last)) if last.isdecimal() else ("", 0)
        side = "" if not team else "left" if team == self.environment.get("team_left") else "right"
        centres: tuple[Vector, ...] = ((0.0, 0.0, 0.0),) * len(links)
        model, variant, parts, description = "", 0, tuple(f"link_{number}" for number in range(len(links))), None
        if (known := self._known.get(loads)) is not None and len(known.parts) <= len(flat):
            # The base may show something, which comes before all other links.
            links = (*flat[:1], *flat[len(flat) + 1 - len(known.parts) :])
            model, variant, parts = known.robot, known.variant, known.links
            centres = tuple((-x, -y, -z) for x, y, z in (part.origin for part in known.parts))
        elif (found := _described(loads)) is not None and len(found.model.links) == len(links):
            description, model = found, found.name
            parts, centres = zip(*((link.name, link.centre) for link in found.model.links), strict=True)
        elif not team:
            model = " ".join(names)
        layout = RobotLayout(handle, "", model, variant, team, side, unum, 0, (), (), (), parts)
        return _Robot(layout, links, centres, description)

    def _flat_links(self, top: int, children: Mapping[int, list[int]]) -> Iterator[int]:
        """Yield the base below a node and all that is at once below it, as this package's monitors have links."""
        for base in children.get(top, ())[:1]:
            yield from (base, *children.get(base, ()))

    def _links(self, top: int, children: Mapping[int, list[int]]) -> Iterator[int]:
        """Yield the transforms below a node that are links: those with transforms below; solids and sites have none."""
        for number in children.get(top, ()):
            if any(self.nodes[one].kind == "TRF" for one in children.get(number, ())):
                yield number
                yield from self._links(number, children)


def classic_frames(reader: RsmpReader, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a frame of classic monitors for each line that the reader has taken.

    Raises:
        FrameError: a line, which is named, cannot be read.
    """
    encoder = MonitorEncoder(load_look())
    for number, line in enumerate(lines, 1):
        try:
            reader.show(line)
        except FrameError as error:
            raise FrameError(f"line {number}: {error}") from None
        percepts = reader.percepts()
        full = encoder.adopt(percepts.layout)
        frames = encoder.encode(percepts, full=full, partial=not full)
        yield frames.full or frames.partial or b""


def simulated_time(line: bytes) -> float | None:
    """Simulated time of a line, s, without reading the rest; None if there is none."""
    match = _SIMULATED.search(line)
    return float(match[1]) if match else None


def _sizes(environment: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """Yield the numbers of the field and the rules; rcssservermj exchanges a goal's width and depth."""
    numbers: dict[str, float] = {}
    for name, text in environment.items():
        if name[0].isupper():
            with suppress(ValueError):
                numbers[name] = float(text)
    sizes = [numbers.get("GoalDepth", 0.0), numbers.get("GoalWidth", 0.0)]
    if all(sizes):
        numbers["GoalDepth"], numbers["GoalWidth"] = sorted(sizes)
    yield from numbers.items()


def _described(loads: Iterable[str]) -> RobotDescription | None:
    """The robot of the league whose meshes these are, None if its file is not installed or cannot be read."""
    name = next((match[1] for match in map(_MODEL.match, loads) if match), "")
    with suppress(RobotError):
        return load_robot(name) if league_file(name) else None
    return None
