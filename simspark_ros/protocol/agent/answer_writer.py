"""Writes the answers of players in the classic protocol (protocol reference, sections 3 and 5)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

# Clients that only join and wave start without numpy, in half the time.
if TYPE_CHECKING:
    from simspark_ros.players.answer import Answer

HETERO_SCENE = "rsg/agent/nao/nao_hetero.rsg"
"""Scene of all types of the Nao."""


def scene_command(variant: int, robot: str = "nao") -> str:
    """Ask for a Nao of a heterogeneous type, or for another robot by its scene in profile `leagues`."""
    return f"(scene {HETERO_SCENE} {variant})" if robot == "nao" else f"(scene rsg/agent/{robot}.rsg)"


def init_command(team: str, unum: int) -> str:
    """Join a team under a number, 0 = any free number."""
    return f"(init (unum {unum})(teamname {team}))"


def join_command(robot: str, team: str, unum: int) -> str:
    """Join the league since 2026 with a robot, a team and a number."""
    return f"(init {robot} {team} {unum})"


class AnswerWriter:
    """Writes the answers of one player; speeds persist in the simulator, so only changes are written.

    `words` has the word that commands each joint, by joint; missing words are derived from the Nao's names.
    """

    def __init__(self, words: Mapping[str, str] | None = None) -> None:
        self._words = words or {}
        self._sent: dict[str, float] = {}
        self._holds = False

    def write(self, answer: Answer) -> str:
        """Write an answer, without the `(syn)`."""
        pieces = [] if answer.beam is None else [_beam(*answer.beam)]
        if answer.say:
            pieces.append(f"(say {answer.say})")
        if answer.request_pass:
            pieces.append("(pass)")
        if answer.hold is not self._holds:
            self._holds = answer.hold
            pieces.append(f"(ball_handling {str(answer.hold).lower()})")
        if answer.shot is not None:
            forward, up = answer.shot
            pieces.append(f"(kicker {forward:.3f} {up:.3f})")
        return "".join(pieces) + self._speeds(answer.speeds)

    def _speeds(self, speeds: Mapping[str, float]) -> str:
        sent = self._sent
        pieces = []
        for joint, speed in speeds.items():
            rounded = round(speed, 4)
            if sent.get(joint) != rounded:
                sent[joint] = rounded
                # The effector of joint hj1 is he1, that of laj1 is lae1.
                word = self._words.get(joint) or joint.replace("j", "e", 1)
                pieces.append(f"({word} {rounded})")
        return "".join(pieces)


def _beam(x: float, y: float, heading: float) -> str:
    return f"(beam {x:.3f} {y:.3f} {math.degrees(heading):.2f})"
