import math

import pytest

from simspark_ros.arena import Arena, play_match
from simspark_ros.configuration.league_models import league_file
from simspark_ros.motion.interface import Stand
from simspark_ros.players.answer import Answer
from simspark_ros.players.percepts import Percept
from simspark_ros.players.team import Reacting, simple_player


class Still:
    """Stands, and remembers what it perceives."""

    def __init__(self) -> None:
        self.percepts: list[Percept] = []

    def act(self, percept: Percept) -> Answer:
        self.percepts.append(percept)
        return Answer({"hj1": 1.0})


def test_a_player_perceives_and_moves_like_a_classic_agent() -> None:
    with Arena() as arena:
        made: list[Still] = []

        def make() -> Still:
            made.append(Still())
            return made[-1]

        player = arena.add("nao", team="Red", agent=make)
        arena.step(4)
        (still,) = made
        # Perception of a cycle is sent in the next one, and the answer works in the one after that.
        assert len(still.percepts) == 3
        assert (still.percepts[0].game.side, still.percepts[0].game.unum) == ("left", 1)
        assert player.joint_positions[0] > 0.0
        first = arena.state_hash()
        arena.reset()
        arena.step(4)
        # Another one that remembers nothing.
        assert len(made) == 2 and len(made[1].percepts) == 3 and arena.state_hash() == first


@pytest.mark.slow
def test_a_match_is_played_to_its_end_and_again_to_the_same_bits() -> None:
    hashes: list[str] = []

    def play() -> tuple[int, int, float]:
        score = play_match(
            lambda team, unum: simple_player(lambda me: Stand(), team),
            lambda team, unum: Reacting(lambda percept: {"hj1": 0.5}),
            players=1,
            half_time=1.0,
            engine="mujoco",
            on_cycle=lambda arena: hashes.append(arena.state_hash()),
        )
        assert "game_over" in [decision.kind for decision in score.decisions]
        return score.left, score.right, score.time

    first = play()
    half = len(hashes)
    assert play() == first and hashes[:half] == hashes[half:]
    assert first[2] == pytest.approx(2.0, abs=0.05)


def test_the_demonstration_team_of_another_league_plays_with_its_robots_on_its_field() -> None:
    speeds: list[float] = []

    def watch(arena: Arena) -> None:
        assert {robot.description.name for robot in arena.robots} == {"msl"}
        speeds.append(max(math.hypot(*robot.linear_velocity[:2]) for robot in arena.robots))

    play_match(robot="msl", world="msl", profile="leagues", engine="planar", players=2, half_time=1.0, on_cycle=watch)
    # A player drives to the ball, faster than any Nao.
    assert max(speeds) > 1.0


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


@pytest.mark.skipif(league_file("T1") is None, reason="the league's robots are not installed")
def test_an_agent_is_told_of_its_robot_and_commands_its_motors():
    agent = Nodding()
    with Arena(engine="mujoco", preset="rcssservermj", world="fifa7vs7", profile="rcssservermj") as arena:
        robot = arena.add("T1", team="Lions", unum=3, agent=lambda: agent)
        arena.step(50)
        joints = {joint.name for joint in robot.description.model.joints}
    percept = agent.percepts[-1]
    assert set(percept.joints) == joints and 0.1 < percept.joints["AAHead_yaw"] < BEND
    assert (percept.game.unum, percept.game.side) == (3, "left") and percept.up is not None
    assert percept.pose is not None
