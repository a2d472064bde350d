"""Fouls as physics makes them, decided about by the whole referee."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side
from test.rigs.pitch import Pitch

LEFT, RIGHT = Side.LEFT, Side.RIGHT


class Game(Pitch):
    def __init__(self, played):
        super().__init__(played.world, played.referee.match)
        self.played = played
        self.mode = PlayMode.PLAY_ON

    @property
    def fouls(self):
        return [(d.kind, d.side, d.unum) for d in self.decisions if d.kind != "player_moved"]


@pytest.fixture
def game(play):
    return lambda *changes: Game(play(changes=tuple(f"rules.{change}" for change in changes)))


def test_a_player_who_is_driven_into_an_opponent_charges_it(game):
    game = game("touching.max_group=9")
    left, right = game.add(LEFT, 5, -4.0, 2.0), game.add(RIGHT, 6, -3.75, 2.0)
    for _ in range(60):
        state = game.engine.state
        standing = state.position[:, 2].min() > 0.3
        if not standing or game.fouls:
            break
        # both glide upright, the one pushing the other
        game.engine.set_velocity(left.handle, (0.8, 0.0, 0.0), (0.0, 0.0, 0.0))
        game.engine.set_velocity(right.handle, (0.1, 0.0, 0.0), (0.0, 0.0, 0.0))
        game.played.run(1)
    assert game.fouls == [("charging", LEFT, 5)]


def test_a_player_who_puts_one_foot_into_the_other_stands_still(game):
    game = game("incapable.ground_time=99")
    robot = game.add(LEFT, 5, -4.0, 2.0)
    names = [joint.name for joint in robot.description.model.joints]
    goal = np.zeros(22)
    for name, degrees in {"rlj1": -35.0, "rlj4": -55.0, "llj2": -20.0}.items():
        goal[names.index(name)] = math.radians(degrees)
    legs = np.array([i for i, name in enumerate(names) if name[1:3] == "lj"])
    motors = game.world.motors
    for _ in range(60):
        state = game.engine.state
        motors.set_velocities(np.arange(22), (goal - state.joint_position) * 10.0, state)
        game.played.run(1)
        if game.fouls:
            break
    assert game.fouls == [("self_collision", LEFT, 5)]
    held = game.engine.state.joint_position[legs]
    for _ in range(50):
        motors.set_velocities(np.arange(22), np.full(22, 0.5), game.engine.state)
        game.played.run(1)
    # the motors hold the joints but for the softness of the solver
    assert np.abs(game.engine.state.joint_position[legs] - held).max() < 0.02
    assert game.engine.state.joint_position[names.index("hj1")] > 0.4
    for _ in range(10):
        motors.set_velocities(np.arange(22), np.full(22, 0.5), game.engine.state)
        game.played.run(1)
    assert np.abs(game.engine.state.joint_position[legs] - held).max() > 0.05


def test_of_three_players_on_one_heap_one_is_moved_away(game):
    game = game()
    for unum, y in ((5, 1.9), (6, 2.0), (7, 2.1)):
        game.add(LEFT, unum, -4.0, 2.0 + (y - 2.0) * 2.2)
    for _ in range(20):
        game.played.run(1)
        if game.fouls:
            break
    assert [foul[0] for foul in game.fouls] == ["touching"]
    game.played.run(5)
    rows = {int(row) for pair in game.engine.state.robot_contacts for row in pair}
    assert len(rows) <= 2
