"""Small clients that do what public learning environments for rcssserver3d do, at a running server."""

import re
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from simspark_ros.clients.classic_client import ClassicClient, joint_angles
from test.commands.serving.test_serve import Server, running
from test.rigs.messages.monitor_reader import read

BALL = 35
"""Child of the scene that is the ball (protocol reference, section 6)."""

FRAMES = 200
"""A command that does not show within this number of messages never does."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("--profile", "trainer", "--pacing", "lockstep", "--engine", "bullet") as server:
        yield server


class Learner:
    """An agent and a trainer in one program, which reads one message after each that it sends."""

    def __init__(self, server: Server, unum: int) -> None:
        self.agent = ClassicClient(port=server.agent_port)
        self.monitor = ClassicClient(port=server.monitor_port)
        self.unum = unum
        init = f"(init (unum {unum})(teamname learners))(syn)"
        for text in ("(scene rsg/agent/nao/nao_hetero.rsg 0)(syn)", init, "(syn)", "(beam 0.0 0.0 0.0)(syn)"):
            self.step(text)

    def step(self, text: str) -> bytes:
        self.agent.send(f"{text}(syn)")
        return self.agent.receive()

    def triple(self, message: bytes, word: str) -> np.ndarray:
        found = re.search(rf"\({word} (\S+) (\S+) (\S+)\)", message.decode())
        assert found, message
        return np.array(found.groups(), float)

    def reset(self, ball: tuple[float, float, float]) -> bytes:
        """Start an episode; the trainer's messages and the agent's take ways of their own into the server."""
        move = f"(agent (unum {self.unum})(team Left) (move -3.2 0.05 0.375 270.0))"
        place = f"(ball (pos {ball[0]} {ball[1]} {ball[2]}) (vel 0 0 0))"
        for text in (move, "(playMode PlayOn)", place, "(time 0)"):
            self.monitor.send(text)
        for _ in range(FRAMES):
            message = self.step("(he1 0)")
            if np.abs(self.triple(message, "ballpos") - ball).max() < 0.02:
                return message
        raise AssertionError(f"the ball is never at {ball}")

    def shows_ball_at(self, x: float) -> bool:
        """Whether the monitor's next frame has the ball at this place; there is one in every second cycle."""
        self.step("")
        self.step("")
        matrix = read(self.monitor.receive().decode("latin-1")).scene.children[BALL].matrix
        return matrix is not None and abs(matrix[12] - x) < 0.01

    def close(self) -> None:
        self.agent.close()
        self.monitor.close()


def test_an_environment_resets_and_steps_on_exact_percepts_in_each_message(server):
    with closing(Learner(server, 1)) as learner:
        for episode in range(2):
            message = learner.reset((-3.0, 0.1 * episode, 0.044))
            # The trainer's place is the torso's, the message has the camera's; 0.3 m apart in standing robots.
            assert learner.triple(message, "mypos")[:2] == pytest.approx((-3.2, 0.05), abs=0.1)
            assert b"(myorien " in message
            before = joint_angles(message)["raj1"]
            for _ in range(10):
                message = learner.step("(rae1 2.0)(lae1 2.0)")
                assert b"(mypos " in message and b"(ballpos " in message
            # 2 rad/s for ten cycles of 20 ms are 23 degrees, less the motor's way to this speed.
            assert 15.0 < joint_angles(message)["raj1"] - before < 25.0
            learner.step("(rae1 0)(lae1 0)")


def test_a_trainer_that_reads_frames_away_finds_the_ball_that_it_placed(server):
    with closing(Learner(server, 2)) as learner:
        for place in (-3.0, -2.0):
            learner.reset((place, 0.0, 0.044))
            assert any(learner.shows_ball_at(place) for _ in range(FRAMES))
            # Eleven frames in all, of which a tool may read all but one for other things.
            assert all(learner.shows_ball_at(place) for _ in range(10))
