"""A trainer at a running server: what it sends shows on the monitor, read as strictly as a viewer reads it."""

import time
from collections.abc import Callable

import pytest

from simspark_ros.clients.classic_client import ClassicClient, game_state
from simspark_ros.clients.wave import wave
from test.commands.serving.test_serve import running
from test.rigs.messages.monitor_reader import Board, Node, read
from test.rigs.waiting import DEADLINE

BALL = 35
"""Child of the scene that is the ball, with the robots after it (protocol reference, section 6)."""


class Coach:
    def __init__(self, client: ClassicClient) -> None:
        self._client = client
        self.board = Board()
        self.full_frames = 0

    def order(self, text: str, shows: Callable[[], bool]) -> None:
        self._client.send(text)
        deadline = time.monotonic() + DEADLINE
        while not (self.board.nodes and shows()):
            assert time.monotonic() < deadline, f"{text} does not show"
            self._watch()

    def _watch(self) -> None:
        frame = read(self._client.receive().decode("latin-1"))
        self.full_frames += frame.full
        self.board.show(frame)

    def told(self, name: str, value: str) -> bool:
        return self.board.environment[name][0] == value

    @property
    def robots(self) -> list[Node]:
        """Those that there are; an agent without one is an empty transform."""
        return [node for node in self.board.nodes[0].children[BALL + 1 :] if node.children]

    @property
    def torso(self) -> Node:
        return self.robots[0].children[0]

    @property
    def ball(self) -> Node:
        return self.board.nodes[0].children[BALL]

    def is_at(self, node: Node, *place: float) -> bool:
        """Whether something is near a place; a robot that was put on its feet settles by centimetres."""
        assert node.matrix is not None
        return all(abs(is_now - wanted) < 0.1 for is_now, wanted in zip(node.matrix[12:15], place, strict=True))


def test_every_command_shows_on_the_monitor_and_killsim_ends_the_server():
    with (
        # Only the trainer moves ball and robots.
        running("--pacing", "realtime", "--trainer", "full,killsim", "--no-referee") as server,
        ClassicClient("127.0.0.1", server.monitor_port) as monitor,
        ClassicClient("127.0.0.1", server.agent_port) as agent,
    ):
        coach = Coach(monitor)
        wave(agent, "Wavers", 1, 0, cycles=5)
        coach.order("(bogus)", lambda: len(coach.robots) == 1 and "team_left" in coach.board.environment)
        coach.order("(agent (unum 1)(team Left)(pos 5 5 0.4))", lambda: coach.is_at(coach.torso, 5, 5, 0.35))
        coach.order("(agent (unum 1)(team Left)(move 3 2 0.4 -90))", lambda: coach.is_at(coach.torso, 3, 2, 0.35))
        assert coach.torso.matrix is not None
        # The second column is the forward axis.
        assert coach.torso.matrix[4:7] == pytest.approx([1, 0, 0], abs=0.1)
        coach.order("(ball (pos 7 -3 0.042)(vel 0 0 0))", lambda: coach.is_at(coach.ball, 7, -3, 0.042))
        coach.order("(ball (vel 0 4 0))", lambda: (coach.ball.matrix or [])[13] > -2)
        coach.order("(kickOff Right)", lambda: coach.told("play_mode", "2") and coach.is_at(coach.ball, 0, 0, 0.042))
        coach.order("(dropBall)", lambda: coach.told("play_mode", "3"))
        coach.order("(playMode GameOver)", lambda: coach.told("play_mode", "12"))
        coach.order("(time 77)", lambda: coach.told("time", "77"))
        coach.order(
            "(score (left 3)(right 4))", lambda: coach.told("score_left", "3") and coach.told("score_right", "4")
        )
        coach.order("(select)", lambda: coach.torso.children[1].children[0].visible is True)
        coach.order("(select (unum -1))", lambda: coach.torso.children[1].children[0].visible is False)
        coach.order("(repos (unum 1)(team Left))", lambda: coach.is_at(coach.torso, -3.6, -10.5, 0.35))
        before = coach.full_frames
        coach.order("(reqfullstate)", lambda: coach.full_frames > before)
        coach.order("(kill (unum 1)(team Left))", lambda: not coach.robots)
        # The socket stays, and a new robot is to be had through it.
        agent.send("(scene rsg/agent/nao/nao_hetero.rsg 2)")
        coach.order("(getAck)", lambda: len(coach.robots) == 1)
        while game_state(agent.receive())["pm"] != "GameOver":
            pass
        monitor.send("(killsim)")
        status, errors = server.wait()
        assert status == 0 and "Traceback" not in errors
        assert "'bogus'" in errors
