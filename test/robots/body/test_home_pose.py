"""Where a robot starts: in the home pose of its YAML, MJCF or SRDF file, at rest on every engine."""

from pathlib import Path

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import LIMIT, LIMITS, joint, link, robot, write

PLATE = '<collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
BENT = '<limit lower="0.8" upper="2.5" velocity="2" effort="20"/>'
STRAIGHT = '<limit lower="-1" upper="1" velocity="2" effort="20"/>'


def elbow(folder: Path) -> Path:
    """A plate with a shoulder, which may be at 0, and an elbow, which may not."""
    shoulder = joint("shoulder", "base", "upper", f'<origin xyz="0 0 0.1"/>{STRAIGHT}')
    parts = [link("base", PLATE, mass=20.0), link("upper", mass=0.3), link("lower", mass=0.3), shoulder]
    return write(folder, robot(*parts, joint("elbow", "upper", "lower", f'<origin xyz="0 0 0.2"/>{BENT}')))


def test_joints_that_may_not_be_at_zero_start_at_rest_beside_it(tmp_path: Path, engine: str) -> None:
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


def test_the_yaml_file_says_where_joints_start_and_how_high_the_robot_stands(tmp_path: Path) -> None:
    document = elbow(tmp_path).read_text()
    path = write(tmp_path, "model: made.urdf\nhome: {shoulder: -0.5}\n", "made.yaml")
    for made in (load_robot(str(path)), load_foreign(path, 0, LIMITS)):
        assert made.home == pytest.approx((-0.5, 0.8))
    mimic = '<mimic joint="shoulder" multiplier="-2" offset="0.1"/>'
    write(tmp_path, document.replace(BENT, BENT + mimic), "follower.urdf")
    follower = write(tmp_path, "model: follower.urdf\nhome: {shoulder: -0.5}\n", "follower.yaml")
    assert load_robot(str(follower)).home == pytest.approx((-0.5, 1.1))
    for name, told in (
        ("elbow", r"wrong\.yaml.*: home: elbow must be 0\.8 to 2\.5, not 0\.5"),
        ("knee", "home: unknown joint 'knee'; use one of: shoulder, elbow"),
    ):
        wrong = write(tmp_path, f"model: made.urdf\nhome: {{{name}: 0.5}}\n", "wrong.yaml")
        with pytest.raises(RobotError, match=told):
            load_robot(str(wrong))
    # A leg of 0.3 m that hangs straight down at 0, bent by 60 degrees at home, carries the plate half as high.
    foot = '<collision><origin xyz="0 0 -0.3"/><geometry><sphere radius="0.02"/></geometry></collision>'
    hip = joint("hip", "base", "leg", STRAIGHT.replace("1", "2"))
    write(tmp_path, robot(link("base", PLATE), link("leg", foot), hip))
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


ARM = robot(
    link("base"), link("upper"), link("lower"), joint("a", "base", "upper", LIMIT), joint("b", "upper", "lower")
)


def srdf(*states: str) -> str:
    return f'<robot name="made">{"".join(states)}</robot>'


def state(name: str, group: str = "arm", **joints: str) -> str:
    values = "".join(f'<joint name="{joint}" value="{value}"/>' for joint, value in joints.items())
    return f'<group_state name="{name}" group="{group}">{values}</group_state>'


def home(path: Path) -> dict[str, float]:
    made = load_robot(str(path))
    return dict(zip((one.name for one in made.model.joints), made.home, strict=False))


@pytest.mark.parametrize("name", ["made.srdf", "config/made.srdf", "made.srdf.xacro"])
def test_the_state_home_is_the_home_pose(tmp_path: Path, name: str) -> None:
    (tmp_path / "config").mkdir()
    write(tmp_path, srdf(state("ready", a="0.7"), state("home", a="0.5"), state("home", "hand", b="-4.0")), name)
    assert home(write(tmp_path, ARM)) == {"a": 0.5, "b": -4.0}


def test_a_moveit_package_beside_the_description_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "arm_description" / "urdf").mkdir(parents=True)
    (tmp_path / "made_moveit_config" / "config").mkdir(parents=True)
    write(tmp_path / "made_moveit_config" / "config", srdf(state("home", a="0.5")), "made.srdf")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    assert home(write(tmp_path / "arm_description" / "urdf", ARM, "arm.urdf")) == {"a": 0.5, "b": 0.0}


@pytest.mark.parametrize(
    ("states", "wanted"),
    [
        ((state("ready", a="0.7"), state("stand", a="0.2")), 0.2),
        ((state("ready", a="0.7"), state("up", a="0.2")), 0.7),
        # Beyond the stop of 1 rad, no number, several degrees of freedom, joints of others.
        ((state("home", a="1.5"),), 1.0),
        ((state("home", a="nan"),), None),
        ((state("home", a="0 0 0 1"),), None),
        ((state("home", other="0.5"),), None),
        ((), None),
    ],
)
def test_which_state_counts(tmp_path: Path, states: tuple[str, ...], wanted: float | None) -> None:
    write(tmp_path, srdf(*states), "made.srdf")
    assert home(write(tmp_path, ARM)).get("a") == wanted


@pytest.mark.parametrize("text", ["<robot", '<!DOCTYPE a [<!ENTITY b "c">]><robot/>'])
def test_a_broken_file_is_noted_and_refuses_no_robot(tmp_path: Path, text: str) -> None:
    write(tmp_path, text, "made.srdf")
    path = write(tmp_path, ARM)
    assert home(path) == {}
    assert any(line.startswith("made.srdf: dropped the group states") for line in load_robot(str(path)).report.lines())


def test_the_home_of_the_yaml_file_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path, ARM)
    assert home(path) == {}
    # An edited state is read again.
    write(tmp_path, srdf(state("home", a="0.5")), "made.srdf")
    assert home(path)["a"] == 0.5
    assert home(write(tmp_path, "model: made.urdf\n", "plain.yaml")) == {"a": 0.5, "b": 0.0}
    assert home(write(tmp_path, "model: made.urdf\nhome: {b: 0.3}\n", "own.yaml")) == {"a": 0.0, "b": 0.3}
