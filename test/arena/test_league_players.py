"""Players of the 3D league since 2026 in the arena: the texts and motors of their own dialect."""

import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.league_models import league_file
from simspark_ros.players.answer import Answer
from simspark_ros.players.percepts import Percept

pytestmark = pytest.mark.skipif(league_file("T1") is None, reason="the league's robots are not installed")

BEND = 0.3
"""An angle for the head, rad. The file's gains are weak, 1 N m/rad: the joint's friction stops it on the way."""


class Nodding:
    """Turns its head to one angle, as each motor of the league follows an angle."""

    def __init__(self) -> None:
        self.percepts: list[Percept] = []

    def act(self, percept):
        self.percepts.append(percept)
        return Answer({"AAHead_yaw": BEND})

    def notice(self, percept):
        pass


def test_an_agent_is_told_of_its_robot_and_commands_its_motors():
    agent = Nodding()
    with Arena(engine="mujoco", preset="rcssservermj", world="fifa7vs7", profile="rcssservermj") as arena:
        robot = arena.add("T1", team="Lions", unum=3, agent=lambda: agent)
        arena.step(50)
        joints = {joint.name for joint in robot.description.model.joints}
    percept = agent.percepts[-1]
    assert set(percept.joints) == joints
    assert 0.1 < percept.joints["AAHead_yaw"] < BEND
    assert (percept.game.unum, percept.game.side) == (3, "left")
    assert percept.up is not None
    assert percept.pose is not None
