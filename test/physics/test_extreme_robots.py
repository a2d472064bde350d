"""Robots with numbers that no robot has: no engine takes the process with it, and a robot beside them stands.

As a script, whose argument is an engine, it says which robots it has survived, as long as it lives.
"""

import contextlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from simspark_ros.physics.engine import JointControl, PhysicsError
from simspark_ros.physics.model import ArticulatedModel, BallModel, Joint, JointKind, Link, SceneModel, Shape, ShapeKind
from simspark_ros.physics.registry import create_engine

BOX = Shape(ShapeKind.BOX, (0.2, 0.2, 0.2))
LINK = Link("a", 1.0, (0.1, 0.0, 0.0, 0.1, 0.0, 0.1), collisions=(BOX,))
JOINT = Joint(
    "j", JointKind.REVOLUTE, "a", "b", (0.3, 0.0, 0.0), lower=-1.0, upper=1.0, max_velocity=7.0, max_effort=50.0
)
OTHER = replace(LINK, name="b")
LEAST = replace(OTHER, mass=1e-6, inertia=(1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9), centre=(100.0, 0.0, 0.0))

MODELS = {
    "offset": ((LINK, OTHER), replace(JOINT, position=(1e200, 1e200, 1e200))),
    "box": ((replace(LINK, collisions=(replace(BOX, size=(1e30,) * 3),)), OTHER), JOINT),
    "mass": ((LINK, replace(OTHER, mass=1e-300, centre=(5.0, 0.0, 0.0))), JOINT),
    "inertia": ((LINK, replace(OTHER, inertia=(1e-20, 0.0, 0.0, 1e-20, 0.0, 1e-20), centre=(5.0, 0.0, 0.0))), JOINT),
    "bounds": ((LINK, LEAST), replace(JOINT, position=(-100.0, 100.0, 0.0), max_velocity=1e4, max_effort=1e6)),
}


def move(engine_name: str, name: str) -> None:
    """Add the robot beside a good one, and run a second."""
    links, joint = MODELS[name]
    engine = create_engine(engine_name)
    engine.load_scene(SceneModel(BallModel(0.04, 0.026)))
    good = engine.add_robot(ArticulatedModel("good", (LINK,), ()), (3.0, 0.0, 0.1))
    with contextlib.suppress(PhysicsError):
        engine.add_robot(ArticulatedModel("bad", links, (joint,)), (0.0, 0.0, 0.5))
    count = len(engine.state.joint_position)
    for cycle in range(50):
        speed = np.full(count, -1e4 if cycle % 2 else 1e4)
        engine.step(JointControl(speed, np.full(count, 1e6), np.full(count, 1e6)))
        state = engine.state
        assert np.isfinite(state.position).all() and np.isfinite(state.joint_position).all()
    assert abs(engine.state.position[engine.state.row(good)][2] - 0.1) < 0.05
    engine.close()


def test_an_engine_survives_robots_with_extreme_numbers(engine: str) -> None:
    path = f"{Path(__file__).parents[2]}:{os.environ.get('PYTHONPATH', '')}"
    command = [sys.executable, __file__, engine]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == list(MODELS), done.stdout + done.stderr


if __name__ == "__main__":
    for one in MODELS:
        move(sys.argv[1], one)
        print(one, flush=True)
