from collections.abc import Iterator
from contextlib import suppress

import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.geometry.rotations import heading_of
from simspark_ros.server.scripting.operator import Operator
from simspark_ros.simulation.loading import editing
from simspark_ros.simulation.referee import trainer_of
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot
from simspark_ros.trainer import TRAINER_COMMANDS
from simspark_ros.worlds.errors import CommandRejectedError

WORLD = "{based_on: empty, objects: {crate: {box: [0.4, 0.4, 0.4], mass: 5.0, position: [2.0, 0.0, 0.2]}}}"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    path = tmp_path_factory.mktemp("editing") / "world.yaml"
    path.write_text(WORLD)
    with Arena(world=str(path), engine="mujoco") as made:
        yield made


@pytest.fixture
def arena(started: Arena) -> Arena:
    """The arena with nothing but the crate, where the file puts it."""
    with suppress(CommandRejectedError):
        while True:
            order(started, "undo")
    assert names(started) == {"crate"} and place(started, "crate") == [2.0, 0.0]
    return started


def order(arena: Arena, kind: str, *arguments: str | int | float) -> None:
    TRAINER_COMMANDS[kind].command(trainer_of(arena.simulation), arguments)


def names(arena: Arena) -> set[str]:
    return {robot.name for robot in arena.simulation.world.robots.values()}


def robot(arena: Arena, name: str) -> SoccerRobot:
    return next(robot for robot in arena.simulation.world.robots.values() if robot.name == name)


def handle(arena: Arena, name: str) -> int:
    return robot(arena, name).handle


def place(arena: Arena, name: str) -> list[float]:
    state = arena.simulation.world.engine.state
    return [round(value, 3) for value in state.position[state.row(handle(arena, name))][:2].tolist()]


def height(arena: Arena, name: str) -> float:
    state = arena.simulation.world.engine.state
    return round(float(state.position[state.row(handle(arena, name))][2]), 3)


def test_a_robot_is_added_where_it_is_wanted_turned_upright_and_undone(arena: Arena) -> None:
    order(arena, "add_robot", "two=differential@1,2")
    assert names(arena) == {"crate", "two"}
    # The base's middle is not above the point between the wheels.
    assert place(arena, "two") == pytest.approx([1.0, 2.0], abs=0.1)
    order(arena, "place_robot", handle(arena, "two"), 3.0, 3.0)
    order(arena, "turn_robot", handle(arena, "two"), 1.0, True)
    state = arena.simulation.world.engine.state
    assert heading_of(state.rotation[state.row(handle(arena, "two"))]) == pytest.approx(1.0)
    order(arena, "undo")
    order(arena, "undo")
    assert names(arena) == {"crate"}


def test_a_long_drag_is_one_step_and_two_drags_are_two(arena: Arena) -> None:
    crate = handle(arena, "crate")
    order(arena, "add_object", "stone=sphere/0.2@1,2")
    order(arena, "place_robot", crate, -1.0, 1.5)
    for drag in (3.0, 4.0):
        for number in range(editing.KEPT + 20):
            order(arena, "place_robot", crate, drag, number / 100, number > 0)
    order(arena, "lift_robot", crate, 1.5, True)
    assert place(arena, "crate") == [4.0, 1.19] and height(arena, "crate") == 1.5
    for before in ([3.0, 1.19], [-1.0, 1.5], [2.0, 0.0]):
        order(arena, "undo")
        assert place(arena, "crate") == before and height(arena, "crate") == pytest.approx(0.2, abs=0.01)
    # What was placed before something else is not gone on with.
    order(arena, "place_robot", handle(arena, "stone"), 0.0, 3.0)
    order(arena, "place_robot", crate, 1.0, 0.0, True)
    order(arena, "undo")
    assert place(arena, "stone") == [0.0, 3.0]


HEIGHTS = {"box/0.4,0.4,0.2/2": 0.1, "sphere/0.15": 0.15, "cylinder/0.1,0.3": 0.15, "capsule/0.1,0.3/0.5": 0.25}
HEIGHTS["ellipse/0.3,0.2,0.1"] = 0.05
"""Objects of each shape, and heights of their middles on the ground, m."""


def test_objects_of_each_shape_are_added_on_the_ground_and_without_a_place_beside_each_other(arena: Arena) -> None:
    for word, height in HEIGHTS.items():
        order(arena, "add_object", f"one={word}@1,2")
        added = arena.simulation.world.robots[handle(arena, "one")]
        assert added.description.is_object
        state = arena.simulation.world.engine.state
        assert state.position[state.row(added.handle)].tolist() == pytest.approx([1.0, 2.0, height], abs=0.01)
        order(arena, "undo")
        assert names(arena) == {"crate"}
    for _ in range(2):
        order(arena, "add_object", "box/0.4,0.4,0.2")
    assert len(names(arena)) == 3
    first, second = (place(arena, name) for name in names(arena) - {"crate"})
    assert max(abs(a - b) for a, b in zip(first, second, strict=True)) > 0.4


def test_what_is_moved_or_removed_comes_back_step_by_step(arena: Arena) -> None:
    crate = handle(arena, "crate")
    order(arena, "place_robot", crate, -1.0, 1.5)
    assert place(arena, "crate") == [-1.0, 1.5]
    order(arena, "remove_robot", crate)
    assert names(arena) == set()
    order(arena, "undo")
    assert place(arena, "crate") == [-1.0, 1.5]
    order(arena, "undo")
    assert place(arena, "crate") == [2.0, 0.0]


def test_a_reset_takes_out_what_was_added_brings_the_rest_home_and_is_undone_for_what_was_added(arena: Arena) -> None:
    order(arena, "add_object", "ramp=box/1.2,0.6,0.1@0,2")
    order(arena, "place_robot", handle(arena, "crate"), -1.0, 1.5)
    arena.step(5)
    order(arena, "reset")
    assert names(arena) == {"crate"} and place(arena, "crate") == [2.0, 0.0] and arena.time == 0.0
    order(arena, "undo")
    assert names(arena) == {"crate", "ramp"} and place(arena, "ramp") == [0.0, 2.0]
    order(arena, "reset")
    assert names(arena) == {"crate"}


def test_an_object_gets_another_body_where_it_stands_and_its_own_back(arena: Arena) -> None:
    crate = handle(arena, "crate")
    order(arena, "turn_robot", crate, 1.0)
    order(arena, "change_object", crate, "cylinder/0.1,1.0/2.5/1,0,0")
    assert place(arena, "crate") == [2.0, 0.0] and height(arena, "crate") == 0.5
    changed = robot(arena, "crate")
    assert changed.description.model.mass == 2.5
    (visual,) = changed.description.model.base.visuals
    assert (visual.kind.value, visual.size, visual.rgba) == ("cylinder", (0.1, 1.0), (1.0, 0.0, 0.0, 1.0))
    state = arena.simulation.world.engine.state
    assert heading_of(state.rotation[state.row(changed.handle)]) == pytest.approx(1.0)
    order(arena, "place_robot", crate, 1.0, 1.0)
    order(arena, "reset")
    assert place(arena, "crate") == [2.0, 0.0] and height(arena, "crate") == 0.5
    for _ in range(2):
        order(arena, "undo")
    assert robot(arena, "crate").description.model.mass == 5.0
    assert height(arena, "crate") == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize(
    ("kind", "arguments", "why"),
    [
        ("add_robot", ("nobody",), "robots of the package"),
        ("add_robot", ("/etc/passwd",), "robots of the package"),
        ("add_robot", ("crate=nao",), "taken"),
        ("add_object", ("box/0.4,0.4",), r"a box has 3 sizes \(length, width, height\), not 2; write"),
        ("add_object", ("box/0.4,0.4,nan",), "the height of a box must be at least 0.001 and at most 100 m, not nan"),
        ("add_object", ("box/0.4,0,0.4",), "the width of a box must be at least 0.001 and at most 100 m, not 0; write"),
        ("add_object", ("box/0.4,x,0.4",), "the width must be a number, not 'x'"),
        ("add_object", ("cone/1,2",), "no shape 'cone'; use one of: box, sphere"),
        ("add_object", ("sphere/-1",), "radius of a sphere"),
        ("add_object", ("sphere/1/1/1,2,0",), "value 2 of colour must be at least 0 and at most 1, not 2.0"),
        ("change_object", (0, "sphere/200"), "radius of a sphere"),
        ("change_object", (99, "sphere/1"), "no robot 99"),
        ("add_object", ("sphere/0.1/0",), "mass"),
        ("add_object", ("sphere",), "SHAPE/SIZE"),
        ("add_object", ("crate=sphere/0.1",), "taken"),
        ("add_object", ("a b=sphere/0.1",), "no ROS name"),
        ("place_robot", (99, 0.0, 0.0), "no robot 99"),
        ("lift_robot", (0, -1.0), "not below the ground"),
        ("remove_robot", (99,), "no robot 99"),
        ("undo", (), "nothing to undo"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(arena: Arena, kind: str, arguments, why: str) -> None:
    with pytest.raises(CommandRejectedError, match=why):
        order(arena, kind, *arguments)
    assert names(arena) == {"crate"}


def test_no_more_robots_are_added_than_there_is_room_for(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editing, "MOST", 1)
    with pytest.raises(CommandRejectedError, match="remove one"):
        order(arena, "add_robot", "differential")


def test_without_room_for_another_body_an_object_keeps_its_own(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    crate = handle(arena, "crate")
    order(arena, "add_object", "stone=sphere/0.2@1,2")
    monkeypatch.setattr(editing, "LimitSettings", lambda: LimitSettings(world_links=1))
    with pytest.raises(CommandRejectedError, match="world_links"):
        order(arena, "change_object", crate, "sphere/0.2")
    assert handle(arena, "crate") == crate and robot(arena, "crate").description.model.mass == 5.0


def test_the_refusal_for_an_agents_robot_names_it_as_people_do(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    crate = robot(arena, "crate")
    for key, value in {"client": "agent-1", "side": Side.LEFT, "unum": 3}.items():
        monkeypatch.setattr(crate, key, value)
    with pytest.raises(CommandRejectedError, match="left 3 belongs to agent 'agent-1'"):
        order(arena, "remove_robot", crate.handle)


def test_a_refused_placing_ends_a_drag(arena: Arena) -> None:
    crate = handle(arena, "crate")
    order(arena, "place_robot", crate, 1.0, 1.0)
    with pytest.raises(CommandRejectedError):
        order(arena, "place_robot", crate, 1e9, 0.0)
    order(arena, "turn_robot", crate, 1.0, True)
    order(arena, "undo")
    assert place(arena, "crate") == [1.0, 1.0]


def test_what_clients_and_the_operator_have_added_goes_with_a_reset_and_what_a_file_names_stays(arena: Arena) -> None:
    order(arena, "add_robot", "one=differential@1,2")
    order(arena, "remove_robot", handle(arena, "one"))
    order(arena, "undo")
    Operator(arena.simulation).spawn("two=differential@1,-2")
    assert {robot.name for robot in arena.simulation.world.robots.values() if robot.is_guest} == {"one", "two"}
    order(arena, "reset")
    assert names(arena) == {"crate"}
