import math
from typing import Any

import numpy as np
import pytest

from simspark_ros.simulation.entities.bounds import box, box_of, convex_hull, model_box, sphere
from simspark_ros.simulation.entities.entity import (
    Category,
    EntityInfo,
    EntityInfos,
    Velocity,
    checked_velocity,
    entity_named,
    move_entity,
    state_of,
)
from simspark_ros.simulation.entities.named_poses import named_poses
from simspark_ros.simulation.loading.robot_resources import SpawnError, find_resource
from simspark_ros.simulation.loading.spawning import SpawnPose, spawn
from simspark_ros.simulation.loop import Simulation
from simspark_ros.simulation.settings import SimulationSettings
from simspark_ros.worlds.errors import CommandRejectedError

PLACE = SpawnPose((2.0, 1.0, 0.0), (0.0, 0.0, math.sin(0.5), math.cos(0.5)))
SETTINGS = SimulationSettings(engine="mujoco")
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


@pytest.fixture
def simulation(play: Any) -> Simulation:
    """A simulation with one robot, named `one`."""
    pytest.importorskip("mujoco")
    made: Simulation = play(engine="mujoco").simulation
    spawn(made.world, find_resource("nao").load(SETTINGS), SETTINGS, "one", pose=PLACE)
    return made


def named(simulation: Simulation, name: str = "one") -> Any:
    entity = entity_named(simulation.world, name)
    assert entity is not None
    return entity


def test_a_robot_is_where_it_was_spawned_or_put_a_velocity_alone_moves_nothing_elsewhere_and_a_pose_stops(
    simulation: Simulation,
) -> None:
    one = named(simulation)
    pose, _ = state_of(simulation.world, one)
    assert pose.position == pytest.approx(PLACE.position, abs=1e-6)
    assert pose.quaternion == pytest.approx(PLACE.quaternion, abs=1e-6)
    lying = SpawnPose((-1.0, 3.0, 0.2), (0.0, math.sin(math.pi / 4), 0.0, math.cos(math.pi / 4)))
    speed = Velocity((1.0, -0.5, 0.2), (0.3, 0.2, -1.0))
    move_entity(simulation, one, lying, speed)
    pose, velocity = state_of(simulation.world, one)
    assert pose.position == pytest.approx(lying.position, abs=1e-6)
    assert pose.quaternion == pytest.approx(lying.quaternion, abs=1e-6)
    assert velocity.linear == pytest.approx(speed.linear, abs=1e-6)
    assert velocity.angular == pytest.approx(speed.angular, abs=1e-6)
    ball = named(simulation, "ball")
    move_entity(simulation, ball, SpawnPose((1.0, 2.0, 0.5), UPRIGHT), Velocity((3.0, 0.0, 0.0)))
    move_entity(simulation, ball, velocity=Velocity((0.0, 2.0, 0.0)))
    pose, velocity = state_of(simulation.world, ball)
    assert (*pose.position, *velocity.linear) == pytest.approx((1.0, 2.0, 0.5, 0.0, 2.0, 0.0))
    move_entity(simulation, ball, SpawnPose((0.0, 0.0, 0.0), UPRIGHT))
    pose, velocity = state_of(simulation.world, ball)
    assert pose.position[2] == pytest.approx(simulation.world.settings.ball_rest_height, abs=1e-4)
    assert velocity.linear == pytest.approx((0.0, 0.0, 0.0))


def test_no_robot_is_put_into_another_the_field_stays_velocities_are_sane_and_named_poses_unique(
    simulation: Simulation,
) -> None:
    spawn(simulation.world, find_resource("nao").load(SETTINGS), SETTINGS, "two")
    two, field = named(simulation, "two"), named(simulation, "field")
    with pytest.raises(SpawnError, match="to that place; the place"):
        move_entity(simulation, two, PLACE)
    with pytest.raises(CommandRejectedError, match="stays where it is"):
        move_entity(simulation, field, PLACE)
    for speed in (math.nan, math.inf, 1e300):
        with pytest.raises(CommandRejectedError):
            checked_velocity((0.0, speed, 0.0), (0.0, 0.0, 0.0))
    poses = {place.name: place for place in named_poses(simulation.world)}
    assert len(poses) == len(named_poses(simulation.world)) == 29
    assert poses["left_goal"].pose.position == (-15.0, 0.0, 0.0)
    assert poses.keys() > {name for name in simulation.world.marks if not name.startswith("G")}
    assert poses["left_start_1"].pose.position == (-14.2, 9.2, 0.0)
    assert poses["right_start_1"].pose.position == (14.2, 9.2, 0.0)


def test_the_box_around_a_robot_turns_with_it(simulation: Simulation) -> None:
    one = named(simulation)
    least, greatest = box_of(simulation.world, one, in_world=False)
    standing = model_box(one.robot.description.model, one.robot.description.spawn_height)
    assert least == pytest.approx(standing[0], abs=1e-6) and greatest == pytest.approx(standing[1], abs=1e-6)
    assert (least[2], greatest[2]) == pytest.approx((0.0, 0.605), abs=1e-3)
    move_entity(simulation, one, SpawnPose((0.0, 5.0, 0.0), (0.0, 0.0, 1.0, 0.0)))
    least, greatest = box_of(simulation.world, one, in_world=True)
    assert greatest[0] == pytest.approx(-standing[0][0], abs=1e-6)
    assert least[1] == pytest.approx(5.0 - standing[1][1], abs=1e-6)


def test_bounds_touch_boxes() -> None:
    cube = np.zeros(3), np.ones(3)
    assert sphere([(2.0, 0.5, 0.5), (1.01, 0.0, 0.0)])(cube) and not sphere([(2.0, 0.5, 0.5), (0.99, 0.0, 0.0)])(cube)
    assert box([(2.0, 2.0, 2.0), (0.9, 0.9, 0.9)])(cube) and not box([(2.0, 2.0, 2.0), (1.1, 0.0, 0.0)])(cube)
    # A triangle whose plane parts it from the cube although their boxes overlap, and one that cuts a corner.
    assert not convex_hull([(3.2, 0.0, 0.0), (0.0, 3.2, 0.0), (0.0, 0.0, 3.2)])(cube)
    assert convex_hull([(2.8, 0.0, 0.0), (0.0, 2.8, 0.0), (0.0, 0.0, 2.8)])(cube)


@pytest.mark.parametrize(
    ("kind", "points"),
    [
        (box, [(0.0, 0.0, 0.0)]),
        (box, [(0.0, 0.0, math.nan), (1.0, 1.0, 1.0)]),
        (sphere, [(0.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]),
        (sphere, [(1e300, 0.0, 0.0), (1.0, 0.0, 0.0)]),
        (convex_hull, [(0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (2.0, 2.0, 2.0)]),
        (convex_hull, [(float(i), 0.0, float(i * i)) for i in range(1000)]),
    ],
)
def test_bounds_that_bound_nothing_are_refused(kind: object, points: list[tuple[float, float, float]]) -> None:
    with pytest.raises(CommandRejectedError, match="bounds"):
        kind(points)  # type: ignore[operator]


def test_what_is_said_of_an_entity_ends_with_it(simulation: Simulation) -> None:
    world, infos = simulation.world, EntityInfos()
    one = named(simulation)
    assert infos.of(world, one).tags == ("nao", "type_0")
    infos.say(world, one, EntityInfo(Category.HUMAN, "hello", ("mine",)))
    assert infos.of(world, one).tags == ("mine",)
    with pytest.raises(CommandRejectedError, match="at most 32 tags"):
        infos.say(world, one, EntityInfo(Category.ROBOT, "", ("x",) * 33))
    world.remove_robot(one.robot)
    spawn(world, find_resource("nao").load(SETTINGS), SETTINGS, "one")
    assert infos.of(world, named(simulation)).tags == ("nao", "type_0")
