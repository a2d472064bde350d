"""What tasks reward."""

import numpy as np
import pytest

from simspark_learning.episodes import Episodes, Step
from simspark_learning.tasks.kick_far import KickFarTask
from simspark_ros.physics.engine import Array


def act(episodes: Episodes, steps: int, action: Array | None = None) -> Step:
    """Act in the same way until an episode is over."""
    for _ in range(steps):
        step = episodes.step(np.zeros((episodes.count, episodes.action_size)) if action is None else action)
        if step.over.any():
            break
    return step


def test_a_robot_that_holds_its_pose_stands_for_the_whole_episode_unless_it_is_pushed_over(begin) -> None:
    calm = act(begin("stand", push=0.0), 250)
    assert calm.truncated[0] and not calm.terminated[0] and calm.success[0] and calm.reward[0] > 0.95
    episodes = begin("stand", 2, push=0.0)
    act(episodes, 5)
    episodes.batch.push(1, np.array([3.0, 0.0, 0.0]))
    pushed = act(episodes, 60)
    assert pushed.terminated.tolist() == [False, True] and pushed.reward[1] == 0.0


def test_walking_is_worth_more_the_closer_its_speed_is(begin) -> None:
    still, fast = begin("walk", speed=0.0), begin("walk", speed=0.5)
    assert act(still, 10).reward[0] > act(fast, 10).reward[0] + 0.5
    assert act(still, 1).success[0] and not act(fast, 1).success[0]


def test_lying_is_worth_little_and_being_up_much(begin) -> None:
    episodes = begin("get_up")
    lying = act(episodes, 10)
    assert lying.reward[0] < 0.5 and not lying.success[0]
    episodes.task.stand_up(0, 0.0, 0.0)
    up = act(episodes, 3)
    assert up.reward[0] > 1.8 and up.success[0]


def test_a_kick_is_worth_the_way_to_the_target_and_ends_there(begin) -> None:
    episodes = begin("kick", distance=2.0, opening=0.0)
    assert abs(act(episodes, 1).reward[0]) < 0.1
    episodes.batch.arena.place_ball(1.0, 0.0)
    assert act(episodes, 1).reward[0] == pytest.approx(8.0, abs=0.8)
    episodes.batch.arena.place_ball(1.8, 0.0)
    there = act(episodes, 1)
    assert there.terminated[0] and there.success[0]


def test_each_robot_kicks_its_own_ball_and_a_fall_costs_more_than_a_weak_kick_is_worth(begin) -> None:
    episodes = begin("kick_far", 2, speed=0.5)
    gained, still = np.zeros(2), np.zeros((2, 10))
    for _ in range(KickFarTask.longest):
        step = episodes.step(still)
        gained += step.reward
    # The slow kick that is to be made faster.
    assert step.truncated.all() and step.success.all() and (gained > 0.5).all()
    episodes.restart(np.arange(2))
    episodes.batch.push(0, np.array([0.0, 4.0, 0.0]))
    fallen = act(episodes, 40)
    assert fallen.terminated.tolist() == [True, False] and fallen.reward[0] <= -1.9 and not fallen.success[0]


def test_the_keeper_loses_by_a_goal_and_wins_by_a_save(begin) -> None:
    episodes = begin("goalkeeper")
    line = episodes.task._line
    episodes.batch.arena.place_ball(line + 0.3, 0.8, (-5.0, 0.0, 0.0))
    goal = act(episodes, 10)
    assert goal.reward[0] == -1.0 and goal.terminated[0] and not goal.success[0]
    episodes.restart(np.array([0]))
    y = float(episodes.batch.position[0, 1])
    episodes.batch.arena.place_ball(line + 2.0, y, (-3.0, 0.0, 0.0))
    saved = act(episodes, 50)
    assert saved.reward[0] == 1.0 and saved.terminated[0] and saved.success[0]


def test_driving_is_worth_the_way_and_ends_at_the_target(begin) -> None:
    episodes = begin("drive", 3)
    observed = episodes.task.observe()
    total = np.zeros(3)
    arrived = np.zeros(3, bool)
    for _ in range(149):
        step, observed = episodes.step_on(np.concatenate([observed[:, :2], np.zeros((3, 1))], axis=1))
        total[~arrived] += step.reward[~arrived]
        arrived |= step.success
    assert arrived.all() and (total > 1.0).all()


def test_a_driver_perceives_its_target_by_odometry_alone(begin) -> None:
    episodes = begin("drive", 2, observation="percepts")
    first = episodes.task.observe()
    assert first.shape == (2, 8) and not first[:, 2:].any()
    ahead = np.tile([0.5, 0.2, 0.3], (2, 1))
    for _ in range(20):
        observed = episodes.step(ahead).observation
    truth = episodes.task.seen_from(episodes.task._target)
    # It has come 0.4 m and turned by 0.7 rad; the drift is that of its file.
    assert np.abs(truth - first[:, :2]).max() > 0.3
    assert observed[:, :2] == pytest.approx(truth, abs=0.1) and (observed[:, :2] != truth).all()
    robot = episodes.batch.arena["robot_1"]
    odometry, gyroscope = robot.read("odometry"), robot.read("gyroscope")
    assert odometry is not None and gyroscope is not None
    assert observed[1, 2:].tolist() == [*odometry[3:], *gyroscope]


def test_a_keeper_perceives_the_ball_and_its_goal_by_its_vision(begin) -> None:
    episodes = begin("goalkeeper", observation="percepts")
    assert not episodes.task.observe().any()
    before = act(episodes, 3).observation[0]
    episodes.task.act(np.zeros((1, 3)), np.random.default_rng(1))
    # It looks in every other cycle.
    episodes.batch.step(1)
    observed, seen = episodes.task.observe()[0], episodes.batch.arena["robot_0"].vision
    assert seen is not None
    for number, mark in ((6, "B"), (14, "G1L"), (18, "G2L")):
        distance, azimuth, elevation = seen.objects[mark]
        place = distance * np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation)])
        assert observed[number] == 1.0 and observed[number + 1 : number + 3] == pytest.approx(place)
    assert observed[10:14].tolist() == before[6:10].tolist() != observed[6:10].tolist()


def test_percepts_are_what_sensors_say(begin) -> None:
    episodes = begin("kick", observation="percepts")
    assert episodes.begin(2)[0, 20:26].tolist() == [0.0] * 6
    observed = act(episodes, 3).observation[0]
    robot = episodes.batch.arena["robot_0"]
    gyroscope = robot.read("gyroscope")
    assert gyroscope is not None and observed[20:23] == pytest.approx(gyroscope)
    # At rest.
    assert observed[23:26] == pytest.approx([0.0, 0.0, 1.0], abs=0.3)
    # The ball lies 0.2 m before the robot and 0.5 m below its head.
    assert observed[38] == pytest.approx(0.5, abs=0.1) and observed[40] < -0.8
