"""Drive, kick and catch of the older sphere robots (user manual, "Older Version Effectors")."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.effectors import EFFECTORS
from simspark_ros.effectors.ball.kick import kick
from simspark_ros.exchange import Action
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.robot_checks import check_effectors
from simspark_ros.soccer.game_state import PlayMode
from test.physics.engine_availability import skip_without

RADIUS, BALL = 0.11, 0.042

SAMPLES = 400
"""The standard error of a standard deviation is 1 / sqrt(2 n) = 3.5 %; four of them are 14 %."""


@pytest.fixture
def field(play):
    """A world of sphere robots in PlayOn; `join` adds one at a place."""
    played = play(profile="sphere2006")

    def join(client, team, unum, x, y):
        played.act(Action(client, "create", ("sphere", 0)))
        played.act(Action(client, "init", (team, unum)))
        robot = played.world.robot_of(client)
        played.world.place(robot, x, y, RADIUS, 0.0)
        return robot

    played.field_join = join
    played.world.game.set_play_mode(PlayMode.PLAY_ON)
    return played


def alone(play, engine, x, y):
    """A world without rules in which one sphere robot, "a", stands at a place."""
    skip_without(engine)
    played = play(profile="sphere2006", engine=engine, referee=False)
    played.act(Action("a", "create", ("sphere", 0)), Action("a", "init", ("A", 1)))
    played.world.place(played.world.robot_of("a"), x, y, RADIUS, 0.0)
    played.run(20)
    return played


def velocity(played, row=0):
    return played.world.engine.state.linear_velocity[row]


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_every_engine_has_a_preset_for_the_spheres(play, engine):
    played = alone(play, engine, -5.0, 0.0)
    played.act(Action("a", "drive", (1.0, 0.0, 0.0)), cycles=50)
    # 8 N drive a rolling sphere of 4 kg with 8 / (4 * 7/5) m/s2, less the drag; all engines agree within a few percent
    assert velocity(played)[0] == pytest.approx(2.0 * (1.0 - math.exp(-0.5 / 1.4)), rel=0.1)
    assert played.world.engine.state.position[0, 2] == pytest.approx(RADIUS, abs=0.005)


def test_one_drive_command_lasts_until_the_next_and_ends_at_the_terminal_speed(field):
    field.field_join("a", "A", 1, -5.0, 5.0)
    field.act(Action("a", "drive", (1.0, 0.0, 0.0)), cycles=800)
    # 8 N against a drag of 4 N s/m: 2 m/s. Rolling makes it 7/5 as inert, so 1.4 s per e-fold: 99.7 % after 8 s
    assert velocity(field)[0] == pytest.approx(2.0, rel=0.05)
    field.act(Action("a", "drive", (0.0, 0.0, 0.0)), cycles=800)
    assert abs(velocity(field)[0]) < 0.05


def test_x_points_toward_the_opponents_side(field):
    field.field_join("a", "A", 1, -5.0, 3.0)
    field.field_join("b", "B", 1, 5.0, -3.0)
    for client in "ab":
        field.act(Action(client, "drive", (0.5, 0.5, 0.0)))
    field.run(50)
    left, right = velocity(field, 0), velocity(field, 1)
    assert left[0] > 0.1 and left[1] > 0.1
    assert right[0] < -0.1 and right[1] < -0.1


def test_the_drives_error_is_normal_with_two_percent_on_each_axis(field):
    robot = field.field_join("a", "A", 1, 0.0, 5.0)
    field.run(100)
    field.act(Action("a", "drive", (0.6, 0.5, 0.4)))
    push = field.world.pushes[robot.handle, "drive"]
    gains = []
    for _ in range(SAMPLES):
        field.world.engine.set_velocity(robot.handle, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        push.apply(field.world, 0.01)
        gains.append(velocity(field).copy())
    # 8 N for 10 ms on 4 kg are 0.02 m/s
    mean = np.array([0.6, 0.5, 0.4]) * 0.02
    # four standard errors of the mean: 4 * 2 % / sqrt(400)
    assert np.mean(gains, 0) == pytest.approx(mean, rel=0.004)
    assert np.std(gains, 0) / mean == pytest.approx(np.full(3, 0.02), rel=0.14)


def test_driving_empties_the_battery_and_ends_with_it(field):
    robot = field.field_join("a", "A", 1, -5.0, 5.0)
    field.act(Action("a", "drive", (0.3, 0.4, 0.0)), cycles=100)
    # half the force for 1 s of the 600 s that a full battery lasts at all of it; the first cycles may be in the air
    assert 100.0 - robot.battery == pytest.approx(100.0 * 0.5 / 600.0, rel=0.05)
    robot.battery = 1e-9
    field.run(2)
    assert robot.battery == 0.0
    assert (robot.handle, "drive") not in field.world.pushes
    assert "battery is empty" in field.refusals(Action("a", "drive", (1.0, 0.0, 0.0)))[0]


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_a_kick_spins_the_ball_forward_and_turns_it(play, engine):
    played = alone(play, engine, 0.0, 5.0)
    world = played.world
    # High enough for the ball not to touch the ground while it is kicked.
    world.engine.place_ball((RADIUS + BALL, 5.0, 0.15), (0.0, 0.0, 0.0), (0.0, 0.0, 3.0))
    played.act(Action("a", "kick", (0.0, 1.0)), cycles=10)
    # 1.56 N with an arm of 0.0159 m for 0.1 s; the drag of 5e-5 N m s takes 13 % of it; the error of the angle, 0.9
    # degrees, nothing.
    inertia = 0.4 * 0.026 * BALL**2
    drag = 5e-5 / inertia
    spin = 1.56 * 0.0159 / 5e-5 * (1.0 - math.exp(-0.1 * drag))
    assert world.engine.state.ball_angular_velocity == pytest.approx((0.0, spin, 3.0 * math.exp(-0.1 * drag)), abs=3.0)
    assert spin == pytest.approx(0.95 * np.linalg.norm(world.engine.state.ball_velocity) / BALL, rel=0.2)
    x, y, z, w = world.ball_quaternion
    assert math.hypot(x, y, z, w) == pytest.approx(1.0)
    before, spins = np.array(world.ball_quaternion), world.engine.state.ball_angular_velocity
    played.run(1)
    # By the angle of a cycle.
    turn = 2.0 * math.acos(min(1.0, abs(before @ world.ball_quaternion)))
    assert turn == pytest.approx(0.01 * np.linalg.norm(spins), rel=0.05)
    # Monitors show it.
    poses = played.simulation.sensing.shown(world, played.simulation.percepts).poses
    assert poses.ball_quaternion.tolist() == list(world.ball_quaternion)


def test_nothing_drives_or_kicks_in_the_air(field):
    robot = field.field_join("a", "A", 1, -5.0, 5.0)
    field.world.place(robot, -5.0, 5.0, 1.0, 0.0)
    field.act(Action("a", "drive", (1.0, 0.0, 0.0)), cycles=10)
    assert abs(velocity(field)[0]) < 1e-6
    field.world.place_ball((-5.0 + RADIUS + BALL, 5.0))
    field.world.place(robot, -5.0, 5.0, 1.0, 0.0)
    assert "does not touch the ground" in field.refusals(Action("a", "kick", (0.0, 1.0)))[0]


def test_a_kick_drives_the_ball_radially_away_for_ten_cycles(field):
    robot = field.field_join("a", "A", 1, 0.0, 5.0)
    field.run(100)
    x, y, _ = field.world.engine.state.position[0]
    away = (RADIUS + BALL + 0.02) / math.sqrt(2)
    field.world.place_ball((x + away, y + away))
    speeds = []
    field.act(Action("a", "kick", (math.radians(40), 1.0)))
    for _ in range(12):
        speeds.append(math.hypot(*field.world.engine.state.ball_velocity))
        field.run(1)
    gains = np.diff(speeds) > 0.3
    # the first of the ten steps was in the cycle of the command
    assert gains.tolist() == [True] * 9 + [False] * 2
    vx, vy, vz = field.world.engine.state.ball_velocity
    assert vx == pytest.approx(vy, rel=0.02)
    assert vz > 2.0
    assert (robot.handle, "kick") not in field.world.pushes
    # 1.56 N for 0.1 s on 26 g are 6 m/s; gravity takes 1 m/s of the upward part, drag and the first contact a little
    assert speeds[-1] == pytest.approx(5.5, abs=0.5)


@pytest.mark.parametrize(("degrees", "deviation"), [(0.0, 0.9), (12.5, 2.7), (25.0, 4.5), (50.0, 0.9)])
def test_the_errors_of_a_kick_have_the_manuals_deviations(field, degrees, deviation):
    robot = field.field_join("a", "A", 1, 0.0, 5.0)
    field.run(100)
    x, y, z = field.world.engine.state.position[0].tolist()
    field.world.engine.place_ball((x + RADIUS + BALL, y, z))
    forces = []
    for _ in range(SAMPLES):
        kick.command(field.world, "a", (math.radians(degrees), 0.5))
        forces.append(field.world.pushes[robot.handle, "kick"].force)
    fx, fy, fz = np.array(forces).T
    strength = np.linalg.norm(forces, axis=1) / 1.56
    elevation, direction = np.degrees(np.arctan2(fz, np.hypot(fx, fy))), np.degrees(np.arctan2(fy, fx))
    assert elevation.mean() == pytest.approx(degrees, abs=4 * deviation / math.sqrt(SAMPLES))
    assert elevation.std() == pytest.approx(deviation, rel=0.14)
    assert direction.std() == pytest.approx(0.02, rel=0.14)
    assert strength.std() == pytest.approx(0.004, rel=0.14)
    assert strength.mean() == pytest.approx(0.5, abs=4 * 0.004 / math.sqrt(SAMPLES))


def test_angle_and_power_are_cut_to_their_ranges_and_a_ball_beyond_the_margin_is_not_kicked(field):
    robot = field.field_join("a", "A", 1, 0.0, 5.0)
    field.run(100)
    field.world.place_ball((float(field.world.engine.state.position[0, 0]) + RADIUS + BALL, 5.0))
    kick.command(field.world, "a", (math.radians(90), 7.0))
    fx, _, fz = field.world.pushes[robot.handle, "kick"].force
    # five deviations of 0.9 degrees and of 0.4 %
    assert math.degrees(math.atan2(fz, fx)) == pytest.approx(50, abs=4.5)
    assert math.hypot(fx, fz) == pytest.approx(1.56, rel=0.02)
    x = float(field.world.engine.state.position[0, 0])
    field.world.place_ball((x + RADIUS + BALL + 0.06, 5.0))
    assert "more than the margin of 0.04 m" in field.refusals(Action("a", "kick", (0.0, 1.0)))[0]


def test_the_goalkeeper_catches_and_the_others_have_to_go(field):
    field.field_join("a", "A", 1, -14.5, 0.0)
    near, far = field.field_join("b", "B", 9, -13.5, 0.0), field.field_join("c", "A", 2, -12.0, 0.0)
    field.world.place_ball((-14.0, 0.8))
    before = field.world.engine.state.position.copy()
    assert not field.act(Action("a", "catch")).notices
    after, ball = field.world.engine.state.position, field.world.engine.state.ball_position
    assert ball[:2] == pytest.approx((before[0, 0] + RADIUS + BALL + 0.02, before[0, 1]), abs=0.01)
    assert after[1, 0] - before[1, 0] == pytest.approx(5.0, abs=0.02)
    assert after[2] == pytest.approx(before[2], abs=0.01)
    assert near.side is not far.side


def test_catching_stops_a_kick(field):
    field.field_join("a", "A", 1, -14.5, 0.0)
    field.field_join("b", "B", 9, -14.0, 0.0)
    field.run(50)
    x, y, _ = field.world.engine.state.position[1].tolist()
    field.world.place_ball((x - RADIUS - BALL, y))
    field.act(Action("b", "kick", (0.0, 1.0)))
    field.act(Action("a", "catch"))
    field.run(20)
    assert math.hypot(*field.world.engine.state.ball_velocity) < 0.2


@pytest.mark.parametrize(
    ("client", "ball", "mode", "reason"),
    [
        ("b", (-14.0, 0.5), PlayMode.PLAY_ON, "only the goalkeeper"),
        ("a", (-14.0, 0.5), PlayMode.KICK_IN_LEFT, "PlayOn only, not in KickIn_Left"),
        ("a", (-14.0, 2.8), PlayMode.PLAY_ON, "more than 2 m"),
        ("a", (-13.0, 0.0), PlayMode.PLAY_ON, "not in the own penalty area"),
        ("a", (-15.1, 0.0), PlayMode.PLAY_ON, "not in the own penalty area"),
    ],
)
def test_a_catch_that_is_not_allowed_is_refused_with_a_reason(field, client, ball, mode, reason):
    field.field_join("a", "A", 1, -14.5, 0.0)
    field.field_join("b", "A", 2, -10.0, 0.0)
    field.world.place_ball(ball)
    field.world.game.set_play_mode(mode)
    assert reason in field.refusals(Action(client, "catch"))[0]


@pytest.mark.parametrize(
    ("kind", "parameters", "fragment"),
    [
        ("drive", {}, "max_force"),
        ("drive", {"max_force": 1.0, "endurance": 0.0}, "endurance"),
        ("kick", {"max_force": -1.0}, "max_force"),
        ("kick", {"max_force": 1.0, "margins": 1.0}, "'margins'"),
        ("kick", {"max_force": 1.0, "margin": -1.0}, "margin"),
        ("catch", {"move": -1.0}, "move"),
    ],
)
def test_bad_parameters_of_an_effector_are_named(kind, parameters, fragment):
    robot = load_robot("sphere")
    (spec,) = (spec for spec in robot.effectors if spec.kind == kind)
    check_effectors(EFFECTORS, robot)
    with pytest.raises(ConfigurationError, match=rf"sphere\.yaml: effector {kind}.*{fragment}"):
        check_effectors(EFFECTORS, replace(robot, effectors=(replace(spec, parameters=parameters),)))


def test_a_reset_charges_the_battery_and_ends_drives_and_a_robot_that_leaves_pushes_nothing_any_more(field):
    robot = field.field_join("a", "A", 1, 0.0, 5.0)
    field.act(Action("a", "pantilt", (1.0, 0.0)), Action("a", "drive", (3.0, 4.0, 0.0)), cycles=50)
    assert robot.battery < 100.0
    # A longer vector is scaled.
    assert field.world.pushes[robot.handle, "drive"].vector == pytest.approx((0.6, 0.8, 0.0))
    field.world.reset_state()
    assert (robot.battery, robot.pan_tilt) == (100.0, (0.0, 0.0))
    assert not field.world.pushes
    field.act(Action("a", "drive", (1.0, 0.0, 0.0)))
    field.act(Action("a", "leave"))
    assert not field.world.pushes
    field.run(2)
