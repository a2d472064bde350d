import math

import numpy as np
import pytest

from simspark_ros.exchange import Action
from simspark_ros.physics.geometry.transforms import rotation_about
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.protocol.agent.profile import load_profile
from simspark_ros.robots.catalogue import load_robot
from test.perceptors.readings import reading
from test.physics.engine_availability import skip_without

STEP = 0.02

# A heavy base that a light limb cannot shake, with a frame on its rim and a limb on a hinge about y.
URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="30"/><inertia ixx="2" iyy="2.5" izz="3"/></inertial></link>
  <link name="rim"/>
  <joint name="screw" type="fixed"><parent link="base"/><child link="rim"/>
    <origin xyz="0.2 0 0.1" rpy="0 0 1.5707963267948966"/></joint>
  <link name="limb"><inertial><origin xyz="0.1 0 0"/><mass value="0.1"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/>
    </inertial></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="limb"/><origin xyz="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="6" effort="50"/></joint>
</robot>"""
NAMES = {"base": "link: base", "limb": "name: limb, link: limb", "rim": "name: rim, link: rim"}
SENSORS = [f"{{kind: {kind}, {name}}}" for name in NAMES.values() for kind in ("gyroscope", "accelerometer")]
YAML = f"{{model: arm.urdf, perceptors: [{', '.join(SENSORS)}], effectors: [{{kind: hinge, joints: {{elbow: ee}}}}]}}"


@pytest.fixture(params=["bullet", "ode", "mujoco"])
def flying(request, play, tmp_path):
    """A simulation with a flying arm, and a plain robot beside it, on each engine."""
    skip_without(request.param)
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.yaml").write_text(YAML)
    played = play(engine=request.param, referee=False)
    played.world.add_robot(load_robot("nao"), (3.0, 0.0, 0.4), 0.0)
    played.arm = played.world.add_robot(load_robot(str(tmp_path / "arm.yaml")), (0.0, 0.0, 5.0), 0.0, client="me")
    played.run(1)
    return played


def test_being_placed_while_falling_shows_as_a_spike(played):
    """Recorded: 19.62 after one cycle of fall, 29.42 after two; the Nao's sensor reports it a cycle later."""
    world = played.world
    robot = world.add_robot(load_robot("nao"), (0, 0, 1.5), 0.0)
    for jump in (19.62, 29.42):
        played.run(2)
        world.place(robot, 0, 0, 1.5, 0.0)
        # Still falling.
        assert reading(played.run(1), "accelerometer")[2] == pytest.approx(0.0, abs=0.05)
        assert reading(played.run(1), "accelerometer")[2] == pytest.approx(jump, abs=0.05)
        # From here it falls for a cycle more.
        world.place(robot, 0, 0, 1.5, 0.0)
        played.run(1)


@pytest.mark.parametrize("delay", [0, 1])
def test_a_beam_shows_in_the_accelerometer_as_many_cycles_later_as_its_delay_says(play, tmp_path, delay):
    """Recorded: a robot at rest that beams reads 9.81 once more with its new place, then it falls."""
    sensor = f"{{kind: accelerometer, name: own, link: torso, parameters: {{delay: {delay}}}}}"
    (tmp_path / "nao.yaml").write_text(f"based_on: nao\nmore_perceptors: [{sensor}]\n")
    played = play()
    robot = played.world.add_robot(load_robot(str(tmp_path / "nao.yaml")), (-3, 0, 0.3845), 0.0, client="a")
    played.act(Action("a", "init", ("A", 1)), cycles=100)
    percepts = [played.act(Action("a", "beam", (-5.0, 0.0, 0.0))), played.run(1)]
    assert robot.side is not None and played.world.engine.state.position[0, 0] == pytest.approx(-5.0, abs=0.1)
    readings = [reading(one, "accelerometer", name="own")[2] for one in percepts]
    assert readings == pytest.approx([9.81, 0.0] if delay else [0.0, 0.0], abs=0.05)


def test_gyroscope_reads_in_the_bodys_own_axes(played):
    robot = played.world.add_robot(load_robot("nao"), (0, 0, 3.0), math.pi / 2)
    played.run(1)
    played.world.engine.set_velocity(robot.handle, (0, 0, 0), (0.0, 0.5, 0.0))
    # facing +y, a turn about world y is a roll about the body's forward axis; one step of drag and coupling: 5 %
    assert reading(played.run(1), "gyroscope") == pytest.approx((0.5, 0, 0), abs=0.025)


def test_memory_survives_the_arrival_of_another_robot(played):
    for row, cycles in enumerate((3, 1)):
        played.world.add_robot(load_robot("nao"), (2 * row, 0, 1.5), 0.0)
        percepts = played.run(cycles)
    for row in (0, 1):
        assert reading(percepts, "accelerometer", row) == pytest.approx((0, 0, 0), abs=0.05)


@pytest.mark.parametrize("place", ["accelerometer", "limb", "rim"])
def test_nothing_is_felt_anywhere_on_a_falling_robot(flying, place):
    # Hinges of ODE and MuJoCo give way by micrometres.
    assert reading(flying.run(3), "accelerometer", 1, place) == pytest.approx((0, 0, 0), abs=1e-3)


def test_the_rim_of_a_spinning_robot_is_drawn_to_the_axis_and_agents_get_readings_by_name(flying):
    spin, radius, turn = 2.0, 0.2, 2.0 * STEP
    flying.world.engine.set_velocity(flying.arm.handle, (0, 0, 0), (0, 0, spin))
    percepts = flying.run(2)
    assert reading(percepts, "gyroscope", 1, "rim") == pytest.approx((0, 0, spin), rel=1e-3)
    # The velocity turns by `turn` in the cycle. The rim's x axis is along the base's y, its y axis along minus x.
    inward, along = spin * radius * math.sin(turn) / STEP, spin * radius * (1.0 - math.cos(turn)) / STEP
    # The limb's moment of inertia and the third order of the engines' rotations: 0.5 % of 0.8 m/s2.
    assert reading(percepts, "accelerometer", 1, "rim") == pytest.approx((along, inward, 0), abs=0.004)
    assert reading(percepts, "accelerometer", 1, "accelerometer") == pytest.approx((0, 0, 0), abs=0.004)
    flying.world.engine.set_velocity(flying.arm.handle, (0, 0, 0), (1.0, 0.5, 2.0))
    percepts = flying.run(1)
    message = AgentEncoder(load_profile("measured")).encode(percepts)["me"][4:].decode()
    forward, left, up = np.degrees(reading(percepts, "gyroscope", 1, "rim")).tolist()
    assert f"(GYR (n rim) (rt {-left:.2f} {forward:.2f} {up:.2f}))" in message
    assert message.count("(ACC (n ") == 3 and "(ACC (n limb) (a " in message


def test_a_tumbling_robot_adds_angular_and_centripetal_acceleration(flying):
    engine = flying.world.engine
    engine.set_velocity(flying.arm.handle, (1.0, 0.5, 0.0), (3.0, -2.0, 2.0))
    flying.run(1)
    before = engine.state.linear_velocity[1], engine.state.angular_velocity[1], engine.state.rotation[1]
    percepts = flying.run(1)
    after = engine.state.linear_velocity[1], engine.state.angular_velocity[1], engine.state.rotation[1]
    rates = [np.subtract(now, then) / STEP for now, then in zip(after, before, strict=True)]
    spin = (before[1] + after[1]) / 2.0
    arm = (before[2] + after[2]) @ (0.2, 0.0, 0.1) / 2.0
    # a + alpha x r + omega x (omega x r) in the middle of the cycle; bodies turn with the velocity at its end.
    felt = rates[0] + (0, 0, 9.81) + np.cross(rates[1], arm) + np.cross(spin, np.cross(after[1], arm))
    axes = after[2] @ rotation_about((0.0, 0.0, 1.0), math.pi / 2)
    # Third order, (omega h)^2 / 12 of omega^2 r: 0.002 m/s2.
    assert reading(percepts, "accelerometer", 1, "rim") == pytest.approx(felt @ axes, abs=0.004)
    assert np.linalg.norm(felt) > 1.5


def test_a_swinging_limb_feels_its_start_and_its_turn(flying):
    world, rate, radius = flying.world, 2.0, 0.1
    (elbow,) = np.r_[world.engine.state.joints_of(1)]

    def turn(cycles):
        for _ in range(cycles):
            world.motors.set_velocities(np.array([elbow]), np.array([rate]), world.engine.state)
            percepts = flying.run(1)
        return reading(percepts, "gyroscope", 1, "limb"), reading(percepts, "accelerometer", 1, "limb")

    _, started = turn(1)
    # From rest to full speed in one cycle, 10 m/s2 down along minus z. The base of 300 times the mass goes against it,
    # ODE's motor reaches 99 %.
    assert started[2] == pytest.approx(-rate * radius / STEP, rel=0.03)
    gyroscope, steady = turn(10)
    assert gyroscope == pytest.approx((0, rate, 0), abs=0.03)
    # Drawn to the elbow. ODE and MuJoCo bring the drifting hinge together: a few hundredths of m/s2.
    assert steady == pytest.approx((-(rate**2) * radius, 0, 0), abs=0.05)
    # The base of 30 kg feels of it what the limb of 0.1 kg can do.
    assert reading(flying.run(1), "accelerometer", 1, "accelerometer") == pytest.approx((0, 0, 0), abs=0.05)


def test_at_rest_torso_and_foot_show_gravity_upward_and_leave_each_other_as_they_are(play, tmp_path):
    sensor = "{kind: accelerometer, name: foot, link: rfoot}"
    (tmp_path / "feeling.yaml").write_text(f"based_on: nao\nmore_perceptors: [{sensor}]\n")
    torsos = []
    for robot in ("nao", str(tmp_path / "feeling.yaml")):
        played = play()
        played.world.add_robot(load_robot(robot), (-3, 0, 0.3845), 0.7)
        percepts = played.run(60)
        torsos.append(reading(percepts, "accelerometer").tolist())
    assert torsos[0] == torsos[1]
    # The reference prints two decimals; contact noise of the engine stays below one of them.
    for name in ("torso", "foot"):
        assert reading(percepts, "accelerometer", name=name) == pytest.approx((0, 0, 9.81), abs=0.01)
    assert np.degrees(reading(percepts, "gyroscope")) == pytest.approx((0, 0, 0), abs=0.01)
