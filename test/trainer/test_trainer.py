"""Every trainer command by its effect on the world, from the bytes that a trainer sends."""

import numpy as np
import pytest

from simspark_ros.protocol.monitor import trainer
from simspark_ros.protocol.monitor.rsmp import RSMP_COMMANDS
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side


class Coached:
    """A simulation whose trainer is obeyed one message a cycle."""

    def __init__(self, played):
        self.played = played
        self.world = played.world

    def say(self, text, commands=None):
        """Carry out one message; returns what was wrong with it."""
        trained = trainer.parse("m", text.encode(), None, commands)
        percepts = self.played.act(*trained.actions)
        return [why for _, why in trained.rejected] + [notice.text for notice in percepts.notices]

    def player(self, side=Side.LEFT, unum=1):
        return self.world.player(side, unum)

    def position(self, robot):
        return self.world.engine.state.position[self.world.engine.state.row(robot.handle)]

    def forward(self, robot):
        return self.world.engine.state.rotation[self.world.engine.state.row(robot.handle)][:, 0]

    @property
    def ball(self):
        return self.world.engine.state.ball_position


@pytest.fixture
def coach(play):
    """Two players, left 1 and right 1, and their trainer; nothing else moves them or the ball."""
    played = play(referee=False)
    played.join("a", "A")
    played.join("b", "B")
    return Coached(played)


def test_pos_moves_a_robot_in_world_coordinates_takes_its_speed_and_keeps_its_orientation(coach):
    for side, word in ((Side.LEFT, "Left"), (Side.RIGHT, "Right")):
        robot = coach.player(side)
        before = coach.forward(robot).copy()
        coach.world.engine.set_velocity(robot.handle, (3.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        name = f"(unum 1)(team {word})"
        assert coach.say(f"(agent {name}(pos -3 2 0.4))(agent {name}(pos 4 -5 0.4))") == []
        assert coach.position(robot) == pytest.approx((4, -5, 0.4), abs=0.01) or side is Side.RIGHT
        # One cycle of settling turns an upright robot by less than a degree.
        assert coach.forward(robot) == pytest.approx(before, abs=0.02)
        state = coach.world.engine.state
        # What a cycle of settling gives, m/s.
        assert np.abs(state.linear_velocity[state.row(robot.handle)][:2]).max() < 0.2
    assert np.hypot(*(coach.position(coach.player()) - coach.position(coach.player(Side.RIGHT)))[:2]) >= 0.25


@pytest.mark.parametrize(
    ("degrees", "forward"), [(0, (0, 1, 0)), (-90, (1, 0, 0)), (180, (0, -1, 0)), (3600000270, (1, 0, 0))]
)
def test_move_sets_upright_with_a_heading_from_the_y_axis(coach, degrees, forward):
    assert coach.say(f"(agent (unum 1)(team Right)(move 1 2 0.4 {degrees}))") == []
    robot = coach.player(Side.RIGHT)
    assert coach.position(robot) == pytest.approx((1, 2, 0.4), abs=0.01)
    assert coach.forward(robot) == pytest.approx(forward, abs=0.02)


@pytest.mark.parametrize(
    ("place", "forward"),
    [("pos 1 2 0.4", (1, 0, 0)), ("move 1 2 0.4 90", (0, 1, 0)), ("move3d 1 2 0.4 0 0 0 2", (-1, 0, 0))],
)
def test_trainers_of_the_newer_league_place_a_robot_in_its_home_pose(coach, place, forward):
    robot = coach.player()
    coach.world.engine.set_joint_positions(robot.handle, np.full(len(robot.description.model.joints), 0.3))
    assert coach.say(f"(agent (unum 1)(team A)({place}))", RSMP_COMMANDS) == []
    assert coach.position(robot) == pytest.approx((1, 2, 0.4), abs=0.01)
    assert coach.forward(robot) == pytest.approx(forward, abs=0.02)
    state = coach.world.engine.state
    joints = state.joint_position[state.joints_of(state.row(robot.handle))]
    # A cycle of gravity.
    assert np.abs(joints).max() < 0.02


def test_a_button_is_pressed_for_a_time(play):
    played = play(referee=False)
    robot = load_robot("nao_lola")
    played.world.add_robot(robot, (0.0, 3.0, robot.spawn_height), 0.0, name="robocup")
    coach = Coached(played)
    assert coach.say("(agent (unum 0)(team None)(press head_rear 1))") == []
    assert set(played.world.presses) == {(played.world.robot_named("robocup").handle, "head_rear")}
    played.join("a", "A")
    assert coach.say("(agent (unum 1)(team Left)(press chest 1))") == [
        "robot 'nao' has no effector 'press'; it has: beam, hinge, pantilt, pass, say, stiffness, syn, walk"
    ]


def test_kill_removes_the_robot_named_or_selected_and_one_that_does_not_exist_is_named(coach):
    assert coach.say("(agent (unum 7)(team Left)(pos 0 0 1))") == [
        "agent_position: no robot of the left team has number 7"
    ]
    assert coach.say("(kill (unum 1)(team None))") == ["kill: no robot without a team has number 1"]
    found = coach.say("(agent (unum 1)(team Ghosts)(pos 0 0 1))", RSMP_COMMANDS)
    assert found == ["agent_place: 'Ghosts' is not a side; use left, right or nothing"]
    assert len(coach.world.robots) == 2
    assert coach.say("(kill (unum 1)(team Left))") == []
    assert coach.player() is None and not coach.world.teams.left.players
    assert coach.say("(kill)") == ["kill: no robot is selected; select one, or name it by unum and team"]
    assert coach.say("(select)(kill)") == []
    assert not coach.world.robots and coach.world.selected is None


def test_positions_beyond_reason_do_no_harm(coach):
    coach.say("(agent (unum 1)(team Left)(pos 1e300 -1e300 1e300))(ball (pos 1e300 0 0)(vel 1e300 1e300 0))")
    coach.played.run(5)
    state = coach.world.engine.state
    assert np.isfinite(state.position).all() and np.isfinite(state.ball_position).all()


def test_ball_position_and_velocity_together_or_one_of_them_and_not_into_the_ground(coach):
    assert coach.say("(ball (pos 3 4 1)(vel 2 0 1))") == []
    # Falling for one cycle: 0.02 s of a few m/s.
    assert coach.ball == pytest.approx((3.04, 4, 1.02), abs=0.01)
    velocity = coach.world.engine.state.ball_velocity.copy()
    assert velocity == pytest.approx((2, 0, 0.8), abs=0.05)
    coach.say("(ball (pos -3 -4 1))")
    assert coach.ball == pytest.approx((-2.96, -4, 1.01), abs=0.02)
    assert coach.world.engine.state.ball_velocity[0] == pytest.approx(velocity[0], abs=0.05)
    x, y, z = coach.ball.tolist()
    coach.say("(ball (vel 0 -5 0))")
    assert coach.ball == pytest.approx((x, y - 0.1, z), abs=0.01)
    coach.say("(ball (pos 1 1 -3)(vel 0 0 0))")
    coach.played.run(20)
    # A ball at rest stays within a centimetre of its measured height.
    assert coach.ball == pytest.approx((1, 1, 0.0403), abs=0.01)


def test_a_ball_that_is_put_behind_the_goal_has_crossed_no_line(play):
    coach = Coached(play())
    coach.played.join("a", "A")
    coach.say("(playMode PlayOn)(ball (pos 14.5 0 0.042)(vel 0 0 0))")
    coach.say("(ball (pos 15.8 0 0.042))")
    assert coach.world.game.score_left == 0
    assert coach.world.game.play_mode is PlayMode.GOAL_KICK_RIGHT


@pytest.mark.parametrize(("before", "after"), [("3 4", (3, 4)), ("16 4", (15, 4)), ("1 -11", (1, -10))])
def test_a_dropped_ball_lies_on_the_field(coach, before, after):
    coach.say(f"(ball (pos {before} 0.042)(vel 0 0 0))")
    assert coach.say("(dropBall)") == []
    assert coach.ball[:2] == pytest.approx(after, abs=0.01)
    assert coach.world.game.play_mode is PlayMode.PLAY_ON


def test_players_near_their_own_goal_line_make_room_sideways(coach):
    coach.say("(ball (pos -13 5 0.042)(vel 0 0 0))(agent (unum 1)(team Left)(move -14 5.5 0.4 0))")
    coach.say("(dropBall)")
    assert coach.position(coach.player())[:2] == pytest.approx((-14, 2.5), abs=0.02)


@pytest.mark.parametrize(("first", "second"), [("None", PlayMode.KICK_OFF_RIGHT), ("Right", PlayMode.KICK_OFF_LEFT)])
def test_the_team_without_the_first_kick_off_has_that_of_the_second_half(coach, first, second):
    coach.say(f"(kickOff {first})")
    assert coach.world.game.play_mode is not second
    coach.world.game.half = 2
    coach.say("(kickOff None)")
    assert coach.world.game.play_mode is second


def test_further_kick_offs_of_a_half_are_left_to_chance_of_the_seed(play):
    def modes(seed):
        coached = Coached(play(seed=seed))
        found = []
        for _ in range(20):
            coached.say("(kickOff None)")
            found.append(coached.world.game.play_mode)
        return found

    first = modes(1)
    assert first[0] is PlayMode.KICK_OFF_LEFT
    # Twenty fair tosses are all alike once in 250,000 seeds; the seed is fixed.
    assert len(set(first)) == 2
    assert modes(1) == first != modes(2)


def test_select_by_name_next_and_none(coach):
    left, right = coach.player(), coach.player(Side.RIGHT)
    named, none = ("(select (unum 1)(team Right))", right), ("(select (unum -1))", None)
    for text, selected in (named, ("(select)", left), ("(select)", right), none, ("(select)", left)):
        assert coach.say(text) == []
        assert coach.world.selected is selected


def test_repos_puts_a_player_beside_the_field_where_the_ball_is_not(coach):
    coach.say("(ball (pos 0 5 0.042)(vel 0 0 0))(repos (unum 1)(team Left))")
    assert coach.position(coach.player()) == pytest.approx((-3.6, -10.5, 0.4), abs=0.01)
    coach.say("(ball (pos 0 -5 0.042)(vel 0 0 0))(select (unum 1)(team Right))(repos)")
    assert coach.position(coach.player(Side.RIGHT)) == pytest.approx((3.6, 10.5, 0.4), abs=0.01)


@pytest.mark.parametrize(("before", "after"), [((1, 4), (-1.5, 4)), ((-14, 4), (-14, 1.5)), ((-14, -4), (-14, -1.5))])
def test_an_agent_command_without_a_name_sends_the_selected_player_toward_its_goal(coach, before, after):
    x, y = before
    coach.say(f"(agent (unum 1)(team Left)(move {x} {y} 0.4 0))(select (unum 1)(team Left))")
    assert coach.say("(agent (pos 1 1 1))") == []
    assert coach.position(coach.player())[:2] == pytest.approx(after, abs=0.02)


@pytest.mark.parametrize(("before", "after"), [((-14, 3), (-11.5, 3)), ((14, 3), (14, 0.5))])
def test_an_agent_command_without_a_name_sends_a_robot_without_a_team_toward_the_right_goal(coach, before, after):
    robot = coach.player()
    robot.side = None
    coach.world.select(robot)
    coach.say(f"(agent (unum {robot.unum})(team None)(pos {before[0]} {before[1]} 0.4))")
    assert coach.say("(agent)") == []
    assert coach.position(robot)[:2] == pytest.approx(after, abs=0.02)


def test_time_score_battery_and_temperature_are_stored(coach):
    assert coach.say("(time 123.5)(score (left 2)(right 7))") == []
    game = coach.played.simulation.percepts.game
    assert (game.time, game.score_left, game.score_right) == (123.5, 2, 7)
    assert coach.say("(time 1e300)") == ["game_time: must be 0 to 99999 s, not 1e+300"]
    assert coach.say("(score (left 1e300)(right 0))")[0].startswith("score: goals must be 0 to 9999")
    assert (game.time, coach.world.game.score_left) == (123.5, 2)
    assert coach.say("(agent (unum 1)(team Left)(battery 40)(temperature 60.5))") == []
    assert (coach.player().battery, coach.player().temperature) == (40, 60.5)
    assert coach.say("(agent (unum 1)(team Left)(battery 1e300))") == ["agent_battery: must be 0 to 100, not 1e+300"]
    assert coach.player().battery == 40
