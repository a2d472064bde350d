from pathlib import Path

import numpy as np
import pytest

from simspark_learning.policy import BodyPolicy, Policy, PolicyError
from simspark_learning.settings import LearnSettings
from simspark_learning.tasks.body import NAO, T1, BodyTask
from simspark_learning.tasks.kick_far import KickFarTask
from simspark_learning.worlds import Wish
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import league_file
from test.rigs.robots.policies import random_policy


def test_a_policy_is_the_same_after_it_was_written_and_read(tmp_path: Path) -> None:
    policy, observations = random_policy(speed=0.2), np.random.default_rng(1).standard_normal((4, 37))
    policy.save(tmp_path / "policy.npz")
    read = Policy.load(tmp_path / "policy.npz")
    assert (read.act(observations) == policy.act(observations)).all() and np.abs(read.act(observations)).max() <= 1.0
    assert (read.task, read.observation, read.options) == ("walk", "percepts", {"speed": 0.2})


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


def test_files_that_are_no_policy_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"

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


def test_policies_that_observe_more_than_sensors_tell_are_refused() -> None:
    with pytest.raises(
        PolicyError, match="observes 'truth', and the robot's sensors do not tell that; train one with --observation"
    ):
        BodyPolicy(random_policy(observation="truth"))
    for task in ("kick", "drive", "fly"):
        with pytest.raises(
            PolicyError, match=f"'{task}' needs more than joints and IMU; take one for stand, walk, get_up"
        ):
            BodyPolicy(random_policy(task))


def test_options_of_a_task_are_read_from_the_command_line() -> None:
    settings = LearnSettings("stand", engine="ode", options=("push=0.8", "motors=realistic"))
    assert settings.task_options == {"engine": "ode", "push": 0.8, "motors": "realistic"}
    assert settings.folder == Path("learn-stand")
    for wrong in ("push", "=1", "push=[1"):
        with pytest.raises(UserError, match="must be KEY=VALUE"):
            _ = LearnSettings("stand", options=(wrong,)).task_options
