"""Commands to motors: efforts, gains, frozen and passive joints, followers, trajectories, two joints as one."""

import math
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from simspark_conformance.models import solid_box
from simspark_ros.effectors.motor import MAX_GAIN, command_motors
from simspark_ros.exchange import Commands
from simspark_ros.physics.engine import PhysicsEngine
from simspark_ros.physics.model import ArticulatedModel, Joint, JointKind, Link, Mimic, SceneModel
from simspark_ros.physics.registry import create_engine
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.motors.commands import Motors
from simspark_ros.robots.motors.trajectory import JointTrajectory
from test.robots.formats.adaptation.makers import joint, link, robot, write

JOINTS = [joint.name for joint in load_robot("nao").model.joints]


@pytest.mark.parametrize(("joint", "effort"), [("hj2", 10.0), ("hj2", -8.0), ("raj1", 10.0), ("raj4", 6.0)])
def test_an_effort_throws_no_joint_through_its_stops_nor_beyond_its_speed(played, joint, effort):
    world, index = played.world, JOINTS.index(joint)
    world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    world.motors.set_efforts(np.array([index]), np.array([effort]), world.engine.state)
    for _ in range(60):
        played.run(1)
        state = world.engine.state
        # the direct solver's softness lets a motor at its limit pass a stop by a fraction of a degree
        assert state.joint_lower[index] - 0.01 <= state.joint_position[index] <= state.joint_upper[index] + 0.01
        assert abs(state.joint_velocity[index]) <= state.joint_max_velocity[index] * 1.02
    assert not world.quarantined


def test_a_small_effort_accelerates_a_joint_as_a_torque_does(played):
    world, index = played.world, JOINTS.index("hj1")
    world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    world.motors.set_efforts(np.array([index]), np.array([0.005]), world.engine.state)
    played.run(5)
    # head and neck turn about their common axis: 0.4 m r^2 of the sphere and the capsule's 5.6e-6, kg m2
    inertia = 0.4 * 0.35 * 0.065**2 + 5.6e-6
    # the torso yields a little to the reaction, and drag takes 0.02 of it
    assert world.engine.state.joint_velocity[index] == pytest.approx(5 * 0.02 * 0.005 / inertia, rel=0.1)


def two_naos(play):
    world = play().world
    robots = [world.add_robot(load_robot("nao"), (x, 0.0, 0.3845), 0.0) for x in (-3.0, 3.0)]
    return world, robots


def test_frozen_joints_stand_still_for_their_time_also_when_others_leave_until_a_stop_lets_them_go(play):
    world, (_, robot) = two_naos(play)
    state, dt = world.engine.state, world.engine.cycle_time
    joints = np.arange(22, 44)
    world.motors.set_velocities(joints, np.full(22, 2.0), state)
    world.motors.freeze(robot.handle, (0, 3), 5 * dt)
    for _ in range(5):
        world.motors.set_velocities(joints, np.full(22, 2.0), state)
        world.motors.set_positions(np.array([22]), np.array([1.0]), state)
        world.motors.set_efforts(np.array([25]), np.array([5.0]), state)
        control = world.motors.control(state, dt)
        assert control.velocity[22:26].tolist() == [0.0, 2.0, 2.0, 0.0]
        # the motor holds the joint with all its strength
        assert np.all(control.effort_limit[[22, 25]] == state.joint_max_effort[[22, 25]])
    # commands given meanwhile are lost, those given now count
    assert world.motors.control(state, dt).velocity[22] == 0.0
    world.motors.set_velocities(joints, np.full(22, 2.0), state)
    assert world.motors.control(state, dt).velocity[22] == 2.0
    world, (first, robot) = two_naos(play)
    world.motors.freeze(robot.handle, (4,), 1.0)
    world.remove_robot(first)
    assert world.motors.frozen.nonzero()[0].tolist() == [4]
    world.motors.stop(robot.handle)
    assert not world.motors.frozen.any()


@pytest.fixture
def nao(played):
    robot = played.world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)

    def command(joint, *numbers):
        index = JOINTS.index(joint)
        assert command_motors(played.world, np.array([robot.handle]), np.array([index]), np.array([numbers])) == 0
        return index

    return played, command


@pytest.mark.parametrize(
    ("command", "position", "velocity"),
    [
        ((0.5, 0.0, 2.0, 0.1, 0.0), 0.5, 0.0),
        # A torque of 0.2 N m beside a spring of 2 N m/rad is an offset of 0.1 rad.
        ((0.0, 0.0, 2.0, 0.1, 0.2), 0.1, 0.0),
        # Damping alone follows a velocity.
        ((0.0, 1.0, 0.0, 0.5, 0.0), None, 1.0),
    ],
)
def test_a_joint_comes_to_its_position_as_far_as_its_spring_yields_or_to_its_velocity(nao, command, position, velocity):
    played, order = nao
    index = order("hj1", *command)
    played.run(60)
    state = played.world.engine.state
    if position is not None:
        assert state.joint_position[index] == pytest.approx(position, abs=0.01)
    assert state.joint_velocity[index] == pytest.approx(velocity, abs=0.05 if position is None else 0.01)


def test_the_strongest_gains_neither_vibrate_nor_throw(nao):
    played, command = nao
    for name, angle in (("hj1", 0.2), ("laj1", 0.2), ("llj4", -0.2)):
        command(name, angle, 0.0, 10.0 * MAX_GAIN, 10.0 * MAX_GAIN, 0.0)
    played.run(50)
    state = played.world.engine.state
    assert not played.world.quarantined and np.abs(state.joint_velocity).max() < 8.0


def test_another_command_takes_the_joint_over(nao):
    played, command = nao
    index = command("hj1", 0.5, 0.0, 2.0, 0.1, 0.0)
    played.run(30)
    played.world.motors.set_velocities(np.array([index]), np.array([0.0]), played.world.engine.state)
    before = played.world.engine.state.joint_position[index]
    played.run(10)
    assert played.world.engine.state.joint_position[index] == pytest.approx(before, abs=0.01)
    # Commands of robots that are gone are counted.
    assert command_motors(played.world, np.array([99]), np.array([0]), np.zeros((1, 5))) == 1


CYCLE = 0.02


def crank(friction: float = 0.0, damping: float = 0.0, effort: float = 20.0) -> ArticulatedModel:
    """A heavy base with two wheels about z; the second follows the first at half its angle plus 0.2 rad."""
    inertia = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
    links = [solid_box("base", 100.0, (0.4, 0.4, 0.4))]
    joints = []
    for name, x in (("first", 1.0), ("second", -1.0)):
        links.append(Link(f"wheel_{name}", 1.0, inertia))
        joint = Joint(name, JointKind.REVOLUTE, "base", f"wheel_{name}", (x, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
        joints.append(replace(joint, lower=-3.0, upper=3.0, max_velocity=5.0, max_effort=20.0))
    first = replace(joints[0], friction=friction, damping=damping, max_effort=effort)
    return ArticulatedModel("crank", tuple(links), (first, replace(joints[1], mimic=Mimic("first", 0.5, 0.2))))


class Crank:
    """A weightless world with a crank, on each engine."""

    def __init__(self, engine: PhysicsEngine, model: ArticulatedModel) -> None:
        self.engine, self.motors = engine, Motors()
        engine.load_scene(SceneModel(gravity=(0.0, 0.0, 0.0)))
        engine.add_robot(model, (0.0, 0.0, 1.0))
        self.motors.rebind(engine.state)

    def push(self, effort: float, cycles: int) -> None:
        self.motors.set_efforts(np.array([0]), np.array([effort]), self.engine.state)
        self.run(cycles)

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self.engine.step(self.motors.control(self.engine.state, CYCLE))


@pytest.fixture
def turning(engine: str) -> Iterator[Callable[..., Crank]]:
    with closing(create_engine(engine, None, CYCLE)) as made:
        yield lambda **numbers: Crank(made, crank(**numbers))


def test_a_follower_goes_where_its_leader_goes_whatever_it_is_told(turning) -> None:
    one = turning()
    one.motors.set_velocities(np.array([0, 1]), np.array([2.0, -5.0]), one.engine.state)
    one.run(30)
    leader, follower = one.engine.state.joint_position
    assert leader == pytest.approx(1.2, abs=0.05)
    # A constant speed is foreseen: what is left is what the engines' motors give way.
    assert follower == pytest.approx(0.5 * leader + 0.2, abs=0.01)
    one.motors.set_velocities(np.array([0]), np.array([0.0]), one.engine.state)
    one.run(10)
    leader, follower = one.engine.state.joint_position
    assert follower == pytest.approx(0.5 * leader + 0.2, abs=0.005)


def test_friction_takes_its_part_of_an_effort(turning) -> None:
    one = turning(friction=1.0)
    one.push(0.5, cycles=20)
    # A motor weaker than the friction moves nothing.
    assert one.engine.state.joint_position[0] == pytest.approx(0.0, abs=1e-3)
    one.push(1.02, cycles=10)
    # 0.02 N m are left for 0.01 kg m2: 2 rad/s2 for 0.2 s. Engines add the base's small share.
    assert one.engine.state.joint_velocity[0] == pytest.approx(0.4, rel=0.1)


@pytest.mark.parametrize("effort", [20.0, 0.0], ids=["limp", "without a motor"])
def test_damping_ends_a_motion(turning, effort: float) -> None:
    one = turning(damping=0.05, effort=effort)
    one.engine.set_velocity(one.engine.state.handles[0], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), np.array([2.0, 0.0]))
    one.push(0.0, cycles=10)
    # A tenth: steps are of an eleventh or a tenth of the exact decay's length.
    assert one.engine.state.joint_velocity[0] == pytest.approx(2.0 * math.exp(-0.05 / 0.01 * 10 * CYCLE), rel=0.1)


def test_a_light_joint_creeps_as_fast_as_its_damping_says(engine: str) -> None:
    """A finger of 4 g that a step of gravity alone turns by 7 rad/s, and by 0.08 rad/s against its damping."""
    mass, length, damping = 0.004, 0.04, 0.01
    inertia = mass * length**2 / 12.0
    finger = Link("finger", mass, (inertia, 0.0, 0.0, inertia, 0.0, inertia), (length / 2.0, 0.0, 0.0))
    base = solid_box("base", 100.0, (0.4, 0.4, 0.4))
    joint = Joint("joint", JointKind.REVOLUTE, "base", "finger", axis=(0.0, 1.0, 0.0), max_effort=0.0, damping=damping)
    model = ArticulatedModel("gripper", (base, finger), (joint,), fixed_base=True)
    with closing(create_engine(engine, None, CYCLE)) as made:
        made.load_scene(SceneModel())
        made.add_robot(model, (0.0, 0.0, 1.0))
        motors = Motors()
        motors.rebind(made.state)
        for cycle in range(40):
            made.step(motors.control(made.state, CYCLE))
            angle, speed = float(made.state.joint_position[0]), float(made.state.joint_velocity[0])
            # The first steps find the load.
            if cycle >= 4:
                load = mass * 9.81 * length / 2.0 * math.cos(angle)
                # The load that is known is the last step's, 2e-7 N m more: that is 0.002 rad/s in a step.
                assert speed == pytest.approx(load / damping, rel=0.03)


def test_stops_hold_followers_and_joints_without_a_motor() -> None:
    """Whatever friction they have, they do not end their motion by themselves as a motor does."""
    first, second = crank().joints
    assert first.stopping_effort == 20.0
    assert second.stopping_effort == crank(effort=0.0).joints[0].stopping_effort == math.inf


BOTH, TIMES = np.array([0, 1]), np.array([0.5, 1.25, 2.0])
POSITIONS = np.array([[0.2, -0.4], [0.5, 0.1], [-0.3, 0.2]])
VELOCITIES = np.array([[0.3, 0.0], [-0.2, 0.7], [0.0, 0.0]])
ACCELERATIONS = np.array([[1.0, -0.5], [0.0, 2.0], [-1.0, 0.0]])
START = np.array([0.1, 0.0])

LINEAR = JointTrajectory(BOTH, TIMES, POSITIONS)
CUBIC = JointTrajectory(BOTH, TIMES, POSITIONS, VELOCITIES)
QUINTIC = JointTrajectory(BOTH, TIMES, POSITIONS, VELOCITIES, ACCELERATIONS)
KINDS = pytest.mark.parametrize("trajectory", [LINEAR, CUBIC, QUINTIC], ids=["linear", "cubic", "quintic"])


@KINDS
def test_it_starts_where_the_joints_are_and_meets_points_and_rates(trajectory: JointTrajectory) -> None:
    whole = trajectory.starting_at(START)
    np.testing.assert_allclose(whole.sample(0.0)[0], START)
    for time, positions in zip(TIMES, POSITIONS, strict=True):
        np.testing.assert_allclose(whole.sample(time)[0], positions, atol=1e-12)
        np.testing.assert_allclose(whole.sample(time - 1e-9)[0], positions, atol=1e-8)
    # After the end it rests.
    np.testing.assert_array_equal(trajectory.sample(5.0), [POSITIONS[-1], [0.0, 0.0]])
    whole, step = trajectory.starting_at(START), 1e-5
    for time, velocities, accelerations in zip(TIMES, VELOCITIES, ACCELERATIONS, strict=True):
        if trajectory is not LINEAR:
            np.testing.assert_allclose(whole.sample(time - 1e-9)[1], velocities, atol=1e-6)
        if trajectory is QUINTIC:
            before = (whole.sample(time - 1e-6)[1] - whole.sample(time - 2e-6)[1]) / 1e-6
            np.testing.assert_allclose(before, accelerations, atol=1e-3)
    for time in (0.1, 0.7, 1.3, 1.9):
        slope = (whole.sample(time + step)[0] - whole.sample(time - step)[0]) / (2.0 * step)
        np.testing.assert_allclose(whole.sample(time)[1], slope, atol=1e-6)


def test_a_first_point_at_zero_is_the_start() -> None:
    trajectory = JointTrajectory(BOTH, np.array([0.0, 1.0]), POSITIONS[:2])
    assert trajectory.starting_at(START) is trajectory
    np.testing.assert_array_equal(trajectory.sample(0.0)[0], POSITIONS[0])


LIMIT = '<limit lower="-2" upper="2" velocity="6" effort="50"/>'
HINGES = joint("laj1", "trunk", "shoulder", LIMIT), joint("laj2", "shoulder", "hand", LIMIT)
URDF = robot(*(link(name) for name in ("trunk", "shoulder", "hand")), *HINGES)
SENSOR = "{kind: universal_joint, name: laj1_2, joints: [laj1, laj2]}"
MOTOR = "{kind: universal, joints: {laj1: lae1_2, laj2: lae1_2}}"


@pytest.fixture
def arm(tmp_path):
    def make(sensor: str = SENSOR, motor: str = MOTOR):
        write(tmp_path, URDF, "arm.urdf")
        text = f"model: arm.urdf\nperceptors: [{sensor}]\neffectors: [{motor}]\n"
        return load_robot(str(write(tmp_path, text, "arm.yaml")))

    return make


def test_both_angles_are_sent_in_one_list(played, arm):
    made = played.world.add_robot(arm(), (0, 0, 2), 0.0, client="me")
    played.world.engine.set_joint_positions(made.handle, np.radians([-30.0, 45.0]))
    percepts = played.run(1)
    angles = np.degrees(played.world.engine.state.joint_position)
    message = AgentEncoder(load_dialect("measured")).encode(percepts)["me"][4:].decode()
    assert message == f"(UJ (n laj1_2) (ax1 {angles[0]:.2f}) (ax2 {angles[1]:.2f}))"


@pytest.mark.parametrize(("profile", "factor"), [("measured", 1.0), ("manual2010", math.radians(50.0))])
def test_one_command_moves_both_joints(played, arm, profile, factor):
    made = played.world.add_robot(arm(), (0, 0, 2), 0.0, client="me")
    layout = played.run(1).layout.robots[0]
    decoder = AgentDecoder(load_dialect(profile))
    decoder.bind("me", made.handle, layout.hinge_effectors)
    decoded = decoder.decode("me", b"(lae1_2 -2.3 1.2)(syn)")
    assert decoded.syn and not decoded.rejected
    handles = np.full(2, decoded.handle)
    played.link.inbox.append(
        Commands(handles=handles, joints=np.array(decoded.joints), velocities=np.array(decoded.numbers))
    )
    assert decoder.decode("me", b"(lae1_2 1)").rejected == ["lae1_2: the command needs 2 speeds, not 1"]
    assert "is not a number" in decoder.decode("me", b"(lae1_2 1 x)").rejected[0]
    assert len(decoder.decode("me", b"(lae1_2 1 2 3)").numbers) == 2
    played.run(1)
    assert played.world.motors.target == pytest.approx([-2.3 * factor, 1.2 * factor])


@pytest.mark.parametrize(
    ("sensor", "motor", "fragment"),
    [
        ("{kind: universal_joint, name: a, joints: [laj1]}", MOTOR, "two joints, not 1"),
        ("{kind: universal_joint, name: a, joints: [laj1, laj9]}", MOTOR, "'laj9'"),
        (SENSOR, "{kind: universal, joints: {laj1: lae1_2}}", "'lae1_2': a universal joint has two joints, not 1"),
    ],
)
def test_what_is_no_universal_joint_is_named(arm, sensor, motor, fragment):
    with pytest.raises(RobotError, match=fragment):
        arm(sensor, motor)
