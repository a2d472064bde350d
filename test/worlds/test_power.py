"""Robots with realistic motors in a world: energy, batteries, what they tell and what they leave alone."""

from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.exchange import Action
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lola import JOINTS, SENSORS, START
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.trainer.robots import agent_battery, agent_temperature
from test.perceptors.readings import reading


def standing(played, name="nao", motors="realistic", x=-3.0):
    description = replace(load_robot(name), motors=motors)
    return played.world.add_robot(description, (x, 0.0, description.spawn_height), 0.0)


def swing(world, robot, cycle):
    state = world.engine.state
    own = state.joints_of(state.row(robot.handle))
    joints = np.arange(own.start, own.stop)
    world.motors.set_velocities(joints, 2.0 * np.sin(0.2 * cycle + joints), state)


def swung(played, robot):
    for cycle in range(20):
        swing(played.world, robot, cycle)
        played.run(1)
    return state_hash(played.world)


def lola(percepts, sensor):
    return reading(percepts, "lola")[START[sensor] : START[sensor] + SENSORS[sensor]]


def test_the_energy_is_the_work_done_and_the_heat_within_one_percent(play, engine):
    played = play(engine=engine)
    robot = standing(played)
    data, world = robot.description.motor_data, played.world
    motors = [data.motor(joint.name) for joint in robot.description.model.joints]
    torque_constant, resistance = np.array([(motor.torque_constant, motor.resistance) for motor in motors]).T
    state = world.engine.state
    # Away from the stops, whose own torque engines report with the motor's.
    world.engine.set_joint_positions(robot.handle, (state.joint_lower + state.joint_upper) / 2.0)
    work = loss = 0.0
    for cycle in range(100):
        before = world.engine.state.joint_position.copy()
        swing(world, robot, cycle)
        played.run(1)
        # From the way of each joint, not from its speed.
        torque = world.engine.state.joint_effort
        work += float(torque @ (world.engine.state.joint_position - before))
        loss += float(np.sum((torque / torque_constant) ** 2 * resistance)) * 0.02
    used = (100.0 - robot.battery) / 100.0 * data.battery.energy - data.idle_power * 100 * 0.02
    assert min(work, loss) > 2.0
    assert used == pytest.approx(work + loss, rel=0.01)


def test_hashes_show_no_motors_that_nobody_has_repeat_and_differ_by_a_hotter_motor(play):
    hashes = []
    for data in (load_robot("nao").motor_data, None):
        played = play()
        description = replace(load_robot("nao"), motor_data=data)
        robot = played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0)
        hashes.append(swung(played, robot))
        assert (robot.battery, robot.temperature, played.world.power.robots) == (100.0, 25.0, [])
    assert hashes[0] == hashes[1]
    hashes.clear()
    for temperature in (None, None, 50.0):
        played = play()
        robot = standing(played)
        if temperature:
            played.world.power.motors.heat(0, temperature)
        hashes.append(swung(played, robot))
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_setting_chooses_the_motors_of_all_robots_and_joints_without_one_stay_ideal(play):
    played = play(motors="realistic")
    played.join("a")
    assert played.world.robot_of("a").description.motors == "realistic"
    played = play(motors="ideal")
    assert standing(played).description.motors == "ideal"
    assert not played.world.power.robots
    played = play()
    description = replace(load_robot("nao", 4), motors="realistic")
    robot = played.world.add_robot(description, (0.0, 0.0, description.spawn_height), 0.0)
    played.run(5)
    reading = played.world.power.reading(robot)
    toes = [number for number, joint in enumerate(description.model.joints) if not reading.has_motor[number]]
    assert [description.model.joints[number].name for number in toes] == ["rlj7", "llj7"]


def test_a_robot_falls_when_its_battery_is_empty(play, engine):
    played = play(engine=engine)
    robot, other = standing(played), standing(played, x=3.0)
    played.run(50)
    robot.battery = 0.0
    played.run(150)
    heights = played.world.engine.state.position[:, 2]
    assert heights[0] < 0.25 < 0.35 < heights[1]
    assert played.world.power.reading(robot).current.max() == 0.0
    assert 99.0 < other.battery < 100.0


def test_a_trainer_charges_the_battery_and_heats_the_motors_and_a_reset_cools_them(play):
    played = play()
    played.join("a")
    world = played.world
    world.motor_kind = "realistic"
    played.join("b", unum=2)
    trainer = type("Trainer", (), {"world": world})()
    agent_battery(trainer, "left", 2, 40.0)
    agent_temperature(trainer, "left", 2, 85.0)
    played.run(1)
    robot = world.robot_of("b")
    assert 39.9 < robot.battery < 40.0
    assert set(world.power.reading(robot).status) == {3}
    assert world.robot_of("a").temperature == 25.0
    played = play()
    robot = standing(played)
    played.world.power.motors.heat(0, 90.0)
    played.run(5)
    assert (robot.temperature > 80.0, robot.battery < 100.0) == (True, True)
    played.simulation.reset_state()
    assert (robot.temperature, robot.battery) == (35.0, 100.0)
    assert not played.world.power.reading(robot).status.any()


def test_agents_and_drivers_are_told_of_motors_and_a_stiffness_command_makes_a_joint_limp(play):
    played = play()
    robot = standing(played, "nao_lola")
    world = played.world
    played.simulation.sensing.demand({(robot.handle, "lola", "lola")})
    percepts = played.run(50)
    motors = world.power.reading(robot)
    names = [joint.name for joint in robot.description.model.joints]
    for place, name in enumerate(JOINTS):
        if name in names:
            told = [lola(percepts, sensor)[place] for sensor in ("Temperature", "Current", "Status")]
            own = names.index(name)
            assert told == [motors.temperature[own], motors.current[own], motors.status[own]]
    # Knees carry the body.
    assert lola(percepts, "Current")[JOINTS.index("LKneePitch")] > 0.1
    charge, current, status, _ = lola(percepts, "Battery")
    # It discharges.
    assert (charge, status) == (robot.battery / 100.0, 0x20)
    assert current == pytest.approx(-motors.power / 21.6)
    assert reading(percepts, "agent_state").tolist() == [motors.temperature.max(), robot.battery]
    played = play()
    played.join("a")
    motors = played.world.motors
    played.act(Action("a", "stiffness", (0.5, "rle4")))
    number = [joint.name for joint in load_robot("nao").model.joints].index("rlj4")
    assert motors.stiffness[number] == 0.5
    assert motors.stiffness.sum() == len(motors.stiffness) - 0.5
    played.act(Action("a", "stiffness", (0.25,)))
    assert set(motors.stiffness) == {0.25}
    (refusal,) = played.refusals(Action("a", "stiffness", (0.5, "rle9")))
    assert "unknown joint 'rle9'" in refusal
