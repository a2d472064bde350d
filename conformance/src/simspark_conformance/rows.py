"""Promises about handles, rows and the shapes of the state's arrays."""

from __future__ import annotations

import numpy as np

from simspark_conformance.harness import CheckedWorld, Harness, expect, expect_close, expect_refusal
from simspark_conformance.models import STANDING, UPRIGHT, ghost, stone, walker


def _three(world: CheckedWorld) -> tuple[int, int, int]:
    return (
        world.add(walker(), (-2.0, 0.0, STANDING)),
        world.add(stone(), (0.0, 0.0, 0.05)),
        world.add(walker(), (2.0, 0.0, STANDING)),
    )


def rows_follow_adding_and_removing(harness: Harness) -> None:
    """Rows are in the order in which robots were added; removing a robot moves later robots up."""
    world = harness.world()
    first, second, third = _three(world)
    expect(world.state.handles == (first, second, third), f"handles are {world.state.handles}")
    world.engine.remove_robot(first)
    expect(world.state.handles == (second, third), f"after remove_robot({first}) handles are {world.state.handles}")
    expect_close(world.state.position[:, 0], [0.0, 2.0], 0.01, "x of the robots that stay")
    expect(world.state.row(third) == 1, "row() does not find the last robot")


def revision_counts_rows(harness: Harness) -> None:
    """The revision changes when a robot is added or removed, and at no other time."""
    world = harness.world()
    seen = [world.state.revision]
    robots = _three(world)
    seen.append(world.state.revision)
    world.engine.remove_robot(robots[1])
    seen.append(world.state.revision)
    world.engine.place_robot(robots[0], (0.0, 3.0, 1.0), UPRIGHT)
    world.run(2)
    expect(len(set(seen)) == 3, f"revisions before, after adding and after removing: {seen}")
    expect(world.state.revision == seen[-1], "placing or stepping changed the revision")


def handles_are_never_reused(harness: Harness) -> None:
    """The handle of a removed robot is never given again."""
    world, given = harness.world(), []
    for _ in range(4):
        given.append(world.add(stone()))
        world.engine.remove_robot(given[-1])
    expect(len(set(given)) == len(given), f"handles given one after the other: {given}")


def offsets_split_flat_arrays(harness: Harness) -> None:
    """Joint and touch arrays are flat, with an offset per row and one at the end."""
    world = harness.world()
    robots = _three(world)
    expect(world.state.joint_offset.tolist() == [0, 5, 5, 10], f"joint_offset is {world.state.joint_offset.tolist()}")
    expect(world.state.touch_offset.tolist() == [0, 2, 3, 5], f"touch_offset is {world.state.touch_offset.tolist()}")
    world.engine.remove_robot(robots[0])
    expect(world.state.joint_offset.tolist() == [0, 0, 5], "joint_offset does not follow a removal")
    expect(world.state.touch_offset.tolist() == [0, 1, 3], "touch_offset does not follow a removal")


def arrays_have_their_shapes(harness: Harness) -> None:
    """Every array has the shape that `EngineState` names, after adding and after a step."""
    world = harness.world()
    _three(world)
    wanted = {
        **{"position": (3, 3), "rotation": (3, 3, 3), "linear_velocity": (3, 3), "angular_velocity": (3, 3)},
        **{"joint_position": (10,), "joint_velocity": (10,), "joint_effort": (10,), "joint_lower": (10,)},
        **{"touch_point": (5, 3), "touch_force": (5, 3), "touching": (5,)},
        **{"ball_position": (3,), "ball_velocity": (3,), "ball_angular_velocity": (3,)},
    }
    for when in ("after adding", "after a step"):
        for name, shape in wanted.items():
            found = getattr(world.state, name).shape
            expect(found == shape, f"state.{name} has shape {found} {when}, not {shape}")
        world.run(1)


def models_and_limits_stand_in_rows(harness: Harness) -> None:
    """Models and joint limits are in the rows of their robots, limits in the model's order of joints."""
    world = harness.world()
    _three(world)
    state, model = world.state, walker()
    names = [one.name for one in state.models]
    expect(names == ["walker", "stone", "walker"], f"models are {names}")
    for name, field in (
        ("joint_lower", "lower"),
        ("joint_upper", "upper"),
        ("joint_max_velocity", "max_velocity"),
        ("joint_max_effort", "max_effort"),
    ):
        expected = [getattr(joint, field) for joint in model.joints] * 2
        found = getattr(state, name).tolist()
        expect(found == expected, f"state.{name} is {found}, not {expected}")


def others_are_undisturbed(harness: Harness) -> None:
    """Adding and removing robots does not change the readings of the other robots."""
    world = harness.world()
    first, _, third = _three(world)
    control = world.hold()
    control.velocity[5] = 1.0
    world.run(10, control)
    before = world.snapshot()
    world.engine.remove_robot(first)
    world.add(ghost(), (0.0, 5.0, 3.0))
    row = world.state.row(third)
    # An engine may rebuild its world, with errors of rounding only.
    for name, part, was in (
        ("position", row, 2),
        ("linear_velocity", row, 2),
        ("joint_position", slice(0, 5), slice(5, 10)),
        ("joint_velocity", slice(0, 5), slice(5, 10)),
        ("touch_force", slice(1, 3), slice(3, 5)),
    ):
        expect_close(getattr(world.state, name)[part], before[name][was], 1e-6, f"state.{name} of a robot that stays")
    expect(np.abs(before["joint_position"][5]) > 0.05, "a motor does not move its joint")


def several_leave_at_once(harness: Harness) -> None:
    """Robots that are removed together leave the others as if they had been removed one after the other."""
    together, singly = harness.world(), harness.world()
    for world in (together, singly):
        _three(world)
        world.add(walker(), (4.0, 0.0, STANDING))
        world.run(10)
    gone = (together.state.handles[0], together.state.handles[2])
    together.engine.remove_robots(gone)
    for handle in gone:
        singly.engine.remove_robot(handle)
    for when in ("after the removal", "after a step"):
        expect(together.state.handles == singly.state.handles, f"handles are {together.state.handles} {when}")
        for name in ("position", "linear_velocity", "joint_position", "joint_velocity", "touch_force"):
            # As in `others_are_undisturbed`.
            expect_close(getattr(together.state, name), getattr(singly.state, name), 1e-6, f"state.{name} {when}")
        together.run(1)
        singly.run(1)


def unknown_handles_are_refused(harness: Harness) -> None:
    """An unknown handle or name raises KeyError."""
    world = harness.world()
    known = world.add(walker())
    gone = world.add(stone(), (0.0, 3.0, 5.0))
    world.engine.remove_robot(gone)
    with expect_refusal("remove_robot of a robot that left", KeyError):
        world.engine.remove_robot(gone)
    with expect_refusal("select_links of a robot that left", KeyError):
        world.engine.select_links([(gone, "stone")])
    with expect_refusal("select_links with an unknown name", KeyError):
        world.engine.select_links([(known, "tail")])
