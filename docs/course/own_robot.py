"""Lesson 8, own robot: a program writes a cart on two wheels, to try its measures."""

from pathlib import Path
from tempfile import TemporaryDirectory

from simspark_ros.arena import Arena

WHEEL = """
  <link name="{name}_wheel">
    <inertial><mass value="0.3"/><inertia ixx="0.0003" iyy="0.0005" izz="0.0003" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.06"/></geometry></collision>
  </link>
  <joint name="{name}" type="continuous">
    <parent link="base"/><child link="{name}_wheel"/><origin xyz="0 {left} 0"/><axis xyz="0 1 0"/>
    <limit effort="2.0" velocity="20.0"/>
  </joint>"""
BODY = """<robot name="cart">
  <link name="base">
    <inertial><mass value="3.0"/><inertia ixx="0.02" iyy="0.04" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.3 0.16 0.08"/></geometry></collision>
  </link>{wheels}
</robot>"""
ROBOT = """
model: cart.urdf
materials: {base: {friction: 0.0}}
perceptors:
  - {kind: gyroscope, name: base, link: base}
effectors:
  - {kind: hinge, joints: {left: lw, right: rw}}
"""

for track in (0.2, 0.4):
    with TemporaryDirectory() as folder:
        wheels = "".join(WHEEL.format(name=name, left=side * track / 2) for name, side in (("left", 1), ("right", -1)))
        Path(folder, "cart.urdf").write_text(BODY.format(wheels=wheels))
        file = Path(folder, "cart.yaml")
        file.write_text(ROBOT)
        with Arena(f"cart={file}", engine="mujoco", world="empty") as arena:
            cart = arena["cart"]
            cart.set_velocities({"left": 4.0, "right": 6.0})
            arena.step(100)
            rate = cart.read("gyroscope")[2]
            print(f"track {track} m: turns with {rate:.2f} rad/s; without slip {0.06 * (6.0 - 4.0) / track:.2f}")
