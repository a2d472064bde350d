"""A pitch on which tests say who stands where and who touches the ball; the referee judges, nothing falls or rolls."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.teams import Side

STANDING = 0.385
"""Height of a standing Nao's torso, m."""

CYCLE = 0.02
"""Length of a cycle, s."""


class Pitch:
    """A world without physics: every cycle the clock advances and the referee judges what a test has set up."""

    def __init__(self, played):
        self.world = played.world
        self.simulation = played.simulation
        self.referee = played.referee
        self.match = self.referee.match
        self.game = self.world.game

    @property
    def mode(self) -> PlayMode:
        mode: PlayMode = self.world.game.play_mode
        return mode

    @mode.setter
    def mode(self, mode: PlayMode) -> None:
        self.world.game.set_play_mode(mode)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        decisions: tuple[Decision, ...] = self.match.log.since(0)
        return decisions

    @property
    def kinds(self) -> list[str]:
        """What was decided so far, but who was moved."""
        return [d.kind for d in self.decisions if d.kind != "player_moved"]

    @property
    def ball(self):
        return tuple(self.world.engine.state.ball_position[:2].tolist())

    def player(self, side: Side, unum: int, x: float, y: float):
        robot = self.world.add_robot(load_robot("nao"), (x, y, STANDING), 0.0, name=f"{side.value}_{unum}")
        robot.side, robot.unum, robot.team = side, unum, side.value
        self.world.revision += 1
        return robot

    def spot(self, robot):
        row = self.world.engine.state.row(robot.handle)
        return tuple(self.world.engine.state.position[row, :2].tolist())

    def put(self, robot, x, y):
        self.world.engine.place_robot(robot.handle, (x, y, STANDING), (0.0, 0.0, 0.0, 1.0))

    def kick(self, x, y, velocity=(0.0, 0.0, 0.0), z=0.042):
        """Have the ball somewhere."""
        self.world.engine.place_ball((x, y, z), velocity)

    def cycle(self, *touching, times: int = 1) -> None:
        """Let cycles pass in which these robots touch the ball."""
        for _ in range(times):
            self.world.cycle += 1
            self.world.elapsed = CYCLE
            self.world.game.advance(CYCLE)
            state = self.world.engine.state
            state.ball_contacts = np.array(sorted(state.row(robot.handle) for robot in touching), np.int64)
            self.referee.apply_rules()

    def wait(self, seconds: float, *touching) -> None:
        self.cycle(*touching, times=round(seconds / CYCLE))

    def open_play(self, *touching) -> None:
        """PlayOn without any set play to be judged by."""
        self.mode = PlayMode.PLAY_ON
        self.cycle(*touching)


@pytest.fixture
def pitch(play) -> Callable[..., Pitch]:
    """Makes pitches; arguments are changes of the rule book such as `game.half_time=60`."""

    def make(*changes: str) -> Pitch:
        return Pitch(play(changes=tuple(f"rules.{change}" for change in changes)))

    return make
