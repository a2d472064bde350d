"""MuJoCo's own contacts, joints and motors, as the 3D league's server since 2026 uses them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="install the extra 'mujoco'")

import mujoco

from simspark_ros.configuration.league_models import league_file
from simspark_ros.physics.engine import JointControl, ServoControl
from simspark_ros.physics.model import BallModel, SceneModel
from simspark_ros.physics.mujoco.overlap import MujocoOverlaps
from simspark_ros.physics.registry import create_engine
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.files.reading import read_robot

TOY = Path(__file__, "../../../data/league_models/toy/robot.xml").resolve()
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
BALL = BallModel(0.11, 0.41)


@pytest.fixture(scope="module")
def toy():
    return read_robot(TOY, 0)


@pytest.fixture
def engine():
    engine = create_engine("mujoco", "rcssservermj", 0.02)
    engine.load_scene(SceneModel(ball=BALL))
    engine.place_ball((5.0, 0.0, 0.11))
    return engine


def add(engine, robot, x=0.0):
    """Add a robot whose frame is at the height of its file; returns its handle."""
    dx, dy, dz = robot.model.base.centre
    return engine.add_robot(robot.model, (x + dx, dy, 0.5 + dz))


def servo(engine, commands):
    joints = len(engine.state.joint_max_effort)
    numbers = np.broadcast_to(np.array(commands, float), (joints, 5))
    control = ServoControl(np.arange(joints), numbers)
    return JointControl(np.zeros(joints), engine.state.joint_max_effort.copy(), np.zeros(joints), control)


def meeting_feet(folder):
    """The file of a robot whose legs swing sideways, so that its feet may meet."""
    text = TOY.read_text().replace('axis="0 1 0"', 'axis="1 0 0"')
    file = folder / "robot.xml"
    file.write_text(text.replace('<exclude body1="left_leg" body2="right_leg"/>', ""))
    return file


@pytest.mark.parametrize("feet_meet", [False, True])
def test_a_robot_moves_as_in_mujoco_with_the_file_itself(engine, tmp_path, feet_meet):
    """The file beside a ball on a plane, with the options of rcssservermj's world and its three actuators."""
    file = meeting_feet(tmp_path) if feet_meet else TOY
    toy = read_robot(file, 0)
    world = mujoco.MjSpec.from_string(
        "<mujoco><option timestep='.005' density='1.2' viscosity='.00002'/><worldbody>"
        "<geom type='plane' size='50 50 1'/></worldbody></mujoco>"
    )
    robot = mujoco.MjSpec.from_file(str(file))
    robot.option = world.option
    world.worldbody.add_frame().attach_body(robot.body("torso"), "r-", "")
    model = world.compile()
    data = mujoco.MjData(model)
    add(engine, toy)
    random = np.random.default_rng(1)
    order = [joint.name for joint in toy.model.joints]
    words = {spec.joint: spec.name for spec in toy.effectors if spec.kind == "motor"}
    feet, met = {model.geom("r-left_foot").id, model.geom("r-right_foot").id}, False
    for _ in range(60):
        targets, gains = random.normal(0, 0.2, (3, 2)), np.full((3, 2), (25.0, 0.6))
        targets[1:, 0] += -0.4 * feet_meet, 0.4 * feet_meet
        commands = np.column_stack((targets, gains, random.normal(0, 1, 3)))
        for joint, (q, dq, kp, kd, tau) in zip(order, commands, strict=True):
            tau_id, pos_id, vel_id = (model.actuator(f"r-{words[joint]}_{part}").id for part in ("tau", "pos", "vel"))
            data.ctrl[[tau_id, pos_id, vel_id]] = tau, q, dq
            model.actuator_gainprm[pos_id, 0], model.actuator_biasprm[pos_id, 1] = kp, -kp
            model.actuator_gainprm[vel_id, 0], model.actuator_biasprm[vel_id, 2] = kd, -kd
        mujoco.mj_step(model, data, 4)
        engine.step(servo(engine, commands))
        state = engine.state
        # Sensors tell what was before the last inner step. Rounding of two orders of summation grows in contacts.
        assert state.position[0] == pytest.approx(data.body("r-torso").xipos, abs=1e-9)
        felt = [data.sensor(f"r-{name}").data[0] for name in ("q_hj1", "q_llj1", "q_rlj1")]
        angles = [state.joint_position[order.index(name)] for name in ("neck", "left_hip", "right_hip")]
        assert angles == pytest.approx(felt, abs=1e-9)
        frame = engine.select_links([(state.handles[0], "torso_2")])
        acceleration = engine.link_poses(frame)[1][0].T @ engine.link_accelerations(frame)[0]
        assert acceleration == pytest.approx(data.sensor("r-torso_acc").data, abs=1e-5)
        met = met or any(set(pair) == feet for pair in data.contact.geom.tolist())
    assert met == feet_meet


def test_limbs_of_one_robot_touch_alike_however_many_robots_there_are():
    """MuJoCo chooses its solver's matrices by the number of joints, and some are wrong for arms against thighs."""
    file = league_file("T1")
    if file is None:
        pytest.skip("the package rcsssmj is not installed")
    robot = read_robot(file, 0)
    names = [joint.name for joint in robot.model.joints]
    wanted = np.zeros(len(names))
    wanted[names.index("Left_Shoulder_Roll")], wanted[names.index("Right_Shoulder_Roll")] = -1.55, 1.55

    def places(robots):
        engine = create_engine("mujoco", "rcssservermj", 0.02)
        engine.load_scene(SceneModel())
        dx, dy, dz = robot.model.base.centre
        for number in range(robots):
            engine.add_robot(robot.model, (dx + 3.0 * number, dy, 0.672 + dz))
        random, seen = np.random.default_rng(0), []
        for _ in range(15):
            targets = random.normal(wanted, 0.15)
            commands = np.column_stack((targets, np.broadcast_to((0, 60, 1, 0), (len(names), 4))))
            engine.step(servo(engine, np.tile(commands, (robots, 1))))
            seen.append(engine.state.position[0].copy())
        return np.array(seen)

    alone = places(1)
    for robots in (3, 11):
        assert places(robots) == pytest.approx(alone, abs=1e-4)


def test_efforts_are_cut_to_the_range_of_the_joint_and_limp_motors_have_none(engine, toy):
    add(engine, toy)
    engine.step(servo(engine, (0, 0, 0, 0, 1000.0)))
    assert engine.state.joint_effort.tolist() == pytest.approx([5.0, 20.0, 20.0])
    control = servo(engine, (1.0, 0, 50, 1, 0))
    control.effort_limit[:] = 0.0
    engine.step(control)
    assert np.abs(engine.state.joint_effort).max() < 1e-6


def test_joints_without_gains_follow_velocities_and_hold(engine, toy):
    add(engine, toy)
    engine.place_robot(0, (0.0, 0.0, 30.0), UPRIGHT)
    effort = engine.state.joint_max_effort.copy()
    for velocity in (1.0, 0.0):
        for _ in range(25):
            engine.step(JointControl(np.array([velocity, 0.0, 0.0]), effort, np.zeros(3)))
        # Half a second at 1 rad/s, then nothing; the servo lags by a few ms.
        assert engine.state.joint_position[0] == pytest.approx(0.5, abs=0.03)
    assert abs(engine.state.joint_velocity[0]) < 0.01


def test_joints_of_a_long_chain_come_to_rest(tmp_path):
    """Joints that move each other strongly: each would be damped too much if it were damped for itself."""
    engine = create_engine("mujoco", "rcssservermj", 0.02)
    engine.load_scene(SceneModel(gravity=(0.0, 0.0, 0.0)))
    mass = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="l{n}">{mass}</link>' for n in range(13))
    ends = '<parent link="l{}"/><child link="l{}"/><origin xyz="0.1 0 0"/><axis xyz="0 1 0"/>'
    limit = '<limit effort="500" velocity="20"/>'
    joints = "".join(f'<joint name="j{n}" type="continuous">{ends.format(n, n + 1)}{limit}</joint>' for n in range(12))
    (tmp_path / "chain.urdf").write_text(f'<robot name="chain">{links}{joints}</robot>')
    engine.add_robot(read_robot(tmp_path / "chain.urdf", 0).model, (0.0, 0.0, 3.0))
    speeds, effort = np.resize([1.0, -1.0], 12), engine.state.joint_max_effort.copy()
    for velocity in (speeds, np.zeros(12)):
        for _ in range(25):
            engine.step(JointControl(velocity, effort, np.zeros(12)))
    # The chain's slowest motion dies away in some tenths of a second.
    assert np.abs(engine.state.joint_velocity).max() < 0.01
    # Half a second at 1 rad/s.
    assert engine.state.joint_position == pytest.approx(0.5 * speeds, abs=0.01)


def test_robots_keep_their_motion_when_others_come_and_go(engine, toy):
    first = add(engine, toy)
    for _ in range(5):
        engine.step(servo(engine, (0.3, 0, 25, 0.6, 0)))
    before = engine.state.position[0].copy(), engine.state.joint_velocity.copy()
    second = add(engine, toy, x=3.0)
    engine.place_ball((4.0, 1.0, 0.11), (1.0, 0.0, 0.0))
    assert engine.state.position[0] == pytest.approx(before[0], abs=0.02)
    engine.remove_robot(first)
    assert engine.state.handles == (second,)
    engine.step(servo(engine, (0, 0, 1, 1, 0)))
    assert engine.state.ball_velocity[0] == pytest.approx(1.0, abs=0.1)


def test_contacts_of_ball_and_robots_are_told_by_rows(engine, toy):
    add(engine, toy)
    add(engine, toy, x=0.25)
    engine.set_velocity(0, (2.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    engine.place_ball((0.3, 0.0, 1.1), (0.0, 0.0, -3.0))
    seen = set()
    for _ in range(40):
        engine.step(servo(engine, (0, 0, 25, 1, 0)))
        seen |= {("ball", row) for row in engine.state.ball_contacts.tolist()}
        seen |= {("pair", *pair) for pair in engine.state.robot_contacts.tolist()}
    assert ("ball", 1) in seen and ("pair", 0, 1) in seen


def test_robots_put_into_each_other_come_apart_without_harm(engine, toy):
    for _ in range(3):
        add(engine, toy)
    for _ in range(100):
        engine.step(servo(engine, (0, 0, 5, 1, 0)))
        assert np.isfinite(engine.state.position).all()
    assert np.abs(engine.state.linear_velocity).max() < 10.0


def test_robots_that_pass_through_each_other_do_so_whatever_their_own_texts_say(engine, toy):
    """Their own bits are equal, and would have them collide."""
    handles = add(engine, toy), add(engine, toy)
    world, overlaps = engine.core._current(), MujocoOverlaps()

    def touching():
        overlaps.apply(world, handles)
        mujoco.mj_collision(world.model, world.data)
        owners = world.owner[world.data.contact.geom]
        return ((owners >= 0).all(axis=1) & (owners[:, 0] != owners[:, 1])).any()

    assert touching()
    overlaps._pairs = {handles}
    assert not touching()
    overlaps._pairs = set()
    assert touching()


def test_bad_numbers_put_bodies_back_and_the_world_goes_on(engine, toy):
    add(engine, toy)
    add(engine, toy, x=3.0)
    engine.step(servo(engine, (0, 0, 5, 1, 0)))
    engine.core._world.data.qvel[engine.core._world.parts[0].velocities] = np.nan
    engine.step(servo(engine, (0, 0, 5, 1, 0)))
    # MuJoCo solves all bodies together, so that they all get bad numbers.
    assert set(engine.recovered) == {0, 1, -1}
    engine.step(servo(engine, (0, 0, 5, 1, 0)))
    assert engine.recovered == [] and engine.state.position[1, 0] == pytest.approx(3.02, abs=0.01)


def test_a_nao_stands_beside_the_league_s_robots(engine, toy):
    nao = load_robot("nao")
    add(engine, toy, x=2.0)
    engine.add_robot(nao.model, (0.0, 0.0, nao.spawn_height))
    joints = len(engine.state.joint_max_effort)
    for _ in range(50):
        engine.step(JointControl(np.zeros(joints), engine.state.joint_max_effort.copy(), np.zeros(joints)))
    assert engine.state.position[1, 2] == pytest.approx(nao.spawn_height, abs=0.02)
    assert engine.state.touching.all()
    # Both feet carry the weight.
    assert engine.state.touch_force[:, 2].sum() == pytest.approx(9.81 * nao.model.mass, rel=0.2)


def test_bolted_robots_stay_where_they_are_put(engine, toy):
    bolted = replace(toy.model, fixed_base=True)
    handle = engine.add_robot(bolted, (1.0, 0.0, 1.0))
    engine.place_robot(handle, (2.0, 0.0, 1.0), UPRIGHT)
    add(engine, toy, x=-3.0)
    for _ in range(20):
        engine.step(servo(engine, (0.2, 0, 25, 1, 0)))
    assert engine.state.position[0] == pytest.approx((2.0, 0.0, 1.0))
    # Gravity and dry friction turn the hips by some degrees.
    assert engine.state.joint_position[:3] == pytest.approx(0.2, abs=0.15)
