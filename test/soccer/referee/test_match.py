import math

import numpy as np
import pytest

from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


def test_teams_change_sides_with_names_goals_and_players_and_the_other_team_kicks_off(pitch):
    field = pitch("game.half_time=1", "game.change_sides=true")
    robot = field.add(Side.LEFT, 7, -3.0, 1.0)
    field.world.teams.left.name, field.world.teams.right.name = "A", "B"
    field.game.score_left, field.game.score_right = 3, 1
    field.referee.kick_off(None)
    field.wait(1)
    assert (field.world.teams.left.name, field.world.teams.right.name) == ("B", "A")
    assert field.world.teams.right.side is Side.RIGHT
    assert (field.game.score_left, field.game.score_right) == (1, 3)
    assert (robot.side, robot.unum, robot.registrations) == (Side.RIGHT, 7, 1)
    field.cycle()
    assert field.spot(robot) == pytest.approx((2.5, 1.0))
    # Team B, which plays left now.
    field.referee.kick_off(None)
    assert field.mode is PlayMode.KICK_OFF_LEFT


@pytest.mark.parametrize(
    ("half", "begin", "end"), [(1, 0.0, 4.0), (2, 4.0, 8.0), (3, 8.0, 10.0), (4, 10.0, 12.0), (5, 0.0, 3.0)]
)
def test_a_game_begins_with_the_half_that_the_rules_say_and_ends_with_it(pitch, half, begin, end):
    lengths = ("game.half_time=4", "game.extra_half_time=2", "game.penalty_time=3", "game.single_half=true")
    field = pitch(*lengths, f"game.first_half={half}")
    field.add(Side.LEFT, 7, -3.0, 1.0)
    assert (field.game.half, field.game.time) == (half, begin)
    field.referee.kick_off(Side.LEFT)
    # The last cycle ends with the half, give or take a cycle of rounding.
    field.wait(end - begin - 0.04)
    assert field.mode is not PlayMode.GAME_OVER
    field.wait(0.08)
    assert field.mode is PlayMode.GAME_OVER


def test_a_game_begins_at_the_time_that_the_rules_say_and_reaches_follow_the_book_while_it_runs(pitch):
    field = pitch("game.first_half=2", "game.start_time=599.5")
    assert (field.game.half, field.game.time) == (2, 599.5)
    field.world.reset_state()
    assert field.world.game.time == 599.5
    field = pitch()
    field.add(Side.LEFT, 2, 1.0, 0.0)
    assert field.match.boxes[0, :, 0].max() < 1.5
    field.referee.change("repositioning", "torso_reach", 0.6)
    assert field.match.boxes[0, :, 0].tolist() == pytest.approx([0.4, 1.6], abs=0.05)


def test_a_trainers_drop_ball_sees_where_others_have_just_been_put(pitch):
    field = pitch()
    left = field.add(Side.LEFT, 1, -5.0, 5.0)
    field.add(Side.RIGHT, 1, 5.0, 5.0)
    field.open_play(left)
    field.kick(2.0, 0.0)
    field.cycle()
    # Measured in this cycle already.
    assert len(field.match.boxes) == 2
    field.put(left, 2.5, 0.0)
    field.kick(3.0, 0.0)
    field.referee.drop_ball()
    assert field.ball == pytest.approx((3.0, 0.0)) and field.spot(left) == pytest.approx((0.5, 0.0))


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
