"""Manipulators have states, each with a geometry and an acceleration of the ball."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simspark_ros.configuration.errors import UserError
from simspark_ros.effectors import EFFECTORS
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec
from simspark_ros.worlds.errors import CommandRejectedError
from test.physics.engine_availability import skip_without

FORK = str(Path(__file__).parents[1] / "data" / "robots" / "fork.yaml")
BALL = 0.11
"""Radius, m."""


class Robot:
    """Stands before the ball, which is `away` from its base link's frame, m."""

    def __init__(self, played: Any, away: float, kind: str) -> None:
        self.played, self.world = played, played.world
        self.description = load_robot(kind)
        x = self.description.model.base.centre[0] - away
        self.robot = self.world.add_robot(self.description, (x, 0.0, self.description.spawn_height), 0.0)

    def switch(self, state: str) -> None:
        EFFECTORS["manipulator"].act(self.world, self.robot, (state,))

    @property
    def slide(self) -> float:
        return self.joint("slide")

    def joint(self, name: str) -> float:
        names = [joint.name for joint in self.description.model.joints]
        position: float = self.world.engine.state.joint_position[names.index(name)]
        return position

    def ball(self) -> tuple[float, float]:
        """Where it is, m, and how fast, m/s, along x."""
        state = self.world.engine.state
        return state.ball_position[0], state.ball_velocity[0]


@pytest.fixture
def stand(play: Callable[..., Any]) -> Callable[..., Robot]:
    def make(away: float, engine: str = "planar", kind: str = FORK) -> Robot:
        skip_without(engine)
        return Robot(play(engine=engine, world="msl", referee=False), away, kind)

    return make


@pytest.mark.parametrize("engine", ["planar", "bullet", "ode", "mujoco"])
def test_a_plate_that_is_switched_pushes_the_ball_and_goes_back(stand: Callable[..., Robot], engine: str) -> None:
    # The plate ends 0.225 m ahead: the ball is 1 cm before it.
    robot = stand(0.225 + BALL + 0.01, engine)
    robot.played.run(5)
    assert robot.ball()[0] == pytest.approx(0.0, abs=1e-3)
    robot.switch("out")
    robot.played.run(15)
    assert robot.slide == pytest.approx(0.1, abs=0.005)
    place, speed = robot.ball()
    assert place > 0.08 and speed > 0.1
    robot.switch("in")
    robot.played.run(15)
    assert robot.slide == pytest.approx(0.0, abs=0.005)


def test_a_state_accelerates_the_ball_in_its_reach_and_unknown_ones_are_refused(stand: Callable[..., Robot]) -> None:
    robot = stand(0.35)
    robot.switch("shoot")
    robot.played.run(3)
    assert robot.ball()[1] == pytest.approx(5.0, abs=0.1)
    # Switched on when there is no ball, it does nothing until one comes.
    robot.world.place_ball((1.0, 0.0))
    robot.played.run(5)
    assert robot.ball() == (pytest.approx(1.0), 0.0)
    robot.world.place_ball((0.0, 0.0))
    robot.switch("rest")
    robot.played.run(3)
    assert robot.ball() == (pytest.approx(0.0), 0.0)
    with pytest.raises(CommandRejectedError, match="unknown state 'up'; use one of: in, out, rest, shoot, dribble"):
        robot.switch("up")


def test_a_state_draws_the_ball_near_while_another_manipulator_moves(stand: Callable[..., Robot]) -> None:
    # The plate's end is out of its way.
    robot = stand(0.445)
    robot.switch("dribble")
    robot.switch("out")
    robot.played.run(4)
    place, speed = robot.ball()
    # 2 m/s2 for 0.08 s.
    assert place < -0.003 and speed == pytest.approx(-0.16, abs=0.03)
    assert robot.slide == pytest.approx(0.1, abs=0.03)


def test_the_catalogues_robot_takes_the_ball_between_its_flippers_and_kicks_it(stand: Callable[..., Robot]) -> None:
    # The ball is 2 cm before its plate.
    robot = stand(0.345, kind="differential_sensors")
    robot.switch("open")
    robot.played.run(20)
    angles = [robot.joint(f"{side}_flipper_joint") for side in ("left", "right")]
    assert angles == pytest.approx([1.2, -1.2], abs=0.01)
    assert robot.ball() == (0.0, 0.0)
    robot.switch("closed")
    robot.played.run(20)
    assert robot.joint("left_flipper_joint") == pytest.approx(0.0, abs=0.01)
    # It lies at the plate, or bounces there.
    assert robot.ball()[0] == pytest.approx(-0.02, abs=0.01)
    robot.switch("open")
    robot.switch("kick")
    robot.played.run(2)
    assert robot.ball()[1] == pytest.approx(4.0, abs=0.1)
    robot.played.run(8)
    assert robot.joint("plate_joint") == pytest.approx(0.06, abs=0.001)


@pytest.mark.parametrize(
    ("manipulators", "reason"),
    [
        ({"arm": {"up": {"joints": {"elbow": 1.0}}}}, "unknown joint 'elbow'; the robot has: slide"),
        ({"arm": {"up": {}}, "leg": {"up": {}}}, "two states are named 'up'"),
        ({"arm": {"up": {"reach": -1.0}}}, "reach"),
    ],
)
def test_absurd_manipulators_are_refused(play: Callable[..., Any], manipulators: dict[str, Any], reason: str) -> None:
    wrong = EffectorSpec("manipulator", "manipulator", parameters={"manipulators": manipulators})
    description = replace(load_robot(FORK), effectors=(wrong,))
    with pytest.raises(UserError, match=reason):
        play(engine="planar", world="msl").world.add_robot(description, (0.0, 0.0, 0.1), 0.0)
