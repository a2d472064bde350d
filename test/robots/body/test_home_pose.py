"""A robot starts at rest in its home pose, on every engine, and comes back to it."""

from pathlib import Path

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import joint, link, robot, write

LIMITS = LimitSettings(robot_file_time=60.0)
PLATE = '<collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
BENT = '<limit lower="0.8" upper="2.5" velocity="2" effort="20"/>'
STRAIGHT = '<limit lower="-1" upper="1" velocity="2" effort="20"/>'


def elbow(folder: Path) -> Path:
    """A plate with a shoulder, which may be at 0, and an elbow, which may not."""
    joints = [
        joint("shoulder", "base", "upper", f'<origin xyz="0 0 0.1"/>{STRAIGHT}'),
        joint("elbow", "upper", "lower", f'<origin xyz="0 0 0.2"/>{BENT}'),
    ]
    parts = [link("base", PLATE, mass=20.0), link("upper", mass=0.3), link("lower", mass=0.3)]
    return write(folder, robot(*parts, *joints))


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_joints_that_may_not_be_at_zero_start_at_rest_beside_it(tmp_path: Path, engine: str) -> None:
    skip_without(engine)
    with Arena(f"arm={elbow(tmp_path)}", engine=engine, world="empty") as arena:
        arm = arena["arm"]
        assert arm.joint_positions == pytest.approx([0.0, 0.8])
        fastest = 0.0
        for _ in range(50):
            arena.step()
            fastest = max(fastest, float(np.abs(arm.joint_velocities).max()))
        # On PyBullet the joint sinks by 2 mrad into its stop in one cycle of 20 ms. From 0 it came with 10 to 32 rad/s.
        assert fastest <= 0.11
        assert arm.joint_positions == pytest.approx([0.0, 0.8], abs=0.003)
        arm.set_positions({"elbow": 1.5})
        arena.step(100)
        assert arm.joint_positions[1] == pytest.approx(1.5, abs=0.01)
        arena.reset()
        assert arena["arm"].joint_positions == pytest.approx([0.0, 0.8])


def test_the_yaml_file_says_where_joints_start_and_followers_follow(tmp_path: Path) -> None:
    document = elbow(tmp_path).read_text()
    path = write(tmp_path, "model: made.urdf\nhome: {shoulder: -0.5}\n", "made.yaml")
    for made in (load_robot(str(path)), load_foreign(path, 0, LIMITS)):
        assert made.home == pytest.approx((-0.5, 0.8))
    mimic = '<mimic joint="shoulder" multiplier="-2" offset="0.1"/>'
    write(tmp_path, document.replace(BENT, BENT + mimic), "follower.urdf")
    follower = write(tmp_path, "model: follower.urdf\nhome: {shoulder: -0.5}\n", "follower.yaml")
    assert load_robot(str(follower)).home == pytest.approx((-0.5, 1.1))
    outside = write(tmp_path, "model: made.urdf\nhome: {elbow: 0.5}\n", "outside.yaml")
    with pytest.raises(RobotError, match=r"outside\.yaml.*: home: elbow must be 0\.8 to 2\.5, not 0\.5"):
        load_robot(str(outside))
    unknown = write(tmp_path, "model: made.urdf\nhome: {knee: 0.5}\n", "unknown.yaml")
    with pytest.raises(RobotError, match="home: unknown joint 'knee'; use one of: shoulder, elbow"):
        load_robot(str(unknown))


def test_a_robot_stands_in_its_home_pose(tmp_path: Path) -> None:
    """A leg of 0.3 m that hangs straight down at 0, bent by 60 degrees at home, carries the plate half as high."""
    foot = '<collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.02"/></geometry></collision>'
    write(
        tmp_path, robot(link("base", PLATE), link("leg", foot), joint("hip", "base", "leg", STRAIGHT.replace("1", "2")))
    )
    path = write(tmp_path, "model: made.urdf\nhome: {hip: 1.0471975512}\n", "made.yaml")
    assert load_robot(str(path)).spawn_height == pytest.approx(0.15 + 0.02)


@pytest.mark.parametrize(
    ("keys", "home"),
    [
        ("", ()),
        ('<key name="up" qpos="0 0 1 1 0 0 0 0.3"/>', (0.1,)),
        ('<key name="up" qpos="0 0 1 1 0 0 0 0.3"/><key name="home" qpos="0 0 1 1 0 0 0 0.4"/>', (0.2,)),
        ('<key name="home" qpos="0 0 1 1 0 0 0 9"/>', (0.5,)),
    ],
)
def test_keyframes_of_mjcf_say_where_joints_start(tmp_path: Path, keys: str, home: tuple[float, ...]) -> None:
    """The file draws the joint at 0.2 rad; its stops are 0.7 rad away from that drawing, and 0.5."""
    skip_without("mujoco")
    ball = '<geom size="0.1" density="1000"/>'
    hinge = '<joint name="j" type="hinge" ref="0.2" range="-0.5 0.7"/>'
    body = f"<body><freejoint/>{ball}<body>{hinge}{ball}</body></body>"
    text = f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody><keyframe>{keys}</keyframe></mujoco>'
    assert load_foreign(write(tmp_path, text, "made.xml"), 0, LIMITS).home == pytest.approx(home)
