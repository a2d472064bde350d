"""Environments: what the checkers of Gymnasium and PettingZoo demand, and that seeds repeat everything bit by bit."""

import multiprocessing
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")

# ruff: noqa: E402
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import parallel_api_test, parallel_seed_test

from simspark_learning.environments import SimulatedEnv, SimulatedVectorEnv, environment_id
from simspark_learning.settings import LearnSettings
from simspark_learning.soccer import SoccerParallelEnv
from simspark_learning.tasks import TASKS
from simspark_learning.worlds import Process, RemoteEpisodes, Several, Wish, Worlds, _serve, make_episodes
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import league_file
from simspark_ros.motion.interface import Walk


@pytest.fixture
def make() -> Iterator[Any]:
    with ExitStack() as made:
        yield lambda kind, *arguments, **options: made.enter_context(closing(kind(*arguments, **options)))


def test_names_of_environments_are_those_of_tasks_and_balls_have_a_world_for_each_robot(make) -> None:
    env = make(gymnasium.make, "simspark_learning.environments:simspark_ros/GetUp-v0", seed=4)
    assert environment_id("get_up") == env.spec.id and env.observation_space.shape == (58,)
    env = make(SimulatedVectorEnv, "kick", 2)
    observed, _ = env.reset(seed=1)
    assert observed.shape == (2, 47) and not np.array_equal(observed[0], observed[1])


@pytest.mark.parametrize(
    ("kind", "arguments", "options", "told"),
    [
        (SimulatedEnv, ("fly",), {}, "no task 'fly'; use one of: stand, walk"),
        (SimulatedEnv, ("stand",), {"pushh": 1.0}, "unknown key 'pushh'"),
        (SimulatedEnv, ("stand",), {"push": 9.0}, "stand: push: must be from 0 to 5, not 9"),
        (SimulatedEnv, ("drive", "all"), {}, "observation 'all' is not available; use one of: truth, percepts"),
        (SimulatedEnv, ("stand",), {"robot": "omni"}, "robot 'omni' has no joint 'llj2'"),
        (SimulatedEnv, ("drive",), {"robot": "sphere"}, "robot 'sphere' takes no velocities"),
        (SimulatedEnv, ("drive", "percepts"), {"robot": "omni"}, "no sensor of kind 'odometry', which the task needs"),
        (SimulatedVectorEnv, ("drive", 4), {"processes": 5}, "5 processes for 4 robots"),
        (LearnSettings, ("drive",), {"ray": ""}, "give --processes N, 2 or more"),
        (SoccerParallelEnv, (0, 2), {}, "0 against 2: give 1 to 11 players on the left"),
        (SoccerParallelEnv, (1, 0), {"robot": "sphere"}, "robot 'sphere' takes no velocities"),
        (SoccerParallelEnv, (1, 0), {"robot": "omni", "observation": "percepts"}, "robot 'omni' sees nothing"),
        (SoccerParallelEnv, (1, 0), {"observation": "all"}, "observation 'all' is not available"),
        (SoccerParallelEnv, (1, 2), {"opponents": ["demo"]}, "1 opponents for 2 players on the right"),
    ],
)
def test_tasks_worlds_teams_and_robots_that_cannot_be_are_refused(kind, arguments, options, told) -> None:
    with pytest.raises(UserError, match=told):
        kind(*arguments, **options)


def check(env: Any) -> None:
    """Have Gymnasium's checker look at an environment; what it warns of is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        # Observations are not bounded.
        warnings.filterwarnings("ignore", message=".*A Box observation space")
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize("task", TASKS)
def test_gymnasiums_checker_accepts_every_task(make, task: str) -> None:
    check(make(SimulatedEnv, task, TASKS[task].observations[-1]))


def test_the_leagues_t1_has_the_tasks_of_a_body(make) -> None:
    if league_file("T1") is None:
        pytest.skip("the league's robots are missing")
    env = make(SimulatedEnv, "walk", "percepts", robot="T1", speed=0.0)
    check(env)
    env.reset(seed=1)
    for _ in range(20):
        _, reward, terminated, _, _ = env.step(np.zeros(10))
    assert not terminated and reward > 0.9
    with pytest.raises(UserError, match="'T1' has no joint 'llj2'; take a robot with the Nao's joints"):
        SimulatedEnv("kick", robot="T1")


def followed(env: Any, seed: int, steps: int) -> list[Any]:
    """Everything that comes of random actions, through several episodes."""
    random = np.random.default_rng(7)
    came: list[Any] = [env.reset(seed=seed)[0].tobytes()]
    for _ in range(steps):
        observed, reward, terminated, truncated, _ = env.step(random.uniform(-1.0, 1.0, env.action_space.shape))
        came += [observed.tobytes(), np.asarray(reward).tobytes()]
        if np.ndim(terminated) == 0 and (terminated or truncated):
            came.append(env.reset()[0].tobytes())
    return came


@pytest.mark.parametrize(
    ("task", "observation"), [*((task, "truth") for task in TASKS), ("drive", "percepts"), ("goalkeeper", "percepts")]
)
def test_equal_seeds_repeat_everything_and_others_do_not(make, task: str, observation: Any) -> None:
    env = make(SimulatedEnv, task, observation)
    steps = 15 if task in ("goalkeeper", "score") or (task, observation) == ("drive", "percepts") else 45
    first = followed(env, 1, steps)
    assert followed(env, 1, steps) == first
    assert followed(env, 2, steps) != first


@pytest.mark.parametrize("engine", ["bullet", "ode"])
def test_bodies_learn_on_the_other_engines_too(make, engine: str) -> None:
    env = make(SimulatedEnv, "stand", engine=engine, push=0.0)
    env.reset(seed=1)
    for _ in range(25):
        _, reward, terminated, _, info = env.step(np.zeros(10))
    assert not terminated and info["success"] and reward > 0.95


def test_many_robots_learn_in_one_world_and_begin_again_one_by_one(make) -> None:
    env = make(SimulatedVectorEnv, "stand", 4, "percepts", push=0.0)
    first = followed(env, 3, 30)
    assert followed(env, 3, 30) == first
    env.reset(seed=5)
    fallen = np.zeros((4, 10))
    fallen[2, :5] = 1.0
    for _ in range(60):
        observed, _, terminated, truncated, infos = env.step(fallen)
        if terminated.any():
            break
    # The others stand, and this one stands again: its last action is forgotten.
    assert terminated.tolist() == [False, False, True, False] and not truncated.any()
    assert infos["_final_obs"].tolist() == terminated.tolist() and infos["final_obs"][0] is None
    assert np.abs(infos["final_obs"][2] - observed[2]).max() > 0.1
    assert observed[2, 26:].tolist() == [0.0] * 10


def results(running: Any) -> list[bytes]:
    """What a few actions of three drivers give; closes their worlds."""
    actions = np.random.default_rng(7).uniform(-1.0, 1.0, (5, 3, 3))
    assert (running.count, running.observation_size, running.action_size) == (3, 5, 3)
    try:
        return [running.begin(3).tobytes(), *(running.step_on(action)[1].tobytes() for action in actions)]
    finally:
        running.close()


@pytest.mark.slow
def test_worlds_give_the_same_wherever_they_are_hosted() -> None:
    class Elsewhere:
        def __init__(self, make: Any) -> None:
            self._worlds = make()

        def ask(self, name: str, *arguments: Any) -> Any:
            return getattr(self._worlds, name)(*arguments)

        def close(self) -> None:
            self._worlds.close()

    wish = Wish("drive")
    one, two = partial(wish.episodes, 1), partial(wish.episodes, 2)
    here = results(Several([two, one]))
    assert results(make_episodes(wish, 3, 2, Elsewhere)) == here
    # To a cluster functions from anywhere may go.
    running = make_episodes(Wish("score", options={"opponents": lambda me: Walk()}), 2, 2, Elsewhere)
    assert (running.count, running.action_size) == (2, 4)
    running.close()
    assert results(Several([lambda: RemoteEpisodes(Process(partial(Worlds, wish, 2)), 2), one], beside=True)) == here


@pytest.mark.parametrize(
    ("observation", "teams", "opponents"),
    [("truth", (1, 0), None), ("truth", (11, 11), None), ("percepts", (1, 2), "demo")],
)
def test_pettingzoos_checkers_accept_games(make, observation: str, teams, opponents) -> None:
    options = {"seconds": 0.4, "observation": observation}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        parallel_api_test(make(SoccerParallelEnv, *teams, opponents=opponents, **options), num_cycles=6)
        parallel_seed_test(lambda: make(SoccerParallelEnv, 1, 1, opponents=opponents, **options), num_cycles=2)


def test_the_demonstration_team_plays_against_those_who_learn(make) -> None:
    env = make(SoccerParallelEnv, 1, 2, opponents=["goalkeeper", "demo"])
    env.reset(seed=1)
    assert env.agents == ["left_1"] and env.observation_space("left_1").shape == (15,)
    env._arena["right_2"].place(3.0, 0.0, np.pi)
    env._arena.place_ball(0.0, 0.0)
    for _ in range(40):
        observed, rewards, *_ = env.step({"left_1": np.zeros(3)})
    assert rewards["left_1"] < 0.0 and env._arena.ball.position[0] < -0.5
    assert np.hypot(*(env._arena["right_2"].position - env._arena.ball.position)[:2]) < 0.6
    away = env._arena["right_2"].position - env._arena["left_1"].position
    assert observed["left_1"][13:15] == pytest.approx(away[:2], abs=0.3)


def test_both_teams_see_the_same_from_mirrored_places_and_a_goal_counts_for_one(make) -> None:
    env = make(SoccerParallelEnv, 1, 1)
    env.reset(seed=1)
    env._arena["left_1"].place(-2.0, 1.0, 0.0)
    env._arena["right_1"].place(2.0, -1.0, np.pi)
    env._arena.place_ball(0.0, 0.0)
    seen = env._observations()
    # Velocities of robots at rest are rounding.
    assert seen["left_1"] == pytest.approx(seen["right_1"], abs=1e-5)
    assert seen["left_1"][3:5] == pytest.approx([2.0, -1.0], abs=1e-5)
    env.reset(seed=1)
    line = env._arena.world.settings.field.length / 2
    env._arena.place_ball(line - 0.3, 0.0, (5.0, 0.0, 0.0))
    still = {agent: np.zeros(3) for agent in env.agents}
    rewards, over = {"left_1": 0.0}, {"left_1": False}
    while not over["left_1"]:
        _, rewards, over, late, _ = env.step(still)
        assert not late["left_1"]
    assert rewards["left_1"] > 1.0 and rewards["right_1"] == -rewards["left_1"] and env.agents == []


def test_players_perceive_by_their_own_eyes_for_their_own_team(make) -> None:
    env = make(SoccerParallelEnv, 2, 1, observation="percepts")
    observed, _ = env.reset(seed=1)
    assert not any(one.any() for one in observed.values())
    for name, place in (("left_1", (-2.0, 1.0, 0.0)), ("left_2", (-3.0, 1.0, 0.0)), ("right_1", (2.0, -1.0, np.pi))):
        env._arena[name].place(*place)
    env._arena.place_ball(0.0, 0.0)
    still = {agent: np.zeros(3) for agent in env.agents}
    env.step(still)
    observed, *_ = env.step(still)
    left, right = (observed[name][6:].reshape(-1, 4) for name in ("left_1", "right_1"))
    # Everything is in view; errors are 2 % of the distance and half a degree.
    assert left[:, 0].all() and right[:, 0].all()
    assert left[0] == pytest.approx([1.0, 2.0, -1.0, -0.5], abs=0.2) and left[0].tolist() != left[1].tolist()
    # The ball, twice, and the opponents' posts and flags, then the own ones.
    assert left[:10] == pytest.approx(right[:10], abs=1.5)
    goal = env._arena.world.settings.field.length / 2
    assert left[2, 1] == pytest.approx(goal + 2.0, abs=0.8) and left[6, 1] == pytest.approx(2.0 - goal, abs=0.8)
    # The team mate, then the opponent; the other side has two of these.
    assert left[10, 1:3] == pytest.approx([-1.0, 0.0], abs=0.1) and left[11, 1:3] == pytest.approx([4.0, -2.0], abs=0.4)
    assert right[10, 1:3] == pytest.approx([4.0, -2.0], abs=0.4) and right[11, 1:3] == pytest.approx([5, -2], abs=0.4)
    observed, _ = env.reset()
    assert not observed["left_1"].any()


def test_an_action_that_is_no_number_and_a_world_that_cannot_be_are_refused(make) -> None:
    env, game = make(SimulatedEnv, "drive"), make(SoccerParallelEnv, 1, 0)
    for one, action in ((env, np.full(3, np.nan, np.float32)), (game, {"left_1": np.array([np.nan, 0.0, 0.0])})):
        one.reset(seed=1)
        with pytest.raises(ValueError, match=r"an action is not a number \(NaN\): the policy has diverged"):
            one.step(action)
    here, there = multiprocessing.Pipe()
    _serve(there, partial(Worlds, Wish("drive", options={"engine": "od"}), 1))
    error = here.recv()
    assert isinstance(error, UserError) and "unknown physics engine 'od'" in str(error)
