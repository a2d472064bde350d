"""Promises about contacts of robots with the ball and with each other."""

from __future__ import annotations

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close
from simspark_conformance.models import BALL, STANDING, WALL, block, hull_stone, stone, walker
from simspark_ros.physics.model import SceneModel

_SPEED = 1.5


def _crash(world: CheckedWorld) -> None:
    """Let two stones (rows 0 and 2) fly into a heavy block (row 1) from both sides along x."""
    for model, x, speed in ((stone(), 0.7, -_SPEED), (block(), 0.0, 0.0), (stone(), -0.7, _SPEED)):
        handle = world.add(model, (x, -2.0, 0.5))
        world.engine.set_velocity(handle, (speed, 0.0, 0.0), (0.0, 0.0, 0.0))


def robots_report_contacts_with_each_other(harness: Harness) -> None:
    """Robots that run into each other are a pair in robot_contacts, with their contact point."""
    world = harness.world(SceneModel(boxes=(WALL,), gravity=(0.0, 0.0, 0.0)))
    _crash(world)
    seen: dict[tuple[int, int], list[float]] = {}
    for _ in range(40):
        world.run(1)
        pairs, points = world.state.robot_contacts, world.state.robot_contact_points
        expect(pairs.shape == (len(points), 2), f"robot_contacts has shape {pairs.shape} with {len(points)} points")
        found = [(one, other) for one, other in pairs.tolist()]
        expect(found == sorted(set(found)), f"robot_contacts {found} is not sorted, or names a pair twice")
        for pair, point in zip(found, points.tolist(), strict=True):
            seen.setdefault(pair, point)
    expect(sorted(seen) == [(0, 1), (1, 2)], f"stones 0 and 2 ran into block 1; robot_contacts named {sorted(seen)}")
    for pair, x in (((0, 1), 0.2), ((1, 2), -0.2)):
        point = np.array(seen[pair])
        # The stones move 3 cm per cycle; a contact may be anywhere on the stone's face of 20 cm by 10 cm.
        expect_close(point[0], x, 0.035, f"x of the contact point of {pair}")
        expect_close(point[1:], [-2.0, 0.5], 0.1, f"y and z of the contact point of {pair}")


def contacts_follow_the_rows(harness: Harness) -> None:
    """When a robot leaves, its contacts are gone, and the contacts of the other robots get the new rows."""
    world = harness.world(SceneModel(gravity=(0.0, 0.0, 0.0)))
    _crash(world)
    for _ in range(40):
        world.run(1)
        if [1, 2] in world.state.robot_contacts.tolist():
            break
    expect([1, 2] in world.state.robot_contacts.tolist(), "robots that ran into each other have no contact")
    point = world.state.robot_contact_points[-1].copy()
    world.engine.remove_robot(world.state.handles[0])
    found = world.state.robot_contacts.tolist()
    expect(found == [[0, 1]], f"robot_contacts is {found} after the robot before the pair has left")
    expect_close(world.state.robot_contact_points, [point], 0.0, "robot_contact_points after a robot has left")
    world.engine.remove_robot(world.state.handles[1])
    expect(len(world.state.robot_contacts) == len(world.state.robot_contact_points) == 0, "one robot touches itself")


def robots_report_the_ball(harness: Harness) -> None:
    """A robot is in ball_contacts while the ball touches it, and neither before nor after."""
    world = harness.world(SceneModel(ball=BALL, gravity=(0.0, 0.0, 0.0)))
    world.add(stone(), (0.0, 3.0, 0.5))
    world.add(stone(20.0, (0.3, 0.3, 0.3)), (0.0, 0.0, 0.5))
    world.engine.place_ball((-0.5, 0.0, 0.5), (3.0, 0.0, 0.0))
    found = []
    for _ in range(40):
        world.run(1)
        found.append(world.state.ball_contacts.tolist())
    expect(all(one in ([], [1]) for one in found), f"the ball hit robot 1; ball_contacts were {found}")
    expect(found[0] == found[-1] == [] and [1] in found, f"the ball hit robot 1 and left; ball_contacts were {found}")
    expect(world.state.ball_velocity[0] < 2.0, "the ball passed through a robot")


def hulls_collide(harness: Harness) -> None:
    """A hull of a box's corners rests on the ground and on another hull like the box, and stops the ball."""
    world = harness.world(SceneModel(ball=BALL, boxes=(WALL,)))
    lower = world.add(hull_stone(), (0.0, 0.0, 0.06))
    upper = world.add(hull_stone(), (0.0, 0.0, 0.17))
    world.engine.place_ball((-1.0, 0.0, BALL.radius), (4.0, 0.0, 0.0))
    found = []
    for _ in range(60):
        world.run(1)
        found.append(world.state.ball_contacts.tolist())
    expect([world.state.row(lower)] in found, f"the ball hit the lower hull; ball_contacts were {found}")
    expect([0, 1] in world.state.robot_contacts.tolist(), "a hull on another one is not in robot_contacts")
    # The ball may push and tilt the hulls a little, and solvers let resting bodies sink in by some mm.
    expect_close(world.state.position[world.state.row(lower)][2], 0.05, 0.01, "height of a hull on the ground")
    expect_close(world.state.position[world.state.row(upper)][2], 0.15, 0.02, "height of a hull on another one")


def nothing_touches_apart(harness: Harness) -> None:
    """Contacts list neither bodies that touch the ground or a box, nor bodies that are only near each other."""
    world = harness.world()
    world.add(walker(), (0.0, 0.0, STANDING))
    # The walkers' feet are 1 cm apart; the stone leans on the wall, and the ball is 1 cm from the stone.
    world.add(walker(), (0.0, 0.25, STANDING))
    world.add(stone(), (5.351, 1.0, 0.05))
    world.engine.place_ball((5.351, 1.11 + BALL.radius, BALL.radius))
    for _ in range(20):
        world.run(1)
        state = world.state
        expect(
            state.ball_contacts.shape == (0,),
            f"ball_contacts is {state.ball_contacts.tolist()}, but no robot touches the ball",
        )
        expect(
            state.robot_contacts.shape == (0, 2), f"robot_contacts is {state.robot_contacts.tolist()} for robots apart"
        )
        expect(state.robot_contact_points.shape == (0, 3), "robot_contact_points has points without a contact")
