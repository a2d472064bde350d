"""The live status line of `simspark serve`."""

from __future__ import annotations

import json
import threading
import time

from simspark_ros.server.classic_server import ClassicServer
from simspark_ros.simulation.loop import Simulation
from simspark_ros.terminal import LiveLine, say, say_if_read

LIVE_PERIOD, LOG_PERIOD = 0.5, 10.0
"""Time between two updates on a terminal and for programs, and between two lines elsewhere, s."""


class SaidEvents:
    """Events on standard output, where `StatusLine` writes as well."""

    def write(self, data: bytes) -> None:
        """Print a line."""
        say(data.decode())

    def close(self) -> None:
        """Standard output stays open."""


class StatusLine:
    """Prints simulated time, real-time factor, agents and the game, in a thread of its own between `with` and its end.

    Args:
        simulation: the simulation, which is read and never waited for.
        core: ports of classic agents and monitors.
        as_json: whether JSON lines are printed, for programs.
    """

    def __init__(self, simulation: Simulation, core: ClassicServer, as_json: bool = False) -> None:
        self._simulation = simulation
        self._core = core
        self._json = as_json
        self._line = LiveLine(LIVE_PERIOD, LOG_PERIOD)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="status", daemon=True)
        self._started = time.monotonic()

    def __enter__(self) -> StatusLine:
        """Start."""
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        """End."""
        self._end.set()
        self._thread.join()

    def finish(self) -> None:
        """Print the last line."""
        self.__exit__()
        wall = time.monotonic() - self._started
        if not self._json:
            # The last state stays.
            first = "\n" if self._line.is_live else ""
            say_if_read(f"{first}ended after {self._simulation.time:.2f} s simulated in {wall:.2f} s\n")

    def _run(self) -> None:
        wall, simulated = time.monotonic(), self._simulation.time
        while not self._end.wait(LIVE_PERIOD if self._json else self._line.period):
            now, time_now = time.monotonic(), self._simulation.time
            factor = max(0.0, time_now - simulated) / (now - wall)
            wall, simulated = now, time_now
            if self._json:
                say_if_read(f"{self._object(factor)}\n")
            else:
                self._line.update(self._text(factor))

    def _object(self, factor: float) -> str:
        percepts = self._simulation.percepts
        values: dict[str, object] = {"time": self._simulation.time, "factor": round(factor, 3)}
        if percepts is not None:
            game = percepts.game
            values |= {
                "game_time": game.time,
                "play_mode": game.play_mode,
                "half": game.half,
                "score": [game.score_left, game.score_right],
                "robots": len(self._simulation.world.without_objects),
            }
        return json.dumps({"status": values})

    def _text(self, factor: float) -> str:
        percepts = self._simulation.percepts
        if percepts is None:
            return "waiting for agents"
        game, robots = percepts.game, self._simulation.world.without_objects
        players = sum(1 for robot in robots if robot.client)
        monitors = len(self._core.monitors.clients()) if self._core.monitors else 0
        teams = f"{game.team_left or '-'} {game.score_left}:{game.score_right} {game.team_right or '-'}"
        has_soccer = self._simulation.world.settings.field.is_there
        match = f"{teams}  {game.play_mode} {game.time:.1f} s  " if has_soccer else ""
        # The most important values come first: a terminal of 80 columns shows all in most games.
        return (
            f"{self._simulation.time:8.2f} s  x{factor:.2f}  {match}"
            f"agents {players}  robots {len(robots)}  monitors {monitors}"
        )
