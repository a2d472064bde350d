"""The Nao on PyBullet against recordings of rcssserver3d 0.7.3 (see test/data/golden/README.md)."""

from __future__ import annotations

import numpy as np
import pytest

# Heights of the torso of a standing Nao as computed with the reference's constants (ODE, settled).
REST_HEIGHT = {0: 0.3839, 1: 0.4205, 2: 0.3839, 3: 0.4396, 4: 0.3839}
MAX_SPEED = 6.13955


@pytest.mark.parametrize("variant", [0, 1, 2, 3, 4])
def test_stands_at_the_height_of_the_reference(lab, variant):
    lab.nao(variant, z=REST_HEIGHT[variant] + 0.015)
    lab.run(150)
    # ODE's contacts let a foot sink in by 1 mm, Bullet's by less: 0.6 to 0.8 mm is the measured difference.
    assert lab.state.position[0, 2] == pytest.approx(REST_HEIGHT[variant], abs=0.001)
    assert lab.state.rotation[0, 2, 2] == pytest.approx(1.0, abs=1e-5)
    # The robot must not creep: 0.2 mm (0.8 mm on toes) is where it lands, and then it stays.
    landed = lab.state.position[0].copy()
    lab.run(50)
    assert lab.state.position[0] == pytest.approx(landed, abs=2e-5)


@pytest.mark.parametrize("variant", [1, 2, 3])
def test_feet_feel_what_they_felt_on_the_reference(lab, golden, variant):
    recorded = golden("rest")[f"type{variant}"]["feet"]
    lab.nao(variant, z=REST_HEIGHT[variant] + 0.015)
    lab.run(150)
    assert lab.state.touching.all()
    for foot, name in enumerate(("rf", "lf")):
        right, forward, up, force_right, force_forward, force_up = recorded[name]
        # Printed with two decimals; the point under the foot wanders with the softness of contacts (5 mm).
        assert lab.state.touch_point[foot] == pytest.approx([forward, -right, up], abs=0.01)
        # 0.05 N: horizontal forces while the soft motors settle, 0.002 of the weight.
        assert lab.state.touch_force[foot] == pytest.approx([force_forward, -force_right, force_up], abs=0.05)


def test_toes_carry_their_part_of_the_weight(lab):
    lab.nao(4, z=0.4)
    lab.run(150)
    model = lab.state.models[0]
    assert lab.state.touching.tolist() == [True] * 4
    # Drag is zero at rest, so the ground carries exactly the weight.
    assert lab.state.touch_force[:, 2].sum() == pytest.approx(model.mass * 9.81, rel=1e-3)
    toes = [name.endswith("toe") for name in model.touch_links]
    assert lab.state.touch_force[toes, 2].min() > 1.0


def test_inertial_quantities_at_rest_and_in_free_fall(lab, golden):
    lab.nao(z=3.0)

    def acceleration() -> np.ndarray:
        before = lab.state.linear_velocity[0]
        lab.run(1)
        return np.array((lab.state.linear_velocity[0] - before) / 0.02 + [0.0, 0.0, 9.81])

    # Falling: an accelerometer shows nothing; 0.05 is the drag of 23 links at the speed reached here.
    assert [acceleration() for _ in range(5)][-1] == pytest.approx([0, 0, 0], abs=0.05)
    lab.run(200)
    # Lying or standing still: the printed two decimals of the recording.
    assert acceleration() == pytest.approx(golden("rest")["type1"]["accelerometer"], abs=0.01)
    assert np.degrees(lab.state.angular_velocity[0]) == pytest.approx([0, 0, 0], abs=0.01)


def standing(lab):
    lab.nao(z=0.4)
    lab.run(100)
    return lab


def test_joint_follows_one_radian_per_second_from_the_first_cycle(lab, golden):
    recorded = golden("joints")["joint_lae1_1rad"]
    angles = standing(lab).turn("laj1", 1.0, 12)
    # Printed with two decimals; cfm lags the loaded motor by 0.001 degrees.
    expected = [*recorded["angle_deg_after_k_cycles"][1:], recorded["then_zero"][0]]
    assert angles == pytest.approx(expected, abs=0.01)
    assert lab.turn("laj1", 0.0, 4) == pytest.approx(recorded["then_zero"], abs=0.01)


def test_joint_saturates_at_its_largest_speed(lab, golden):
    recorded = golden("joints")["joint_lae1_100rad"]
    angles = standing(lab).turn("laj1", 100.0, 12)
    expected = [*recorded["angle_deg_after_k_cycles"][1:], recorded["then_zero"][0]]
    # ODE's softness takes 0.15 % off the largest speed (7.025 of 7.035 degrees a cycle); Bullet's motor does not.
    assert angles == pytest.approx(expected, rel=0.002)


def test_head_follows_two_radians_per_second(lab, golden):
    recorded = golden("joints")["joint_he1_2"]
    angles = standing(lab).turn("hj1", 2.0, 12)
    expected = [*recorded["angle_deg_after_k_cycles"][1:], recorded["then_zero"][0]]
    assert angles == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("name", "speed", "stop"), [("hj1", 5.0, 120.0), ("hj1", -5.0, -120.0), ("llj4", 5.0, 1.0)])
def test_joint_stops_inside_its_range_and_comes_free_again(lab, name, speed, stop):
    # The reference's stops are elastic and chatter (he1: 121.38, 115.66, ...): PyBullet's known weakness is that they
    # do not bounce. So the joint must rest strictly inside its range, or clients that stay away from stops never
    # leave it.
    resting = standing(lab).turn(name, speed, 80)[-1]
    assert abs(resting) < abs(stop)
    # The stop lies 0.002 rad = 0.115 degrees inside.
    assert resting == pytest.approx(stop, abs=0.13)
    free = lab.turn(name, -1.0 if speed > 0 else 1.0, 5)
    assert abs(free[-1] - resting) == pytest.approx(5 * 1.146, abs=0.02)


def test_largest_speed_is_that_of_the_joint(lab):
    lab.nao(2, z=0.4)
    lab.run(50)
    fast, slow = np.diff(lab.turn("laj1", 99.0, 4))[-1], np.diff(lab.turn("llj6", 99.0, 4))[-1]
    limits = {joint.name: np.degrees(joint.max_velocity) * 0.02 for joint in lab.state.models[0].joints}
    assert (fast, slow) == pytest.approx((limits["laj1"], limits["llj6"]), rel=0.01)
