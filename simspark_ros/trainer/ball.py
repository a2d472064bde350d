"""The trainer's command for the ball (protocol reference, section 6, "Trainer commands")."""

from __future__ import annotations

from typing import ClassVar

from simspark_ros.effectors.base import Effector, arguments
from simspark_ros.physics.model import Vector
from simspark_ros.soccer.world import CommandRejectedError, World

WORDS = ("pos", "vel")


class BallEffector(Effector):
    """`ball`: words (`pos`, `vel` or both), numbers (three for each; m and m/s, world frame)."""

    kind: ClassVar[str] = "ball"

    def realize(self, world: World, client: str, words: tuple[str, ...], numbers: tuple[float, ...]) -> None:
        """Place the ball, give it a velocity, or both; what is not named is kept, spin becomes zero.

        A ball is not put into the ground: it lies on it at least.
        """
        if not words or any(word not in WORDS for word in words):
            raise CommandRejectedError(f"ball: needs 'pos', 'vel' or both, not {' '.join(words) or 'nothing'}")
        arguments(self.kind, numbers, "x y z " * len(words))
        given = {word: numbers[3 * i : 3 * i + 3] for i, word in enumerate(words)}
        state = world.engine.state
        x, y, z = given.get("pos") or state.ball_position.tolist()
        velocity: Vector = given.get("vel") or tuple(state.ball_velocity.tolist())  # type: ignore[assignment]
        if "pos" in given:
            z = max(z, world.settings.ball_rest_height)
        world.engine.place_ball((x, y, z), velocity)
