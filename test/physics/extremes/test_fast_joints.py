"""Wheels and other fast hinges: the angle is the sum of the velocity, on every engine."""

from __future__ import annotations

import pytest

from simspark_ros.arena import Arena

WHEEL = """<robot name="wheel">
  <link name="base"><inertial><mass value="20"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.6 0.6 0.2"/></geometry></collision></link>
  <link name="disc"><inertial><mass value="0.2"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="spin" type="continuous"><origin xyz="0 0 0.2"/><parent link="base"/><child link="disc"/>
    <axis xyz="0 0 1"/><limit effort="10" velocity="1000"/></joint>
</robot>"""


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("speed", [20.0, 50.0, 100.0, 400.0])
def test_the_angle_of_a_wheel_is_the_sum_of_its_speed(engine, speed):
    with Arena(engine=engine, world="empty") as arena:
        wheel = arena.add(WHEEL)
        wheel.set_velocities({"spin": speed})
        arena.step(50)
        before = float(wheel.joint_positions[0])
        arena.step(50)
        # The base, 500 times as heavy to turn, and the motor's softness take up to 0.3 % of the speed.
        assert float(wheel.joint_positions[0]) - before == pytest.approx(speed, rel=0.003)
        assert float(wheel.joint_velocities[0]) == pytest.approx(speed, rel=0.003)
