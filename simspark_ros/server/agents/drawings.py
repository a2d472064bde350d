"""Agents' drawings for RoboViz (RVDraw), received over UDP and kept with other programs' ones, for all who watch."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack

import numpy as np

from simspark_ros.configuration.errors import shown
from simspark_ros.protocol.rvdraw import Command, DrawnShape, Label, Swap, read_packet
from simspark_ros.server.tcp.ports import PortError
from simspark_ros.simulation.drawings import MOST_POINTS, MOST_SEGMENTS, MOST_TEXTS, Drawing
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerWorld

NAME = "agents"
"""Name of the drawing."""

PERIOD = 0.1
"""Least real time between two drawings, s."""

MOST_DATAGRAMS, LARGEST = 1000, 2048
"""Most datagrams read in a cycle, and most bytes of one; the system drops datagrams beyond its buffer."""

MOST_SHAPES = 5000
"""Most shapes of all sets, shown or gathering; further ones are dropped until sets are swapped."""

ABOVE = 0.5
"""Height of a player's label above its torso, m."""


class AgentDrawings(ControlNode):
    """Receives drawings and keeps the newest.

    Args:
        host: address to listen on.
        port: UDP port, 0 = any free one.
        log: function that takes lines for people.

    Attributes:
        malformed: number of datagrams that were not read to their end.

    Raises:
        PortError: the port cannot be used.
    """

    def __init__(self, host: str, port: int, log: Callable[[str], object]) -> None:
        self.malformed = 0
        self._log = log
        # The shown shapes of each set, and the gathering ones.
        self._front: dict[str, list[DrawnShape]] = {}
        self._back: dict[str, list[DrawnShape]] = {}
        self._labels: dict[tuple[Side, int], str] = {}
        self._count = 0
        self._is_new = False
        self._drawn = 0.0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind((host, port))
        except OSError as error:
            self._socket.close()
            raise PortError(
                f"drawings of agents: cannot use UDP port {port} of {host}: {error.strerror}; RoboViz on this machine"
                " listens on the same one; choose another one with --draw-port"
            ) from None
        log(f"drawings of agents (RVDraw): UDP port {self.port}")

    @property
    def port(self) -> int:
        """The port on which drawings arrive."""
        port: int = self._socket.getsockname()[1]
        return port

    def attach(self, simulation: Simulation, stack: ExitStack) -> None:
        """See `Attachment`."""
        stack.callback(self._socket.close)
        simulation.add_node(self)

    def end_cycle(self, simulation: Simulation) -> None:
        """Read what has come, and draw it if it is time to."""
        self._receive()
        now = time.monotonic()
        if now - self._drawn >= PERIOD and (self._is_new or self._labels):
            self._drawn, self._is_new = now, False
            simulation.drawings.put(NAME, drawing_of(self._front.values(), self._label_texts(simulation.world)))

    def _receive(self) -> None:
        for _ in range(MOST_DATAGRAMS):
            try:
                data, (address, _port) = self._socket.recvfrom(LARGEST)
            except OSError:
                return
            try:
                for command in read_packet(data):
                    self._take(command)
            except ValueError as error:
                self.malformed += 1
                if self.malformed == 1:
                    text = shown(str(error))
                    self._log(f"drawings of agents: a datagram of {address} is wrong: {text}; others are only counted")

    def _take(self, command: Command) -> None:
        self._is_new = True
        if isinstance(command, Swap):
            for name in {name for name in (*self._front, *self._back) if name.startswith(command.name)}:
                self._count -= len(self._front.pop(name, ()))
                if shapes := self._back.pop(name, []):
                    self._front[name] = shapes
        elif isinstance(command, DrawnShape):
            if self._count < MOST_SHAPES:
                self._count += 1
                self._back.setdefault(command.name, []).append(command)
        else:
            self._take_label(command)

    def _take_label(self, label: Label) -> None:
        key = Side.LEFT if label.left else Side.RIGHT, label.unum
        self._labels.pop(key, None)
        if label.text:
            self._labels[key] = label.text

    def _label_texts(self, world: SoccerWorld) -> list[tuple[float, float, float, str]]:
        state, texts = world.engine.state, []
        players = {(robot.side, robot.unum): robot for robot in world.robots.values() if robot.side is not None}
        # A label goes with its player: the next one of this number begins without it.
        self._labels = {player: text for player, text in self._labels.items() if player in players}
        for player, text in self._labels.items():
            x, y, z = state.position[state.row(players[player].handle)].tolist()
            texts.append((x, y, z + ABOVE, text))
        return texts


def drawing_of(sets: Iterable[list[DrawnShape]], texts: list[tuple[float, float, float, str]]) -> Drawing:
    """The drawing of shapes and further texts; what is beyond the limits of a drawing is left out."""
    points, lines, all_texts = [], [], list(texts)
    for shape in (shape for shapes in sets for shape in shapes):
        if shape.text:
            all_texts.append((*shape.points[0], shape.text))
            continue
        points += [(place, shape.colour) for place in shape.points]
        lines += [(ends, shape.colour) for ends in shape.lines]
    points, lines = points[:MOST_POINTS], lines[:MOST_SEGMENTS]
    return Drawing(
        points=np.array([place for place, _ in points], float).reshape(-1, 3),
        point_colours=np.array([colour for _, colour in points], np.uint8).reshape(-1, 3),
        segments=np.array([ends for ends, _ in lines], float).reshape(-1, 2, 3),
        segment_colours=np.array([colour for _, colour in lines], np.uint8).reshape(-1, 3),
        texts=tuple(all_texts[:MOST_TEXTS]),
    )
