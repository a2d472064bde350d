"""The conformance suite notices: for every promise an engine that breaks it, PyBullet's in its guard with one lie."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from simspark_conformance import CHECKS, Check, CheckOutcome, ConformanceError, Subject, run_all
from simspark_conformance.__main__ import main
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.guarded import GuardedEngine
from simspark_ros.physics.registry import create_engine

Lie = Callable[[Any], None]


def after(method: str, change: Callable[..., Any]) -> Lie:
    """Calls change(engine, *arguments) after the method."""

    def lie(engine: Any) -> None:
        honest = getattr(engine, method)

        def call(*arguments: Any) -> Any:
            result = honest(*arguments)
            change(engine, *arguments)
            return result

        setattr(engine, method, call)

    return lie


def instead(method: str, change: Callable[..., Any]) -> Lie:
    """Calls change(engine, honest method, *arguments) instead of the method."""

    def lie(engine: Any) -> None:
        honest = getattr(engine, method)
        setattr(engine, method, partial(change, engine, honest))

    return lie


def in_state(method: str, **arrays: Callable[[Any], Any]) -> Lie:
    """Changes attributes of the state after the method."""

    def change(engine: Any, *_: Any) -> None:
        for name, array in arrays.items():
            setattr(engine.state, name, array(engine.state))

    return after(method, change)


def in_control(**changes: Callable[[Any], Any]) -> Lie:
    def step(_: Any, honest: Any, control: Any) -> None:
        honest(replace(control, **{name: change(control) for name, change in changes.items()}))

    return instead("step", step)


def in_poses(change: Callable[..., Any]) -> Lie:
    def link_poses(engine: Any, honest: Any, selection: Any) -> Any:
        centres, rotations = honest(selection)
        return centres + change(engine.state), rotations

    return instead("link_poses", link_poses)


def in_rays(**changes: Callable[[Any], Any]) -> Lie:
    def cast_rays(_: Any, honest: Any, *rays: Any, **ignore: Any) -> Any:
        hits = honest(*rays, **ignore)
        return replace(hits, **{name: change(hits) for name, change in changes.items()})

    return instead("cast_rays", cast_rays)


def with_scene(**changes: Any) -> Lie:
    return instead("load_scene", lambda _, honest, scene: honest(replace(scene, **changes)))


def with_model(change: Callable[[Any], Any]) -> Lie:
    return instead("add_robot", lambda _, honest, model, *pose: honest(change(model), *pose))


def with_motors(**limits: float) -> Lie:
    def change(engine: Any, *_: Any) -> None:
        for name, limit in limits.items():
            getattr(engine.core._rows.motors, f"_{name}")[:] = limit

    return after("add_robot", change)


WITHOUT_BOXES = with_scene(boxes=())
WITHOUT_COLLIDERS = with_model(lambda m: replace(m, links=tuple(replace(link, collisions=()) for link in m.links)))
WITHOUT_STOPS = with_motors(lower=-10.0, upper=10.0)


def use_void(engine: Any, honest: Any, selection: Any) -> Any:
    selection.revision = engine.state.revision
    return honest(selection)


def ignore_unknown(engine: Any, honest: Any, links: Any) -> Any:
    try:
        return honest(links)
    except KeyError:
        return honest([])


def write_again(engine: Any, honest: Any, control: Any) -> None:
    held = engine.state.position
    honest(control)
    held[:] = engine.state.position
    engine.state.position = held


def use_the_published(engine: Any, honest: Any, control: Any) -> None:
    engine.core._joints[0] = engine.state.joint_position
    honest(control)


def velocities_of_the_base(engine: Any, honest: Any, selection: Any) -> Any:
    linear, angular = honest(selection)
    return np.broadcast_to(engine.state.linear_velocity, linear.shape), angular


def frames_are_links(engine: Any, honest: Any, links: Any) -> Any:
    return honest([(handle, {"eye": "head", "middle": "torso"}.get(name, name)) for handle, name in links])


def stop_when_read(engine: Any, *_: Any) -> None:
    engine.set_velocity(engine.state.handles[0], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def reuse_handles(engine: Any, honest: Any, *arguments: Any) -> Any:
    engine.core._next_handle = len(engine.core._robots)
    return honest(*arguments)


_calls = itertools.count()
_last: list[Any] = [None]


def remember_calls(engine: Any, *_: Any) -> None:
    engine.state.position += 1e-12 * next(_calls)


def feel_neighbours(engine: Any, *_: Any) -> None:
    if _last[0] is not engine:
        engine.state.position += 1e-9
        _last[0] = engine


def lose_far_robots(engine: Any, *_: Any) -> None:
    if len(engine.state.handles) and np.abs(engine.state.position).max() > 100.0:
        engine.state.position[:] = np.inf


def blame_all(engine: Any, control: Any) -> None:
    if control.effort.any():
        engine.recovered = list(engine.state.handles)


def place_at_the_end(engine: Any, _: Any, handle: int, position: Any, quaternion: Any) -> None:
    engine.core.place_robot(handle, tuple(np.clip(position, -1000.0, 1000.0).tolist()), quaternion)


def without_drag(_: Any, honest: Any, scene: Any) -> None:
    honest(replace(scene, ball=replace(scene.ball, linear_drag=0.0)))


def close_once(engine: Any, honest: Any) -> None:
    if not engine.core._open:
        raise PhysicsError("already closed")
    honest()


LIES: dict[str, Lie] = {
    "rows_follow_adding_and_removing": in_state("remove_robot", handles=lambda state: state.handles[::-1]),
    "revision_counts_rows": in_state("place_robot", revision=lambda state: state.revision + 1),
    "handles_are_never_reused": instead("add_robot", reuse_handles),
    "offsets_split_flat_arrays": in_state("remove_robot", touch_offset=lambda state: state.joint_offset),
    "arrays_have_their_shapes": in_state("step", touching=lambda state: state.touching[:, None]),
    "models_and_limits_stand_in_rows": in_state("add_robot", joint_upper=lambda state: state.joint_upper[::-1]),
    "others_are_undisturbed": in_state("remove_robot", touch_force=lambda state: 0.0 * state.touch_force),
    "several_leave_at_once": in_state("remove_robots", position=lambda state: state.position[::-1]),
    "unknown_handles_are_refused": instead("select_links", ignore_unknown),
    "robots_appear_upright_at_rest": instead("add_robot", lambda _, honest, model, place, *yaw: honest(model, place)),
    "robots_are_placed_at_rest": in_state("place_robot", joint_position=lambda state: 0.0 * state.joint_position),
    "joint_positions_are_set": in_state("set_joint_positions", joint_position=lambda state: state.joint_position[::-1]),
    "velocity_is_set": in_state("set_velocity", linear_velocity=lambda state: state.linear_velocity[:, ::-1]),
    "bolted_bases_stay": with_model(lambda model: replace(model, fixed_base=False)),
    "ball_is_placed": instead("place_ball", lambda _, honest, position, *velocity: honest(position)),
    "state_is_never_written_again": instead("step", write_again),
    "state_is_not_shared": instead("step", use_the_published),
    "links_follow_the_joints": in_poses(lambda _: 0.01),
    "links_are_current_after_a_step": in_poses(lambda state: -0.02 * state.linear_velocity[0]),
    "frames_follow_their_links": instead("select_links", frames_are_links),
    "links_come_in_the_order_selected": instead("select_links", lambda _, honest, links: honest(sorted(links))),
    "links_move_with_base_and_joints": instead("link_velocities", velocities_of_the_base),
    "void_selections_are_refused": instead("link_poses", use_void),
    "reading_links_changes_nothing": after("link_poses", stop_when_read),
    "rays_hit_the_first_solid": in_rays(normal=lambda hits: -hits.normal),
    "rays_follow_the_links": in_rays(distance=lambda hits: hits.distance + 1e-3),
    "rays_meet_every_shape": in_rays(distance=lambda hits: 1.01 * hits.distance),
    "rays_leave_solids": instead("cast_rays", lambda _, honest, *rays, ignore=-1: honest(*rays)),
    "rays_are_independent": in_rays(target=lambda hits: hits.target[::-1]),
    "rays_disturb_nothing": after("cast_rays", stop_when_read),
    "bodies_fall_freely": lambda engine: setattr(engine, "cycle_time", 1.02 * engine.cycle_time),
    "motors_keep_the_momentum": in_poses(lambda state: 0.01 * state.joint_position[0]),
    "impacts_keep_the_momentum": in_state("step", ball_velocity=lambda state: 1.1 * state.ball_velocity),
    "drag_brakes": instead("load_scene", without_drag),
    "robots_stand": WITHOUT_COLLIDERS,
    "hulls_collide": WITHOUT_COLLIDERS,
    "boxes_and_robots_stop_the_ball": WITHOUT_BOXES,
    "boxes_and_robots_stop_robots": WITHOUT_BOXES,
    "motors_follow_velocities": in_control(velocity=lambda control: 0.9 * control.velocity),
    "motors_keep_to_the_largest_speed": with_motors(fastest=100.0),
    "effort_limits_bound_motors": in_control(effort_limit=lambda control: control.effort_limit + 0.1),
    "effort_drives_free_joints": in_control(effort=lambda control: 0.0 * control.effort),
    "motors_report_their_effort": in_state("step", joint_effort=lambda state: -state.joint_effort),
    "joints_stop_inside_their_range": WITHOUT_STOPS,
    "commands_go_to_their_joint": in_control(velocity=lambda control: np.roll(control.velocity, 1)),
    "resting_links_feel_their_weight": in_state("step", touch_force=lambda state: -state.touch_force),
    "touch_is_in_axes_of_the_link": in_state("step", touch_force=lambda state: state.touch_force @ state.rotation[0].T),
    "feet_share_the_weight": in_state("step", touch_force=lambda state: state.touch_force[[0, 2, 1]]),
    "nothing_is_felt_in_the_air": in_state("place_robot", touching=lambda state: ~state.touching),
    "robots_report_contacts_with_each_other": in_state("step", robot_contact_points=lambda s: -s.robot_contact_points),
    "contacts_follow_the_rows": in_state("remove_robot", robot_contacts=lambda state: state.robot_contacts + 1),
    "robots_report_the_ball": in_state("step", ball_contacts=lambda state: 1 - state.ball_contacts),
    "nothing_touches_apart": in_state("step", ball_contacts=lambda state: np.arange(len(state.handles))),
    "weights_and_sizes_fall_alike": in_state("step", position=lambda state: state.position + 0.01),
    "fast_joints_turn_by_their_speed": in_control(velocity=lambda control: 0.99 * control.velocity),
    "stops_hold_whatever_the_range": WITHOUT_STOPS,
    "joints_between_far_stops_are_free": with_motors(lower=-5.0, upper=5.0),
    "same_input_gives_same_bits": after("step", remember_calls),
    "worlds_do_not_disturb_each_other": after("step", feel_neighbours),
    "huge_numbers_are_survived": after("place_ball", lose_far_robots),
    "robots_move_wherever_they_are_placed": instead("place_robot", place_at_the_end),
    "strong_efforts_are_survived": after("step", blame_all),
    "nothing_is_recovered_without_need": after("step", lambda engine, *_: setattr(engine, "recovered", [0])),
    "heaps_are_survived": in_state("step", position=lambda state: state.position + np.array([0.0, 0.0, 100.0])),
    "robots_on_one_spot_are_survived": in_state("step", handles=lambda state: state.handles[:-1]),
    "robots_leave_the_ground": in_state("step", position=lambda state: np.minimum(state.position, 0.0)),
    "empty_worlds_work": in_state("step", ball_position=lambda state: np.full(3, 0.042)),
    "closing_is_harmless": instead("close", close_once),
}

FRESH = "fresh_processes_give_same_bits"


def liar(lie: Lie, name: str = "bullet") -> Subject:
    def make() -> GuardedEngine:
        engine = create_engine(name)
        lie(engine.core if name == "planar" else engine)
        return engine

    return Subject(make)


def named(name: str) -> Check:
    return next(check for check in CHECKS if check.name == name)


def shove(engine: Any, *_: Any) -> None:
    state = engine.state
    x, y, z = state.ball_velocity.tolist()
    engine.place_ball(tuple(state.ball_position), (x, y + 1e-6, z), tuple(state.ball_angular_velocity))


PLANAR_LIES: dict[str, Lie] = {
    "impacts_keep_both_momenta": after("step", shove),
    "impacts_never_add_energy": in_state("step", linear_velocity=lambda state: 9.0 * state.linear_velocity),
    "fast_bodies_do_not_pass_thin_walls": WITHOUT_BOXES,
    "heights_keep_bodies_apart": WITHOUT_BOXES,
    "what_leaves_the_plane_stays": in_state("step", position=lambda state: state.position + 1e-3),
}
"""Told by the planar engine."""


def test_there_is_a_lie_for_every_promise():
    assert {*LIES, *PLANAR_LIES, FRESH} == {check.name for check in CHECKS}


@pytest.mark.parametrize("name", [*LIES, *PLANAR_LIES])
def test_broken_promise_is_noticed(name):
    subject = liar(LIES[name]) if name in LIES else liar(PLANAR_LIES[name], "planar")
    with pytest.raises(ConformanceError) as noticed:
        named(name).run(subject)
    # By comparing, not by an accident in the lie; only closing twice is noticed by what it raises.
    assert "the engine raised" not in str(noticed.value) or name == "closing_is_harmless"


ENGINE = """
import os
from simspark_ros.physics.bullet.engine import create as honest

def create(preset):
    if preset == "fails":
        raise SystemExit("no world today")
    engine = honest(preset)
    engine.cycle_time *= 2 if preset else 1
    place_ball = engine.place_ball
    engine.place_ball = lambda position, *motion: place_ball((1.0 + 1e-6 * os.getpid(), 0.0, 1.0), *motion)
    return engine
"""


@pytest.fixture
def dishonest(tmp_path, monkeypatch) -> str:
    """Name of an engine that is another one in each process, twice as slow with a preset, and may fail."""
    (tmp_path / "dishonest_engine.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(tmp_path)
    return "dishonest_engine:create"


def test_process_that_is_not_like_another_is_noticed_and_the_command_reports_checks(dishonest, capsys):
    subject = Subject.named(dishonest)
    named("same_input_gives_same_bits").run(subject)
    with pytest.raises(ConformanceError, match="two fresh processes"):
        named(FRESH).run(subject)
    with pytest.raises(ConformanceError, match="no world today"):
        named(FRESH).run(Subject(lambda: create_engine("bullet"), dishonest, "fails"))
    command = [dishonest, "--preset", "legacy", "--only", "bodies_fall_freely", "drag_brakes"]
    assert main(command) == 1
    assert "BROKEN   bodies_fall_freely" in capsys.readouterr().out
    assert main([*command[:-2], "handles_are_never_reused"]) == 0
    assert "1 promises: 1 kept" in capsys.readouterr().out
    assert main(["bullet", "--fingerprint"]) == 0
    assert len(capsys.readouterr().out.split()[-1]) == 64


def test_engine_that_raises_is_reported_and_worlds_are_closed_although_a_promise_is_broken():
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("oops")

    checks = [named("bodies_fall_freely"), named("handles_are_never_reused"), named(FRESH)]
    report = run_all(liar(instead("step", fail)).factory, checks=checks)
    outcomes = [result.outcome for result in report.results]
    assert outcomes == [CheckOutcome.BROKEN, CheckOutcome.KEPT, CheckOutcome.SKIPPED] and not report.conforms
    assert "BROKEN   bodies_fall_freely" in str(report) and "ZeroDivisionError: oops" in str(report)
    assert str(report).endswith("3 promises: 1 kept, 1 broken, 1 skipped")
    made: list[Any] = []
    closed: list[Any] = []

    def lie(engine: Any) -> None:
        made.append(engine)
        LIES["motors_follow_velocities"](engine)
        after("close", closed.append)(engine)

    with pytest.raises(ConformanceError):
        named("motors_follow_velocities").run(liar(lie))
    assert made and closed == made


@pytest.mark.parametrize("engine", ["none", "no_such_module:create", "simspark_ros.physics.bullet.engine:nothing"])
def test_command_names_an_engine_there_is_not(engine, capsys):
    assert main([engine]) == 2
    assert engine.split(":")[0] in capsys.readouterr().err
