"""An agent that stands still and shows what it perceives. `simspark sense` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from simspark_ros.clients.classic_client import ClassicClient, game_state
from simspark_ros.protocol.agent.answer_writer import init_command, scene_command
from simspark_ros.protocol.sexpr import Expression, parse

PATIENCE = 250
"""Messages after which a player that the server has not accepted gives up."""


def sense(client: ClassicClient, team: str, unum: int, variant: int, robot: str = "nao") -> Iterator[list[str]]:
    """Join, and give the perceptors of each message as texts, until the server goes away.

    It ends after `PATIENCE` messages if the server does not accept it.
    """
    client.send(f"{scene_command(variant, robot)}(syn)")
    client.receive()
    client.send(f"{init_command(team, unum)}(syn)")
    joined = False
    for number in count():
        message = client.receive()
        joined = joined or "unum" in game_state(message)
        if number == PATIENCE and not joined:
            return
        client.send("(syn)")
        if joined:
            yield [_text(perceptor) for perceptor in parse(message)]


def _text(expression: Expression) -> str:
    return expression if isinstance(expression, str) else f"({' '.join(map(_text, expression))})"
