"""A neural motion model learns a robot's motion from a log, and a robot drives by it."""

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
from simspark_ros.motion.models.displacements import displaced
from simspark_ros.motion.models.neural import NeuralMotionModel, NeuralParameters
from simspark_ros.motion.wheels.wheel_drive import WheelDrive
from simspark_ros.robots.catalogue import load_robot

CYCLE, LAG, SLIP = 0.02, 0.3, 0.9
"""The robot that is learned comes nearer to the set velocities by this time, s, and turns slip by a tenth."""


def driven(seconds, seed=1):
    """A log of a robot with known motion."""
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
    assert metres < 0.1 * by_command[0]
    assert radians < 0.1 * by_command[1]


def test_states_go_on_from_any_pose(model):
    states = np.array([[0.0, 0.0, 0.0, 1.0, 0.5], [3.0, -1.0, np.pi / 2, 1.0, 0.5]])
    after = model.next(states, np.array([[0.5, 1.0], [0.5, 1.0]]))
    assert after[1, :2] - states[1, :2] == pytest.approx([-after[0, 1], after[0, 0]])
    assert after[0, 3:] == pytest.approx(after[1, 3:])
    assert after[0, 0] == pytest.approx(0.5 * CYCLE, rel=0.05)


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


def test_a_model_of_other_cycles_is_refused(model, tmp_path):
    path = tmp_path / "learned.yaml"
    path.write_text(robot_file("scout", model.parameters))
    with pytest.raises(ConfigurationError, match=r"has steps of 0\.02 s, but the world's cycle is 0\.012 s"):
        WheelDrive.of(load_robot(str(path)), "wheels", 0.012)


def test_a_robot_without_two_rows_of_wheels_cannot_follow_a_model(model):
    with pytest.raises(UserError, match="'omni' has no wheels in two rows"):
        robot_file("omni", model.parameters)


def test_layers_have_to_fit():
    values = {"interval": 0.02, "speeds": [1, 1], "results": [1, 1, 1, 1, 1], "hidden": [[1, 1, 1, 1, 1]]}
    with pytest.raises(ConfigurationError, match="output: must be 5 lists of 2 numbers"):
        build(NeuralParameters, {**values, "output": [[1.0]] * 5}, "here")
    assert NeuralMotionModel(build(NeuralParameters, {**values, "output": [[1.0, 0.0]] * 5}, "here"))


def test_a_log_is_written_and_read_again(tmp_path):
    log = driven(3.0)
    log.save(tmp_path / "log.csv")
    again = read_drive_log(tmp_path / "log.csv")
    assert again.interval == CYCLE
    assert again.poses == pytest.approx(log.poses, abs=1e-6)
    assert again.commands == pytest.approx(log.commands, abs=1e-6)


def test_a_log_with_a_gap_is_refused(tmp_path):
    log = driven(3.0)
    some = np.delete(np.arange(150), [50, 51])
    DriveLog(log.times[some], log.poses[some], log.velocities[some], log.commands[some]).save(tmp_path / "log.csv")
    with pytest.raises(
        UserError, match=r"log.csv: sample 51 comes 0.06 s after the one before, but others come after 0.02 s"
    ):
        read_drive_log(tmp_path / "log.csv")


def test_commands_record_and_train(tmp_path, capsys):
    log, robot = str(tmp_path / "drive.csv"), str(tmp_path / "learned.yaml")
    assert main(["motion-model", "record", "scout", "--seconds", "10", "-o", log]) == 0
    assert main(["motion-model", "train", log, "--robot", "scout", "-o", robot]) == 0
    out = capsys.readouterr().out
    assert "500 samples, 0.02 s each" in out
    assert "degrees off after 1 s" in out
    assert WheelDrive.of(load_robot(robot), "wheels", CYCLE).is_standing


def test_a_robot_that_takes_no_velocities_cannot_be_recorded(tmp_path, capsys):
    assert main(["motion-model", "record", "sphere", "-o", str(tmp_path / "drive.csv")]) == 2
    assert "robot 'sphere' takes no velocity commands" in capsys.readouterr().err
