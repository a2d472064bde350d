"""The robot of the middle-size league holds the ball at its front as it moves, and shoots it."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from simspark_ros.physics.engine import Array
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.worlds.errors import CommandRejectedError
from test.physics.engine_availability import skip_without


class Robot:
    """A robot that stands before the ball of its league's field."""

    def __init__(self, played: Any, away: float = 0.285) -> None:
        self.played, self.world = played, played.world
        description = load_robot("msl")
        self.robot = self.world.add_robot(description, (-away, 0.0, description.spawn_height), 0.0, name="msl")
        played.run(25)

    def command(self, kind: str, *arguments: float | bool) -> None:
        known_effectors()[kind].act(self.world, self.robot, arguments)

    def ball(self) -> Array:
        """Where the ball is, forward and left of the base link's frame, m."""
        state = self.world.engine.state
        inner = state.rotation[0].T @ (state.ball_position - state.position[0])
        ball: Array = inner[:2] + self.robot.description.model.base.centre[:2]
        return ball

    def velocity(self) -> Array:
        velocity: Array = self.world.engine.state.ball_velocity
        return velocity


@pytest.fixture
def robot(play: Callable[..., Any]) -> Robot:
    return Robot(play(engine="planar", world="msl", referee=False, velocity_timeout=0.0))


@pytest.mark.parametrize("engine", ["planar", "bullet"])
def test_the_held_ball_stays_at_the_front_forward_around_and_backward(play: Callable[..., Any], engine: str) -> None:
    skip_without(engine)
    robot = Robot(play(engine=engine, world="msl", referee=False, velocity_timeout=0.0))
    robot.command("ball_handling", True)
    for velocity in ((0.8, 0.0, 0.0), (0.4, 0.0, 2.0), (-0.8, 0.0, 0.0)):
        robot.command("wheels", *velocity)
        robot.played.run(50)
        # It gives way by the force that the turn takes.
        assert robot.ball() == pytest.approx([0.285, 0.0], abs=0.02)


def test_the_ball_is_left_behind_once_it_is_let_go(robot: Robot) -> None:
    robot.command("ball_handling", True)
    robot.played.run(10)
    robot.command("ball_handling", False)
    robot.command("wheels", -0.8, 0.0, 0.0)
    robot.played.run(75)
    assert robot.ball()[0] > 0.5


def test_a_turn_that_is_too_fast_for_the_force_loses_the_ball(robot: Robot) -> None:
    robot.command("ball_handling", True)
    # 15 rad/s at 0.285 m are 64 m/s2, the force gives the ball of 0.43 kg 19 m/s2.
    robot.command("wheels", 0.0, 0.0, 15.0)
    robot.played.run(75)
    assert np.hypot(*robot.ball()) > 0.5


def test_a_shot_has_the_velocity_that_was_asked_for_and_the_next_waits_for_the_charge(robot: Robot) -> None:
    robot.command("kicker", 5.0, 0.0)
    # The direction's noise is 1 degree, that of the speed 2 percent: four times as much.
    assert robot.velocity() == pytest.approx([5.0, 0.0, 0.0], abs=0.4)
    with pytest.raises(CommandRejectedError, match="recharges for 1 s"):
        robot.command("kicker", 1.0, 0.0)
    robot.played.run(50)
    robot.world.place_ball((0.0, 0.0))
    robot.command("kicker", 1.0, 0.0)


def test_a_shot_adds_to_the_speed_of_the_robot_and_lets_the_ball_go(robot: Robot) -> None:
    robot.command("ball_handling", True)
    robot.command("wheels", 1.0, 0.0, 0.0)
    robot.played.run(50)
    robot.command("kicker", 3.0, 0.0)
    robot.played.run(1)
    assert robot.velocity()[0] == pytest.approx(4.0, abs=0.3)


def test_a_lob_is_as_steep_as_the_kicker_can_and_a_ball_elsewhere_cannot_be_shot(play: Callable[..., Any]) -> None:
    robot = Robot(play(engine="bullet", world="msl", referee=False))
    robot.command("kicker", 1.0, 20.0)
    x, y, z = robot.velocity()
    # 45 degrees at most, and 10 m/s but for the noise.
    assert math.degrees(math.atan2(z, math.hypot(x, y))) == pytest.approx(45.0, abs=0.1)
    assert math.hypot(x, y, z) == pytest.approx(10.0, abs=0.8)
    robot = Robot(play(engine="planar", world="msl", referee=False), away=1.0)
    with pytest.raises(CommandRejectedError, match=r"the ball is 0\.7. m away, more than 0\.06 m"):
        robot.command("kicker", 1.0, 0.0)


def test_a_robot_that_is_put_into_the_air_of_the_plane_stands_on_the_ground(robot: Robot) -> None:
    robot.world.place(robot.robot, 2.0, 1.0, 0.4, 0.0)
    assert robot.world.engine.state.position[0] == pytest.approx([2.0, 1.0, robot.robot.description.spawn_height])
    robot.command("wheels", 0.5, 0.0, 0.0)
    robot.played.run(50)
    assert robot.world.engine.state.linear_velocity[0, 0] == pytest.approx(0.5, abs=1e-6)
