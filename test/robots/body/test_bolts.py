"""A robot is bolted to the world if its file says so in any format, its YAML file, or whoever spawns it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from simspark_ros.arena import Arena
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.foreign import load_foreign
from simspark_ros.robots.types.parameters import RobotName
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import LIMITS, joint, link, robot, write

BALL = '<geom size="0.05" mass="4" pos="0 0 0.3"/>'
HINGE = '<joint name="shoulder" axis="0 1 0" range="-115 115"/>'
MOTOR = '<actuator><motor joint="shoulder" ctrlrange="-100 100"/></actuator>'
STOPS = '<origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="100" velocity="2"/>'
BOX = '<collision><geometry><box size="0.1 0.1 0.2"/></geometry></collision>'
SHOULDER = joint("shoulder", "base", "upper", STOPS)
Maker = Callable[[Path], Path]
LINKS = link("base", BOX, mass=3.0), link("upper", mass=4.0)


def urdf(folder: Path, height: float = 0.0, turn: str = "0 0 0") -> Path:
    """An arm that a link 'world' holds, as ROS makers write it."""
    tie = joint("bolts", "world", "base", f'<origin xyz="0 0 {height}" rpy="{turn}"/>', "fixed")
    return write(folder, robot('<link name="world"/>', *LINKS, tie, SHOULDER))


def free(folder: Path) -> Path:
    return write(folder, robot(*LINKS, SHOULDER), "free.urdf")


def massless(folder: Path) -> Path:
    """An arm that the world holds by frames."""
    frames = '<link name="world"/>', '<link name="base_link"/>'
    ties = joint("one", "world", "base_link", kind="fixed"), joint("two", "base_link", "base", kind="fixed")
    return write(folder, robot(*frames, *LINKS, *ties, SHOULDER))


def sdf(folder: Path) -> Path:
    inertial = "<inertial><mass>{}</mass><pose>0 0 {} 0 0 0</pose></inertial>"
    ends = "<parent>world</parent><child>base</child>"
    text = f"""<sdf version="1.9"><model name="arm">
<link name="base">{inertial.format(3, 0)}</link>
<link name="upper"><pose>0 0 0.1 0 0 0</pose>{inertial.format(4, 0.3)}</link>
<joint name="bolts" type="fixed">{ends}</joint>
<joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child><axis><xyz>0 1 0</xyz>
<limit><lower>-2</lower><upper>2</upper><effort>100</effort><velocity>2</velocity></limit></axis></joint>
</model></sdf>"""
    return write(folder, text, "arm.sdf")


def mjcf(folder: Path) -> Path:
    upper = f'<body name="upper" pos="0 0 0.1">{HINGE}{BALL}</body>'
    base = f'<body name="base"><geom type="box" size="0.1 0.1 0.05" mass="3"/>{upper}</body>'
    return write(folder, f"<mujoco><worldbody>{base}</worldbody>{MOTOR}</mujoco>", "arm.xml")


def yaml(folder: Path) -> Path:
    free(folder)
    text = "model: free.urdf\nfixed_base: true\neffectors: [{kind: hinge, joints: {shoulder: shoulder}}]\n"
    return write(folder, text, "arm.yaml")


WAYS = [*((urdf, engine) for engine in ("bullet", "ode", "mujoco")), (massless, "ode"), (sdf, "ode"), (yaml, "ode")]


@pytest.mark.parametrize(("make", "engine"), [*WAYS, (mjcf, "ode"), (mjcf, "mujoco")])
def test_a_bolted_arm_lifts_its_limb_and_stays_upright(tmp_path: Path, make: Maker, engine: str) -> None:
    skip_without(engine)
    if make is mjcf:
        skip_without("mujoco")
    with Arena(f"arm={make(tmp_path)}", engine=engine, world="empty") as arena:
        arm = arena["arm"]
        arena.step(25)
        arm.set_positions({"shoulder": 1.0})
        arena.step(150)
        assert arm.rotation[2, 2] == pytest.approx(1.0, abs=1e-12)
        if make is urdf:
            gyroscope, accelerometer = (arm.read(kind) for kind in ("gyroscope", "accelerometer"))
            assert gyroscope is not None and not gyroscope.any()
            assert accelerometer == pytest.approx([0.0, 0.0, 9.81], abs=1e-9)
        assert arm.joint_positions[-1] == pytest.approx(1.0, abs=0.002)
        place = arm.position.copy()
        arena.reset()
        arena.step(5)
        assert arena["arm"].position == pytest.approx(place, abs=1e-12)


def test_the_file_says_how_high_the_base_is_bolted_and_nothing_of_a_static_model_moves(tmp_path: Path) -> None:
    made = load_robot(str(urdf(tmp_path, height=0.7)))
    assert (made.model.fixed_base, made.model.frames, made.spawn_height) == (True, (), pytest.approx(0.7))
    # Free, it stands on the ground: its box reaches 0.1 m below its middle.
    freed = load_robot(f"{tmp_path}/made.urdf?fixed_base=false")
    assert (freed.model.fixed_base, freed.spawn_height) == (False, pytest.approx(0.1))

    # A tilted one is noted.
    assert not any("tilted" in line for line in load_robot(str(urdf(tmp_path, turn="0 0 1"))).report.lines())
    tilted = load_robot(str(urdf(tmp_path, turn="0 1 0")))
    assert any("approximated the world: the tilted base is bolted" in line for line in tilted.report.lines())
    text = sdf(tmp_path).read_text().replace("<link", "<static>true</static><link", 1)
    model = load_foreign(write(tmp_path, text, "static.sdf"), 0, LIMITS).model
    assert (model.fixed_base, model.joints, {link.name for link in model.links}) == (True, (), {"base", "upper"})


def test_the_name_of_a_robot_bolts_it_or_an_arena_and_a_reset_keeps_it(tmp_path: Path) -> None:
    path = free(tmp_path)
    for made in (
        load_robot(f"{path}?fixed_base=true"),
        load_foreign(path, 0, LIMITS, RobotName(str(path), fixed_base=True)),
    ):
        assert made.model.fixed_base
        assert made.source == f"{path}?fixed_base=true"
    assert load_robot("nao?fixed_base=1").model.fixed_base
    assert not load_robot("nao").model.fixed_base
    with pytest.raises(RobotError, match="fixed_base='maybe' must be true or false"):
        load_robot("nao?fixed_base=maybe")
    with Arena(world="empty") as arena:
        arena.add(str(free(tmp_path)), name="arm", position=(0.0, 0.0, 1.0), fixed_base=True)
        arena.step(20)
        assert arena["arm"].position[2] == pytest.approx(1.1)
        arena.reset()
        arena.step(20)
        assert arena["arm"].position[2] == pytest.approx(1.1)
        arena.add(str(urdf(tmp_path)), name="free", position=(2.0, 0.0, 1.0), fixed_base=False)
        arena.step(50)
        assert arena["free"].position[2] < 0.5
