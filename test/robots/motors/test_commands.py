import numpy as np
import pytest

from simspark_ros.robots.catalogue import load_robot


@pytest.mark.parametrize(("joint", "effort"), [("hj2", 10.0), ("hj2", -8.0), ("raj1", 10.0), ("raj4", 6.0)])
def test_an_effort_throws_no_joint_through_its_stops_nor_beyond_its_speed(played, joint, effort):
    world = played.world
    robot = world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    index = [j.name for j in robot.description.model.joints].index(joint)
    world.motors.set_efforts(np.array([index]), np.array([effort]), world.engine.state)
    for _ in range(60):
        played.run(1)
        state = world.engine.state
        # the direct solver's softness lets a motor at its limit pass a stop by a fraction of a degree
        assert state.joint_lower[index] - 0.01 <= state.joint_position[index] <= state.joint_upper[index] + 0.01
        assert abs(state.joint_velocity[index]) <= state.joint_max_velocity[index] * 1.02
    assert not world.quarantined


def test_a_small_effort_accelerates_a_joint_as_a_torque_does(played):
    world = played.world
    robot = world.add_robot(load_robot("nao"), (-3.0, 0.0, 0.3845), 0.0)
    index = [j.name for j in robot.description.model.joints].index("hj1")
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


def test_frozen_joints_stand_still_for_their_time_whatever_is_commanded(play):
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


def test_joints_stay_frozen_when_another_robot_leaves_and_a_stop_lets_them_go(play):
    world, (first, robot) = two_naos(play)
    world.motors.freeze(robot.handle, (4,), 1.0)
    world.remove_robot(first)
    assert world.motors.frozen.nonzero()[0].tolist() == [4]
    world.motors.stop(robot.handle)
    assert not world.motors.frozen.any()
