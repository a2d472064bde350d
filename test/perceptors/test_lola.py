"""What LoLA reports of a robot's body, in the units and signs of recordings of real robots."""

import math
from dataclasses import replace

import numpy as np
import pytest

from simspark_ros.effectors.ball.press import press
from simspark_ros.effectors.lola import checked, drive_device
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.robots.lola import JOINTS, SENSORS, START, TOUCH
from simspark_ros.worlds.errors import CommandRejectedError, UnusableRobotError
from test.perceptors.readings import is_present, reading


def sensed(percepts, sensor, row=0):
    return reading(percepts, "lola", row)[START[sensor] : START[sensor] + SENSORS[sensor]]


@pytest.fixture
def played(played):
    # Somebody reads the sensors of all robots, of which no test has more.
    played.simulation.sensing.demand({(handle, "lola", "lola") for handle in range(10)})
    return played


def standing(played, variant=0, x=-3.0, name="nao_lola"):
    robot = load_robot("nao_lola", variant)
    return played.world.add_robot(robot, (x, 0.0, robot.spawn_height), 0.0, name=name)


@pytest.mark.parametrize("variant", [0, 4])
def test_a_standing_robot(played, variant):
    robot = standing(played, variant)
    percepts = played.run(60)
    assert sensed(percepts, "Accelerometer") == pytest.approx((0.0, 0.0, -9.81), abs=0.05)
    assert sensed(percepts, "Gyroscope") == pytest.approx((0.0, 0.0, 0.0), abs=0.01)
    assert sensed(percepts, "Angles") == pytest.approx((0.0, 0.0), abs=0.01)
    assert sensed(percepts, "FSR").sum() == pytest.approx(robot.description.model.mass * 9.81, rel=0.01)
    assert sensed(percepts, "FSR").min() > 0.0
    assert sensed(percepts, "Battery").tolist() == [1.0, 0.0, 0x60, 25.0]
    assert sensed(percepts, "Stiffness").tolist() == [1.0] * len(JOINTS)
    assert sensed(percepts, "Temperature").tolist() == [25.0] * len(JOINTS)
    for idle in ("Status", "Touch"):
        assert not sensed(percepts, idle).any()
    assert sensed(percepts, "Sonar").tolist() == [5.0, 5.0]


@pytest.mark.parametrize("name", ["nao_lola", "nao_v6"])
def test_currents_of_ideal_servos_are_what_the_real_motors_would_need(played, name):
    description = load_robot(name)
    robot = played.world.add_robot(description, (-3.0, 0.0, description.spawn_height), 0.0, name=name)
    knees = [JOINTS.index("LKneePitch"), JOINTS.index("RKneePitch")]
    others = [JOINTS.index(f"{side}{joint}Pitch") for joint in ("Hip", "Ankle") for side in "LR"]
    drive_device(played.world, robot, checked("Position", [1.0, 1.0, *[-0.5] * 4], [*knees, *others]))
    percepts = played.run(100)
    state = played.world.engine.state
    knee = [joint.name for joint in description.model.joints].index("LKneePitch")
    # Voltage over no-load speed behind the gear, of the data sheet.
    constant = 130.85 * 21.6 / (8700.0 * 2.0 * math.pi / 60.0)
    assert sensed(percepts, "Current")[knees[0]] == pytest.approx(abs(state.joint_effort[knee]) / constant)
    # Bent knees carry a robot by some tenths of an ampere, as the real one's.
    assert 0.1 < sensed(percepts, "Current")[knees].mean() < 1.5
    assert np.isfinite(sensed(percepts, "Current")).all()


def test_sensors_that_nobody_reads_are_absent_and_come_a_cycle_after_somebody_does(played):
    robot = standing(played)
    played.run(60)
    sensing = played.simulation.sensing
    sensing.demand(())
    assert not is_present(played.run(2), "lola") and not sensed(played.run(1), "Accelerometer").any()
    sensing.demand({(robot.handle, "lola", "lola")}, "driver")
    sensing.demand({(robot.handle, "lola", "lola")}, "monitor")
    assert not is_present(played.run(1), "lola")
    percepts = played.run(1)
    # Without a cycle in which velocities begin, the fall before would be told as a push.
    assert is_present(percepts, "lola")
    assert sensed(percepts, "Accelerometer") == pytest.approx((0.0, 0.0, -9.81), abs=0.05)
    for client, remains in (("monitor", True), ("driver", False)):
        sensing.demand((), client)
        assert is_present(played.run(1), "lola") is remains


def test_signs_of_the_inertial_unit_are_those_of_a_recording(played):
    # Of a real robot that sat, in the tests of a public client of LoLA.
    angles, recorded = (0.0376, -0.3599), np.array([-3.0656, -0.3928, -9.3214])
    robot = standing(played)
    played.run(1)
    turned = quaternion_from_rotation(rotation_from_rpy((*angles, 1.0)))
    played.world.engine.place_robot(robot.handle, (-3.0, 0.0, 2.0), turned)
    # It does not fall yet.
    percepts = played.simulation.sensing.sense(played.world, 0.0)
    assert sensed(percepts, "Angles") == pytest.approx(angles, abs=1e-6)
    sensed_gravity = sensed(percepts, "Accelerometer")
    cosine = sensed_gravity @ recorded / np.linalg.norm(sensed_gravity) / np.linalg.norm(recorded)
    assert cosine > math.cos(math.radians(3.0))


def test_joints_follow_the_drivers_order_and_wrists_and_hands_their_commands(played):
    robot = standing(played)
    angles = np.linspace(-0.3, 0.3, len(JOINTS))
    drive_device(played.world, robot, checked("Position", angles.tolist()))
    drive_device(played.world, robot, checked("Stiffness", angles.tolist()))
    percepts = played.run(1)
    state = played.world.engine.state
    model = [joint.name for joint in robot.description.model.joints]
    for place, name in enumerate(JOINTS):
        told = max(angles[place], 0.0 if "Hand" in name else -2.0)
        wanted = state.joint_position[model.index(name)] if name in model else told
        assert sensed(percepts, "Position")[place] == pytest.approx(wanted), name
    assert sensed(percepts, "Stiffness") == pytest.approx(angles)
    drive_device(played.world, robot, checked("Position", [9.0] * len(JOINTS)))
    assert sensed(played.run(1), "Position")[JOINTS.index("LWristYaw")] == pytest.approx(1.8238)


def test_a_robot_that_leans_has_its_weight_on_that_side(played):
    robot = standing(played)
    # Both ankles turn the body to the left and forward.
    ankles = [JOINTS.index("LAnklePitch"), JOINTS.index("RAnklePitch")]
    drive_device(played.world, robot, checked("Position", [-0.06, -0.06], ankles))
    percepts = played.run(60)
    left, right = sensed(percepts, "FSR").reshape(2, 4)
    backward = sensed(percepts, "Angles")[1]
    front, rear = left[:2].sum() + right[:2].sum(), left[2:].sum() + right[2:].sum()
    assert abs(backward) > 0.03 and (front > rear) == (backward > 0.0)


def test_a_robot_in_balance_bears_now_more_on_one_foot_and_now_on_the_other(played):
    # So walks begin that take their first step with the foot that bears less, as on the real robot.
    standing(played)
    played.run(60)
    feet = np.array([sensed(played.run(1), "FSR").reshape(2, 4).sum(axis=1) for _ in range(50)])
    more_on_the_left = feet[:, 0] - feet[:, 1]
    assert more_on_the_left.min() < -0.01 and more_on_the_left.max() > 0.01


def test_noise_of_the_pressure_is_as_large_as_the_file_says_and_never_pulls(played):
    robot = load_robot("nao_lola")
    (spec,) = (spec for spec in robot.perceptors if spec.kind == "lola")
    handles = []
    for name, x, noise in (("exact", -3.0, 0.0), ("noisy", 3.0, 2.0)):
        changed = replace(spec, parameters={"pressure_noise": noise})
        perceptors = tuple(changed if other is spec else other for other in robot.perceptors)
        start = x, 0.0, robot.spawn_height
        handles.append(played.world.add_robot(replace(robot, perceptors=perceptors), start, 0.0, name=name).handle)
    played.run(60)
    cycles = [played.run(1) for _ in range(200)]
    exact, noisy = (np.array([sensed(percepts, "FSR", row) for percepts in cycles]) for row in (0, 1))
    assert np.ptp(exact, axis=0).max() < 0.01 and (noisy - exact).std() == pytest.approx(2.0, rel=0.1)
    played.world.engine.place_robot(handles[1], (3.0, 0.0, 2.0), (1.0, 0.0, 0.0, 0.0))
    played.run(1)
    in_the_air = sensed(played.run(1), "FSR", 1)
    assert in_the_air.min() == 0.0 < in_the_air.max()


def test_sonars_measure_what_is_ahead_when_they_are_on(played):
    robot = standing(played, x=0.0)
    played.world.place_ball((8.0, 0.0))
    drive_device(played.world, robot, checked("Sonar", [1.0, 0.0]))
    assert sensed(played.run(1), "Sonar").tolist() == [5.0, 5.0]
    standing(played, x=1.0, name="other")
    left, right = sensed(played.run(1), "Sonar")
    # from the chest, 5 cm before the middle, to the other one's torso or arms
    assert 0.7 < left < 1.0 and right == 5.0


def test_battery_and_temperature_are_those_that_a_trainer_sets_and_places_that_a_robot_lacks_are_refused(played):
    robot = standing(played)
    robot.battery, robot.temperature = 40.0, 61.0
    percepts = played.run(1)
    assert sensed(percepts, "Battery").tolist() == [0.4, 0.0, 0x20, 61.0]
    assert set(sensed(percepts, "Temperature")) == {61.0}
    for charge, status in ((10.0, 0x20), (9.9, 0x22), (0.0, 0x23)):
        robot.battery = charge
        assert sensed(played.run(1), "Battery")[2] == status
    robot = replace(load_robot("nao"), perceptors=(PerceptorSpec("lola", "lola", "ImuTorsoAccelerometer_frame"),))
    with pytest.raises(UnusableRobotError, match="unknown link or frame 'ImuTorsoAccelerometer_frame'"):
        played.world.add_robot(robot, (0.0, 0.0, 1.0), 0.0)


def touched(percepts, row=0):
    return [TOUCH[place] for place in np.flatnonzero(sensed(percepts, "Touch", row))]


@pytest.mark.parametrize("name", ["nao_lola", "nao_v6"])
@pytest.mark.parametrize(
    ("aside", "pressed"), [(0.03, "l_foot_bumper_left"), (-0.03, "l_foot_bumper_right"), (0.15, None)]
)
def test_a_ball_that_lies_against_a_foot_presses_the_bumper_of_its_side(played, name, aside, pressed):
    description = load_robot(name)
    robot = played.world.add_robot(description, (-3.0, 0.0, description.spawn_height), 0.0, name=name)
    played.run(20)
    engine = played.world.engine
    places, turns = engine.link_poses(engine.select_links([(robot.handle, "lfoot")]))
    link, box = description.model.link("lfoot"), description.model.link("lfoot").collisions[0]
    edge = np.array((box.size[0] / 2.0, aside, box.size[2] / 2.0)) + box.position - link.centre
    x, y, z = places[0] + turns[0] @ edge
    # At rest on the ground, its surface meets the foot's upper edge.
    radius = played.world.scene.ball.radius
    played.world.place_ball((x + math.sqrt(radius**2 - (radius - z) ** 2), y))
    assert touched(played.run(1)) == ([pressed] if pressed else [])


def test_a_hand_presses_buttons_for_a_time_and_presses_that_follow_each_other_hold_one(played):
    robot = standing(played)
    played.run(1)
    press(played.world, robot, "chest", 0.06)
    press(played.world, robot, "r_hand_back", 0.001)
    press(played.world, robot, "head_middle", 9.0)
    both = ["chest", "head_middle"]
    assert [touched(played.run(1)) for _ in range(4)] == [[*both, "r_hand_back"], both, both, ["head_middle"]]
    press(played.world, robot, "head_middle", 0.0)
    assert touched(played.run(1)) == []
    press(played.world, robot, "chest", 9.0)
    played.world.reset_state()
    assert touched(played.run(1)) == []
    # As a topic that comes ten times a second.
    for cycle in range(20):
        if cycle % 5 == 0:
            press(played.world, robot, "chest")
        assert touched(played.run(1)) == ["chest"]
    assert [touched(played.run(1)) for _ in range(6)][-1] == []


def test_buttons_go_with_their_robot_and_impossible_presses_are_refused(played):
    first = standing(played)
    standing(played, x=3.0, name="second")
    press(played.world, first, "chest", 9.0)
    played.world.remove_robot(first)
    assert played.world.presses == {} and touched(played.run(1)) == []
    robot = standing(played)
    for button, seconds, text in (
        ("nose", 1.0, "unknown button 'nose'; use one of: chest"),
        ("chest", -1.0, "0 to 3600 s"),
        ("chest", math.nan, "not nan"),
    ):
        with pytest.raises(CommandRejectedError, match=text):
            press(played.world, robot, button, seconds)
    assert played.world.presses == {}
