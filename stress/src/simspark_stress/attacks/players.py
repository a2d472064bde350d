"""Attacks by players with absurd commands (protocol reference, sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterable

from simspark_stress.hostile_client import AttackContext, HostileClient, attack

UNIFORM_NUMBERS = (
    *(-1, 99999999999999, -99999999999999, 12, 2**31 - 1, 2**31, -(2**31), 2**32 - 1, 2**32, 2**64),
    *("1e9", "1.5", "nan", "inf", "", "x", "(1)", "0x7", "9" * 300),
)

PATHS = (
    "../../../../etc/passwd",
    "../../../../../../../../etc/shadow",
    "/etc/passwd",
    "/dev/zero",
    "/dev/random",
    "/dev/stdin",
    "/proc/self/mem",
    "rsg/agent/nao/../../../../../etc/hostname",
    "file:///etc/passwd",
    "rsg/agent/nao",
    "rsg/agent/nao/nao_hetero.rsg\0.png",
    "~/.bashrc",
    "%2e%2e/%2e%2e/etc/passwd",
    "..\\..\\windows",
    "a" * 5000,
    "a/" * 3000,
    ".",
    "",
)

TYPES = ("-1", "5", "99999999999", "nan", "1e3", "0.5", "x", "(0)", "")

NUMBERS = (
    *("nan", "-nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "1e308", "1e38", "-1e300", "1e-320"),
    *("0x1p1023", "9" * 310, "-0", "+", "1_000", "nan(ind)"),
)

JOINTS = ("he1", "he2", "lae1", "lae4", "rae2", "rae4", "lle1", "lle3", "lle4", "rle2", "rle4", "rle6")


@attack("absurd-init", joins=True)
def absurd_init(context: AttackContext) -> None:
    """Ask for uniform numbers that no player can have, from eight robots in turn."""
    everything = [f"(init (unum {number})(teamname {context.team}))" for number in UNIFORM_NUMBERS]
    everything += [f"(init (teamname {context.team}))", "(init (unum 1))", "(init)", "(init (unum)(teamname))"]
    everything += [f"(init (unum 1)(teamname {name}))" for name in ("", "(x)", "a" * 300, "nan", '"', "%n%n%s")]
    _one_each(context, context.robots(8), everything)


@attack("scene-paths", joins=True)
def scene_paths(context: AttackContext) -> None:
    """Ask for robots by paths of other files, and for types that do not exist."""
    for path in PATHS:
        context.connect().send(f"(scene {path})(syn)", f"(scene {path} 0)(syn)")
    for kind in TYPES:
        context.connect().send(f"(scene rsg/agent/nao/nao_hetero.rsg {kind})(syn)")
    # A server may have given some of these clients a robot.
    context.play(0.5, context.clients)


@attack("second-scene", joins=True)
def second_scene_and_init(context: AttackContext) -> None:
    """Send scene and init again and again, with the same uniform number and with others."""
    clients = context.join(2)
    again = [context.opening(), context.opening()] * 3
    again += [f"(init (unum {number})(teamname {context.team}))" for number in (1, 1, 2, 3, 4, 5, 0, 0, 11)]
    again += ["(init (unum 1)(teamname Third))", "(init (unum 0)(teamname Fourth))"]
    _one_each(context, clients, again)


@attack("absurd-numbers", joins=True)
def absurd_numbers(context: AttackContext) -> None:
    """Command joints and beams with numbers that are infinite, huge or no numbers."""
    clients = context.join(2)
    messages = []
    for number in NUMBERS:
        messages.append("".join(f"({joint} {number})" for joint in JOINTS))
        for place in (f"{number} 0 0", f"0 {number} 0", f"-3 1 {number}", f"{number} {number} {number}"):
            messages.append(f"(beam {place})")
        messages.append(f"(he1 1 {number})(he1 ({number}))(pass {number})(syn {number})")
    _one_each(context, clients, messages)


@attack("unknown-joints", joins=True)
def unknown_joints(context: AttackContext) -> None:
    """Command joints that this robot does not have, from a robot and from a client without one."""
    stranger = context.connect()
    words = ["he3", "lle7", "rle7", "lle8", "xyz", "lae1_2", "he1 he2", "__class__", "he", "1"]
    words += ["drive", "kick", "catch"]
    messages = [f"({word} 1)" for word in words] + ["(he1)", "(he1 x)", "()", "(())", "he1 1", "((he1) 1)"]
    messages += ["(drive 100 100 100)", "(kick 50 100)", "(catch)", "(pantilt 90 90)", "(lae1_2 1 2)", "(battery 0)"]
    stranger.send(*messages)
    _one_each(context, context.join(1), messages)


@attack("one-spot", joins=True)
def one_spot(context: AttackContext) -> None:
    """Beam robots onto one spot again and again while all their joints thrash at full speed."""
    clients = context.join(8)

    def thrash() -> str:
        speed = context.random.choice(("7", "-7", "1e9", "-1e9"))
        beam = "(beam -7 -5 0)" if context.random.random() < 0.1 else ""
        return beam + "".join(f"({joint} {speed})" for joint in JOINTS) + "(syn)"

    for client in clients:
        client.answer = thrash
        client.send("(beam -7 -5 0)(syn)")
    context.play(2.5, clients)


@attack("crowd", joins=True)
def crowd(context: AttackContext) -> None:
    """Bring in more robots than two teams have, none with a number, most of them where robots appear."""
    clients = context.robots(26)
    context.play(1.5, clients)


def _one_each(context: AttackContext, clients: list[HostileClient], messages: Iterable[str]) -> None:
    """Send the messages from the clients in turn; in between all clients answer the server."""
    for number, message in enumerate(messages):
        clients[number % len(clients)].send(message)
        context.play(0.02, clients)
        if not context.left:
            break
    context.play(0.1, clients)
