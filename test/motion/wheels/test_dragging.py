"""A cart on two wheels whose caster no joint moves."""

from pathlib import Path

import pytest

from simspark_ros.motion.wheels.dragging import dragging
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.simulation.loading.robot_resources import find_resource
from simspark_ros.simulation.loading.spawning import spawn
from test.rigs.robots.cart import RADIUS, URDF, solid, wheel, write_cart

BALL = solid(f'<sphere radius="{RADIUS}"/>', 0.2)
WHEELS = wheel("left1", 0.09, 0.15) + wheel("right1", 0.09, -0.15)


def caster(kind: str = "fixed", height: float = 0.0) -> str:
    return f"""<robot name="cart"><link name="base">{solid('<box size="0.1 0.1 0.05"/>', 3.0)}</link>{WHEELS}
        <link name="caster">{BALL}</link><joint name="hold" type="{kind}"><parent link="base"/><child link="caster"/>
        <origin xyz="-0.15 0 {height}"/></joint></robot>"""


def slippery(urdf: str) -> str:
    return urdf.replace("</robot>", '<gazebo reference="caster"><mu1>0</mu1><mu2>0</mu2></gazebo></robot>')


def cart(folder: Path, urdf: str) -> Path:
    """The file of a cart that drives by its wheels."""
    path = write_cart(folder, urdf)
    if urdf != URDF:
        path.write_text(path.read_text().replace("left1, left2", "left1").replace("right1, right2", "right1"))
    return path


@pytest.mark.parametrize(
    ("urdf", "drags"),
    [
        (caster(), True),
        (slippery(caster()), False),
        (caster("continuous"), False),
        (caster(height=0.02), False),
        (URDF, False),
    ],
    ids=["fixed", "slippery", "turning", "in the air", "four wheels"],
)
def test_what_touches_the_ground_beside_the_wheels_is_named_with_the_remedy(
    tmp_path: Path, urdf: str, drags: bool, played, caplog: pytest.LogCaptureFixture
) -> None:
    description = find_resource(str(cart(tmp_path, urdf))).load(played.simulation.scheduler.settings)
    found = dragging(description)
    assert ["'caster' drags on" in text and "{caster: {friction: 0}}" in text for text in found] == [True] * drags
    spawn(played.world, description, played.simulation.scheduler.settings)
    assert ("link 'caster' drags" in caplog.text) is drags


def test_no_robot_of_the_package_drags() -> None:
    assert {name: dragging(load_robot(name)) for name in robot_names()} == {name: [] for name in robot_names()}
