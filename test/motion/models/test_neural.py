"""Models of a robot's motion are learned from motions and logs, sampled, told, and driven by."""

import math

import numpy as np
import pytest

from simspark_learning.models.drive_log import DriveLog, read_drive_log
from simspark_learning.models.learned_robot import robot_file
from simspark_learning.models.neural_training import follows_at_once, pose_errors
from simspark_learning.models.neural_training import train as trained
from simspark_ros.cli import main
from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.schema import ConfigurationError, build
from simspark_ros.motion.interface import Walk
from simspark_ros.motion.models.displacements import displaced, displacements
from simspark_ros.motion.models.gaussian import GaussianMotionModel
from simspark_ros.motion.models.neural import NeuralMotionModel, NeuralParameters
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.robots.catalogue import load_robot

CYCLE, LAG, SLIP = 0.02, 0.3, 0.9
"""The robot that is learned comes nearer to the set velocities by this time, s, and turns slip by a tenth."""


def driven(seconds, seed=1):
    draw = np.random.default_rng(seed)
    count = round(seconds / CYCLE)
    commands = np.repeat(draw.uniform((-0.8, -2.0), (0.8, 2.0), (count // 40 + 1, 2)), 40, axis=0)[:count]
    poses, velocities = np.zeros((count, 3)), np.zeros((count, 2))
    for step in range(count - 1):
        change = (commands[step] * (1.0, SLIP) - velocities[step]) * CYCLE / LAG
        velocities[step + 1] = velocities[step] + change
        forward, turn = velocities[step + 1] * CYCLE
        poses[step + 1] = displaced(poses[step : step + 1], np.array([[forward, 0.0, turn]]))[0]
    return DriveLog(np.arange(count) * CYCLE, poses, velocities, commands)


@pytest.fixture(scope="module")
def model():
    return trained(driven(20.0), hidden=6)


def test_it_predicts_a_log_that_it_was_not_trained_with(model):
    log = driven(30.0, seed=2)
    metres, radians = np.median(pose_errors(model.step, log, 1.0), axis=0)
    by_command = np.median(pose_errors(follows_at_once(CYCLE), log, 1.0), axis=0)
    # The motion is linear, so that little is left but what six bent neurons make of it.
    assert metres < 0.1 * by_command[0] and radians < 0.1 * by_command[1]


def test_a_robot_drives_as_the_model_says_and_comes_to_a_stand(model, tmp_path):
    path = tmp_path / "learned.yaml"
    path.write_text(robot_file("scout", model.parameters))
    drive = WheelDrive.of(load_robot(str(path)), "wheels", CYCLE)
    speeds = [drive.update(0.0, np.zeros(2), (0, 0, 0), (0, 0, 0), Walk(0.5)) for _ in range(100)]
    forward = np.mean(speeds, axis=1) * 0.075
    # After the lag 63 % are reached.
    assert forward[round(LAG / CYCLE) - 1] == pytest.approx(0.5 * (1.0 - np.exp(-1.0)), abs=0.03)
    assert forward[-1] == pytest.approx(0.5, abs=0.03)
    for _ in range(200):
        drive.update(0.0, np.zeros(2), (0, 0, 0), (0, 0, 0), None)
    assert drive.is_standing
    with pytest.raises(ConfigurationError, match=r"has steps of 0\.02 s, but the world's cycle is 0\.012 s"):
        WheelDrive.of(load_robot(str(path)), "wheels", 0.012)


def test_layers_and_wheels_have_to_fit_and_states_go_on_from_any_pose(model):
    values = {"interval": 0.02, "speeds": [1, 1], "results": [1, 1, 1, 1, 1], "hidden": [[1, 1, 1, 1, 1]]}
    with pytest.raises(ConfigurationError, match="output: must be 5 lists of 2 numbers"):
        build(NeuralParameters, {**values, "output": [[1.0]] * 5}, "here")
    assert NeuralMotionModel(build(NeuralParameters, {**values, "output": [[1.0, 0.0]] * 5}, "here"))
    with pytest.raises(UserError, match="'omni' has no wheels in two rows"):
        robot_file("omni", model.parameters)
    states = np.array([[0.0, 0.0, 0.0, 1.0, 0.5], [3.0, -1.0, np.pi / 2, 1.0, 0.5]])
    after = model.next(states, np.array([[0.5, 1.0], [0.5, 1.0]]))
    assert after[1, :2] - states[1, :2] == pytest.approx([-after[0, 1], after[0, 0]])
    assert after[0, 3:] == pytest.approx(after[1, 3:])
    assert after[0, 0] == pytest.approx(0.5 * CYCLE, rel=0.05)


def test_a_log_is_written_and_read_again_and_one_with_a_gap_is_refused(tmp_path):
    log = driven(3.0)
    log.save(tmp_path / "log.csv")
    again = read_drive_log(tmp_path / "log.csv")
    assert again.interval == CYCLE
    assert again.poses == pytest.approx(log.poses, abs=1e-6)
    assert again.commands == pytest.approx(log.commands, abs=1e-6)
    some = np.delete(np.arange(150), [50, 51])
    DriveLog(log.times[some], log.poses[some], log.velocities[some], log.commands[some]).save(tmp_path / "log.csv")
    told = r"log.csv: sample 51 comes 0.06 s after the one before, but others come after 0.02 s"
    with pytest.raises(UserError, match=told):
        read_drive_log(tmp_path / "log.csv")


def test_commands_record_and_train_and_refuse_a_robot_that_takes_no_velocities(tmp_path, capsys):
    log, robot = str(tmp_path / "drive.csv"), str(tmp_path / "learned.yaml")
    assert main(["motion-model", "record", "scout", "--seconds", "10", "-o", log]) == 0
    assert main(["motion-model", "train", log, "--robot", "scout", "-o", robot]) == 0
    out = capsys.readouterr().out
    assert "500 samples, 0.02 s each" in out
    assert "degrees off after 1 s" in out
    assert WheelDrive.of(load_robot(robot), "wheels", CYCLE).is_standing
    assert main(["motion-model", "record", "sphere", "-o", str(tmp_path / "drive.csv")]) == 2
    assert "robot 'sphere' takes no velocity commands" in capsys.readouterr().err


GAINS = np.array([[0.01, 0.0, 0.0], [0.0025, 0.0, 0.0], [0.0, 0.0, 0.04]])
"""Deviations of 10 % forward and 5 % aside of the way, and of 20 % of the turn."""


def motions(count, seed=1):
    """Poses, and moves of a robot on two wheels."""
    draw = np.random.default_rng(seed)
    poses = draw.uniform(-3.0, 3.0, (count, 3))
    moves = np.column_stack((draw.uniform(-0.5, 0.5, count), np.zeros(count), draw.uniform(-1.0, 1.0, count)))
    return poses, moves


def test_a_model_learns_errors_from_motions_but_not_from_a_part_that_hardly_occurs():
    poses, moves = motions(5000)
    after = GaussianMotionModel(GAINS, np.array([-0.1, 0.0, 0.05])).sample(poses, moves, np.random.default_rng(2))
    learned = GaussianMotionModel()
    learned.learn(poses, moves, after)
    # A variance of 5000 samples is known to two in a hundred, by these uneven ones to four.
    assert learned.gains[[0, 1, 2], [0, 0, 2]] == pytest.approx(GAINS[[0, 1, 2], [0, 0, 2]], rel=0.15)
    assert learned.bias == pytest.approx([-0.1, 0.0, 0.05], abs=0.01)
    before, moves = motions(50)
    assert displacements(before, displaced(before, moves)) == pytest.approx(moves)
    poses, moves = motions(5000)
    # A cycle's way on wheels bends aside by half the turn, and errors here are those of the turn.
    moves[:, 1] = moves[:, 0] * moves[:, 2] * 0.02
    errors = np.random.default_rng(5).standard_normal(5000) * moves[:, 0] * moves[:, 2]
    learned = GaussianMotionModel()
    learned.learn(poses, moves, displaced(poses, moves + errors[:, None] * (0.0, 0.0, 1.0)))
    assert learned.gains.max() < 2.0
    assert not learned.gains[:, 1].any()


def test_a_robot_that_stood_teaches_nothing_and_what_is_not_a_number_is_refused():
    poses, moves = motions(5)
    learned = GaussianMotionModel()
    learned.learn(poses, 0.0 * moves, poses)
    assert not learned.gains.any()
    with pytest.raises(ValueError, match="finite"):
        learned.learn(poses, math.nan * moves, poses)


def test_samples_spread_as_the_model_says_and_the_density_is_that_of_three_normal_distributions():
    model = GaussianMotionModel(GAINS)
    start = np.tile((1.0, 2.0, math.pi / 2), (20000, 1))
    after = model.sample(start, np.array([1.0, 0.0, 0.5]), np.random.default_rng(3))
    # Forward is along y here.
    assert after.mean(axis=0) == pytest.approx([1.0, 3.0, math.pi / 2 + 0.5], abs=0.005)
    assert after.std(axis=0) == pytest.approx([0.05, 0.1, 0.1], rel=0.03)
    # A robot that stands stays.
    assert model.sample(start, np.zeros(3), np.random.default_rng(4)) == pytest.approx(start, abs=1e-5)
    model, start, move = GaussianMotionModel(GAINS), np.zeros((2, 3)), np.array([1.0, 0.0, 0.5])
    after = np.array([[1.0, 0.0, 0.5], [1.1, 0.05, 0.6]])
    density = model.probability(after, start, move)
    assert density[0] == pytest.approx((2.0 * math.pi) ** -1.5 / (0.1 * 0.05 * 0.1))
    # A standard deviation off in each direction.
    assert density[1] == pytest.approx(density[0] * math.exp(-1.5))
