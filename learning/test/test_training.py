"""Trained policies, and how they are trained."""

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_learning.episodes import Step
from simspark_learning.evolution import DEVIATION, Evolution
from simspark_learning.learner import Curve, TrainingProgress
from simspark_learning.policy import BodyPolicy, Policy, PolicyError
from simspark_learning.settings import LearnSettings
from simspark_learning.tasks.body import NAO, T1, BodyTask
from simspark_learning.tasks.kick_far import KickFarTask
from simspark_learning.training import train
from simspark_learning.worlds import Wish
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import league_file
from simspark_ros.physics.engine import Array
from test.rigs.robots.policies import random_policy


class Follow:
    """Episodes of ten actions, the better the nearer each action is to a weighted sum of what is observed."""

    count, observation_size, action_size = 8, 2, 1

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)
        self._done = 0

    def begin(self, seed: int) -> Array:
        self._random = np.random.default_rng(seed)
        return self._observe()

    def step_on(self, actions: Array) -> tuple[Step, Array]:
        self._done += 1
        reward = -np.abs(actions[:, 0] - self._observed @ [0.6, -0.3])
        over = np.full(self.count, self._done % 10 == 0)
        step = Step(self._observed, reward, np.zeros(self.count, np.bool_), over, reward > -0.1)
        return step, self._observe()

    def close(self) -> None:
        pass

    def _observe(self) -> Array:
        self._observed = self._random.standard_normal((self.count, 2))
        return self._observed


def evolved(steps: int) -> tuple[Policy, list[TrainingProgress]]:
    told: list[TrainingProgress] = []
    learner = Evolution(Follow(), LearnSettings("drive", steps=steps, robots=8), Wish("drive"))
    learner.learn(Curve(told.append))
    return learner.policy(), told


def test_a_strategy_in_numpy_finds_what_is_rewarded_and_the_same_with_equal_settings():
    policy, told = evolved(20_000)
    observed = np.random.default_rng(5).standard_normal((50, 2))
    off = policy.act(observed)[:, 0] - np.clip(observed @ [0.6, -0.3], -1.0, 1.0)
    # It wanders about the best policy by less than the deviation of its tries.
    assert np.abs(off).mean() < DEVIATION
    assert told[-1].reward > told[0].reward + 1.0 and told[-1].length == 10
    (first, _), (second, _) = evolved(1000), evolved(1000)
    assert (first.layers[0][0] == second.layers[0][0]).all() and first.layers[0][0].any()


def test_training_needs_no_further_package_and_writes_policy_and_curve(tmp_path: Path, monkeypatch) -> None:
    for package in ("matplotlib", "matplotlib.figure", "stable_baselines3", "torch"):
        monkeypatch.setitem(sys.modules, package, None)
    settings = LearnSettings("drive", tmp_path / "new", steps=200, robots=2, observation="truth")
    policy = train(settings)
    read = Policy.load(settings.folder / "policy.npz")
    assert (read.task, read.observation) == ("drive", "truth") and read.mean == pytest.approx(policy.mean)
    assert (settings.folder / "curve.csv").read_text().startswith("steps,seconds,reward")
    with pytest.raises(UserError, match=r"needs the package 'stable-baselines3'.*whl/cpu; --method es needs none"):
        train(replace(settings, method="ppo"))


@pytest.mark.slow
def test_a_short_training_writes_a_policy_that_acts_as_the_trained_one_and_its_curve(tmp_path: Path) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3 import PPO

    told: list[TrainingProgress] = []
    # Each robot acts 32 times before an update: one is enough.
    folder = tmp_path / "new" / "folder"
    settings = LearnSettings("stand", folder, method="ppo", steps=600, robots=256, options=("push=0.2",))
    policy = train(settings, told.append)
    read = Policy.load(settings.folder / "policy.npz")
    model = PPO.load(settings.folder / "model.zip", device="cpu")
    observations = np.random.default_rng(1).standard_normal((5, 36))
    normalized = np.clip((observations - policy.mean) / policy.deviation, -10.0, 10.0)
    # Single precision.
    assert read.act(observations) == pytest.approx(model.predict(normalized, deterministic=True)[0], abs=1e-4)
    assert (read.observation, read.options) == ("percepts", {"push": 0.2})
    BodyPolicy(read)
    rows = list(csv.DictReader((settings.folder / "curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [progress.steps for progress in told] == [8192]
    assert (settings.folder / "curve.png").stat().st_size > 1000


def test_a_policy_is_the_same_after_it_was_written_and_read_and_other_files_are_refused(tmp_path: Path) -> None:
    policy, observations = random_policy(speed=0.2), np.random.default_rng(1).standard_normal((4, 37))
    policy.save(tmp_path / "policy.npz")
    read = Policy.load(tmp_path / "policy.npz")
    assert (read.act(observations) == policy.act(observations)).all() and np.abs(read.act(observations)).max() <= 1.0
    assert (read.task, read.observation, read.options) == ("walk", "percepts", {"speed": 0.2})
    path = tmp_path / "other.npz"

    def refused(problem: str = "is not a policy") -> None:
        with pytest.raises(PolicyError, match=problem):
            Policy.load(path)

    refused("cannot be read: No such file")
    path.write_text("something else")
    refused("is not a policy of `simspark learn`")
    np.savez(path, about=np.array({"a": 1}, object))
    refused()
    random_policy(size=5).save(path)
    whole = dict(np.load(path))
    for name, wrong in (("mean", np.zeros(4)), ("w0", np.full((8, 5), np.nan)), ("about", np.array("[]"))):
        np.savez(path, **{**whole, name: wrong})
        refused()


@pytest.mark.parametrize("name", ["walk", "kick_far"])
def test_on_a_robots_readings_a_policy_does_what_it_does_in_its_environment(name: str) -> None:
    policy = random_policy(name, speed=0.2)
    episodes = Wish(name, "percepts", dict(policy.options)).episodes(1)
    task = episodes.task
    assert isinstance(task, BodyTask)
    body = BodyPolicy(policy)
    observed, nao = episodes.begin(1), episodes.batch.arena["robot_0"]
    moved = [nao.joints.index(name) for name in body.joints]
    for step in range(10):
        gyroscope, force = (episodes.batch.senses.sensed(kind, 3)[0] for kind in ("gyroscope", "accelerometer"))
        answer = body.answer(nao.joint_positions[moved], gyroscope, force)
        action = policy.act(observed)
        observed = episodes.step(action).observation
        wanted = task.targets(np.array([step]), action)[0]
        assert [answer[name] for name in body.joints] == pytest.approx(wanted, abs=1e-12)
        assert answer["laj1"] == NAO.pose["laj1"]
    episodes.close()


def test_a_policy_of_one_motion_waits_for_its_pose_moves_once_and_holds_the_pose() -> None:
    body = BodyPolicy(random_policy("kick_far"))
    pose, rest = np.array([KickFarTask.bodies[0].pose[name] for name in body.joints]), np.zeros(3)
    assert body.answer(pose + 0.2, rest, rest) == dict(KickFarTask.bodies[0].pose)
    moved = [body.answer(pose + 0.2 * (step > 0), rest, rest) for step in range(KickFarTask.longest)]
    # It stands for ten actions first.
    assert all(answer != dict(KickFarTask.bodies[0].pose) for answer in moved[10:40])
    assert body.answer(pose, rest, rest) == dict(KickFarTask.bodies[0].pose)


def test_a_policy_moves_the_joints_of_the_robot_that_it_was_trained_on() -> None:
    if league_file("T1") is None:
        pytest.skip("the league's robots are missing")
    body = BodyPolicy(random_policy(robot="T1"))
    assert body.joints == T1.moved
    answer = body.answer(np.zeros(10), np.zeros(3), np.zeros(3))
    assert answer.keys() == {*T1.moved, *T1.pose} and answer["Left_Elbow_Yaw"] == T1.pose["Left_Elbow_Yaw"]


def test_policies_that_observe_too_much_are_refused_and_options_are_read_from_the_command_line() -> None:
    told = "observes 'truth', and the robot's sensors do not tell that; train one with --observation"
    with pytest.raises(PolicyError, match=told):
        BodyPolicy(random_policy(observation="truth"))
    for task in ("kick", "drive", "fly"):
        told = f"'{task}' needs more than joints and IMU; take one for stand, walk, get_up"
        with pytest.raises(PolicyError, match=told):
            BodyPolicy(random_policy(task))
    settings = LearnSettings("stand", engine="ode", options=("push=0.8", "motors=realistic"))
    assert settings.task_options == {"engine": "ode", "push": 0.8, "motors": "realistic"}
    assert settings.folder == Path("learn-stand")
    for wrong in ("push", "=1", "push=[1"):
        with pytest.raises(UserError, match="must be KEY=VALUE"):
            _ = LearnSettings("stand", options=(wrong,)).task_options
