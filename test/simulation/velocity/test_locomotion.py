import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.effectors import EFFECTORS
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.logs.command_log import CommandLog, Continuation, Start
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.worlds.errors import CommandRejectedError, UnusableRobotError
from test.physics.engine_availability import skip_without

WALK = EFFECTORS["walk"]


def stand(played, name="nao", x=-3.0):
    description = load_robot(name)
    return played.world.add_robot(description, (x, 0.0, description.spawn_height), 0.0, name=name)


def walk(played, robot, seconds, forward=0.0, left=0.0, turn=0.0):
    """Repeat a command ten times a second; returns how far the torso has come, m."""
    before = position(played, robot)
    for _ in range(round(seconds / played.world.engine.cycle_time / 5)):
        WALK.act(played.world, robot, (forward, left, turn))
        played.run(5)
    return position(played, robot) - before


def position(played, robot):
    state = played.world.engine.state
    return state.position[state.row(robot.handle)].copy()


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("name", ["nao", "nao_lola", "nao_v6", "kidsize"])
def test_a_robot_walks_as_commanded_and_stops_when_commands_stop(play, engine, name):
    skip_without(engine)
    played = play(engine=engine, referee=False)
    robot = stand(played, name)
    x, y, z = walk(played, robot, 5.0, forward=0.15)
    assert x > 0.5 and abs(y) < 0.2 and abs(z) < 0.06
    played.run(100)
    stopped = position(played, robot)
    played.run(50)
    assert position(played, robot) == pytest.approx(stopped, abs=5e-3)
    assert np.abs(played.world.engine.state.joint_velocity).max() < 1e-2


def test_it_walks_sideways_and_back_and_turns_and_without_a_timeout_one_command_is_enough(play):
    played = play(referee=False)
    robot = stand(played)
    assert walk(played, robot, 5.0, left=0.15)[1] > 0.4 and walk(played, robot, 5.0, forward=-0.15)[0] < -0.4
    walk(played, robot, 4.0, turn=0.5)
    (cosine, _, _), (sine, _, _), _ = played.world.engine.state.rotation[0]
    assert 1.0 < math.atan2(sine, cosine) < 2.5
    played = play(referee=False, velocity_timeout=0.0)
    robot = stand(played)
    WALK.act(played.world, robot, (0.15, 0.0, 0.0))
    before = position(played, robot)
    played.run(250)
    assert position(played, robot)[0] - before[0] > 0.5


def test_absurd_velocities_are_cut(play):
    played = play(referee=False)
    walk(played, stand(played), 2.0, forward=1e300, left=-1e300, turn=1e300)
    assert np.isfinite(played.world.engine.state.joint_velocity).all() and not played.world.quarantined


def test_velocities_that_are_not_finite_and_those_for_the_robot_of_an_agent_are_refused(played):
    robot, agents = stand(played), played.join()
    for number in (math.nan, math.inf):
        with pytest.raises(CommandRejectedError, match="walk: turn must be a finite number"):
            WALK.act(played.world, robot, (0.1, 0.0, number))
    with pytest.raises(CommandRejectedError, match="is moved by its agent 'a'"):
        WALK.act(played.world, played.world.robots[agents], (0.1, 0.0, 0.0))
    assert not played.world.velocity_commands


def test_the_head_is_free_and_other_commands_of_a_cycle_go_first(play):
    played = play(referee=False)
    robot = stand(played)
    motors, state = played.world.motors, played.world.engine.state
    names = [joint.name for joint in robot.description.model.joints]
    head, elbow = names.index("hj1"), names.index("laj4")
    motors.set_positions(np.array([head]), np.array([0.5]), state)
    for cycle in range(100):
        if cycle % 5 == 0:
            WALK.act(played.world, robot, (0.15, 0.0, 0.0))
        motors.set_positions(np.array([elbow]), np.array([-1.2]), state)
        played.run(1)
    assert played.world.engine.state.joint_position[[head, elbow]] == pytest.approx([0.5, -1.2], abs=0.02)


def test_robots_that_go_or_start_anew_are_forgotten(play):
    played = play(referee=False)
    first, second = stand(played), stand(played, "nao_lola", 3.0)
    for robot in (first, second):
        walk(played, robot, 1.0, forward=0.2)
    played.world.remove_robot(first)
    assert walk(played, second, 3.0, forward=0.2)[0] > 0.3
    played.simulation.reset_state()
    home = position(played, second)
    played.run(100)
    assert position(played, second) == pytest.approx(home, abs=0.02) and not played.world.velocity_commands


def test_a_robot_with_another_body_may_not_have_the_effector(played):
    sphere = load_robot("sphere")
    described = replace(sphere, effectors=(*sphere.effectors, *load_robot("nao").effectors[-1:]))
    with pytest.raises(UnusableRobotError, match="effector walk: the robot has no joint that moves link 'neck'"):
        played.world.add_robot(described, (0.0, 0.0, 0.2), 0.0)


def test_walks_are_recorded_and_repeated(play, tmp_path):
    settings = replace(load_simulation_settings(), referee=False)
    played, path = play(referee=False), tmp_path / "run"
    log = CommandLog(path, Start(settings, "BeforeKickOff", ("nao",)), print)
    played.simulation.recorder = log
    played.simulation.add_node(log)
    robot = stand(played)
    for cycle in range(80):
        if cycle % 5 == 0 and cycle < 40:
            played.simulation.note("effector", robot.handle, "walk", [0.2, 0.0, 0.1])
            WALK.act(played.world, robot, (0.2, 0.0, 0.1))
        played.run(1)
    log.done(played.simulation)
    again = play(referee=False)
    stand(again)
    Continuation(path).attach(again.simulation, print, None)
    again.simulation.run()
    assert again.world.cycle == 80 and state_hash(again.world) == state_hash(played.world)
