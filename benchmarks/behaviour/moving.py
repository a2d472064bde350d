"""Situations of robots that move: alone, many, in heaps, in other worlds, presets, profiles."""

import math
from collections.abc import Callable
from pathlib import Path

from behaviour.situation import ENGINES, Situation
from behaviour.stage import Player, Stage

_SPHERE = "rsg/agent/sphere.rsg"

_EXACT_EYES = """
perceptors:
  gyroscope: {format: "(GYR (n {name}) (rt {} {} {}))", values: ["-y deg", "x deg", "z deg"], decimals: 3}
  hinge_joint: {format: "(HJ (n {name}) (ax {}))", values: ["angle deg"], decimals: 3}
  force_resistance: {format: "(FRP (n {name}) (c {} {} {}) (f {} {} {}))",
                     values: ["-py", "px", "pz", "-fy", "fx", "fz"]}
  agent_state: {format: "(AgentState (temp {}) (battery {}))", values: ["temperature", "battery"], decimals: 0}
vision: {see: Sehen, player: R, line: Q, polar: p}
commands: {actions: [scene, init, beam, say, pass, pantilt]}
scenes:
  rsg/agent/nao/nao_hetero.rsg: {robot: nao, variants: 5}
simulation:
  perceptors:
    restricted_vision: {interval: 1, distance_noise: 0.0, horizontal_noise_deg: 0.0, vertical_noise_deg: 0.0,
                        calibration_error: 0.0, occluder_radius: 0.15, own_position: true, own_orientation: true,
                        ball_position: true}
"""
_ALL_AROUND = """
perceptors:
  hinge_joint: {format: "(HJ (n {name}) (ax {}))", values: ["angle deg"]}
vision: {simple_players: true}
commands: {actions: [scene, init, beam, pantilt]}
scenes:
  rsg/agent/nao/nao_hetero.rsg: {robot: nao, variants: 5}
simulation:
  perceptors:
    restricted_vision: {interval: 2, horizontal_fov_deg: 360.0, vertical_fov_deg: 360.0, static_axes: true}
"""


def waving(kind: int) -> Callable[[Stage], None]:
    """One agent of a type turns all its joints to and fro, and then falls."""

    def play(stage: Stage) -> None:
        with stage.serve():
            player = stage.connect(kind)
            for cycle in stage.cycles(260):
                if cycle == 0:
                    player.join("Waving", 7)
                elif cycle < 160:
                    for number, joint in enumerate(player.joints):
                        player.do(f"({joint} {1.5 * math.sin(0.11 * cycle + number):.3f})")
                else:
                    player.flail(6.0)

    return play


def falling(count: int, cycles: int, *arguments: str, spread: float = 1.0) -> Callable[[Stage], None]:
    """Players of all types, near to one another and to the ball, who stagger and fall in PlayOn."""

    def play(stage: Stage) -> None:
        with stage.serve(*arguments, robots=count):
            _stagger(stage, stage.team(count), cycles, spread)

    return play


def _stagger(stage: Stage, players: list[Player], cycles: int, spread: float = 1.0) -> None:
    for cycle in stage.cycles(cycles):
        for player in players:
            if cycle == 0:
                player.join()
            elif cycle == 3:
                row = player.number // 2
                player.do(f"(beam {-0.3 - 0.55 * spread * (row % 4)} {spread * (0.8 * (row // 4) - 0.7)} {25 * row})")
            elif cycle > 5 and (cycle + player.number) % 3 == 0:
                player.flail()
        if cycle == 20:
            stage.order("(playMode PlayOn)(ball (pos -0.6 0.2 0.3)(vel 1.5 -0.5 0))")


def heap(*arguments: str) -> Callable[[Stage], None]:
    """The trainer puts eight robots onto one spot, twice: above one another, and then into each other."""

    def play(stage: Stage) -> None:
        with stage.serve("--set", "start.clearance=0", "--play-mode", "PlayOn", *arguments, robots=8):
            players = stage.team(8)
            for cycle in stage.cycles(240):
                for player in players:
                    if cycle == 0:
                        player.join()
                    elif cycle > 4:
                        player.flail(joints=3)
                if cycle in (30, 130):
                    for player in players:
                        unum, side = player.number // 2 + 1, ("Left", "Right")[player.number % 2]
                        height = 0.4 if cycle > 100 else 0.4 + 0.25 * player.number
                        stage.order(f"(agent (unum {unum})(team {side})(pos -3 2 {height}))")

    return play


def tower(stage: Stage) -> None:
    """Robots are made at one place, above one another, and never become players."""
    with stage.serve("--robot", "nao/1", "--robot", "nao/4", "--robot", "nao", robots=5):
        players = stage.team(5)
        for cycle in stage.cycles(200):
            for player in players:
                if cycle % 2:
                    player.flail(6.0)


def sleeping(stage: Stage) -> None:
    """Nobody moves, a ball rolls by and wakes some, then all move again."""
    with stage.serve(robots=4):
        players = stage.team(4)
        for cycle in stage.cycles(320):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle == 3:
                    player.do(f"(beam -2 {player.number} 0)")
                elif cycle > 260:
                    player.flail(joints=2)
            if cycle == 200:
                stage.order("(playMode PlayOn)(ball (pos -2 -3 0.1)(vel 0 6 0))")


def manual2010(stage: Stage) -> None:
    """The Nao of the user manual: degrees per cycle, pan and tilt."""
    with stage.serve("--profile", "manual2010", robots=4):
        players = [stage.connect(scene="rsg/agent/nao/nao.rsg") for _ in range(4)]
        for cycle in stage.cycles(240):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle == 3:
                    player.do(f"(beam -1.5 {0.8 * player.number - 1} 10)(pantilt 20 -15)")
                elif cycle % 4 == player.number:
                    player.flail()
                    player.do(f"(say at{cycle})(pantilt {cycle % 90} {-cycle % 60})")


def sphere2006(stage: Stage) -> None:
    """Spheres drive about, kick, catch and look around."""
    with stage.serve("--profile", "sphere2006", robots=4):
        players = [stage.connect(scene=_SPHERE) for _ in range(4)]
        for cycle in stage.cycles(500):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle == 4:
                    player.do(f"(beam {-0.15 - 0.5 * (player.number // 2)} {0.3 * (player.number % 2)} 0)")
                elif cycle % 10 == player.number:
                    turn = [player.draw.uniform(-100, 100) for _ in range(2)]
                    player.do(f"(drive {turn[0]:.2f} {turn[1]:.2f} {cycle % 3})(pantilt {cycle % 360} {cycle % 40})")
                elif cycle % 70 == 44 and player.number == 0:
                    player.do(f"(kick {cycle % 50} {20 + cycle % 80})(say k{cycle})")
                elif cycle % 90 == player.number:
                    player.do("(catch)")
            if cycle == 30:
                stage.order("(playMode PlayOn)")
            if cycle % 70 == 40:
                # Nearer than the kick's margin.
                stage.order("(agent (unum 1)(team Left)(pos -0.5 0.1 0.112))(ball (pos -0.33 0.1 0.042)(vel 0 0 0))")


def sphere_field(stage: Stage) -> None:
    """The spheres' time and field."""
    with stage.serve("--profile", "sphere2006", "--world", "league_2004", robots=2):
        players = [stage.connect(scene=_SPHERE) for _ in range(2)]
        for cycle in stage.cycles(200):
            for player in players:
                if cycle == 0:
                    player.join()
                elif cycle % 5 == 1:
                    player.do(f"(drive 60 {20 * player.number} 0)(drive 1 2)(kick 20)")


def eyes(text: str) -> Callable[[Stage], None]:
    """A profile of one's own, whose difference is what is seen and how it is written."""

    def play(stage: Stage) -> None:
        profile: Path = stage.folder / "profile.yaml"
        profile.write_text(text)
        with stage.serve("--profile", str(profile), robots=4):
            players = stage.team(4)
            for cycle in stage.cycles(180):
                for player in players:
                    if cycle == 0:
                        player.join()
                    elif cycle == 3:
                        player.do(f"(beam -0.8 {0.6 * player.number - 1} {40 * player.number})")
                    elif cycle > 5:
                        player.flail(3.0, 2)
                        player.do(f"(pantilt {(cycle * 3) % 200 - 100} {cycle % 50 - 25})")

    return play


def in_world(name: str) -> Callable[[Stage], None]:
    """Four players on another field."""
    return falling(4, 200, "--world", name, spread=0.6)


MOVING = [
    *(Situation(f"type_{kind}", waving(kind)) for kind in range(5)),
    Situation("two_fall", falling(2, 300)),
    Situation("six_fall", falling(6, 300)),
    Situation("eleven_fall", falling(11, 240)),
    Situation("twenty_two_fall", falling(22, 200)),
    Situation("no_referee", falling(4, 240, "--no-referee")),
    Situation("two_threads", falling(6, 240, "--threads", "2")),
    Situation("heap", heap("--no-referee")),
    Situation("heap_judged", heap()),
    Situation("tower", tower),
    Situation("sleeping", sleeping),
    Situation("manual2010", manual2010),
    Situation("sphere2006", sphere2006),
    Situation("sphere_field", sphere_field),
    Situation("exact_eyes", eyes(_EXACT_EYES)),
    Situation("all_around", eyes(_ALL_AROUND)),
    *(Situation(f"world_{name}", in_world(name)) for name in ("spl", "msl", "league_2011")),
    *(
        Situation(f"preset_{preset}", falling(3, 240, "--preset", preset), (engine,))
        for engine, presets in zip(ENGINES, (("J1", "legacy"), ("awake",), ("rigid20",)), strict=True)
        for preset in presets
    ),
]
