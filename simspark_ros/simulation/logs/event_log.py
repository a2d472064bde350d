"""Writes the events of a match to a file, one JSON object a line, so that two runs can be compared.

Every line has `cycle`, `time` (simulated, s), `game_time` (s) and `event`; docs/how_to/matches.md lists the events.
Nothing in it depends on the wall clock.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol

from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.simulation.referee import Referee
from simspark_ros.soccer.game_state import GameState
from simspark_ros.soccer.posture import Falls
from simspark_ros.soccer.referee.decision_log import DecisionLog
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

_DIGITS = 6


class _Known(NamedTuple):
    """A robot as it was last written."""

    client: str
    side: str
    unum: int
    team: str


class EventSink(Protocol):
    """Takes events, one a line; a `LogFile` is one."""

    def write(self, data: bytes) -> None:
        """Take a line, its end included."""

    def close(self) -> None:
        """Take no more."""


class EventLog(ControlNode):
    """Writes joins, leaves, decisions, modes, goals, fouls and falls; add it after the nodes that cause them."""

    def __init__(self, sink: EventSink) -> None:
        self._sink = sink
        self._robots: dict[int, _Known] = {}
        self._falls = Falls()
        self._revision = 0
        self._stranger = ""
        self._mode = ""
        self._half = 1
        self._goals = (0, 0)
        self._foul = 0
        self._decision = 0
        self._decisions: DecisionLog | None = None

    def init(self, simulation: Simulation) -> None:
        """Write the state of the game at the start."""
        referee = simulation.node(Referee)
        self._decisions = referee.match.log if referee else None
        game = simulation.world.game
        self._mode, self._half, self._goals = game.play_mode.value, game.half, (game.score_left, game.score_right)
        self._write(simulation, "start", play_mode=self._mode, half=self._half, score=list(self._goals))

    def act_agent(self, simulation: Simulation) -> None:
        """Write who has joined, left, or was refused for the team's name; also before time has started."""
        world = simulation.world
        if world.teams.stranger != self._stranger:
            self._stranger = world.teams.stranger
            self._write(simulation, "stranger", team=self._stranger)
        if world.revision != self._revision:
            self._revision = world.revision
            self._write_robots(simulation, {handle: _known(robot) for handle, robot in world.robots.items()})

    def end_cycle(self, simulation: Simulation) -> None:
        """Write decisions, changes of the game and falls."""
        world = simulation.world
        if self._decisions is not None:
            self._write_decisions(simulation, self._decisions)
        self._write_game(simulation, world.game)
        self._write_falls(simulation, world)

    def done(self, simulation: Simulation) -> None:
        """Close the file."""
        game = simulation.world.game
        score = [game.score_left, game.score_right]
        self._write(simulation, "end", play_mode=game.play_mode.value, half=game.half, score=score)
        self._sink.close()

    def _write_robots(self, simulation: Simulation, robots: dict[int, _Known]) -> None:
        for handle, known in self._robots.items():
            now = robots.get(handle)
            if known.unum and (now is None or (now.side, now.unum) != (known.side, known.unum)):
                self._write(simulation, "leave", side=known.side, unum=known.unum, team=known.team)
            elif now is None:
                self._write(simulation, "robot_gone", client=known.client)
        for handle, known in robots.items():
            before = self._robots.get(handle)
            if before is None:
                description = simulation.world.robots[handle].description
                self._write(
                    simulation, "robot", client=known.client, model=description.name, variant=description.variant
                )
            if known.unum and (before is None or (before.side, before.unum) != (known.side, known.unum)):
                self._write(simulation, "join", side=known.side, unum=known.unum, team=known.team, client=known.client)
        self._robots = robots

    def _write_decisions(self, simulation: Simulation, log: DecisionLog) -> None:
        for decision in log.since(self._decision):
            self._decision = decision.number
            self._write(
                simulation,
                "decision",
                number=decision.number,
                rule=decision.rule,
                kind=decision.kind,
                side=decision.side.value if decision.side else None,
                unum=decision.unum or None,
                play_mode=decision.play_mode.value,
                place=[round(x, _DIGITS) for x in decision.place] if decision.place else None,
                evidence={name: round(value, _DIGITS) for name, value in decision.evidence.items()},
                text=decision.text,
            )

    def _write_game(self, simulation: Simulation, game: GameState) -> None:
        if game.fouls and game.fouls[-1].index != self._foul:
            written = self._foul if game.fouls[-1].index > self._foul else 0
            for foul in game.fouls:
                if foul.index > written:
                    self._write(simulation, "foul", kind=foul.kind.name.lower(), side=foul.side.value, unum=foul.unum)
            self._foul = game.fouls[-1].index
        goals = (game.score_left, game.score_right)
        if goals != self._goals:
            before, self._goals = self._goals, goals
            self._write(simulation, "score", score=list(goals), before=list(before), half=game.half)
        if game.half != self._half:
            self._half = game.half
            self._write(simulation, "half", half=game.half)
        if game.play_mode.value != self._mode:
            before_mode, self._mode = self._mode, game.play_mode.value
            self._write(simulation, "play_mode", play_mode=self._mode, before=before_mode)

    def _write_falls(self, simulation: Simulation, world: SoccerWorld) -> None:
        for handle in self._falls.new(world):
            robot = world.robots[handle]
            if robot.side is not None:
                self._write(simulation, "fall", side=robot.side.value, unum=robot.unum)

    def _write(self, simulation: Simulation, event: str, **values: Any) -> None:
        head = {
            "cycle": simulation.world.cycle,
            "time": round(simulation.time, _DIGITS),
            "game_time": round(simulation.world.game.time, _DIGITS),
            "event": event,
        }
        self._sink.write(json.dumps({**head, **values}).encode("ascii") + b"\n")


def _known(robot: SoccerRobot) -> _Known:
    if robot.is_vacant:
        # Its player has left; the next one joins.
        return _Known("", "", 0, "")
    return _Known(robot.client, robot.side.value if robot.side else "", robot.unum, robot.team)
