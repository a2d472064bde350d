"""A cart: a box on four wheels, two on each side."""

from pathlib import Path

RADIUS, TRACK = 0.08, 0.3


INERTIA = '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'


def solid(shape: str, mass: float) -> str:
    inertial = f'<inertial><mass value="{mass}"/>{INERTIA}</inertial>'
    return f"{inertial}<collision><geometry>{shape}</geometry></collision>"


def wheel(name: str, x: float, y: float) -> str:
    disc = solid(f'<sphere radius="{RADIUS}"/>', 0.5)
    return f"""<link name="{name}_wheel">{disc}</link>
        <joint name="{name}" type="continuous"><parent link="base"/><child link="{name}_wheel"/>
        <origin xyz="{x} {y} 0"/><axis xyz="0 1 0"/><limit effort="20" velocity="50"/></joint>"""


BODY = solid('<box size="0.1 0.1 0.05"/>', 3.0)
WHEELS = "".join(
    wheel(f"{side}{number}", x, sign * TRACK / 2)
    for side, sign in (("left", 1.0), ("right", -1.0))
    for number, x in ((1, 0.09), (2, -0.09))
)
URDF = f'<robot name="cart"><link name="base">{BODY}</link>{WHEELS}</robot>'
PARAMETERS = f"left: [left1, left2], right: [right1, right2], radius: {RADIUS}, track: {TRACK}"
EFFECTOR = f"effectors: [{{kind: wheels, parameters: {{{PARAMETERS}}}}}]"


def write_cart(folder: Path, urdf: str = URDF) -> Path:
    """Write the robot's files; returns that of the robot."""
    (folder / "cart.urdf").write_text(urdf)
    (folder / "cart.yaml").write_text(f"model: cart.urdf\n{EFFECTOR}\n")
    return folder / "cart.yaml"
