"""Adding and removing robots, arrays of different robots, and what is promised about the state."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from simspark_ros.physics.bullet.engine import create
from simspark_ros.physics.engine import PhysicsError
from simspark_ros.physics.model import ArticulatedModel, Link, SceneModel, Shape, ShapeKind
from simspark_ros.robots.catalogue import load_robot

STONE = ArticulatedModel("stone", (Link("stone", 1.0, (0.01, 0, 0, 0.01, 0, 0.01)),), ())


def test_rows_follow_adding_and_removing(lab):
    first, second, third = lab.nao(0, x=-5), lab.engine.add_robot(STONE, (0.0, 3.0, 1.0)), lab.nao(4, x=5)
    assert lab.state.handles == (first, second, third)
    assert lab.state.joint_offset.tolist() == [0, 22, 22, 46]
    assert lab.state.touch_offset.tolist() == [0, 2, 2, 6]
    lab.run(100)
    revision, feet = lab.state.revision, lab.state.touch_force
    angles = lab.state.joint_position
    lab.engine.remove_robot(first)
    assert lab.state.revision != revision
    assert lab.state.handles == (second, third)
    assert lab.state.joint_offset.tolist() == [0, 0, 24]
    assert lab.state.row(third) == 1
    # What was read of the others is kept.
    assert lab.state.touch_force == pytest.approx(feet[2:])
    assert lab.state.joint_position == pytest.approx(angles[22:])
    assert lab.state.position[1, 0] == pytest.approx(5.0, abs=0.01)
    assert lab.engine.add_robot(STONE, (0, -3, 1)) not in (first, second, third)
    lab.run(1)


def test_state_is_current_after_every_change_and_arrays_are_replaced(lab):
    handle = lab.nao(x=-2.0)
    before = lab.state.position
    lab.engine.place_robot(handle, (1.0, 2.0, 0.5), (0.0, 0.0, 0.0, 2.0))
    assert before[0] == pytest.approx([-2.0, 0.0, 0.4])
    assert lab.state.position[0] == pytest.approx([1.0, 2.0, 0.5])
    lab.engine.set_velocity(handle, (0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    assert lab.state.linear_velocity[0] == pytest.approx([0.1, 0.2, 0.3])
    assert lab.state.angular_velocity[0] == pytest.approx([0.4, 0.5, 0.6])
    angles = np.linspace(-0.01, 0.01, 22)
    lab.engine.set_joint_positions(handle, angles)
    assert lab.state.joint_position == pytest.approx(angles)
    assert lab.state.linear_velocity[0] == pytest.approx([0, 0, 0])
    lab.engine.place_ball((1.0, 1.0, 1.0), (0.0, 1.0, 0.0))
    assert (lab.state.ball_position.tolist(), lab.state.ball_velocity.tolist()) == ([1, 1, 1], [0, 1, 0])


def test_joint_positions_are_kept_when_a_robot_is_placed(lab):
    handle = lab.nao()
    lab.run(20)
    lab.turn("hj1", 2.0, 10)
    angles = lab.state.joint_position
    lab.engine.place_robot(handle, (3.0, 0.0, 0.4), (0.0, 0.0, 0.0, 1.0))
    assert lab.state.joint_position == pytest.approx(angles)
    assert np.abs(lab.state.joint_velocity).max() == 0.0
    assert not lab.state.touching.any()


def test_writing_into_the_state_does_not_disturb_the_engine(make_lab):
    results = []
    for spoil in (False, True):
        lab = make_lab()
        lab.nao()
        for _ in range(20):
            lab.run(1)
            if spoil:
                for array in (lab.state.position, lab.state.joint_position, lab.state.joint_effort):
                    array[:] = 1e6
                lab.state.angular_velocity[:] = 1e6
        lab.run(1)
        results.append(lab.state.joint_position.tobytes() + lab.state.position.tobytes())
    assert results[0] == results[1]


def test_reading_links_does_not_disturb_the_motion(make_lab):
    results = []
    for watch in (False, True):
        lab = make_lab()
        handle = lab.nao()
        control = lab.hold()
        control.velocity[:] = np.random.default_rng(3).uniform(-2, 2, 22)
        names = [link.name for link in lab.state.models[0].links]
        selection = lab.engine.select_links([(handle, name) for name in names])
        for _ in range(60):
            lab.engine.step(control)
            if watch:
                lab.engine.link_poses(selection)
        results.append(lab.state.joint_position.tobytes() + lab.state.position.tobytes())
    assert results[0] == results[1]


def test_links_can_be_selected_in_any_order_and_twice(lab):
    one, two = lab.nao(x=-1), lab.nao(4, x=1)
    lab.run(3)
    wanted = [(two, "head"), (one, "torso"), (two, "llowerarm"), (one, "head"), (two, "torso"), (two, "head")]
    together, turns = lab.engine.link_poses(lab.engine.select_links(wanted))
    for row, link in enumerate(wanted):
        position, rotation = lab.engine.link_poses(lab.engine.select_links([link]))
        assert together[row] == pytest.approx(position[0])
        assert turns[row] == pytest.approx(rotation[0])
    assert together[1] == pytest.approx(lab.state.position[0])
    empty = lab.engine.link_poses(lab.engine.select_links([]))
    assert [array.shape for array in empty] == [(0, 3), (0, 3, 3)]


def test_unknown_names_are_named(lab):
    handle = lab.nao()
    with pytest.raises(KeyError, match=r"no link or frame 'tail'; it has: torso"):
        lab.engine.select_links([(handle, "tail")])
    with pytest.raises(KeyError, match="no robot with handle 7"):
        lab.engine.select_links([(7, "torso")])
    with pytest.raises(KeyError, match="no robot with handle 7"):
        lab.engine.remove_robot(7)
    selection = lab.engine.select_links([(handle, "torso")])
    lab.engine.remove_robot(handle)
    with pytest.raises(PhysicsError, match="void"):
        lab.engine.link_poses(selection)


def test_two_engines_in_one_process_do_not_disturb_each_other(make_lab):
    alone = make_lab()
    alone.nao(x=1.0)
    alone.run(40)
    pair = [make_lab(), make_lab(preset="F1")]
    for number, lab in enumerate(pair):
        lab.nao(x=1.0 if number == 0 else 4.0)
    for _ in range(40):
        for lab in pair:
            lab.run(1)
    assert pair[0].state.position.tobytes() == alone.state.position.tobytes()
    pair[1].engine.close()
    pair[0].run(1)


def test_world_without_ball_and_robots_that_collide_with_nothing(make_lab):
    lab = make_lab(SceneModel())
    lab.run(1)
    lab.engine.add_robot(STONE, (0.0, 0.0, 0.1))
    lab.run(50)
    assert lab.state.position[0, 2] < -3.0
    assert lab.state.ball_position.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(PhysicsError, match="no ball"):
        lab.engine.place_ball((0.0, 0.0, 0.0))


def test_ball_touches_robots(lab):
    block = Link("block", 50.0, (1, 0, 0, 1, 0, 1), collisions=(Shape(ShapeKind.BOX, (0.4, 0.4, 0.4)),))
    lab.engine.add_robot(ArticulatedModel("block", (block,), ()), (0.0, 0.0, 0.2))
    lab.run(30)
    lab.engine.place_ball((-1.0, 0.0, 0.042), (4.0, 0.0, 0.0))
    path = lab.ball_path(60)
    assert path[:, 0].max() < -0.2
    assert lab.state.ball_velocity[0] < -0.5


SCRIPT = """
import hashlib
import numpy as np
from simspark_ros.physics.bullet.engine import create
from simspark_ros.physics.engine import JointControl
from simspark_ros.physics.model import BallModel, SceneModel, StaticBox
from simspark_ros.robots.catalogue import load_robot

engine = create()
engine.load_scene(SceneModel(BallModel(0.042, 0.026, 0.01, 5e-5), (StaticBox("box", (1.0, 0.0, 0.5), (0.1, 1, 1)),)))
for index in range(4):
    engine.add_robot(load_robot("nao", index).model, (0.12 * index, 0.0, 0.4))
engine.place_ball((0.5, 0.0, 0.5), (3.0, 0.0, 0.0))
digest, draw = hashlib.sha256(), np.random.default_rng(5)
for _ in range(60):
    speeds = draw.uniform(-5.0, 5.0, 88)
    engine.step(JointControl(speeds, np.full(88, 10.0), np.zeros(88)))
    state = engine.state
    for array in (state.position, state.rotation, state.joint_position, state.touch_force, state.ball_position):
        digest.update(array.tobytes())
print(digest.hexdigest())
engine.close()
"""


def test_fresh_processes_compute_the_same_bits_and_print_nothing_else():
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            check=True,
            capture_output=True,
            text=True,
            # Orders that depend on hashes must not show.
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0].split()) == 1


def test_nothing_is_printed_to_standard_output(capfd):
    engine = create()
    engine.load_scene(SceneModel())
    handle = engine.add_robot(load_robot("nao", 0).model, (0.0, 0.0, 0.4))
    engine.remove_robot(handle)
    engine.close()
    engine.close()
    print("still open")
    assert capfd.readouterr().out == "still open\n"
