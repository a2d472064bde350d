"""What tasks reward, and opponents that are written by hand."""

from typing import Any

import numpy as np
import pytest

from simspark_learning.episodes import Episodes, Step
from simspark_learning.opponents import Opponents
from simspark_learning.tasks.kick_far import KickFarTask
from simspark_learning.worlds import Wish, make_episodes
from simspark_ros.arena import Arena
from simspark_ros.configuration.errors import UserError
from simspark_ros.motion.interface import Command, Walk
from simspark_ros.physics.engine import Array
from simspark_ros.players.world_model import WorldModel
from simspark_ros.simulation.assembly import PlugIns
from simspark_ros.simulation.player_plugins.player import PlayerPlugin


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


def test_walking_is_worth_more_the_closer_its_speed_is_and_lying_little(begin) -> None:
    still, fast = begin("walk", speed=0.0), begin("walk", speed=0.5)
    assert act(still, 10).reward[0] > act(fast, 10).reward[0] + 0.5
    assert act(still, 1).success[0] and not act(fast, 1).success[0]
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


def think(me: WorldModel) -> Command:
    return Walk(0.5, 0.0, me.ball.place.bearing) if me.ball.place else Walk(turn=0.8)


def followed(episodes: Episodes, seed: int) -> list[bytes]:
    """All observations of two episodes of random actions, the second in the same world."""
    random = np.random.default_rng(7)
    came = [episodes.begin(seed).tobytes()]
    for number in range(10):
        if number == 5:
            came.append(episodes.restart(np.arange(1)).tobytes())
        came.append(episodes.step(random.uniform(-1.0, 1.0, (1, episodes.action_size))).observation.tobytes())
    return came


@pytest.mark.parametrize(
    ("task", "observation", "opponents"),
    [("score", "percepts", ("goalkeeper?policy=mixed", "demo", think)), ("kick", "truth", "demo")],
)
def test_equal_seeds_repeat_opponents_too(begin, task: str, observation: Any, opponents: Any) -> None:
    episodes = begin(task, observation=observation, opponents=opponents)
    first = followed(episodes, 1)
    assert followed(episodes, 1) == first
    assert followed(episodes, 2) != first


def test_learners_observe_their_opponents(begin) -> None:
    truth, percepts = begin("score"), begin("score", observation="percepts")
    known, seen = truth.begin(1)[0], percepts.begin(1)[0]
    assert not seen.any()
    for _ in range(3):
        known = truth.step(np.zeros((1, 4))).observation[0]
        seen = percepts.step(np.zeros((1, 4))).observation[0]
    arena, line = truth.batch.arena, truth.task._line
    keeper, robot = arena["right_1"].position, arena["robot_0"]
    # It guards the goal of its team, and both observe it there.
    assert line - 1.0 < keeper[0] < line
    assert known[8:10] == pytest.approx(((keeper - robot.position) @ robot.rotation)[:2], abs=1e-6)
    assert seen[19] == 1.0 and seen[20:22] == pytest.approx(known[8:10], abs=0.3)


def test_a_goal_is_worth_more_than_a_ball_that_goes_out(begin) -> None:
    episodes = begin("score", opponents=())
    line = episodes.task._line
    gained = []
    for y in (0.0, 3.0):
        episodes.begin(1)
        episodes.batch.arena.place_ball(line - 0.2, y, (5.0, 0.0, 0.0))
        for _ in range(10):
            step = episodes.step(np.zeros((1, 4)))
            if step.over[0]:
                break
        gained.append((float(step.reward[0]), bool(step.terminated[0]), bool(step.success[0])))
    assert gained[0][0] > 0.9 and gained[0][1:] == (True, True)
    assert gained[1][0] < -0.9 and gained[1][1:] == (True, False)


def test_a_robot_behind_the_ball_shoots_again_when_an_episode_begins(begin) -> None:
    episodes = begin("score", opponents=(), speed=5.0)
    task, arena = episodes.task, episodes.batch.arena
    for _ in range(2):
        episodes.restart(np.arange(1))
        task.stand_at(0, task._line - 3.0, 0.0, 0.0)
        arena.place_ball(task._line - 2.72, 0.0)
        episodes.step(np.array([[0.0, 0.0, 0.0, 1.0]]))
        assert arena.ball.velocity[0] == pytest.approx(5.0, rel=0.15)


def test_a_kick_past_a_keeper_is_a_success_in_the_goal_alone(begin) -> None:
    episodes = begin("kick", opponents="goalkeeper?policy=block")
    arena = episodes.batch.arena
    half = arena.world.settings.field.length / 2.0
    assert arena["robot_0"].position[0] == pytest.approx(half - 3.0, abs=0.1)
    assert arena["right_1"].position[0] > half - 1.0
    arena.place_ball(half - 0.2, 0.8)
    assert not episodes.step(np.zeros((1, 10))).over[0]
    arena.place_ball(half + 0.2, 0.8)
    assert episodes.step(np.zeros((1, 10))).success[0]
    episodes.restart(np.arange(1))
    arena.world.engine.place_ball((half + 0.2, 0.8, 1.2))
    above = episodes.step(np.zeros((1, 10)))
    assert above.terminated[0] and not above.success[0]


@pytest.mark.parametrize(
    ("task", "opponents", "options", "told"),
    [
        ("stand", "demo", {}, "task 'stand' has no opponents; leave `opponents` out, or take kick, score or a game"),
        ("score", "keeper", {}, "unknown player 'keeper'; use one of"),
        ("score", "goalkeeper?polcy=block", {}, "unknown key 'polcy'"),
        ("score", "k=goalkeeper", {}, "leave its name out"),
        ("score", (), {"robot": "omni_sensors"}, "robot 'omni_sensors' has no kicker"),
        ("score", lambda me: Walk(), {}, "must be at the top level of a module"),
    ],
)
def test_opponents_that_cannot_be_are_refused(task: str, opponents: Any, options: Any, told: str) -> None:
    with pytest.raises(UserError, match=told):
        make_episodes(Wish(task, options={"opponents": opponents, **options}), 2, 2 if callable(opponents) else 1)


def test_an_opponent_that_fails_ends_the_training_instead_of_standing_there() -> None:
    class Broken(PlayerPlugin):
        def sense_and_act(self) -> None:
            raise ValueError("broken")

    with Arena(engine="planar", world="msl", referee=False, plug_ins=PlugIns(players={"broken": Broken})) as arena:
        opponents = Opponents(arena, ("broken",), "msl")
        opponents.begin([(1.0, 0.0, 0.0)])
        arena.step()
        with pytest.raises(UserError, match="opponent 'right_1=broken' has failed or finished"):
            opponents.begin([(1.0, 0.0, 0.0)])
        arena.reset()
        opponents.begin([(1.0, 0.0, 0.0)])
