"""Robots of the 3D league since 2026: what the names in their files mean, and the text for MuJoCo alone."""

from pathlib import Path

import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

import mujoco

from simspark_ros.configuration.errors import UserError
from simspark_ros.configuration.league_models import MODELS_VARIABLE, league_models
from simspark_ros.configuration.library import PROFILES
from simspark_ros.robots.files.reading import read_robot

MODELS = Path(__file__, "../../../../data/league_models").resolve()


@pytest.fixture(scope="module")
def toy():
    return read_robot(MODELS / "toy" / "robot.xml", 0)


def test_the_message_begins_with_time_and_game_and_ends_with_ears_and_eyes(toy):
    kinds = [(spec.kind, spec.name) for spec in toy.perceptors]
    assert kinds == [
        ("time", "time"),
        ("game_state", "game_state"),
        ("frame_orientation", "torso_quat"),
        ("frame_position", "torso_pos"),
        ("gyroscope", "torso_gyro"),
        ("accelerometer", "torso_acc"),
        ("hinge_joint", "q_rlj1"),
        ("hinge_joint", "q_hj1"),
        ("hinge_joint", "q_llj1"),
        ("hear", "hear"),
        ("restricted_vision", "restricted_vision"),
    ]
    assert all(spec.parameters == {"velocity": True} for spec in toy.perceptors if spec.kind == "hinge_joint")
    # Marked sites are visible parts.
    assert dict(toy.visible_parts) == {"head": "head-vismarker"}


def test_three_actuators_of_a_joint_are_one_motor_with_the_gains_of_the_file(toy):
    motors = {spec.name: spec for spec in toy.effectors if spec.kind == "motor"}
    assert {name: spec.joint for name, spec in motors.items()} == {
        "he1": "neck",
        "lle1": "left_hip",
        "rle1": "right_hip",
    }
    assert motors["lle1"].parameters == {"stiffness": 2.0, "damping": 3.0}
    assert [spec.kind for spec in toy.effectors if spec.kind != "motor"] == ["init", "syn", "say", "beam"]


def test_the_text_for_mujoco_has_the_physics_and_nothing_to_look_at(toy):
    model = mujoco.MjModel.from_xml_string(toy.model.mjcf)
    assert (model.nbody, model.njnt, model.nu, model.nsensor, model.nsite, model.nexclude) == (5, 4, 0, 0, 0, 1)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_GEOM, i) for i in range(model.ngeom)]
    assert names == ["torso", "head", "left_foot", "right_foot"]
    assert model.body_mass[1:].tolist() == [4.0, 0.5, 1.0, 1.0]
    assert set(model.dof_armature[6:].tolist()) == {0.01} and set(model.dof_frictionloss[6:].tolist()) == {0.05}
    assert model.jnt_actfrcrange[1:].tolist() == [[-5.0, 5.0], [-20.0, 20.0], [-20.0, 20.0]]


def test_meshes_that_collide_are_in_the_text_as_corners(tmp_path):
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (0.0, 0.3)]
    faces = ["1 2 4", "1 4 3", "5 7 8", "5 8 6", "1 5 6", "1 6 2", "3 4 8", "3 8 7", "1 3 7", "1 7 5", "2 6 8", "2 8 4"]
    lines = [*(f"v {x} {y} {z}" for x, y, z in corners), *(f"f {face}" for face in faces)]
    (tmp_path / "block.obj").write_text("\n".join(lines))
    body = "<freejoint/><inertial pos='0 0 .1' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='block'/>"
    (tmp_path / "robot.xml").write_text(
        f"<mujoco><asset><mesh name='block' file='block.obj'/></asset><worldbody><body name='base' pos='0 0 1'>{body}"
        "<body name='arm'><joint name='j' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>"
        "</body></worldbody></mujoco>"
    )
    text = read_robot(tmp_path / "robot.xml", 0).model.mjcf
    (tmp_path / "block.obj").unlink()
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # The middle of the block, whose origin is in the middle of its lower face.
    assert data.geom_xpos[0].tolist() == pytest.approx([0.0, 0.0, 1.15])


def test_robots_tied_to_the_world_or_with_several_joints_in_a_body_have_no_text_of_their_own(tmp_path):
    tied = "<body name='b'><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><joint axis='0 0 1'/></body>"
    (tmp_path / "robot.xml").write_text(f"<mujoco><worldbody>{tied}</worldbody></mujoco>")
    assert read_robot(tmp_path / "robot.xml", 0).model.mjcf == ""


def test_a_profile_gets_a_scene_for_each_robot_of_the_folder(monkeypatch):
    monkeypatch.setenv(MODELS_VARIABLE, str(MODELS))
    scenes = PROFILES.document(PROFILES.path("rcssservermj"))["scenes"]
    assert scenes == {"toy": {"robot": str(MODELS / "toy" / "robot.xml")}}


def test_a_folder_without_robots_is_refused_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv(MODELS_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match=r"holds no robots.*pip install --no-deps rcsssmj"):
        league_models()
    # Without folder and package the profile has no robots.
    monkeypatch.delenv(MODELS_VARIABLE)
    monkeypatch.setattr("simspark_ros.configuration.league_models.find_spec", lambda name: None)
    with pytest.raises(UserError, match="the league's robots are missing"):
        league_models()
    assert PROFILES.document(PROFILES.path("rcssservermj"))["scenes"] == {}
