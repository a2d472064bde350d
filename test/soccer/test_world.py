import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.worlds.errors import CommandRejectedError


def test_rows_follow_the_order_of_robots_and_those_placed_on_one_spot_keep_their_clearance(play):
    world = play().world
    robots = [world.add_robot(load_robot("nao", t), (2.0 * t, 0, 0.45), 0.0, name=f"r{t}") for t in (0, 4, 1)]
    world.motors.set_velocities(np.array([22 + 5]), np.array([1.5]), world.engine.state)
    world.remove_robot(robots[0])
    assert world.motors.target[5] == 1.5, "of one that stays"
    assert [robot.name for robot in world.robots.values()] == ["r4", "r1"]
    assert tuple(world.robots) == world.engine.state.handles and len(world.motors.target) == 24 + 22
    world = play().world
    for _ in range(6):
        world.add_robot(load_robot("nao"), (0, -1, 1.5), 0.0)
    spots = world.engine.state.position[:, :2]
    distances = np.linalg.norm(spots[:, None] - spots[None], axis=2)[np.triu_indices(6, 1)]
    assert distances.min() >= world.settings.start.clearance - 1e-9


def test_names_are_unique_and_a_full_world_refuses_more_robots(play):
    world = play().world
    world.add_robot(load_robot("nao"), (0, 0, 0.4), 0.0, name="one")
    with pytest.raises(CommandRejectedError, match="the name 'one' is taken"):
        world.add_robot(load_robot("nao"), (2, 0, 0.4), 0.0, name="one")
    assert world.free_name("one") == "one_2"
    object.__setattr__(world.settings, "max_robots", 1)
    with pytest.raises(CommandRejectedError, match="max_robots is 1"):
        world.add_robot(load_robot("nao"), (1, 0, 0.4), 0.0)


def test_reset_brings_robots_home_and_the_game_to_its_start(play):
    played = play()
    world = played.world
    robot = world.add_robot(load_robot("nao"), (3, 1, 0.386), 0.5, name="one")
    world.motors.set_velocities(np.arange(22), np.full(22, 1.0), world.engine.state)
    world.game.set_play_mode(PlayMode.PLAY_ON)
    world.place_ball((4, 4), (1.0, 0, 0))
    played.run(30)
    world.reset_state()
    assert world.game.play_mode is PlayMode.BEFORE_KICK_OFF and world.game.time == 0
    assert np.abs(world.engine.state.joint_position).max() < 1e-9
    # the base's pose passes through Bullet's single-precision-free interface exactly but for the quaternion's norm
    assert np.allclose(world.engine.state.position[0], (3, 1, 0.386), atol=1e-9)
    assert np.allclose(world.engine.state.ball_position[:2], 0) and robot.name == "one"


def test_clock_runs_only_while_the_game_does(play):
    played = play()
    for mode, time in ((PlayMode.BEFORE_KICK_OFF, 0.0), (PlayMode.PLAY_ON, 0.1), (PlayMode.GAME_OVER, 0.1)):
        played.world.game.set_play_mode(mode)
        played.run(5)
        assert played.world.game.time == pytest.approx(time)
