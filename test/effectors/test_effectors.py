import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.effectors.beam import BeamParameters, beam
from simspark_ros.effectors.hinge import command_velocities
from simspark_ros.exchange import Action
from simspark_ros.robots.catalogue import keep, load_robot
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.soccer.teams import Side

BEAMS = 400


def command(played, handle, joint, velocity):
    return command_velocities(played.world, np.array([handle]), np.array([joint]), np.array([velocity]))


def test_velocities_are_clamped_not_a_number_is_full_negative_speed_and_the_last_of_a_cycle_wins(played):
    handle = played.join()
    for value, expected in ((2.0, 2.0), (100.0, 6.13955), (math.inf, 6.13955), (math.nan, -6.13955)):
        command(played, handle, 0, value)
        assert played.world.motors.target[0] == pytest.approx(expected)
    command_velocities(played.world, np.array([handle] * 2), np.array([3, 3]), np.array([1.0, -1.0]))
    assert played.world.motors.target[3] == -1.0


def test_a_command_at_or_beyond_a_stop_is_ignored(played):
    handle = played.join()
    played.world.engine.state.joint_position[0] = math.radians(120)
    state = played.world.engine.state
    command(played, handle, 0, 1.0)
    assert played.world.motors.target[0] == 0
    # Full negative speed leads away from the upper stop alone.
    command(played, handle, 0, math.nan)
    assert played.world.motors.target[0] == pytest.approx(-6.13955)
    played.world.motors.stop(handle)
    state.joint_position[0] = state.joint_lower[0]
    command(played, handle, 0, math.nan)
    assert played.world.motors.target[0] == 0
    # It may come free by itself.
    state.joint_position[0] = math.radians(120)
    state.joint_velocity[0] = -0.01
    command(played, handle, 0, -1.0)
    assert played.world.motors.target[0] == 0


def test_a_joint_that_rests_at_its_stop_hears_commands_that_lead_away(played):
    handle = played.join()
    world = played.world
    positions = np.zeros(len(world.motors.target))
    positions[0] = math.radians(120)
    world.engine.set_joint_positions(handle, positions)
    played.run(10)
    for _ in range(20):
        command(played, handle, 0, -1.0)
        played.run(1)
    # At 1 rad/s; a cycle or two may pass until it is free.
    assert world.engine.state.joint_position[0] == pytest.approx(math.radians(120) - 0.4, abs=0.05)


def test_commands_for_robots_and_joints_that_do_not_exist_are_counted(played):
    handle = played.join()
    assert command(played, handle + 7, 0, 1.0) == 1
    assert command(played, handle, 22, 1.0) == 1
    assert command(played, handle, -1, 1.0) == 1
    assert not played.world.motors.target.any()


def test_repeated_commands_mean_the_same_until_robots_come_or_go(played):
    first, second = played.join("a", unum=1), played.join("b", unum=2)
    target = played.world.motors.target

    def unknown(velocity):
        names = np.array([second, first + 99, second]), np.array([3, 0, 22])
        return command_velocities(played.world, *names, np.full(3, velocity))

    assert unknown(1.0) == unknown(2.0) == 2
    assert target.nonzero()[0].tolist() == [22 + 3] and target[22 + 3] == 2.0
    played.world.remove_robot(played.world.robots[first])
    target = played.world.motors.target
    assert unknown(3.0) == 2
    assert target.nonzero()[0].tolist() == [3] and target[3] == 3.0
    played.world.remove_robot(played.world.robots[second])
    assert unknown(1.0) == 3


def test_a_client_creates_one_robot_of_the_catalogue_or_of_a_file_that_was_read_and_joins_with_it(played, tmp_path):
    assert "send (scene" in played.refusals(Action("a", "init", ("T", 1)))[0]
    assert "no variant 9" in played.refusals(Action("a", "create", ("nao", 9)))[0]
    assert played.refusals(Action("a", "create", ("../../etc/passwd",)))
    assert not played.world.robots
    played.join("a")
    assert "already has a robot" in played.refusals(Action("a", "create", ("nao", 0)))[0]
    assert len(played.world.robots) == 1
    path = tmp_path / "own.yaml"
    path.write_text("based_on: nao", encoding="utf-8")
    assert "no robot was loaded from" in played.refusals(Action("b", "create", (str(path),)))[0]
    keep(str(path), load_robot(str(path)))
    assert not played.refusals(Action("b", "create", (str(path),)))
    assert len(played.world.robots) == 2


def test_init_moves_the_robot_to_its_start_slot_and_names_it_and_the_right_team_beams_in_its_own_frame(played):
    played.join("a", "A", 5)
    played.join("b", "B", 5)
    names = [robot.name for robot in played.world.robots.values()]
    assert names == ["left_5", "right_5"]
    x, y, _ = played.world.engine.state.position[1]
    assert (x, y) == pytest.approx((14.2, 9.2), abs=0.01)
    # the right team faces the left goal
    assert played.world.engine.state.rotation[1][0, 0] == pytest.approx(-1, abs=0.01)
    played.act(Action("b", "beam", (-5.0, 3.0, 0.0)))
    x, y, _ = played.world.engine.state.position[1]
    assert (x, y) == pytest.approx((5, -3), abs=0.051)


def test_a_second_init_takes_the_new_number_and_gives_the_first_back_and_a_refused_one_changes_nothing(played):
    handle = played.join("a", "A", 1)
    for _ in range(2):
        played.act(Action("a", "init", ("A", 2)))
        robot = played.world.robots[handle]
        assert (robot.unum, robot.registrations, list(played.world.teams.left.players)) == (2, 2, [2])
        before = played.world.engine.state.position.copy()
    # one cycle of standing moves the robot by less than a millimetre
    assert "init refused" in played.refusals(Action("a", "init", ("A", 2)))[0]
    assert np.allclose(before, played.world.engine.state.position, atol=0.2)


def test_beams_beyond_the_limits_are_clamped_and_a_robot_much_taller_than_naos_comes_on_its_feet(play):
    # The rules would move the player who is beamed to the halfway line.
    played = play(referee=False)
    played.join()
    played.act(Action("a", "beam", (99.0, -99.0, 0.0)))
    assert played.world.engine.state.position[0][:2] == pytest.approx((0, -10), abs=0.001)
    world, robot = played.world, played.world.robot_of("a")
    robot.description = replace(robot.description, spawn_height=0.7)
    beam(world, robot, BeamParameters(), -5.0, 3.0, 0.0)
    assert world.engine.state.position[0, 2] == pytest.approx(0.7, abs=1e-9)


def test_the_noise_of_beams_is_uniform(play):
    played = play(referee=False)
    played.join()
    world, robot, poses = played.world, played.world.robot_of("a"), []
    for _ in range(BEAMS):
        beam(world, robot, BeamParameters(), -5.0, 3.0, 0.0)
        state = world.engine.state
        forward = state.rotation[0][:, 0]
        poses.append((*(state.position[0, :2] - (-5.0, 3.0)), math.atan2(forward[1], forward[0])))
    settings = world.settings.beam
    assert (settings.noise_xy, settings.noise_deg) == (0.05, 10.0), "as measured"
    noise = np.array(poses) / (settings.noise_xy, settings.noise_xy, math.radians(settings.noise_deg))
    assert np.abs(noise).max() <= 1.0 + 1e-6
    # Four standard errors: the variance of a uniform number in -1 .. 1 is 1/3, that of its square 4/45.
    assert np.abs(noise.mean(0)).max() < 4.0 * math.sqrt(1.0 / 3.0 / BEAMS)
    assert np.abs(noise.var(0) - 1.0 / 3.0).max() < 4.0 * math.sqrt(4.0 / 45.0 / BEAMS)
    assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 4.0 / math.sqrt(BEAMS)
    # Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed by 999 of 1000 samples.
    steps = np.arange(1, BEAMS + 1)[:, None] / BEAMS
    assert np.abs(np.sort(noise, axis=0) / 2.0 + 0.5 - steps).max() < 1.95 / math.sqrt(BEAMS)


@pytest.mark.parametrize("variant", [0, 1, 3])
def test_naos_of_all_types_join_and_are_beamed_at_the_reference_height(play, variant):
    """rcssserver3d puts the torso at 0.4 m whatever the legs; Naos of types 1 and 3 stand higher."""
    played = play(referee=False)
    played.join(variant=variant)
    robot = played.world.robot_of("a")
    assert robot.home[2] == 0.4
    beam(played.world, robot, BeamParameters(), -5.0, 3.0, 0.0)
    assert played.world.engine.state.position[0, 2] == pytest.approx(0.4, abs=1e-9)


def test_an_unknown_play_mode_is_refused_with_the_known_ones_and_beam_works_only_before_a_kick_off(played):
    text = played.refusals(Action("m", "play_mode", ("Playon",)))[0]
    assert "'Playon'" in text and "PlayOn" in text
    assert played.world.game.play_mode is PlayMode.BEFORE_KICK_OFF
    played.join()
    played.act(Action("a", "play_mode", ("PlayOn",)))
    played.act(Action("a", "beam", (-5.0, 3.0, 0.0)))
    assert played.world.engine.state.position[0][0] < -14


@pytest.mark.parametrize("name", ["B)(x \n", "x" * 81])
def test_a_team_that_messages_cannot_carry_is_refused_whoever_asks(played, name):
    played.act(Action("a", "create", ("nao", 0)))
    text = played.refusals(Action("a", "init", (name, 1)))[0]
    assert "init refused: the name of a team must have 1 to 80 printable ASCII" in text and text.isprintable()
    assert not played.world.teams.left.name
    assert not played.world.robot_of("a").team


@pytest.mark.parametrize("text", [")(GS (pm GameOver)", "x\n(syn", "x" * 21])
def test_what_messages_cannot_carry_is_not_said_whoever_says_it(played, text):
    played.join("a", "A")
    percepts = played.act(Action("a", "say", (text,)))
    assert [notice.text for notice in percepts.notices] == [
        "say: a message must have 1 to 20 printable ASCII characters without blanks, brackets and quotes"
    ]
    assert percepts.heard == ()


def test_an_unknown_kind_of_action_is_refused(played):
    assert "no effector of kind 'fly'" in played.refusals(Action("a", "fly"))[0]
    assert len(played.refusals(Action("a", "f" * 10_000))[0]) < 100
    assert played.control.rejected == {"unknown kind of action": 2}


def test_a_request_waits_for_the_rules_and_changes_nothing_else(play):
    # What the rules do with the request is tested with the referee.
    played = play(referee=False)
    handle = played.join("a", "A")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    assert not played.refusals(Action("a", "pass"))
    assert played.world.game.play_mode is PlayMode.PLAY_ON
    taken = played.world.game.take_pass_requests()
    assert {side: request.handle for side, request in taken.items()} == {Side.LEFT: handle}
    assert taken[Side.LEFT].cycle == played.world.cycle - 1
    assert not played.world.game.take_pass_requests()


def test_requests_without_a_team_or_outside_of_play_are_refused_by_name(played):
    assert "send (scene" in played.refusals(Action("a", "pass"))[0]
    played.act(Action("a", "create", ("nao", 0)))
    assert "send (init" in played.refusals(Action("a", "pass"))[0]
    played.act(Action("a", "init", ("A", 1)))
    assert "PlayOn only, not in BeforeKickOff" in played.refusals(Action("a", "pass"))[0]
    assert not played.world.game.pass_requests


def test_the_request_of_a_robot_that_leaves_is_gone_with_robot_and_number(played):
    played.join("a", "A")
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    played.act(Action("a", "pass"))
    played.act(Action("a", "leave"))
    assert not played.world.game.pass_requests
    assert not played.world.robots and not played.world.teams.left.players
