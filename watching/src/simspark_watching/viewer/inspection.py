"""The viewer's knowledge of the inside of robots: the server's list, and the robot that people have chosen."""

from __future__ import annotations

from collections import deque

from simspark_ros.protocol.monitor.inspection import (
    InspectedKind,
    Readings,
    ReplayProgress,
    TrainerNote,
    WorldShown,
    read,
)
from simspark_ros.simulation.drawings import MOST_DRAWINGS, Drawing
from simspark_watching.broadcast.scene_recognition import Crowd

KEPT, NOTES = 4096, 4
"""Most readings, and most notes, kept between two pictures."""


class Inspection:
    """The last list of robots, and readings since the last picture.

    Attributes:
        crowd: the last list of robots; None if the server sends no list, or an empty one.
        world: text of the world; empty if the server sends none.
        playback: position of a replay; None for a server, or a replay that cannot seek.
        chosen: handle of the inspected robot, -1 = none; set by panels in any thread.
    """

    def __init__(self) -> None:
        self.crowd: Crowd | None = None
        self.world = ""
        self.playback: ReplayProgress | None = None
        self.chosen = -1
        self._asked: int | None = None
        self._drawings: dict[str, Drawing] = {}
        self._readings: deque[Readings] = deque(maxlen=KEPT)
        self._notes: deque[str] = deque(maxlen=NOTES)

    def take(self, payload: bytes) -> None:
        """Take a message of the server.

        Raises:
            ConfigurationError: it cannot be read.
        """
        message = read(payload)
        if isinstance(message, tuple):
            name, drawing = message
            if name in self._drawings or len(self._drawings) < MOST_DRAWINGS:
                self._drawings[name] = drawing
        elif isinstance(message, Readings):
            self._readings.append(message)
        elif isinstance(message, TrainerNote):
            self._notes.append(message.text)
        elif isinstance(message, WorldShown):
            self.world = message.text
        elif isinstance(message, ReplayProgress):
            self.playback = message
        else:
            crowd = Crowd.of(message)
            self.crowd = crowd if message.robots else None

    def forget(self) -> None:
        """The server is gone."""
        self.crowd = self.playback = self._asked = None
        self.world = ""
        self._readings.clear()
        self._drawings.clear()

    def request(self) -> str:
        """The request to send to the server now; empty if it has been sent already."""
        wanted = self.chosen
        if wanted == self._asked:
            return ""
        self._asked = wanted
        return f"(inspect (robot {wanted}))" if wanted >= 0 else "(inspect)"

    def take_readings(self) -> list[Readings]:
        """Readings of the chosen robot since the last call."""
        taken = [one for one in self._readings if one.handle == self.chosen]
        self._readings.clear()
        return taken

    def take_notes(self) -> list[str]:
        """The server's answers to commands since the last call."""
        taken = list(self._notes)
        self._notes.clear()
        return taken

    def take_drawings(self) -> dict[str, Drawing]:
        """Drawings that are new since the last call, by name."""
        taken, self._drawings = self._drawings, {}
        return taken

    def kind(self) -> InspectedKind | None:
        """The kind of the chosen robot, None if it is not there."""
        if self.crowd is None or self.chosen < 0:
            return None
        robots, kinds = self.crowd.roster.robots, self.crowd.roster.kinds
        return next((kinds[robot.kind] for robot in robots if robot.handle == self.chosen), None)
