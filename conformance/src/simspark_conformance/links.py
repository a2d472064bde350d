"""Promises about the poses of links and frames."""

from __future__ import annotations

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect_close, expect_refusal, expect_undisturbed
from simspark_conformance.models import ghost, stone, walker
from simspark_ros.physics.engine import Array, EngineState, PhysicsError
from simspark_ros.physics.geometry.kinematics import link_frames
from simspark_ros.physics.geometry.transforms import Transform, rotation_from_rpy
from simspark_ros.physics.model import ArticulatedModel

_EXACT = 1e-6


def _expected_poses(state: EngineState) -> dict[str, tuple[Array, Array]]:
    """Return centres of mass and rotations of the first robot's links, by forward kinematics from its base."""
    return _poses_of(state.models[0], state.position[0], state.rotation[0], state.joint_position)


def _poses_of(
    model: ArticulatedModel, position: Array, rotation: Array, angles: Array
) -> dict[str, tuple[Array, Array]]:
    base = Transform(rotation, position - rotation @ model.base.centre)
    positions = {joint.name: float(angle) for joint, angle in zip(model.joints, angles, strict=True)}
    frames = link_frames(model, positions, base)
    return {
        link.name: (frames[link.name].apply(np.array(link.centre)), frames[link.name].rotation) for link in model.links
    }


def _posed(world: CheckedWorld) -> int:
    handle = world.add(walker(), (0.0, 0.0, 2.0))
    world.run(3)
    world.engine.set_joint_positions(handle, np.array([0.4, -0.5, 0.02, 0.6, -0.03]))
    world.engine.place_robot(handle, (1.0, -2.0, 1.5), (0.5, 0.5, -0.5, 0.5))
    return handle


def links_follow_the_joints(harness: Harness) -> None:
    """Right after placing, link_poses gives the centres of mass and rotations that follow from base and joints."""
    world = harness.world()
    handle = _posed(world)
    expected = _expected_poses(world.state)
    for name, centre, rotation in zip(expected, *world.poses(handle, *expected), strict=True):
        expect_close(centre, expected[name][0], _EXACT, f"centre of mass of the link '{name}'")
        expect_close(rotation, expected[name][1], _EXACT, f"rotation of the link '{name}'")


def links_are_current_after_a_step(harness: Harness) -> None:
    """link_poses gives the poses after the step, not before it."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 20.0))
    control = world.hold()
    control.velocity[:] = [6.0, 3.0, 0.0, -3.0, 0.0]
    world.run(10, control)
    expected = _expected_poses(world.state)
    centres, _ = world.poses(handle, *expected)
    # At a joint, bodies may drift apart by millimetres; a stale pose would be off by 40 mm.
    expect_close(centres, [centre for centre, _ in expected.values()], 0.012, "centres of links after a step")


def frames_follow_their_links(harness: Harness) -> None:
    """link_poses gives the origins and rotations of frames fixed to links."""
    world = harness.world()
    handle = _posed(world)
    model = world.state.models[0]
    for frame in model.frames:
        (centre,), (rotation,) = world.poses(handle, frame.link)
        (origin,), (turn,) = world.poses(handle, frame.name)
        offset = np.subtract(frame.position, model.link(frame.link).centre)
        expect_close(origin, centre + rotation @ offset, _EXACT, f"origin of the frame '{frame.name}'")
        expect_close(turn, rotation @ rotation_from_rpy(frame.rpy), _EXACT, f"rotation of the frame '{frame.name}'")


def links_come_in_the_order_selected(harness: Harness) -> None:
    """A selection may name links of several robots in any order and repeatedly, or no links at all."""
    world = harness.world()
    one, two = world.add(walker(), (-1.0, 0.0, 2.0)), world.add(ghost(), (1.0, 0.0, 2.0))
    wanted = [(one, "right_foot"), (two, "origin"), (one, "eye"), (two, "ghost"), (one, "torso"), (one, "right_foot")]
    centres, rotations = world.engine.link_poses(world.engine.select_links(wanted))
    for row, (handle, name) in enumerate(wanted):
        (centre,), (rotation,) = world.poses(handle, name)
        expect_close(centres[row], centre, _EXACT, f"row {row} of a selection ('{name}')")
        expect_close(rotations[row], rotation, _EXACT, f"row {row} of a selection ('{name}')")
    shapes = [array.shape for array in world.engine.link_poses(world.engine.select_links([]))]
    expect_close([len(shape) for shape in shapes], [2, 3], 0.0, "dimensions of the poses of no links")


def _expected_velocities(state: EngineState) -> dict[str, tuple[Array, Array]]:
    """Return velocities of the first robot's links by differences of forward kinematics in a short time."""
    instant = 1e-6
    turning = np.cross(state.angular_velocity[0], state.rotation[0].T).T
    before, after = (
        _poses_of(
            state.models[0],
            state.position[0] + time * state.linear_velocity[0],
            state.rotation[0] + time * turning,
            state.joint_position + time * state.joint_velocity,
        )
        for time in (-instant, instant)
    )
    velocities = {}
    for name, (centre, rotation) in after.items():
        change = (rotation - before[name][1]) @ rotation.T / (2.0 * instant)
        spin = np.array([change[2, 1], change[0, 2], change[1, 0]])
        velocities[name] = (centre - before[name][0]) / (2.0 * instant), spin
    return velocities


def links_move_with_base_and_joints(harness: Harness) -> None:
    """link_velocities gives the velocities of links and frames that follow from the motion of base and joints."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 20.0), 0.5)
    world.engine.set_velocity(handle, (1.0, -2.0, 0.5), (0.5, 1.0, -1.5))
    control = world.hold()
    control.velocity[:] = [3.0, 2.0, 0.02, -2.0, 0.02]
    world.run(5, control)
    expected = _expected_velocities(world.state)
    linear, angular = world.velocities(handle, *expected)
    for name, moves, turns in zip(expected, linear, angular, strict=True):
        # Engines with a body per link close drifting hinges at a few cm/s.
        expect_close(moves, expected[name][0], 0.05, f"velocity of the link '{name}'")
        expect_close(turns, expected[name][1], 0.1, f"angular velocity of the link '{name}'")
    for frame in world.state.models[0].frames:
        (centre,), _ = world.poses(handle, frame.link)
        (origin,), _ = world.poses(handle, frame.name)
        (moves,), (turns,) = world.velocities(handle, frame.link)
        (moved,), (turned,) = world.velocities(handle, frame.name)
        expect_close(moved, moves + np.cross(turns, origin - centre), _EXACT, f"velocity of the frame '{frame.name}'")
        expect_close(turned, turns, _EXACT, f"angular velocity of the frame '{frame.name}'")
    world.engine.place_robot(handle, (0.0, 0.0, 20.0), (0.0, 0.0, 0.0, 1.0))
    for velocities in world.velocities(handle, *expected):
        expect_close(velocities, np.zeros((len(expected), 3)), _EXACT, "velocities of the links of a placed robot")


def void_selections_are_refused(harness: Harness) -> None:
    """A selection is refused after robots were added or removed."""
    world = harness.world()
    handle = world.add(walker(), (0.0, 0.0, 2.0))
    selection = world.engine.select_links([(handle, "head")])
    world.add(stone(), (2.0, 0.0, 2.0))
    with expect_refusal("link_poses with a selection of an older revision", PhysicsError, KeyError):
        world.engine.link_poses(selection)
    with expect_refusal("link_velocities with a selection of an older revision", PhysicsError, KeyError):
        world.engine.link_velocities(selection)


def reading_links_changes_nothing(harness: Harness) -> None:
    """Reading poses and velocities of links does not disturb the motion."""

    def read(world: CheckedWorld, handle: int) -> object:
        names = ("head", "left_foot", "pack", "eye")
        return world.velocities(handle, *names), world.poses(handle, *names)

    expect_undisturbed(harness, read, "state of a world whose links were read")
