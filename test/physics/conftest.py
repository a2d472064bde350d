"""A field with goals and walls, robots on it, and the recordings of the classic server."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.model import SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.soccer.settings import load_soccer_settings
from test.physics.engine_availability import skip_without

GOLDEN = Path(__file__).parents[1] / "data" / "golden"


WORLD = load_soccer_settings()
BALL = WORLD.ball
SCENE = WORLD.scene


class Lab(CheckedWorld):
    """The conformance suite's world, with Naos and the ball's path."""

    engine: GuardedEngine

    @property
    def core(self) -> Any:
        return self.engine.core

    def nao(self, variant: int = 0, x: float = 0.0, y: float = 0.0, z: float = 0.4, yaw: float = 0.0) -> int:
        return self.engine.add_robot(load_robot("nao", variant).model, (x, y, z), yaw)

    def joint(self, name: str, row: int = 0) -> int:
        names = [joint.name for joint in self.state.models[row].joints]
        return int(self.state.joint_offset[row]) + names.index(name)

    def turn(self, name: str, speed: float, cycles: int) -> list[float]:
        """Command one joint of the first robot; its angle after each cycle, degrees."""
        control, index, angles = self.hold(), self.joint(name), []
        control.velocity[index] = speed
        for _ in range(cycles):
            self.engine.step(control)
            angles.append(float(np.degrees(self.state.joint_position[index])))
        return angles

    def hinge_gaps(self, handle: int) -> np.ndarray:
        """Distances between the two anchors of each joint, m."""
        model = self.state.models[self.state.row(handle)]
        gaps = []
        for joint in model.joints:
            centres, turns = self.poses(handle, joint.parent, joint.child)
            parent, child = model.link(joint.parent), model.link(joint.child)
            on_parent = centres[0] + turns[0] @ np.subtract(joint.position, parent.centre)
            gaps.append(float(np.linalg.norm(on_parent - (centres[1] - turns[1] @ child.centre))))
        return np.array(gaps)

    def ball_path(self, cycles: int) -> np.ndarray:
        """(cycles + 1, 3): where the ball is now and after each cycle."""
        path = [self.state.ball_position]
        control = self.hold()
        for _ in range(cycles):
            self.engine.step(control)
            path.append(self.state.ball_position)
        return np.array(path)


@pytest.fixture
def engine_name() -> str:
    """The engine under test; modules about other engines replace it."""
    return "bullet"


@pytest.fixture
def engine_preset() -> str | None:
    """Its preset, None for its own default; modules about other presets replace it."""
    return None


@pytest.fixture
def make_lab(engine_name: str, engine_preset: str | None) -> Iterator[Callable[..., Lab]]:
    """Makes engines; `scene` replaces the field, `preset` the module's preset."""
    skip_without(engine_name)
    with ExitStack() as made:

        def make(scene: SceneModel = SCENE, preset: str | None = None) -> Lab:
            lab = Lab(made.enter_context(closing(create_engine(engine_name, preset or engine_preset))), scene)
            if scene.ball is not None:
                # Out of the way of robots.
                lab.engine.place_ball((8.0, 8.0, scene.ball.radius))
            return lab

        yield make


@pytest.fixture
def lab(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab()


@pytest.fixture
def ground(make_lab: Callable[..., Lab]) -> Lab:
    return make_lab(SceneModel())


@pytest.fixture
def empty(make_lab: Callable[..., Lab]) -> Lab:
    """Free space without gravity, ground far below."""
    return make_lab(SceneModel(gravity=(0.0, 0.0, 0.0)))


@pytest.fixture
def make_world(engine: str) -> Iterator[Callable[[SceneModel], CheckedWorld]]:
    """Makes worlds of a scene, on each spatial engine."""
    with ExitStack() as made:
        yield lambda scene: CheckedWorld(made.enter_context(closing(create_engine(engine))), scene)


@pytest.fixture
def world(make_world: Callable[[SceneModel], CheckedWorld]) -> CheckedWorld:
    return make_world(SceneModel())


@pytest.fixture
def golden() -> Callable[[str], Any]:
    def read(name: str) -> Any:
        return json.loads((GOLDEN / f"{name}.json").read_text())

    return read
