"""Robots on wheels are moved by velocity commands: carts, omni wheels, synchro drives, players; what drags is named."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.motion.interface import BodyReadings, Foot, LookAt, Shoot, Stand, Walk
from simspark_ros.motion.wheels.dragging import dragging
from simspark_ros.motion.wheels.synchro_drive import SynchroDrive
from simspark_ros.motion.wheels.wheel_drive import VelocityPid, WheelDrive, WheelOdometer
from simspark_ros.motion.wheels.wheeled import WheeledMotion
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.description import RobotError
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import spawn
from simspark_ros.simulation.registry import known_effectors
from simspark_ros.worlds.errors import UnusableRobotError
from test.physics.engine_availability import skip_without
from test.rigs.robots.cart import RADIUS, TRACK, URDF, solid, wheel, write_cart
from test.rigs.robots.square_drives import Driven, arena

CYCLE = 0.02
REST = (0.0, 0.0, 0.0)


def described(tmp_path, urdf=URDF):
    return load_robot(str(write_cart(tmp_path, urdf)))


@pytest.mark.parametrize("ahead", [0.0, 0.2])
def test_turns_of_wheels_add_up_to_an_arc_about_the_middle_between_them(tmp_path, ahead):
    urdf = URDF.replace('xyz="0.09', f'xyz="{0.09 + ahead}').replace('xyz="-0.09', f'xyz="{-0.09 + ahead}')
    description = described(tmp_path, urdf=urdf)
    drive = WheelDrive.of(description, "wheels", CYCLE)
    odometer = WheelOdometer(description, drive)
    speeds = drive.update(0.0, np.zeros(4), REST, REST, Walk(0.5, 0.0, 0.8))
    angles, count = np.zeros(len(description.model.joints)), 100
    for _ in range(count + 1):
        odometer.update(angles, CYCLE)
        angles[drive.joints] += speeds * CYCLE
    turn, radius = 0.8 * count * CYCLE, 0.5 / 0.8
    middle = [ahead + radius * math.sin(turn), radius * (1.0 - math.cos(turn)), RADIUS]
    assert odometer.pose.apply(np.array([ahead, 0.0, 0.0])) == pytest.approx(middle)
    assert odometer.pose.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, turn)))
    assert odometer.linear == pytest.approx([0.5, -0.8 * ahead, 0.0])
    assert odometer.angular == pytest.approx([0.0, 0.0, 0.8])
    # A gap: the wheels' turns in it do not count, the robot's true way does.
    before = odometer.pose.position
    odometer.carry(2.0, 0.0, 0.2)
    angles += 10.0
    odometer.update(angles, CYCLE)
    way = [2.0 * math.cos(turn + 0.1), 2.0 * math.sin(turn + 0.1), 0.0]
    assert odometer.pose.position - before == pytest.approx(way)
    assert odometer.pose.rotation == pytest.approx(rotation_from_rpy((0.0, 0.0, turn + 0.2)))


def test_two_rows_turn_by_the_velocity_on_either_side_and_a_wheel_named_twice_is_refused(tmp_path):
    drive = WheelDrive.of(described(tmp_path), "wheels", CYCLE)
    left, right = ((0.5 + side * TRACK / 2.0 * 0.8) / RADIUS for side in (-1.0, 1.0))
    assert drive.speeds(np.array([0.5, 0.0, 0.8])) == pytest.approx([left, left, right, right])
    assert drive.update(0.0, np.zeros(4), REST, REST, Walk(0.5, 0.3, 0.8)) == pytest.approx([left, left, right, right])
    speeds = drive.update(0.0, np.zeros(4), REST, REST, Walk(1e300, 0.0, 1e300))
    assert speeds.max() == pytest.approx(50.0)
    assert drive.motion(speeds)[0] == pytest.approx(drive.motion(speeds)[1:].max())
    path = tmp_path / "twice.yaml"
    joints = "left: [left_wheel_joint, left_wheel_joint], right: [right_wheel_joint]"
    wheels = f"{{kind: wheels, parameters: {{{joints}, radius: 0.1, track: 0.3}}}}"
    path.write_text(f"based_on: differential\neffectors: [{wheels}]\n")
    with pytest.raises(ConfigurationError, match="wheels: joint 'left_wheel_joint' is named twice"):
        WheelDrive.of(load_robot(str(path)), "wheels", CYCLE)


def test_omni_wheels_turn_by_the_velocity_along_their_rims_and_gather_speed_by_their_acceleration():
    drive = WheelDrive.of(load_robot("omni"), "wheels", CYCLE)
    forward, left, turn = 0.5, -0.3, 0.8
    bearings = np.array([math.pi / 3, -math.pi / 3, math.pi])
    expected = (left * np.cos(bearings) - forward * np.sin(bearings) + 0.19 * turn) / 0.06
    assert drive.speeds(np.array([forward, left, turn])) == pytest.approx(expected)
    # Their turns tell the motion.
    for velocity in np.random.default_rng(1).normal(size=(20, 3)):
        assert drive.motion(drive.speeds(velocity) * CYCLE) == pytest.approx(velocity * CYCLE)
    drive, command = WheelDrive.of(load_robot("omni"), "wheels", CYCLE), Walk(0.3, 0.4, 0.4)
    velocities = [drive.motion(drive.update(0.0, np.zeros(3), REST, REST, command)) for _ in range(20)]
    # 2 m/s2 for 0.5 m/s, 8 rad/s2 for 0.4 rad/s.
    assert velocities[4] == pytest.approx([0.3 * 0.4, 0.4 * 0.4, 0.4])
    assert velocities[12:] == [pytest.approx([0.3, 0.4, 0.4])] * 8
    assert not drive.is_standing
    for _ in range(13):
        stopped = drive.update(0.0, np.zeros(3), REST, REST, None)
    assert drive.is_standing and not stopped.any()


def test_commands_are_cut_to_the_limits_of_velocity_and_keep_their_direction():
    description = load_robot("omni")
    (spec,) = (one for one in description.effectors if one.kind == "wheels")
    limits = {"max_velocity": 0.25, "max_turn_velocity": 0.1}
    limited = replace(spec, parameters={**spec.parameters, **limits})
    drive = WheelDrive.of(replace(description, effectors=(limited,)), "wheels", CYCLE)
    for command, wanted in ((Walk(0.3, 0.4, -0.4), [0.15, 0.2, -0.1]), (Walk(0.1, 0.0, 0.05), [0.1, 0.0, 0.05])):
        for _ in range(50):
            speeds = drive.update(0.0, np.zeros(3), REST, REST, command)
        assert drive.motion(speeds) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        (
            {"radius": 0.1, "left": ["left1"], "right": ["middle"]},
            "unknown joint 'middle'; the robot has: left1, left2",
        ),
        ({"radius": 0.1}, "either joints of left and right wheels, or joints of omni wheels"),
        ({"radius": 0.1, "left": ["left1"]}, "either joints"),
        ({"radius": 0.1, "left": ["left1"], "right": ["right1"], "omni": ["left1"]}, "either joints"),
        ({"radius": 0.1, "omni": ["left1", "left2", "right1", "right2"]}, "three wheels on level axles"),
    ],
)
def test_wheels_that_make_no_drive_are_refused(played, tmp_path, parameters, problem):
    description = described(tmp_path)
    (effector,) = description.effectors
    changed = replace(description, effectors=(replace(effector, parameters=parameters),))
    with pytest.raises(UnusableRobotError, match=problem):
        played.world.add_robot(changed, (0.0, 0.0, description.spawn_height), 0.0, name="cart")


def test_a_pid_controller_gives_the_torque_of_its_gains_and_its_integral_does_not_wind_up():
    pid = VelocityPid((0.5, 2.0, 0.01), np.array([10.0]), CYCLE)
    wanted = np.array([4.0])
    assert pid.update(wanted, np.array([0.0])) == pytest.approx([0.5 * 4.0 + 2.0 * 4.0 * CYCLE])
    # The error falls by 1 rad/s in a cycle, and the integral has both cycles.
    assert pid.update(wanted, np.array([1.0])) == pytest.approx([0.5 * 3.0 + 2.0 * 7.0 * CYCLE - 0.01 / CYCLE])
    pid = VelocityPid((0.0, 1.0, 0.0), np.array([0.1]), CYCLE)
    for _ in range(1000):
        assert pid.update(np.array([5.0]), np.array([0.0]))[0] <= 0.1
    # It lets go at once.
    assert pid.update(np.array([0.0]), np.array([5.0]))[0] <= 0.0


@pytest.mark.parametrize("engine", ["planar", "bullet"])
def test_wheels_with_rollers_follow_a_velocity_by_pid_control(play, engine):
    robot = load_robot("msl")
    wheels = next(spec for spec in robot.effectors if spec.kind == "wheels")
    wheels = replace(wheels, parameters={**wheels.parameters, "pid": (0.2, 2.0, 0.0)})
    robot = replace(robot, effectors=(wheels, *(spec for spec in robot.effectors if spec.kind != "wheels")))
    played = play(engine=engine, world="msl", referee=False, velocity_timeout=0.0)
    driven = played.world.add_robot(robot, (-3.0, 2.0, robot.spawn_height), 0.0, name="msl")
    known_effectors()["wheels"].act(played.world, driven, (1.0, 0.0, 0.0))
    speeds = []
    for _ in range(150):
        played.run(1)
        speeds.append(played.world.engine.state.linear_velocity[0, 0])
    # The integral makes up for what rolling costs; rollers that change make the speed uneven.
    assert np.mean(speeds[-25:]) == pytest.approx(1.0, abs=0.06)


def lower_heading(driven: Driven) -> float:
    engine = driven.engine
    _, (rotation,) = engine.link_poses(engine.select_links([(engine.state.handles[0], "lower_base")]))
    return math.atan2(rotation[1, 0], rotation[0, 0])


@pytest.mark.parametrize("engine", ["planar", "ode", "bullet", "mujoco"])
def test_it_drives_and_turns_as_told_and_its_lower_base_never_turns(engine: str) -> None:
    skip_without(engine)
    with arena(engine) as world:
        driven = Driven(world, "b21")
        driven.drive(0.5, 0.0, 0.0, seconds=2.0)
        # MuJoCo's contacts give way a little in each cycle.
        assert driven.place() == pytest.approx([1.0, 0.0, 0.0], abs=0.01)
        assert driven.felt() == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
        corner = driven.place()
        driven.drive(0.0, 0.0, math.pi / 4.0, seconds=2.0)
        assert driven.place() - corner == pytest.approx([0.0, 0.0, math.pi / 2.0], abs=math.radians(0.1))
        assert driven.felt()[2] == pytest.approx(math.pi / 2.0, abs=1e-3)
        assert lower_heading(driven) == pytest.approx(0.0, abs=math.radians(0.05))
        # It drives on where its body and its wheels look.
        driven.drive(0.5, 0.0, 0.0, seconds=1.0)
        assert driven.place()[1] - corner[1] == pytest.approx(0.5, abs=0.01)
        there = driven.place()
        driven.wait(1.0)
        assert driven.place() == pytest.approx(there, abs=1e-4)
        joints = driven.robot.description.model.joints
        turned = dict(zip((joint.name for joint in joints), driven.robot.joint_positions, strict=True))
        assert [turned[f"steering_{wheel}"] for wheel in (1, 2, 3, 4)] == pytest.approx([math.pi / 2.0] * 4, abs=1e-3)
        assert turned["body_joint"] == pytest.approx(-math.pi / 2.0, abs=1e-3)


@pytest.mark.parametrize("engine", ["planar", "bullet"])
def test_it_drives_an_arc_by_both_motions_at_once(engine: str) -> None:
    skip_without(engine)
    with arena(engine) as world:
        driven = Driven(world, "b21")
        driven.drive(0.4, 0.0, 0.4, seconds=math.pi)
        assert driven.place()[2] == pytest.approx(0.4 * math.pi, abs=math.radians(0.2))
        # As its odometry has it; wheels that turn while they roll yield a little more.
        assert driven.place() == pytest.approx(driven.felt(), abs=0.015)
        assert lower_heading(driven) == pytest.approx(0.0, abs=math.radians(0.1))


def test_its_speeds_near_the_commanded_ones_within_its_accelerations_and_sideways_is_dropped() -> None:
    drive = SynchroDrive.of(load_robot("b21"), "synchro", CYCLE)
    command = Walk(0.4, 0.3, 0.6)
    speeds = np.array([drive.update(0.0, np.zeros(9), REST, REST, command) for _ in range(60)])
    assert drive.motion(speeds[0] * CYCLE) / CYCLE == pytest.approx([0.5 * CYCLE, 0.0, 1.5 * CYCLE])
    assert drive.motion(speeds[-1] * CYCLE) / CYCLE == pytest.approx([0.4, 0.0, 0.6])
    assert not drive.is_standing
    for _ in range(60):
        drive.update(0.0, np.zeros(9), REST, REST, None)
    assert drive.is_standing
    # Too fast a velocity is scaled down as a whole.
    for _ in range(300):
        speeds = drive.update(0.0, np.zeros(9), REST, REST, Walk(1.8, 0.0, 1.0))
    assert drive.motion(speeds * CYCLE) / CYCLE == pytest.approx([0.9, 0.0, 0.5])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("steering_1\n      rolling: [rolling_1, ", "rolling_1\n      rolling: [", "must turn about the vertical"),
        ("steering: steering_1", "steering: rolling_1", "joint 'rolling_1' is named twice"),
        ("steering: steering_1", "steering: tiller", "unknown joint 'tiller'"),
        ("[rolling_1, rolling_2, rolling_3, rolling_4]\n      radius", "[steering_2]\n      radius", "roll along"),
        ("[rolling_1, rolling_2, rolling_3, rolling_4]\n      radius", "[]\n      radius", "roll along"),
    ],
)
def test_a_robot_without_the_body_for_it_is_refused_with_the_reason(tmp_path: Path, old, new, reason) -> None:
    catalogue = Path(load_robot("b21").file)
    text = catalogue.read_text()
    assert old in text
    path = tmp_path / "wrong.yaml"
    path.write_text(text.replace(old, new).replace("../../urdf", str(catalogue.parents[2] / "urdf")))
    with pytest.raises(ConfigurationError, match=reason):
        SynchroDrive.of(load_robot(str(path)), "synchro", CYCLE)


BALL = solid(f'<sphere radius="{RADIUS}"/>', 0.2)
WHEELS = wheel("left1", 0.09, 0.15) + wheel("right1", 0.09, -0.15)


def caster(kind: str = "fixed", height: float = 0.0) -> str:
    return f"""<robot name="cart"><link name="base">{solid('<box size="0.1 0.1 0.05"/>', 3.0)}</link>{WHEELS}
        <link name="caster">{BALL}</link><joint name="hold" type="{kind}"><parent link="base"/><child link="caster"/>
        <origin xyz="-0.15 0 {height}"/></joint></robot>"""


def slippery(urdf: str) -> str:
    return urdf.replace("</robot>", '<gazebo reference="caster"><mu1>0</mu1><mu2>0</mu2></gazebo></robot>')


def cart(folder: Path, urdf: str) -> Path:
    path = write_cart(folder, urdf)
    if urdf != URDF:
        path.write_text(path.read_text().replace("left1, left2", "left1").replace("right1, right2", "right1"))
    return path


@pytest.mark.parametrize(
    ("urdf", "drags"),
    # Fixed, slippery, turning, in the air, four wheels.
    [
        (caster(), True),
        *((one, False) for one in (slippery(caster()), caster("continuous"), caster("fixed", 0.02), URDF)),
    ],
)
def test_what_touches_the_ground_beside_the_wheels_is_named_with_the_remedy(tmp_path, urdf, drags, played, caplog):
    description = find_resource(str(cart(tmp_path, urdf))).load(played.simulation.scheduler.settings)
    found = dragging(description)
    assert ["'caster' drags on" in text and "{caster: {friction: 0}}" in text for text in found] == [True] * drags
    spawn(played.world, description, played.simulation.scheduler.settings)
    assert ("link 'caster' drags" in caplog.text) is drags


def test_many_parts_that_drag_are_told_in_one_line(tmp_path, played) -> None:
    parts = caster().partition(WHEELS)[2].removesuffix("</robot>")
    more = "".join(parts.replace("caster", f"skid_{number}").replace("hold", f"on_{number}") for number in range(3))
    path = cart(tmp_path, caster().replace("</robot>", f"{more}</robot>"))
    (told,) = dragging(find_resource(str(path)).load(played.simulation.scheduler.settings))
    assert told.startswith("links 'caster', 'skid_0' and 2 more drag on the ground, as no joint moves them")


def test_no_robot_of_the_package_drags() -> None:
    assert {name: dragging(load_robot(name)) for name in robot_names()} == {name: [] for name in robot_names()}


HALF = math.sqrt(0.5)


def run(motion, command, cycles, angles=(0.0, 0.0, 0.0, 0.0)):
    """Let wheels turn exactly as commanded, told as angles within half a turn; returns their speeds."""
    angles = np.array(angles)
    for cycle in range(cycles):
        told = np.remainder(angles + np.pi, 2.0 * np.pi) - np.pi
        speeds = np.array(motion.update(BodyReadings(cycle * CYCLE, told.tolist()), command, LookAt()))
        angles = angles + CYCLE * speeds
    return speeds


def test_four_wheels_roll_forward_by_their_bearings_until_the_robot_stands():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    speeds = run(motion, Walk(1.0), 50)
    assert motion.joints == ("front_left", "front_right", "rear_left", "rear_right")
    # A wheel rolls counter-clockwise around the robot.
    assert speeds == pytest.approx(np.array([-1.0, 1.0, -1.0, 1.0]) * HALF / 0.06)
    # A shot does not stop the robot, and standing does.
    assert run(motion, Shoot(5.0), 2) == pytest.approx(speeds)
    assert not run(motion, Stand(), 50).any()
    # Camera and ball are where its file has them.
    assert motion.camera_pose([0.0] * 4)[0] == pytest.approx((0.0, 0.0, 0.72))
    assert motion.kick_spot(Foot.LEFT) == (0.285, 0.0)


def test_travel_is_what_the_wheels_have_turned_also_past_half_a_turn():
    motion = WheeledMotion(load_robot("msl"), CYCLE)
    run(motion, Walk(0.5, 0.3, 1.0), 100, angles=(3.0, 3.0, 3.0, 3.0))
    travel = motion.status.travel
    assert (travel.forward, travel.left, travel.turn) == pytest.approx((0.5 * CYCLE, 0.3 * CYCLE, CYCLE))


def test_a_drive_may_give_lists(monkeypatch):
    for name in ("update", "motion"):
        own = getattr(WheelDrive, name)
        monkeypatch.setattr(WheelDrive, name, lambda *arguments, own=own: own(*arguments).tolist())
    robot = load_robot("msl")
    motion, odometer = WheeledMotion(robot, CYCLE), WheelOdometer(robot, WheelDrive.of(robot, "wheels", CYCLE))
    speeds = run(motion, Walk(1.0), 50)
    angles = np.zeros(len(robot.model.joints))
    odometer.update(angles, CYCLE)
    angles[WheelDrive.of(robot, "wheels", CYCLE).joints] = CYCLE * speeds
    odometer.update(angles, CYCLE)
    assert (motion.status.travel.forward, odometer.pose.position[0]) == pytest.approx((CYCLE, CYCLE))


def test_a_robot_without_a_camera_all_around_or_a_kicker_is_refused():
    with pytest.raises(RobotError, match="need a frame 'omni_camera'"):
        WheeledMotion(load_robot("omni"), CYCLE)
    robot = load_robot("msl")
    without = replace(robot, effectors=tuple(spec for spec in robot.effectors if spec.kind != "kicker"))
    with pytest.raises(RobotError, match="need an effector kicker"):
        WheeledMotion(without, CYCLE)


def test_robots_on_wheels_have_a_footprint_on_the_ground():
    """Navigation stacks look for `base_footprint` by default."""
    effectors = {name: {spec.kind for spec in load_robot(name).effectors} for name in robot_names()}
    wheeled = [name for name, kinds in effectors.items() if kinds & {"wheels", "synchro"}]
    with Arena(world="empty", engine="ode", preset="fine") as arena:
        for place, name in enumerate(wheeled):
            arena.add(name, position=(1.5 * place, 0.0))
        arena.step(50)
        heights = [robot.link_pose("base_footprint")[0][2] for robot in arena.robots]
    # Wheels sink in a little under 122 kg.
    assert len(wheeled) >= 9 and heights == pytest.approx([0.0] * len(wheeled), abs=0.001)
