"""Makes the pictures of the documentation from the simulation itself: `python docs/make_pictures.py`. Deterministic."""

from __future__ import annotations

import math
import struct
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.rotations import quaternions_from_rotations
from simspark_ros.physics.model import ArticulatedModel
from simspark_ros.rendering.drawing.bodies import RobotLook
from simspark_ros.rendering.drawing.drawer import ScenePose
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.rendering.renderer import Picture, SceneRenderer
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.assembly import build_simulation
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

IMAGES = Path(__file__).parent / "images"
WIDTH, HEIGHT = 960, 540
SMOOTH = 3
"""Pictures are drawn this many times as large and reduced, which smooths edges."""

ARMS = {"laj1": -80.0, "raj1": -80.0, "laj2": 12.0, "raj2": -12.0, "laj4": -35.0, "raj4": 35.0}
KNEES = {f"{side}lj{joint}": angle for side in "lr" for joint, angle in ((3, 32.0), (4, -60.0), (5, 28.0))}
KEEPER = {"laj1": -60.0, "raj1": -60.0, "laj2": 60.0, "raj2": -60.0, "laj4": -20.0, "raj4": 20.0, **KNEES}
KICK = {"rlj3": 85.0, "rlj4": -15.0, "raj1": -120.0, "laj1": -40.0, "llj2": 8.0, "llj6": -8.0}


@dataclass(frozen=True)
class Player:
    """A robot in the picture: its variant, team, place (m), heading (degrees) and posture (degrees by joint)."""

    variant: int
    team: Side
    place: tuple[float, float]
    heading: float
    posture: dict[str, float]


PLAYERS = (
    Player(0, Side.LEFT, (12.55, 0.45), -8.0, {**ARMS, **KNEES}),
    Player(1, Side.LEFT, (13.35, -1.0), 50.0, {**ARMS, **KNEES, "hj1": 25.0}),
    Player(0, Side.RIGHT, (14.75, 0.1), 180.0, {**KEEPER, "hj2": -10.0}),
)


def command(world: SoccerWorld, robot: SoccerRobot, posture: dict[str, float]) -> None:
    """Let a robot's servos take joints to angles in degrees."""
    state = world.engine.state
    names = [joint.name for joint in robot.description.model.joints]
    start = state.joints_of(state.row(robot.handle)).start
    joints = np.array([start + names.index(name) for name in posture])
    world.motors.set_positions(joints, np.radians(list(posture.values())), state)


def play() -> tuple[Simulation, list[SoccerRobot]]:
    """Let two attackers and a goalkeeper take their stand, and one of them kick."""
    simulation, _ = build_simulation(SimulationSettings(pacing="fast", seed=1), [], time.monotonic, time.sleep)
    world = simulation.world
    robots = []
    for player in PLAYERS:
        description = load_robot("nao", player.variant)
        at = (*player.place, description.spawn_height - crouch(description.model, player.posture))
        robots.append(world.add_robot(description, at, math.radians(player.heading)))
        angles = [math.radians(player.posture.get(joint.name, 0.0)) for joint in description.model.joints]
        world.engine.set_joint_positions(robots[-1].handle, np.array(angles))
        command(world, robots[-1], player.posture)
    world.place_ball((12.7, 0.38))
    simulation.run(10)
    command(world, robots[0], KICK)
    simulation.run(8)
    world.place_ball((13.05, 0.3), (5.0, -0.7, 1.6))
    simulation.run(3)
    return simulation, robots


def crouch(model: ArticulatedModel, posture: dict[str, float]) -> float:
    """How much lower the base is in a posture (degrees by joint) than with straight legs, m."""
    straight, bent = (link_frames(model, {name: math.radians(a) for name, a in p.items()}) for p in ({}, posture))
    lower: float = bent["lfoot"].position[2] - straight["lfoot"].position[2]
    return lower


def draw(simulation: Simulation, robots: list[SoccerRobot]) -> Picture:
    """The scene from beside the penalty area."""
    world = simulation.world
    links = [(robot.handle, link.name) for robot in robots for link in robot.description.model.links]
    positions, rotations = world.engine.link_poses(world.engine.select_links(links))
    renderer = SceneRenderer(world.settings, renderer="software")
    looks = zip(robots, PLAYERS, strict=True)
    renderer.set_robots([RobotLook(robot.description.model, player.team) for robot, player in looks])
    renderer.place(ScenePose(positions, quaternions_from_rotations(rotations), world.engine.state.ball_position))
    camera = CameraPose.look_at((10.6, -1.7, 1.1), (13.6, 0.0, 0.34))
    picture = renderer.render(camera, Lens(SMOOTH * WIDTH, SMOOTH * HEIGHT, math.radians(50.0)))
    renderer.close()
    blocks = picture.reshape(HEIGHT, SMOOTH, WIDTH, SMOOTH, 3)
    smooth: Picture = np.rint(blocks.mean((1, 3))).astype(np.uint8)
    return smooth


def png(picture: NDArray[np.uint8]) -> bytes:
    """A picture (height, width, 3) as the bytes of a PNG file; each row as differences to the one above."""
    height, width, _ = picture.shape
    above = np.concatenate([np.zeros((1, width, 3), np.uint8), picture[:-1]])
    rows = np.full((height, 1 + 3 * width), 2, np.uint8)
    rows[:, 1:] = (picture - above).reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    chunks = [struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in parts]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def main() -> int:
    """Write all pictures."""
    IMAGES.mkdir(exist_ok=True)
    simulation, robots = play()
    path = IMAGES / "field.png"
    path.write_bytes(png(draw(simulation, robots)))
    simulation.world.engine.close()
    print(f"{path}: {path.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
