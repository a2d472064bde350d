"""Commands of a robot's driver."""

import math

import numpy as np
import pytest

from simspark_ros.effectors.lola import checked, drive_device
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.lights import colours_of
from simspark_ros.robots.lola import DEVICES, JOINTS
from simspark_ros.simulation.logs.command_log import CommandLog, Continuation, Start
from simspark_ros.simulation.settings import load_simulation_settings
from simspark_ros.simulation.state_hash import state_hash
from simspark_ros.worlds.errors import CommandRejectedError


def stand(played, name="nao_lola", x=-3.0):
    return played.world.add_robot(load_robot("nao_lola"), (x, 0.0, 0.386), 0.0, name=name)


def angle(world, robot, joint):
    state = world.engine.state
    number = [each.name for each in robot.description.model.joints].index(joint)
    return state.joint_position[state.joints_of(state.row(robot.handle))][number]


def test_positions_are_reached_hips_are_coupled_and_what_is_not_commanded_keeps_its_last_command(played):
    robot = stand(played)
    angles = dict.fromkeys(JOINTS, 0.0)
    angles |= {"HeadYaw": 0.5, "LShoulderPitch": 0.7, "RElbowRoll": 0.4, "LHipYawPitch": -0.2}
    drive_device(played.world, robot, checked("Position", list(angles.values())))
    played.run(30)
    for joint, wanted in angles.items():
        if joint not in ("LWristYaw", "RWristYaw", "LHand", "RHand"):
            assert angle(played.world, robot, joint) == pytest.approx(wanted, abs=0.02), joint
    assert angle(played.world, robot, "RHipYawPitch") == pytest.approx(-0.2, abs=0.02)
    drive_device(played.world, robot, checked("Position", [0.3], [JOINTS.index("HeadYaw")]))
    drive_device(played.world, robot, checked("Position", [0.2], [JOINTS.index("HeadPitch")]))
    drive_device(played.world, robot, checked("Skull", [1.0], [11]))
    played.run(30)
    assert angle(played.world, robot, "HeadYaw") == pytest.approx(0.3, abs=0.01)
    assert angle(played.world, robot, "HeadPitch") == pytest.approx(0.2, abs=0.01)
    assert robot.devices["Skull"] == (*[0.0] * 11, 1.0)


def test_a_limp_robot_collapses_and_a_stiff_one_stands(played):
    limp = stand(played)
    stand(played, "stiff", 3.0)
    drive_device(played.world, limp, checked("Stiffness", [-1.0] * len(JOINTS)))
    played.run(60)
    heights = played.world.engine.state.position[:, 2]
    assert heights[0] < 0.25 and heights[1] == pytest.approx(0.385, abs=0.01)


def test_stiffness_scales_the_largest_torque_also_of_joints_without_limit(played):
    robot = stand(played)
    played.run(1)
    state = played.world.engine.state
    control = played.world.motors.control(state, 0.02)
    drive_device(played.world, robot, checked("Stiffness", [0.25] * len(JOINTS)))
    softer = played.world.motors.control(state, 0.02)
    assert softer.effort_limit == pytest.approx(0.25 * control.effort_limit)
    assert np.array_equal(softer.velocity, control.velocity)
    # It stiffens again when the game begins anew.
    played.world.reset_state()
    assert played.world.motors.stiffness.min() == 1.0 and robot.devices == {}
    state.joint_max_effort[:] = math.inf
    drive_device(played.world, robot, checked("Stiffness", [0.0] * len(JOINTS)))
    assert not played.world.motors.control(state, 0.02).effort_limit.any()


def test_stiffness_stays_with_its_robot_when_others_come_and_go(played):
    first, second = stand(played), stand(played, "second", 3.0)
    drive_device(played.world, second, checked("Stiffness", [0.5] * len(JOINTS)))
    played.world.remove_robot(first)
    assert set(played.world.motors.stiffness) == {0.5}


@pytest.mark.parametrize(
    ("device", "values", "places", "text"),
    [
        ("Beak", [1.0], None, "unknown device; use one of: Position"),
        ("Chest", [1.0], None, "Chest: 1 values for 3 places"),
        ("Chest", [1.0, 2.0], [0], "Chest: 2 values for 1 places"),
        ("Position", [1.0], [25], "Position: unknown place 25; places are 0 to 24"),
        ("Position", [1.0], [-1], "Position: unknown place -1"),
        ("Position", [math.nan], [3], "Position: value 3 is nan"),
        ("Stiffness", [math.inf] * 25, None, "Stiffness: value 0 is inf"),
    ],
)
def test_impossible_commands_are_refused(device, values, places, text):
    with pytest.raises(CommandRejectedError, match=text):
        checked(device, values, places)


def test_absurd_positions_go_to_the_stops(played):
    robot = stand(played)
    for device, size in DEVICES.items():
        if device == "Stiffness":
            continue
        drive_device(played.world, robot, checked(device, [3e38] * size))
        drive_device(played.world, robot, checked(device, [-3e38] * size))
    played.run(60)
    assert angle(played.world, robot, "HeadYaw") == pytest.approx(math.radians(-120), abs=0.02)
    assert np.isfinite(played.world.engine.state.position).all() and not played.world.quarantined


def test_commands_are_recorded_and_repeated(play, tmp_path):
    settings = load_simulation_settings()
    played, path = play(), tmp_path / "run"
    log = CommandLog(path, Start(settings, "BeforeKickOff", ("nao_lola",)), print)
    simulation = played.simulation
    simulation.recorder = log
    simulation.add_node(log)
    robot = stand(played)
    for number in range(20):
        command = checked("Stiffness" if number % 5 == 0 else "Position", [0.02 * number] * len(JOINTS))
        simulation.note("device", robot.handle, *command)
        drive_device(played.world, robot, command)
        played.run(1)
    log.done(simulation)
    again = play()
    stand(again)
    Continuation(path).attach(again.simulation, print, None)
    again.simulation.run()
    assert state_hash(again.world) == state_hash(played.world)


def test_lights_are_told_to_those_who_look_from_the_first_command_on(played):
    robot = stand(played)
    stand(played, "dark", 3.0)
    drive_device(played.world, robot, checked("Stiffness", [1.0] * len(JOINTS)))
    assert played.run(1).game.lights == ()
    drive_device(played.world, robot, checked("Chest", [0.0, 1.0, 0.0]))
    ((handle, text),) = played.run(1).game.lights
    assert handle == robot.handle and colours_of(text, "Chest") == [(0.0, 1.0, 0.0)]
    played.world.reset_state()
    assert played.run(1).game.lights == ()
