"""The grammar of the agents' port: players, would-be players and strangers."""

from __future__ import annotations

import random

from simspark_stress.attacks.players import JOINTS, PATHS, UNIFORM_NUMBERS
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.grammar import PAUSES, Tree, ended, message, number, sent, word, woven

JOINING = 0.06
"""Fraction of the clients that get a robot; making and removing a robot costs more than a hundred messages."""

SCENE = "rsg/agent/nao/nao_hetero.rsg"


def draw_agents(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one to three clients. In quiet cases no client gets a robot."""
    count = source.choice((1, 1, 1, 2, 3))
    steps = woven(source, [_client(source, who, quiet) for who in range(count)])
    return [_without_scene(step) for step in steps] if quiet else steps


def _client(source: random.Random, who: int, quiet: bool) -> list[Step]:
    steps: list[Step] = []
    if not quiet and source.random() < JOINING:
        steps += [["message", who, f"(scene {SCENE} {source.randrange(5)})(syn)"], ["read", who, 0.2]]
        if source.random() < 0.7:
            steps += [["message", who, "(init (unum 0)(teamname Hostile))(syn)"], ["read", who, 0.1]]
    for _ in range(source.randint(1, 4)):
        commands = [_command(source, quiet) for _ in range(source.randint(1, 5))]
        steps += sent(source, who, message(source, [*commands, ["syn"]]))
        if source.random() < 0.2:
            steps.append(["read", who, source.choice(PAUSES)])
    return steps + ended(source, who)


def _command(source: random.Random, quiet: bool) -> Tree:
    kind = source.choice(("joint", "joint", "beam", "say", "init", "pass", "syn", "other", "odd", "scene"))
    match kind:
        case "joint":
            return [word(source, *JOINTS), number(source)]
        case "beam":
            return ["beam", number(source), number(source), number(source, -400.0, 400.0)]
        case "say":
            return ["say", word(source, "hello", "a" * 20, "a" * 21, '"')]
        case "init":
            unum = str(source.choice(UNIFORM_NUMBERS)) if source.random() < 0.5 else str(source.randint(0, 11))
            return ["init", ["unum", unum], ["teamname", word(source, "Hostile")]]
        case "scene":
            # Only `_client` asks for robots, and rarely; these paths name no robot.
            return ["scene", source.choice(PATHS), number(source)]
        case "pass" | "syn":
            return [kind]
        case "other":
            return [
                source.choice(("drive", "kick", "catch", "pantilt", "lae1_2", "time")),
                number(source),
                number(source),
            ]
        case _:
            name = word(source, "he3", "lle7", "battery", "1", "create", "leave")
            return [name, number(source), *source.choice(([], [number(source)], [word(source, "x")]))]


def _without_scene(step: Step) -> Step:
    return [part.replace("scene", "scent") if isinstance(part, str) else part for part in step]
