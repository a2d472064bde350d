"""An agent that stands still and shows what it perceives. `simspark sense` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from simspark_ros.clients.classic_client import PATIENCE, ClassicClient, enter, game_state
from simspark_ros.configuration.league_models import league_file
from simspark_ros.protocol.agent.answer_writer import join_command
from simspark_ros.protocol.sexpr import Expression, parse


def sense(client: ClassicClient, team: str, unum: int, variant: int, robot: str = "nao") -> Iterator[list[str]]:
    """Join, and give the perceptors of each message as texts, until the server goes away.

    It ends after `PATIENCE` messages if the server does not accept it. A robot of the league since 2026 joins as agents
    of that league do; its server closes the connection of whom it does not accept.
    """
    joined = league_file(robot) is not None
    if joined:
        client.send(join_command(robot, team, unum))
    else:
        enter(client, team, unum, variant, robot)
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
