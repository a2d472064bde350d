"""The grammar of the monitors' port: monitors, trainers and strangers."""

from __future__ import annotations

import random

from simspark_ros.simulation.player_plugins.host import PLAYERS
from simspark_stress.fuzz.case import Step
from simspark_stress.fuzz.doors.player_plugins import PLAYER_NAMES, player_text
from simspark_stress.fuzz.grammar import PAUSES, Tree, ended, message, number, sent, word, woven

MODES = ("BeforeKickOff", "PlayOn", "KickOff_Left", "corner_kick_right", "GameOver", "goal_kick_left", "Goal_Right")

_START, _LAST = "startPlayer", 2
"""Command that starts a player, and number of the client that stops all players."""

ALL_PLAYERS: tuple[Step, ...] = tuple(
    step
    for kind in PLAYERS
    for step in (["message", _LAST, f"({_START} p1={kind})"], ["wait", 0.2], ["message", _LAST, "(stopPlayer)"])
)
"""Steps that start and stop each kind of player; the first player of a kind makes the server load its modules."""

TARGETED = ("kill", "select")
"""Commands that could remove the good client if a mutation made them name it; they are never mutated."""


def draw_monitors(source: random.Random, quiet: bool) -> list[Step]:
    """Draw the steps of one or two clients. In quiet cases no valid command changes the game."""
    steps = woven(source, [_client(source, who, quiet) for who in range(source.choice((1, 1, 2)))])
    if any(_START in str(part) for step in steps for part in step):
        # Players stay in the match when their trainer leaves.
        steps.append(["message", _LAST, "(stopPlayer)"])
    return steps


def _client(source: random.Random, who: int, quiet: bool) -> list[Step]:
    steps: list[Step] = []
    for _ in range(source.randint(1, 4)):
        if not quiet and source.random() < 0.05:
            unum = source.randint(2, 9)
            steps.append(["message", who, f"({source.choice(TARGETED)} (unum {unum})(team Right))"])
            continue
        text = message(source, [_command(source) for _ in range(source.randint(1, 5))])
        steps += sent(source, who, _harmless(text, quiet))
        if source.random() < 0.2:
            steps.append(["read", who, source.choice(PAUSES)])
    return steps + ended(source, who)


def _harmless(text: str, quiet: bool) -> str:
    # The good client watches that time does not go back.
    for name in (*TARGETED, "reset", *(_CHANGING if quiet else ())):
        text = text.replace(name, name.upper())
    return text


_CHANGING = (
    *("agent", "ball", "playMode", "dropBall", "kickOff", "overrule", "repos", "time", "score", "pause", "run", "step"),
    *("speed", "turnJoint", "push", _START, "stopPlayer", "saveWorld", "addRobot", "placeRobot", "removeRobot", "undo"),
)
"""Commands that change the game or its clock."""


def _command(source: random.Random) -> Tree:
    x, y, z = number(source, -15.0, 15.0), number(source, -10.0, 10.0), number(source, 0.0, 2.0)
    unum, team = word(source, "1", "2", "7", "0", "-1", "12"), word(source, "Left", "Right", "None")
    player: list[Tree] = [["unum", unum], ["team", team]]
    robot: Tree = ["robot", word(source, "0", "1", "2", "7", "-1", "1e9")]
    # The neck is left out, since the good client checks its motion.
    joint: Tree = ["joint", word(source, "hj2", "laj1", "llj4", "nothing")]
    commands: tuple[list[Tree], ...] = (
        ["agent", *player, ["pos", x, y, z]],
        ["agent", *player, ["move", x, y, z, number(source, -360.0, 360.0)]],
        ["agent", *player, ["battery", x], ["temperature", y]],
        ["agent", *player, ["press", word(source, "chest", "left_foot", "nothing"), x]],
        ["agent", *player, ["move3d", x, y, z, *(number(source, -1.0, 1.0) for _ in range(4))]],
        ["agent"],
        ["ball", ["pos", x, y, z], ["vel", number(source), number(source), number(source)]],
        ["ball", ["vel", x, y, z]],
        ["playMode", word(source, *MODES)],
        ["dropBall"],
        ["kickOff", word(source, "Left", "Right", "None")],
        ["overrule", number(source, 0.0, 20.0)],
        ["repos", *player],
        ["time", number(source, 0.0, 700.0)],
        ["score", ["left", number(source, 0.0, 9.0)], ["right", number(source, 0.0, 9.0)]],
        ["reqfullstate"],
        ["pause"],
        ["run"],
        ["step", number(source, 0.0, 20.0)],
        ["speed", number(source, 0.5, 3.0)],
        ["frameRate", number(source, 0.0, 100.0)],
        ["inspect"],
        ["inspect", robot],
        ["turnJoint", robot, joint, ["position", number(source, -3.0, 3.0)]],
        ["push", robot, ["impulse", x, y, z]],
        ["seek", number(source, 0.0, 700.0)],
        [_START, player_text(source)],
        ["stopPlayer", word(source, *PLAYER_NAMES)],
        ["addRobot", word(source, "differential", "nao/4@1,2", "a=sphere@99,0", "/etc/passwd", "x@y=z")],
        ["placeRobot", robot, ["pos", x, y], ["heading", number(source, -400.0, 400.0)]],
        ["removeRobot", robot],
        ["undo"],
        ["saveWorld", word(source, "saved", "saved_too", "a-b", "../saved")],
        ["getAck"],
        ["killsim"],
        [word(source, "init", "scene", "he1", "syn"), x, *player],
    )
    return source.choice(commands)
