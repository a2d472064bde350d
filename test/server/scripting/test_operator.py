"""What scripts do to a simulation, and that it is recorded."""

import pytest

from simspark_ros.server.scripting.operator import Operator, OperatorError
from simspark_ros.simulation.loading.robot_resources import SpawnError
from simspark_ros.soccer.game_state import PlayMode
from simspark_ros.worlds.errors import CommandRejectedError


class Recorder:
    def __init__(self) -> None:
        self.noted: list[str] = []

    def note(self, name: str, *arguments: object) -> None:
        self.noted.append(name)

    def note_commands(self, commands: object) -> None:
        raise AssertionError(commands)


@pytest.fixture
def operator(play):
    made = Operator(play(engine="mujoco").simulation)
    made.simulation.recorder = Recorder()
    return made


def noted(operator: Operator) -> list[str]:
    assert isinstance(operator.simulation.recorder, Recorder)
    return operator.simulation.recorder.noted


def test_trainer_commands(operator):
    operator.trainer("(playMode PlayOn)(ball (pos 1 2 0.1))")
    assert operator.world.game.play_mode is PlayMode.PLAY_ON
    assert operator.world.engine.state.ball_position[:2].tolist() == [1.0, 2.0]
    assert noted(operator) == ["trainer", "trainer"]
    # Time is not recorded.
    operator.trainer("(pause)")
    assert operator.simulation.scheduler.paused
    assert noted(operator) == ["trainer", "trainer"]
    with pytest.raises(CommandRejectedError):
        operator.trainer("(kill (unum 3) (team Left))")


@pytest.mark.parametrize("text", ["", "playMode", "(playMode Foo)", "(fly)", "(playMode PlayOn)(fly)"])
def test_wrong_trainer_commands_change_nothing(operator, text):
    with pytest.raises(OperatorError, match="trainer: "):
        operator.trainer(text)
    assert operator.world.game.play_mode is PlayMode.BEFORE_KICK_OFF


def test_a_robot_is_spawned_moved_and_removed_and_what_does_not_exist_is_named(operator):
    robot = operator.spawn("guard=nao/4")
    assert (robot.name, robot.description.variant) == ("guard", 4)
    operator.command("guard", hj1=0.5, hj2=-0.2)
    for _ in range(40):
        operator.simulation.run_cycle()
    joints = operator.joints("guard")
    # Ideal servos stop within a thousandth of their command.
    assert joints["hj1"] == pytest.approx(0.5, abs=1e-3)
    assert joints["hj2"] == pytest.approx(-0.2, abs=1e-3)
    operator.remove("guard")
    assert not operator.world.robots
    assert noted(operator) == ["spawned", "motors", "removed"]
    with pytest.raises(OperatorError, match="no robot 'x'; there are: none"):
        operator.joints("x")
    operator.spawn("nao")
    with pytest.raises(OperatorError, match="no robot 'x'; there are: nao"):
        operator.remove("x")
    with pytest.raises(OperatorError, match="no joint 'wing'; it has: hj1, hj2"):
        operator.command("nao", wing=1.0)
    with pytest.raises(SpawnError):
        operator.spawn("dragon")
