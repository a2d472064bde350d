"""Trials of robots and ball on an engine and preset, whose figures do not depend on the length of a cycle."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from simspark_ros.physics.engine import Array, EngineState, JointControl
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from simspark_ros.soccer.world import SoccerWorld

CROUCH = {"HipPitch": -0.6, "KneePitch": 1.1, "AnklePitch": -0.5, "ShoulderPitch": 1.2}
"""A posture of `nao_lola`, rad, the same on both sides."""

LENGTH, BOB = 0.5, 2.0
"""Length and mass of the pendulum, m and kg; a small ball on a rod without mass."""

INERTIA = 1e-3
"""Moment of inertia of the pendulum's ball about its centre, kg m2."""

BLOCK_INERTIA = (333.0, 0.0, 0.0, 333.0, 0.0, 333.0)

Figures = dict[str, float]


class Trial:
    """A field with one robot of the catalogue, or none."""

    def __init__(self, preset: str, robot: str = "", lift: float = 0.0) -> None:
        engine, _, name = preset.partition(":")
        settings = load_soccer_settings()
        self.world = SoccerWorld(create_engine(engine, name or None), settings, np.random.default_rng(0))
        self.cycle = self.world.engine.cycle_time
        self.names: list[str] = []
        if robot:
            self.world.place_ball((8.0, 8.0))
            description = load_robot(robot)
            self.world.add_robot(description, (0.0, 0.0, description.spawn_height + lift), 0.0)
            self.names = [joint.name for joint in description.model.joints]

    @property
    def state(self) -> EngineState:
        return self.world.engine.state

    def run(self, seconds: float, look: Callable[[], None] = lambda: None) -> None:
        for _ in range(round(seconds / self.cycle)):
            self.world.step()
            look()

    def go_to(self, pose: dict[str, float], seconds: float) -> Array:
        """Move evenly to a pose of joints on both sides; returns the flat indices of these joints."""
        joints = np.array([self.names.index(f"{side}{name}") for name in pose for side in "LR"])
        wanted, start = np.repeat(list(pose.values()), 2), self.state.joint_position[joints]
        steps = round(seconds / self.cycle)
        for step in range(1, steps + 1):
            targets = start + (wanted - start) * (step / steps)
            self.world.motors.set_positions(joints, targets, self.state)
            self.world.step()
        return joints

    def close(self) -> None:
        self.world.engine.close()


def stand(preset: str) -> Figures:
    """A robot that lands and stands for 20 s with its motors at rest."""
    trial = Trial(preset, "nao")
    trial.run(3.0)
    start, spins = trial.state.position[0].copy(), []
    trial.run(17.0, lambda: spins.append(np.abs(trial.state.angular_velocity[0]).max()))
    state = trial.state
    figures = {
        "stands: height of the torso, mm": 1000 * float(state.position[0, 2]),
        "stands: creep in 17 s, mm": 1000 * float(np.abs(state.position[0] - start).max()),
        "stands: largest spin, mrad/s": 1000 * float(max(spins)),
        "stands: lean, mrad": 1000 * math.acos(min(1.0, float(state.rotation[0, 2, 2]))),
        "stands: force on a foot, N": float(state.touch_force[0, 2]),
    }
    trial.close()
    return figures


def crouch(preset: str) -> Figures:
    """A robot that goes to a posture in a second and keeps it for 10 s by its positions."""
    trial = Trial(preset, "nao_lola")
    trial.run(2.0)
    joints = trial.go_to(CROUCH, 1.0)
    trial.run(2.0)
    start = trial.state.position[0].copy()
    trial.run(8.0)
    state = trial.state
    errors = state.joint_position[joints] - np.repeat(list(CROUCH.values()), 2)
    figures = {
        "crouches: height of the torso, mm": 1000 * float(state.position[0, 2]),
        "crouches: lean, mrad": 1000 * math.acos(min(1.0, float(state.rotation[0, 2, 2]))),
        "crouches: creep in 8 s, mm": 1000 * float(np.abs(state.position[0] - start).max()),
        "crouches: largest error of a joint, mrad": 1000 * float(np.abs(errors).max()),
        "crouches: effort of the left knee, N m": float(state.joint_effort[trial.names.index("LKneePitch")]),
    }
    trial.close()
    return figures


def fall(preset: str) -> Figures:
    """A robot that is dropped by 0.2 m onto its feet."""
    trial, forces = Trial(preset, "nao_lola", lift=0.2), []
    trial.run(3.0, lambda: forces.append(float(trial.state.touch_force[:, 2].sum()) * trial.cycle))
    weight = float(np.sum([link.mass for link in trial.state.models[0].links])) * 9.81
    figures = {
        "dropped: upright share afterwards": float(trial.state.rotation[0, 2, 2]),
        # What gravity gave in 3 s.
        "dropped: impulse of the ground, share of that of gravity": sum(forces) / (3.0 * weight),
    }
    trial.close()
    return figures


def joints(preset: str) -> Figures:
    """A joint at full speed, a joint that is told to be elsewhere, and one in the air with a tenth of its effort."""
    trial = Trial(preset, "nao_lola")
    trial.run(1.0)
    head = np.array([trial.names.index("HeadYaw")])
    fastest = float(trial.state.joint_max_velocity[head[0]])
    trial.world.motors.set_velocities(head, np.array([2.0 * fastest]), trial.state)
    trial.run(0.24)
    turned = float(trial.state.joint_position[head[0]])
    trial.world.motors.set_positions(head, np.array([0.0]), trial.state)
    trial.run(0.6)
    figures = {
        "joint: largest speed, share of the limit": turned / (fastest * round(0.24 / trial.cycle) * trial.cycle),
        "joint: left of a way of 1.4 rad after 0.6 s, mrad": 1000 * abs(float(trial.state.joint_position[head[0]])),
    }
    trial.close()
    return figures


def pendulum(preset: str) -> Figures:
    """A pendulum let go at 0.2 rad, compared with T = 2 pi sqrt(I / m g l) (1 + a^2 / 16) and no loss.

    A second one on the same block swings against it, so that the block feels no force along the ground.
    """
    engine, _, name = preset.partition(":")
    world = create_engine(engine, name or None)
    world.load_scene(SceneModel())
    links = [Link("block", 500.0, BLOCK_INERTIA, collisions=(Shape(ShapeKind.BOX, (2.0, 2.0, 2.0)),))]
    pivots = []
    for bob, x in (("left", -0.6), ("right", 0.6)):
        links.append(Link(bob, BOB, (INERTIA, 0.0, 0.0, INERTIA, 0.0, INERTIA), centre=(0.0, 0.0, -LENGTH)))
        pivots.append(Joint(f"{bob}_pivot", JointKind.CONTINUOUS, "block", bob, (x, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    handle = world.add_robot(ArticulatedModel("pendulums", tuple(links), tuple(pivots)), (0.0, 0.0, 1.0))
    off = JointControl(np.zeros(2), np.zeros(2), np.zeros(2))
    for _ in range(round(5.0 / world.cycle_time)):
        world.step(off)
    angles = [0.2]
    world.set_joint_positions(handle, np.array([0.2, -0.2]))
    for _ in range(round(20.0 / world.cycle_time)):
        world.step(off)
        angles.append(float(world.state.joint_position[0]))
    world.close()
    crossings = [i + a / (a - b) for i, (a, b) in enumerate(pairwise(angles)) if a < 0.0 <= b]
    period = (crossings[-1] - crossings[0]) / (len(crossings) - 1) * world.cycle_time
    exact = 2 * math.pi * math.sqrt((BOB * LENGTH**2 + INERTIA) / (BOB * 9.81 * LENGTH)) * (1 + 0.2**2 / 16)
    last = angles[-round(2.0 / world.cycle_time) :]
    return {
        "pendulum: period, share of the exact one": period / exact,
        "pendulum: amplitude after 20 s, share": max(map(abs, last)) / 0.2,
    }


def ball(preset: str) -> Figures:
    """A ball that rolls, and one that is let go."""
    trial = Trial(preset)
    figures: Figures = {}
    for speed in (1.0, 3.0, 8.0):
        trial.world.place_ball((-12.0, 5.0), (speed, 0.0, 0.0))
        trial.run(12.0)
        figures[f"ball: way of a roll from {speed:g} m/s, m"] = float(trial.state.ball_position[0]) + 12.0
    figures["ball: height at rest, mm"] = 1000 * float(trial.state.ball_position[2])
    rebounds = []
    # From many heights, as steps find the ball at different depths.
    for height in np.linspace(0.9, 1.1, 11).tolist():
        trial.world.engine.place_ball((0.0, 0.0, height))
        down = up = 0.0
        while up <= 0.0:
            trial.world.step()
            down, up = up, float(trial.state.ball_velocity[2])
        rebounds.append(-up / down)
    figures["ball: speed of a rebound, share of that before"] = float(np.mean(rebounds))
    trial.close()
    return figures
