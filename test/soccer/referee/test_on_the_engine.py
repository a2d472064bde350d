"""Fouls as physics makes them, decided about by the whole referee."""

import math

import numpy as np
import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

LEFT, RIGHT = Side.LEFT, Side.RIGHT


@pytest.fixture
def game(pitch):
    """Makes pitches in open play, on which `run` lets physics pass until there are fouls, or for some cycles."""

    def make(*changes):
        field = pitch(*changes)
        field.mode = PlayMode.PLAY_ON

        def run(act=lambda: None, cycles=60, to_the_end=False):
            for _ in range(cycles):
                act()
                field.simulation.run_cycle()
                if field.kinds and not to_the_end:
                    break

        field.run = run
        return field

    return make


def test_a_player_who_is_driven_into_an_opponent_charges_it(game):
    field = game("touching.max_group=9")
    left, right = field.add(LEFT, 5, -4.0, 2.0), field.add(RIGHT, 6, -3.75, 2.0)

    def glide():
        assert field.engine.state.position[:, 2].min() > 0.3, "both stand, the one pushing the other"
        field.engine.set_velocity(left.handle, (0.8, 0.0, 0.0), (0.0, 0.0, 0.0))
        field.engine.set_velocity(right.handle, (0.1, 0.0, 0.0), (0.0, 0.0, 0.0))

    field.run(glide)
    assert field.kinds == ["charging"] and (field.decisions[0].side, field.decisions[0].unum) == (LEFT, 5)


def test_a_player_who_puts_one_foot_into_the_other_stands_still_for_a_second(game):
    field = game("incapable.ground_time=99")
    robot = field.add(LEFT, 5, -4.0, 2.0)
    names = [joint.name for joint in robot.description.model.joints]
    goal = np.zeros(22)
    for name, degrees in {"rlj1": -35.0, "rlj4": -55.0, "llj2": -20.0}.items():
        goal[names.index(name)] = math.radians(degrees)
    legs = np.array([i for i, name in enumerate(names) if name[1:3] == "lj"])

    def command(velocities):
        field.world.motors.set_velocities(np.arange(22), velocities, field.engine.state)

    field.run(lambda: command((goal - field.engine.state.joint_position) * 10.0))
    assert field.kinds == ["self_collision"] and field.decisions[0].unum == 5
    held = field.engine.state.joint_position[legs]
    field.run(lambda: command(np.full(22, 0.5)), 50, to_the_end=True)
    # the motors hold the joints but for the softness of the solver
    assert np.abs(field.engine.state.joint_position[legs] - held).max() < 0.02
    assert field.engine.state.joint_position[names.index("hj1")] > 0.4
    field.run(lambda: command(np.full(22, 0.5)), 10, to_the_end=True)
    assert np.abs(field.engine.state.joint_position[legs] - held).max() > 0.05


def test_of_three_players_on_one_heap_one_is_moved_away(game):
    field = game()
    for unum, y in ((5, 1.78), (6, 2.0), (7, 2.22)):
        field.add(LEFT, unum, -4.0, y)
    field.run(cycles=20)
    assert field.kinds == ["touching"]
    field.run(cycles=5, to_the_end=True)
    assert len({int(row) for pair in field.engine.state.robot_contacts for row in pair}) <= 2
