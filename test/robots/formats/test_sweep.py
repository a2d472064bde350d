"""What files can say, from end to end of its ranges: read with the right values, and moved by each engine."""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from xml.sax.saxutils import unescape

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.physics.geometry.transforms import rotation_from_rpy
from simspark_ros.physics.model import JointKind, Vector
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotDescription, RobotError
from simspark_ros.robots.files.reading import read_robot
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import CONTROL, LIMIT, LIMITS, body, joint, link, robot, write

BASE, ARM = link("base"), link("arm")
HALF = math.sqrt(0.5)


def read(folder: Path, *parts: str) -> RobotDescription:
    return load_robot(str(write(folder, robot(*parts))))


def cube(name: str, mass: float, edge: float) -> str:
    return body(name, mass, f'<box size="{edge} {edge} {edge}"/>', moment=mass * edge**2 / 6.0)


@pytest.mark.parametrize(
    ("origin", "place", "turn"),
    [
        ("", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ("<origin/>", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
        ('<origin xyz="1 2 3"/>', (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
        ('<origin rpy="0.1 0.2 0.3"/>', (0.0, 0.0, 0.0), (0.1, 0.2, 0.3)),
        ('<origin xyz=" 1e0\t-.5 +2. " rpy="0.1 0.2 0.3"/>', (1.0, -0.5, 2.0), (0.1, 0.2, 0.3)),
        # URDF 1.2.
        ('<origin xyz="1 2 3" quat_xyzw="0 0 0 1"/>', (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),
        (f'<origin quat_xyzw="0 0 {HALF} {HALF}"/>', (0.0, 0.0, 0.0), (0.0, 0.0, math.pi / 2)),
        ('<origin quat_xyzw="2 0 0 2"/>', (0.0, 0.0, 0.0), (math.pi / 2, 0.0, 0.0)),
        ('<origin quat_xyzw="0 -1 0 1"/>', (0.0, 0.0, 0.0), (0.0, -math.pi / 2, 0.0)),
    ],
)
def test_origins_of_each_form(tmp_path: Path, origin: str, place: Vector, turn: Vector) -> None:
    solid = f'<collision>{origin}<geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
    made = read(tmp_path, BASE, link("arm", solid), joint("j", "base", "arm", origin + LIMIT)).model
    shape = made.link("arm").collisions[0]
    for position, rpy in ((made.joints[0].position, made.joints[0].rpy), (shape.position, shape.rpy)):
        assert position == pytest.approx(place)
        assert rotation_from_rpy(rpy) == pytest.approx(rotation_from_rpy(turn), abs=1e-9)


def test_any_quaternion_is_the_rotation_that_it_says(tmp_path: Path) -> None:
    choice = np.random.default_rng(38)
    for turn in choice.normal(size=(10, 4)):
        origin = f'<origin quat_xyzw="{" ".join(map(repr, turn.tolist()))}"/>'
        found = read(tmp_path, BASE, ARM, joint("j", "base", "arm", origin + LIMIT)).model.joints[0]
        wanted = rotations_from_quaternions(turn[None] / np.linalg.norm(turn))[0]
        assert rotation_from_rpy(found.rpy) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("origin", ['quat_xyzw="0 0 0 0"', 'quat_xyzw="0 0 1"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"'])
def test_orientations_that_say_nothing_are_refused_with_their_line(tmp_path: Path, origin: str) -> None:
    with pytest.raises(RobotError, match=r"made\.urdf:4: .*quat_xyzw"):
        read(tmp_path, BASE, ARM, joint("j", "base", "arm", f"<origin {origin}/>" + LIMIT))


@pytest.mark.parametrize(
    ("limit", "kind", "stops"),
    [
        ('lower="0" upper="0"', "revolute", (0.0, 0.0)),
        ('lower="-6.283185307179586" upper="6.283185307179586"', "revolute", (-math.tau, math.tau)),
        # Stops are bounded at 1,000 rad, 159 turns.
        ('lower="-1e16" upper="1e16"', "revolute", (-1000.0, 1000.0)),
        ('lower="1" upper="-1"', "continuous", (-math.inf, math.inf)),
        ("", "continuous", (-math.inf, math.inf)),
    ],
)
def test_stops_from_nothing_to_all(tmp_path: Path, limit: str, kind: str, stops: tuple[float, float]) -> None:
    made = read(tmp_path, BASE, ARM, joint("j", "base", "arm", f'<limit {limit} velocity="2" effort="3"/>'))
    found = made.model.joints[0]
    assert (found.kind, found.lower, found.upper) == (JointKind(kind), *stops)
    told = any("approximated joint 'j'" in line and "turns endlessly" in line for line in made.report.lines())
    assert told == (kind == "continuous")


SIGNS = (
    *("1a.b", "a/b", "a::b", " a b ", "ä-Ω-日本", "🤖", "[a](b){c}", "#$%d{0}*+=?@\\^`|~;!"),
    *("a'b", "a&quot;b", "a&amp;b", "a&lt;b"),
)
QUOTE = {"&quot;": '"'}


SDF_LINK = "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"
SDF_LIMIT = "<limit><lower>-1</lower><upper>1</upper><velocity>2</velocity><effort>3</effort></limit>"
MUJOCO = '<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'


def chain(ending: str, signs: Sequence[str]) -> str:
    """A chain whose links have the names, and whose joints have them behind a `j`, in a format."""
    links, pairs = ["base", *signs], list(zip(signs, ["base", *signs], strict=False))
    if ending == ".sdf":
        parts = [f'<link name="{one}">{SDF_LINK}</link>' for one in links]
        parts += [
            f'<joint name=" j{one}" type="revolute"><parent>{last}</parent><child>{one}</child>'
            f"<axis><xyz>1 0 0</xyz>{SDF_LIMIT}</axis></joint>"
            for one, last in pairs
        ]
        return f'<sdf version="1.9"><model name=" m ">{"".join(parts)}</model></sdf>'
    if ending == ".xml":
        parts = [f'<body name="{one}">{MUJOCO}<joint name=" j{one}" axis="1 0 0" range="-57.3 57.3"/>' for one in signs]
        motors = "".join(f'<motor joint=" j{one}" ctrlrange="-3 3"/>' for one in signs)
        bodies = f'<body name="base"><freejoint/>{MUJOCO}{"".join(parts)}{"</body>" * len(links)}'
        return f"<mujoco><worldbody>{bodies}</worldbody><actuator>{motors}</actuator></mujoco>"
    return robot(*map(link, links), *(joint(f" j{one}", last, one, LIMIT) for one, last in pairs))


@pytest.mark.parametrize("ending", [".urdf", ".sdf", ".xml"])
def test_names_with_all_signs(tmp_path: Path, engine: str, ending: str) -> None:
    """A chain whose links and joints have every sign; each engine moves the joint that is told to."""
    if ending == ".xml":
        skip_without("mujoco")
    # In SDF two colons lead into another model.
    signs = [sign for sign in SIGNS if ending != ".sdf" or "::" not in sign]
    made = read_robot(write(tmp_path, chain(ending, signs), f"made{ending}"), 0, LIMITS)
    assert [one.name for one in made.model.links] == ["base", *(unescape(sign.strip(), QUOTE) for sign in signs)]
    with Arena(engine=engine, world="empty") as arena:
        arm = arena.add(made, fixed_base=True, position=(0.0, 0.0, 5.0))
        assert len(arm.joints) == len(signs)
        # Programs and topics have names without them.
        assert {"j_a_b", "ja/b", "j1a.b"} <= {one.name for one in made.effectors}
        arm.set_positions({name: 0.01 * number for number, name in enumerate(arm.joints)})
        arena.step(40)
        assert arm.joint_positions == pytest.approx(0.01 * np.arange(len(signs)), abs=2e-3)


def test_robots_of_mjcf_have_contacts_of_their_own_whatever_their_names_but_for_blanks(tmp_path: Path) -> None:
    skip_without("mujoco")
    for text, own in ((chain(".xml", SIGNS[4:]).replace('" j', '"j'), True), (chain(".xml", SIGNS), False)):
        assert bool(read_robot(write(tmp_path, text, "made.xml"), 0, LIMITS).model.mjcf) == own


TEXTURE = '<texture filename="none.png"/>'
VISUAL = '<visual><geometry><sphere radius="1"/></geometry>{}</visual>'
HARMLESS = {
    "an unknown material": (link("base", VISUAL.format('<material name="none"/>')),),
    "a texture that is none": (link("base", VISUAL.format(f'<material name="m">{TEXTURE}</material>')),),
    "a Gazebo reference": (BASE, '<gazebo reference="nobody"><sensor name="s" type="imu"/><mu1>0.3</mu1></gazebo>'),
    "a transmission": (BASE, '<transmission name="t"><joint name="nobody"/><actuator name="a"/></transmission>'),
    "a control interface": (BASE, CONTROL.replace('name="j"', 'name="nobody"')),
    "a sensor": (BASE, '<sensor name="s"><parent link="nobody"/></sensor>'),
    "an unknown element": (BASE, "<flux-capacitor/>"),
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_refers_to_nothing_refuses_no_robot(tmp_path: Path, what: str) -> None:
    assert read(tmp_path, *HARMLESS[what]).model.mass == 1.0


BODIES = tuple(product((1e-3, 1.0, 1e3), (0.005, 0.5, 20.0)))


def test_robots_of_all_weights_and_sizes_stand_and_are_held(tmp_path: Path, engine: str) -> None:
    """A cube on a slide on a cube, both of that mass and size: the slide carries m g, and the feet do not sink."""
    with Arena(engine=engine, world="empty") as arena:
        lifts = []
        for number, (mass, edge) in enumerate(BODIES):
            limit = f'<origin xyz="0 0 {1.5 * edge}"/><limit lower="-1" upper="1" velocity="1" effort="{1e3 * mass}"/>'
            rail = joint("rail", "base", "top", limit, "prismatic", "0 0 1")
            made = read(tmp_path, cube("base", mass, edge), cube("top", mass, edge), rail)
            lifts.append(arena.add(made, name=f"lift{number}", position=(60.0 * number, 0.0, 0.0)))
        start = [float(lift.position[2]) for lift in lifts]
        arena.step(100)
        efforts = arena.world.engine.state.joint_effort
        for number, (lift, (mass, edge)) in enumerate(zip(lifts, BODIES, strict=True)):
            what = f"{mass:g} kg of {edge:g} m"
            assert float(lift.position[2]) == pytest.approx(start[number], abs=0.002), what
            assert float(efforts[number]) == pytest.approx(9.81 * mass, rel=0.01), what


def test_flat_plates_are_bodies(tmp_path: Path, engine: str) -> None:
    """Two moments of a plate sum up to the third, but for rounding in whatever axes the file gives them."""
    choice = np.random.default_rng(38)
    with Arena(engine=engine, world="empty") as arena:
        for number in range(20):
            a, b = choice.uniform(1e-4, 1e-2, 2)
            turn = rotation_from_rpy(tuple(choice.uniform(-3.0, 3.0, 3)))
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = (turn @ np.diag([a, b, a + b]) @ turn.T).tolist()
            moments = f'ixx="{xx!r}" ixy="{xy!r}" ixz="{xz!r}" iyy="{yy!r}" iyz="{yz!r}" izz="{zz!r}"'
            plate = f'<link name="base"><inertial><mass value="1"/><inertia {moments}/></inertial></link>'
            arena.add(read(tmp_path, plate), name=f"plate{number}", position=(float(number), 0.0, 1.0))
        arena.step(2)
        assert len(arena.robots) == 20
