"""Situations of the game: referee, trainer, voices, beams, those who come and go, and those who mean harm."""

import struct
from collections.abc import Callable

from behaviour.situation import Situation
from behaviour.stage import Player, Stage
from behaviour.wire import Link

_MODES = (
    *("BeforeKickOff", "KickOff_Left", "KickOff_Right", "PlayOn", "KickIn_Left", "KickIn_Right", "corner_kick_left"),
    *("corner_kick_right", "goal_kick_left", "goal_kick_right", "offside_left", "offside_right", "Goal_Left"),
    *("Goal_Right", "free_kick_left", "free_kick_right", "direct_free_kick_left", "direct_free_kick_right"),
    *("pass_left", "pass_right", "GameOver"),
)

Orders = dict[int, str]
"""Trainer commands by cycle."""


def _play_by_orders(
    stage: Stage, orders: Orders, cycles: int, *arguments: str, count: int = 4, each: Callable[[Player, int], None]
) -> None:
    """Players near the centre, a trainer who commands at given cycles."""
    with stage.serve(*arguments, robots=count):
        players = stage.team(count)
        for cycle in stage.cycles(cycles):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle == 3:
                    player.do(f"(beam -0.7 {0.7 * (player.number // 2) - 0.3} 5)")
                else:
                    each(player, cycle)
            if cycle in orders:
                stage.order(orders[cycle])


def _sway(player: Player, cycle: int) -> None:
    if cycle % 7 == player.number:
        player.flail(1.5, 3)


def kick_off_and_goals(stage: Stage) -> None:
    """Kick-offs, goals of both sides, by whoever touched the ball last and by nobody."""
    orders = {
        10: "(kickOff Left)",
        70: "(playMode PlayOn)(ball (pos 14 0 0.1)(vel 8 0 0))",
        160: "(kickOff Right)",
        180: "(ball (pos -0.6 -0.3 0.2)(vel 0 0 -1))",
        220: "(playMode PlayOn)(ball (pos -13.5 0.2 0.3)(vel -9 0 1))",
        330: "(kickOff None)(ball (vel 3 1 0))",
    }
    changes = ("--set", "rules.game.goal_pause=0.8", "--set", "rules.set_plays.drop_ball_time=2")
    _play_by_orders(stage, orders, 400, *changes, each=_sway)


def ball_out(stage: Stage) -> None:
    """The ball leaves the field everywhere, untouched and off a player; set plays run out of time; drop balls."""
    orders = {10: "(playMode PlayOn)"}
    places = ("3 9.9", "-4 -9.9", "14.9 4", "-14.9 5")
    heads = ("3 9.6 Left 1", "-4 -9.6 Right 1", "14.6 4 Left 2", "14.6 -6 Right 2", "-14.6 5 Left 1", "-14.6 5 Right 2")
    for number, (x, y, *player) in enumerate(text.split() for text in (*places, *heads)):
        out = (1 if x[0] != "-" else -1, 0) if abs(float(x)) > 10 else (0, 1 if y[0] != "-" else -1)
        if player:
            order = f"(agent (unum {player[1]})(team {player[0]})(pos {x} {y} 0.4))(ball (pos {x} {y} 0.75)"
            order += f"(vel {1.2 * out[0]} {1.2 * out[1]} -1))"
        else:
            order = f"(ball (pos {x} {y} 0.05)(vel {6 * out[0]} {6 * out[1]} 0))"
        orders[20 + 60 * number] = "(playMode PlayOn)" + order
        orders[75 + 60 * number] = "(dropBall)"
    _play_by_orders(stage, orders, 640, "--set", "rules.set_plays.drop_ball_time=0.6", each=_sway)


def play_modes(stage: Stage) -> None:
    """Every mode, with a ball between the players."""
    orders = {
        10 + 18 * number: f"(playMode {mode})(ball (pos {0.3 * number - 3} {0.2 * number - 2} 0.1)(vel 0.3 0.2 0))"
        for number, mode in enumerate(_MODES)
    }
    changes = ("--set", "rules.set_plays.drop_ball_time=0.3", "--set", "rules.set_plays.pause=0.1")
    _play_by_orders(stage, orders, 410, *changes, count=6, each=_sway)


def free_kicks(stage: Stage) -> None:
    """Free kicks touched by the players who stand around the ball, and passes that are asked for."""
    orders = {15: "(playMode PlayOn)(ball (pos -0.6 -0.2 0.1)(vel 0 0 0))"}
    for number, mode in enumerate(("free_kick_left", "free_kick_right", "direct_free_kick_left", "pass_right")):
        orders[80 + 80 * number] = f"(ball (pos -0.5 0.1 0.3)(vel 0 0 0))(playMode {mode})"

    def each(player: Player, cycle: int) -> None:
        player.flail(2.0, 3)
        if cycle % 20 == player.number:
            player.do("(pass)")

    _play_by_orders(stage, orders, 400, "--set", "rules.set_plays.pause=0.2", count=6, each=each)


def overrule(stage: Stage) -> None:
    """Decisions are taken back, by their numbers and by wrong ones."""
    orders = {
        12: "(playMode PlayOn)(ball (pos 14.5 0.1 0.1)(vel 7 0 0))",
        60: "(overrule 1)",
        80: "(playMode PlayOn)(ball (pos 5 9.8 0.1)(vel 0 6 0))",
        130: "(overrule 2)(overrule 99)(overrule 0)(overrule x)",
        150: "(playMode PlayOn)(ball (pos -14.5 0.1 0.1)(vel -7 0 0))",
        200: "(overrule 4)(overrule 4)",
        210: "(overrule 3)",
        215: "(time 299.8)(playMode PlayOn)",
        260: "(time 290)(overrule 6)(overrule 5)(overrule 7)",
    }
    _play_by_orders(stage, orders, 320, "--set", "rules.game.goal_pause=0.4", each=_sway)


def halves(stage: Stage) -> None:
    """Short halves that begin by themselves, sides that change, the end of the game."""
    changes = ("game.half_time=2", "game.automatic_kick_off=true", "game.wait_before_kick_off=0.5")
    more = ("game.change_sides=true", "game.coin_toss=true", "order.offside=true", "order.kick_off_foul=true")
    arguments = [word for change in (*changes, *more) for word in ("--set", f"rules.{change}")]
    _play_by_orders(stage, {}, 320, *arguments, each=_sway)


def incapable(stage: Stage) -> None:
    """Who lies too long, stands too close or touches too many is put out."""
    changes = ("incapable.ground_time=0.6", "incapable.not_standing_time=1.5", "incapable.goalie_ground_time=1")
    more = ("crowding.opponent_distance=2", "crowding.second_distance=1", "crowding.third_distance=2")
    arguments = [word for change in (*changes, *more) for word in ("--set", f"rules.{change}")]

    def each(player: Player, cycle: int) -> None:
        if cycle > 10:
            player.flail(5.0, 4)

    orders = {30: "(playMode PlayOn)(ball (pos -0.8 0.4 0.1)(vel 0 0 0))"}
    _play_by_orders(stage, orders, 300, "--rules", "rcssserver3d_2016", *arguments, count=8, each=each)


def trainer_commands(stage: Stage) -> None:
    """Every trainer command, sound and not."""
    words = (
        "(agent (unum 1)(team Left)(pos 5 5 0.4))",
        "(agent (unum 1)(team Right)(move -3 2 0.4 -90))",
        "(agent (unum 2)(team Left)(battery 50)(temperature 40))",
        "(agent (pos 1 1 0.5))(agent (unum 9)(team Left)(pos 0 0 1))(agent (unum x)(team Left)(pos 0 0 1))",
        "(select (unum 2)(team Right))(agent)",
        "(select)(repos)",
        "(select (unum -1))(repos (unum 2)(team Left))",
        "(ball (pos 3 -3 0.04))(ball (vel 0 4 2))",
        "(ball (pos nan 0 0))(ball (vel inf 0 0))(ball (pos 1e9 0 0))(ball)",
        "(playMode KickIn_Left)(playMode Nonsense)(playMode)",
        "(dropBall)(score (left 3)(right 4))(score (left -1)(right x))",
        "(time 77.5)(time -3)(time nan)",
        "(kickOff Right)(kickOff Nobody)",
        "(reqfullstate)(getAck)(bogus)(bogus (more)) )((",
        "(kill (unum 2)(team Right))",
        "(frameRate 1000000)(killsim)",
    )
    with stage.serve(robots=4):
        players = stage.team(4)
        for cycle in stage.cycles(340):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle == 3:
                    player.do(f"(beam -1 {player.number} 5)")
                else:
                    _sway(player, cycle)
            if cycle % 20 == 10 and cycle // 20 < len(words):
                stage.order(words[cycle // 20])
            if cycle // 20 == 14 and cycle % 20 == 10:
                # The perception of the cycle before is still sent.
                players[3].last = cycle + 1


def say_and_hear(stage: Stage) -> None:
    """All talk, also when nobody may; long, quoted, strange and repeated messages."""
    strange = ('(say "quoted")', "(say)", "(say abcdefghijklmnopqrstuvwxyz)", "(say)(say b)", "(say \xfc)", "(say a b)")
    with stage.serve(robots=6):
        players = stage.team(6)
        for cycle in stage.cycles(160):
            for player in players:
                if cycle == 0:
                    player.do("(say early)")
                    player.join()
                elif cycle == 3:
                    player.do(f"(beam {-3 * (player.number // 2)} {player.number} 45)")
                elif (cycle + player.number) % 4 == 0:
                    player.do(f"(say {player.number}:{cycle}:~!$%&)(he1 {player.draw.uniform(-2, 2):.2f})")
                elif cycle % 13 == player.number:
                    player.do(strange[player.number])
            if cycle == 100:
                stage.order("(agent (unum 1)(team Left)(pos 60 0 0.4))")


def beams(stage: Stage) -> None:
    """Beams that are sound, outside, on others, not finite, incomplete, and in modes that forbid them."""
    bad = (
        "(beam 3 0 0)",
        "(beam -99 99 0)",
        "(beam nan 0 0)",
        "(beam -1)",
        "(beam -1 -1 inf)",
        "(beam a b c)",
        "(beam)",
    )
    with stage.serve(robots=4):
        players = stage.team(4)
        for cycle in stage.cycles(260):
            for player in players:
                if cycle == 0:
                    player.do("(beam -2 2 0)")
                    player.join()
                elif cycle < 200 and cycle % 25 == 5 + player.number:
                    player.do(f"(beam {-0.1 * cycle % 15 - 15:.2f} {player.draw.uniform(-11, 11):.2f} {cycle})")
                elif cycle % 25 == 15 + player.number:
                    player.do(bad[(cycle // 25 + player.number) % len(bad)])
                elif cycle == 120:
                    player.do("(beam -5 0 0)")
            if cycle == 200:
                stage.order("(playMode PlayOn)")
            if cycle == 230:
                stage.order("(playMode Goal_Left)")


def come_and_go(stage: Stage) -> None:
    """Agents disconnect and others join while the others play; monitors as well."""
    with stage.serve(robots=3):
        players = stage.team(3)
        for cycle in stage.cycles(300):
            for player in stage.players:
                _begin_or_go_on(player, cycle)
            if cycle == 60:
                stage.leave(players[1])
            if cycle in (80, 82, 83, 200):
                stage.connect(cycle % 5)
            if cycle == 100:
                stage.watch()
                stage.order("(reqfullstate)")
            if cycle == 150:
                stage.leave(players[0])
                stage.connect(4)
            if cycle == 151:
                stage.leave(stage.players[4])
                stage.watch()
            if cycle == 220:
                stage.players[3].join("B", 9)


def _begin_or_go_on(player: Player, cycle: int) -> None:
    if player.playing and player.answered == 0 and cycle >= player.due - 1:
        player.join()
    elif player.answered == 3:
        player.do(f"(beam -2 {player.number - 3} 0)")
    elif player.answered > 5:
        player.flail(3.0, 2)


def malformed(stage: Stage) -> None:
    """One agent sends whatever is wrong inside of sound frames, beside a good one."""
    wrong: tuple[str | bytes, ...] = (
        "(he1 nan)(he1 inf)(he1 1e400)(he1)(he1 a)(he1 1 2)",
        "((((((", "))))", "", " ", "he1 3", "(nosuch 1)(lle9 2)(rle7 1)", "(he1 (2))", b"\x00\xff\xfe(he1 1)\x80",
        "(scene x)(scene)(scene rsg/agent/nao/nao_hetero.rsg 7)(scene rsg/agent/nao/nao_hetero.rsg 2)",
        "(init (unum 99)(teamname X))(init (unum 1))(init)(init (unum 1)(teamname (x)))(init (unum 1)(teamname A))",
        "(init (unum 5)(teamname C))(init (unum 6)(teamname D))(init (unum 7)(teamname E))(init (unum 3)(teamname A))",
        "(he1 1)" * 100, "(say x)" * 12, "(drive 1 1 1)(kick 2 3)(catch)(pantilt 1 1)", "(he1 1e308)(he2 -1e308)",
        "(" * 3000, "(syn)(syn)(syn)", "(SYN)(Syn)", "(he1 +.5e1)(he2 -5.)(he1 0x10)(he2 1_0)", '(say "' + "a" * 300,
    )  # fmt: skip
    with stage.serve(robots=2):
        good, bad = stage.team(2)
        bad.hostile = True
        for cycle in stage.cycles(len(wrong) * 8):
            if cycle == 0:
                good.join()
                bad.join()
            elif cycle > 4:
                good.flail(3.0, 2)
                text = wrong[cycle // 8]
                # In a message that cannot be read the (syn) would be lost.
                if cycle % 8 == 0 and isinstance(text, str) and '"' not in text and text.count("(") == text.count(")"):
                    bad.do(text)
                if cycle % 8 == 4:
                    bad.link.send(text)
                    bad.link.settle(0.3)


def hostile(stage: Stage) -> None:
    """Broken frames, floods, silence and farewells at bad moments, beside a good agent; on the monitor's port too."""
    strangers = _Strangers()
    with stage.serve(robots=2):
        good, other = stage.team(2)
        other.hostile = True
        for cycle in stage.cycles(160):
            if cycle == 0:
                good.join()
                other.join()
            elif cycle > 4:
                good.flail(3.0, 2)
                other.flail(2.0, 1)
            strangers.act(stage, cycle)
            if cycle == 50:
                other.link.send(*(f"(say {number})" for number in range(60)))
                other.link.settle(0.3)
            if cycle == 60:
                other.link.send("(he1 1.5)" * 900)
                other.link.settle(0.3)
            if cycle == 70:
                stage.monitors[0].send("(ball (vel 1 0 0))" * 90)
                stage.monitors[0].settle(0.3)
            if cycle == 80:
                second = stage.watch()
                second.raw(struct.pack(">I", 1 << 30) + b"(ball")
                second.settle()
            if cycle == 100:
                other.link.raw(struct.pack(">I", 1 << 29))
                other.playing = False
                other.link.settle()


class _Strangers:
    """Clients that never play: broken frames, silence and farewells at bad moments."""

    def __init__(self) -> None:
        self._leaving: list[Link] = []

    def act(self, stage: Stage, cycle: int) -> None:
        if cycle == 20:
            broken = stage.stranger()
            broken.raw(b"\xff\xff\xff\xff(scene")
            broken.settle()
        if cycle == 25:
            half = stage.stranger()
            half.raw(struct.pack(">I", 100) + b"(half a")
            half.settle()
            self._leaving.append(half)
        if cycle == 30:
            robotless = stage.stranger()
            robotless.send("(init (unum 1)(teamname A))(he1 3)(beam 0 0 0)(say hello)(syn)")
            robotless.settle()
            self._leaving.append(robotless)
        if cycle == 40:
            late = stage.stranger()
            late.send("(scene rsg/agent/nao/nao.rsg)(syn)")
            late.settle()
            late.leave()
        if cycle == 45:
            # Before the server loses patience with those who have no robot.
            for link in self._leaving:
                link.leave()


RULES = [
    Situation("kick_off_and_goals", kick_off_and_goals),
    Situation("ball_out", ball_out),
    Situation("play_modes", play_modes),
    Situation("free_kicks", free_kicks),
    Situation("overrule", overrule),
    Situation("halves", halves),
    Situation("incapable", incapable),
    Situation("trainer_commands", trainer_commands),
    Situation("say_and_hear", say_and_hear),
    Situation("beams", beams),
    Situation("come_and_go", come_and_go),
    Situation("malformed", malformed),
    Situation("hostile", hostile),
]
