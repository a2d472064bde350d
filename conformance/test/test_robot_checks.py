"""The checks of a robot find it right where it is, say what is wrong where it is not, and cover each feature."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from simspark_conformance.robot_checks import Bench, Finding, Verdict, check_robot, engines_to_try, motion
from simspark_conformance.robot_checks.bench import NAME, torques_at_rest
from simspark_conformance.robot_checks.bodies import check_kinematics, check_weights
from simspark_conformance.robot_checks.joints import BEYOND, at_stops, check_followers, check_speeds, check_stops
from simspark_conformance.robot_checks.motion import check_limp, check_rest
from simspark_conformance.robot_checks.senses import check_sensors
from simspark_conformance.robot_checks.table import is_right, summary, table
from simspark_ros.cli import main
from simspark_ros.configuration.errors import UserError
from simspark_ros.physics.engine import EngineState
from simspark_ros.physics.model import Joint, JointKind
from simspark_ros.robots.catalogue import load_robot, robot_names, with_more
from simspark_ros.robots.description import EffectorSpec, RobotDescription
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import joint, link, robot, write

ENGINES = ("bullet", "ode", "mujoco")
BOX = '<collision><geometry><box size="0.4 0.4 0.1"/></geometry></collision>'
LIMB = (
    '<link name="{}"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>'
    '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
STOPS = '<origin xyz="0 0 0.1"/><limit lower="{}" upper="{}" velocity="{}" effort="{}"/>'
HANGING = f'<origin xyz="0 0 0.1" rpy="{math.pi} 0 0"/>'
LEANING = '<dynamics damping="0.3"/><origin xyz="0 0 0.1" rpy="0.5 0 0"/>'
RUBBING = f'{LEANING}<limit lower="-0.2" upper="1.2" velocity="9" effort="20"/>'
MIMIC = '<mimic joint="shoulder" multiplier="-0.5" offset="0.1"/>'
BOLTED = '<link name="world"/>', link("base", BOX), joint("bolts", "world", "base", kind="fixed"), LIMB.format("upper")
ELBOW = joint("elbow", "upper", "lower", STOPS.format(-2, 2, 4, 20) + MIMIC)
FINGER = (
    '<link name="upper"><inertial><origin xyz="0 0 0.012"/><mass value="0.017"/>'
    '<inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
CAR = (
    '<link name="upper"><inertial><origin xyz="0.01 0 0"/><mass value="59"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
BENT = '<dynamics damping="1e-4" friction="1e-4"/><origin xyz="0 0 0.1"/>'
SHANK = FINGER.replace("0.017", "0.15").replace("1e-6", "4e-5").replace("0.012", "-0.08")
HELD = joint("held", "base", "lower", STOPS.format(-1, 1, 2, 20))
ROBOTS = {
    "box": (link("base", BOX, mass=2.0),),
    "arm": (*BOLTED, joint("shoulder", "base", "upper", STOPS.format(-1, 1, 2, 20))),
    "slide": (*BOLTED, joint("rail", "base", "upper", STOPS.format(-0.2, 0.2, 0.5, 60), "prismatic")),
    "follower": (*BOLTED, LIMB.format("lower"), joint("shoulder", "base", "upper", STOPS.format(-1, 1, 2, 20)), ELBOW),
    # As the thumb of an H1: it needs longer than its leader.
    "slow follower": (
        *(*BOLTED, LIMB.format("lower"), joint("shoulder", "base", "upper", STOPS.format(-1, 1, 2, 20))),
        joint("elbow", "upper", "lower", STOPS.format(-2, 2, 0.4, 20) + MIMIC.replace("-0.5", "2.4")),
    ),
    # As Romeo's fingers: their leader has no motor.
    "limp leader": (
        *(*BOLTED[:3], FINGER, FINGER.replace("upper", "lower"), LIMB.format("tip")),
        joint(
            "shoulder", "base", "upper", '<origin rpy="1.57 0 0"/><limit lower="-3" upper="3" velocity="0" effort="0"/>'
        ),
        joint("elbow", "upper", "lower", STOPS.format(-3, 3, 0, 0) + MIMIC.replace("-0.5", "1")),
        joint("held", "base", "tip", STOPS.format(-1, 1, 2, 20)),
    ),
    "wheel": (*BOLTED, joint("wheel", "base", "upper", '<limit velocity="10" effort="5"/>', "continuous")),
    "pendulum": (*BOLTED, LIMB.format("lower"), joint("swing", "base", "upper", STOPS.format(-1, 1, 0, 0)), HELD),
    # As of a hand: gravity alone turns it by 6 degrees in a step, and friction is all that its joint has for a motor.
    "finger": (
        *(*BOLTED[:3], FINGER, LIMB.format("lower")),
        joint("bend", "base", "upper", BENT + STOPS.partition("/>")[2].format(0.3, 1.57, 5, 0)),
        HELD,
    ),
    # As of a file that means no limit by 1,000: of two such joints one holds while the other is pressed.
    "mighty": (
        *(*BOLTED[:3], SHANK, SHANK.replace("upper", "lower")),
        joint("hip", "base", "upper", STOPS.format(-10, 10, 1000, 1000)),
        joint("knee", "upper", "lower", STOPS.format(-10, 10, 1000, 1000)),
    ),
    # Without power its own friction is more than that of a gear.
    "rubbing": (
        *BOLTED,
        joint("shoulder", "base", "upper", RUBBING + STOPS.partition("/>")[2].format(0.3, 1.5, 9, 20)),
    ),
    # As of a robot of four legs: it starts at a stop, into which its weight presses it.
    "knee": (*BOLTED, joint("knee", "base", "upper", HANGING + STOPS.partition("/>")[2].format(0.5, 2, 2, 20))),
    # Held by far more than it weighs: MuJoCo's solver saw no weight.
    "feather": (
        *(*BOLTED[:3], FINGER.replace("0.017", "0.05").replace("1e-6", "1e-5")),
        joint("bend", "base", "upper", '<origin rpy="0.5 0 0"/>' + STOPS.partition("/>")[2].format(-1, 1, 5, 10)),
    ),
    # As Baxter's shoulder: its motor is too weak for its arm, and is held by more than it has.
    "weak": (*BOLTED, joint("shoulder", "base", "upper", LEANING + STOPS.partition("/>")[2].format(-1, 2, 2, 0.8))),
    # As of a rover with an arm: ODE's rail gives a little under the arm, and its load is pulled down the slope.
    "wagon": (
        *(*BOLTED[:3], CAR, CAR.replace("upper", "lower").replace("0.01", "0.3").replace("59", "15")),
        joint("rail", "base", "upper", STOPS.format(-1, 1, 1, 500), "prismatic"),
        joint("turn", "upper", "lower", STOPS.format(-1, 1, 1, 500), axis="0 0 1"),
    ),
    "stone": (link("base", BOX, mass=1000.0),),
    "pebble": (link("base", BOX, mass=0.01),),
    # As PR2's: the base is a frame on the floor of the maker's drawing, below the ground on which the robot stands.
    "sunk frame": (link("base"), link("body", BOX), joint("mount", "base", "body", '<origin xyz="0 0 0.1"/>', "fixed")),
}


def made(folder: Path, *parts: str) -> RobotDescription:
    return load_robot(str(write(folder, robot(*parts))))


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_of_each_feature_is_right(tmp_path: Path, name: str, engine: str) -> None:
    found = list(check_robot(made(tmp_path, *ROBOTS[name]), engine))
    assert [one for one in found if one.verdict is Verdict.WRONG] == []
    assert {one.check for one in found} >= {"kinematics", "mass", "rest", "sensors", "removal"}


def test_the_values_of_a_sensor_are_counted_and_those_of_a_scan_named() -> None:
    skip_without("ode")
    laser = {"kind": "laser", "link": "torso", "parameters": {"beams": 360}}
    with Bench(with_more("nao", 0, {"perceptors": [laser]}), "ode") as bench:
        figures = {one.part: one.figure for one in check_sensors(bench)}
    assert figures["laser"] == "period, 360 ranges"
    assert figures["gyroscope torso"] == "3 values"
    assert figures["hinge_joint hj1"] == "1 value"


# Robots with more sensors have the bodies of others: their bodies are tried on one engine.
SHIPPED = [
    (name, engine)
    for name in robot_names()
    for engine in (ENGINES[:1] if name.endswith(("_sensors", "_lola")) else ENGINES)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "engine"), SHIPPED)
def test_the_shipped_robots_are_right(name: str, engine: str) -> None:
    skip_without(engine)
    assert [one for one in check_robot(load_robot(name), engine) if one.verdict is Verdict.WRONG] == []


def test_the_energy_of_an_arm_is_measured_by_what_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arm of 1 kg on a bolted base of 1 t that gains a tenth of what its own fall by 0.1 m sets free."""
    skip_without("ode")
    base = link("base", BOX, mass=1000.0)
    heavy = made(tmp_path, BOLTED[0], base, *BOLTED[2:], joint("shoulder", "base", "upper", STOPS.format(-1, 1, 2, 20)))
    given = count(0.0, 0.1 * 0.1 * 9.81 / 2)
    monkeypatch.setattr(motion, "energy_of", lambda *_: min(next(given), 0.1 * 0.1 * 9.81))
    with Bench(heavy, "ode") as bench:
        found = [(one.figure, one.verdict) for one in check_limp(bench) if one.part == "energy"]
    assert found == [("+10.0 %", Verdict.WRONG)]


def test_what_is_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each check notices an engine that does not do what the file says."""
    skip_without("ode")

    def wrong(check: object, parts: tuple[str, ...], spoil: object) -> set[str]:
        with Bench(made(tmp_path, *parts), "ode") as bench:
            hang = bench.hang

            def spoilt(*model: object) -> object:
                entered = hang(*model)  # type: ignore[arg-type]
                spoil(bench)  # type: ignore[operator]
                return entered

            monkeypatch.setattr(bench, "hang", spoilt)
            return {one.part for one in check(bench) if one.verdict is Verdict.WRONG}  # type: ignore[operator]

    def turned(bench: Bench) -> None:
        engine = bench.engine
        put = engine.set_joint_positions
        monkeypatch.setattr(engine, "set_joint_positions", lambda one, positions: put(one, 0.9 * positions))
        poses = engine.link_poses
        monkeypatch.setattr(engine, "link_poses", lambda links: (1.01 * poses(links)[0], poses(links)[1]))

    def after_each_step(bench: Bench, change: Callable[[EngineState], None]) -> None:
        step = bench.engine.step

        def stepped(control: object) -> None:
            step(control)  # type: ignore[arg-type]
            change(bench.engine.state)

        monkeypatch.setattr(bench.engine, "step", stepped)

    def weak(state: EngineState) -> None:
        state.joint_effort = state.joint_effort + 3.0
        state.joint_velocity = 1.2 * state.joint_velocity
        state.joint_position = 1.1 * state.joint_position

    way = count(0.02, 0.02)

    def creeping(state: EngineState) -> None:
        state.joint_position = state.joint_position + next(way)

    def astray(bench: Bench) -> None:
        bench.arena.world.motors._passive._multiplier[:] = 0.5

    assert "upper" in wrong(check_kinematics, ROBOTS["arm"], turned)
    assert wrong(check_weights, ROBOTS["arm"], lambda bench: after_each_step(bench, weak)) == {"shoulder"}
    assert wrong(check_speeds, ROBOTS["arm"], lambda bench: after_each_step(bench, weak)) == {"shoulder"}
    assert wrong(check_stops, ROBOTS["arm"], lambda bench: after_each_step(bench, creeping)) == {"shoulder"}
    assert wrong(check_followers, ROBOTS["follower"], astray) == {"elbow"}


def test_a_joint_that_falls_against_its_motor_is_not_driven_too_fast(tmp_path: Path, engine: str) -> None:
    """A motor of 0.1 N m cannot brake a limb that falls with 2 N m, to the stop that it is driven from."""
    fallen = '<origin xyz="0 0 0.1" rpy="1.5707963 0 0"/><limit lower="-{}" upper="{}" velocity="1" effort="0.1"/>'
    for stops in ((1, 1.1), (1.1, 1)):
        arm = made(tmp_path, *BOLTED, joint("shoulder", "base", "upper", fallen.format(*stops)))
        with Bench(arm, engine) as bench:
            found = {one.check: one.verdict for one in check_speeds(bench)}
            assert found == {"speed": Verdict.NOTE, "effort": Verdict.RIGHT}


def test_a_robot_that_tips_over_is_wrong_and_a_box_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skip_without("ode")
    top = link("top", '<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision>', 5.0)
    foot = '<collision><geometry><box size="0.05 0.05 0.05"/></geometry></collision>'
    fixed = joint("neck", "base", "top", '<origin xyz="0.3 0 1"/>', "fixed")
    path = write(tmp_path, robot(link("base", foot), top, fixed))
    assert main(["robot", "check", str(path), "--engine", "ode", "--robot-file-time", "60"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["check", "part", "ode"]
    assert any(line.startswith("rest        standing") and line.endswith("WRONG") for line in lines)
    assert lines[-1] == "made on ode: 2 of 8 wrong"
    skip_without("bullet")
    path, picture = write(tmp_path, robot(*ROBOTS["box"])), tmp_path / "box.png"
    options = ["--engine", "ode", "--picture", str(picture), "--robot-file-time", "60"]
    assert main(["robot", "check", str(path), *options]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["made on ode: all of 7 right", f"picture: {picture}"]
    assert picture.stat().st_size > 0
    with pytest.raises(UserError, match="unknown physics engine 'odd'"):
        engines_to_try(["odd"])


def test_motors_with_gains_hold_the_robot_that_rests(tmp_path: Path, engine: str) -> None:
    """Without gains in its file a motor does nothing until a command: an inverted pendulum would fall."""
    arm = made(tmp_path, *ROBOTS["arm"])
    arm = replace(arm, effectors=(EffectorSpec("motor", "shoulder", joint="shoulder"),), home=(0.3,))
    with Bench(arm, engine) as bench:
        assert [one.verdict for one in check_rest(bench)] == [Verdict.RIGHT] * 2
        # The base is bolted: it shows nothing of its limb.
        assert bench.arena[NAME].joint_positions == pytest.approx([0.3], abs=BEYOND)


def test_weights_are_those_where_the_joints_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A joint may have gone a little from its start before it is held; here it has gone far."""
    skip_without("ode")
    with Bench(made(tmp_path, *ROBOTS["arm"]), "ode") as bench:
        hang = bench.hang

        def hung_aside() -> None:
            hang()
            bench.put(np.array([0.3]))

        monkeypatch.setattr(bench, "hang", hung_aside)
        assert [one.verdict for one in check_weights(bench)] == [Verdict.RIGHT]


@pytest.mark.parametrize(("speed", "turn"), [(0.002, 0.0), (0.0, math.radians(0.3))])
def test_a_robot_that_slides_or_turns_does_not_rest(tmp_path: Path, speed: float, turn: float) -> None:
    """10 mm and 1.5 degrees in five seconds are wrong, though it neither sinks nor leans."""
    skip_without("ode")
    with Bench(made(tmp_path, *ROBOTS["box"]), "ode") as bench:
        step = bench.arena.step

        def drifting(cycles: int = 1) -> None:
            step(cycles)
            state, time = bench.engine.state, cycles * bench.cycle
            state.position[0, 0] += speed * time
            c, s = math.cos(turn * time), math.sin(turn * time)
            state.rotation[0] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ state.rotation[0]

        bench.arena.step = drifting  # type: ignore[method-assign]
        found = list(check_rest(bench))
    assert [(one.part, one.verdict) for one in found] == [("standing", Verdict.RIGHT), ("in place", Verdict.WRONG)]


@pytest.mark.parametrize(
    ("deep", "lower", "verdict"),
    [(0.0019, 0.003, Verdict.RIGHT), (0.0021, 0.003, Verdict.WRONG), (0.001, 0.0035, Verdict.WRONG)],
)
def test_a_robot_may_sink_by_two_millimetres_and_its_joints_give_by_two(tmp_path, monkeypatch, deep, lower, verdict):
    skip_without("ode")
    monkeypatch.setattr(motion, "depth_of", lambda bench: deep)
    with Bench(made(tmp_path, *ROBOTS["box"]), "ode") as bench:

        def sunk(cycles: int) -> None:
            bench.engine.state.position[0, 2] -= lower

        bench.arena.step = sunk  # type: ignore[assignment, method-assign]
        found = list(check_rest(bench))
    assert [(one.part, one.verdict) for one in found] == [("standing", verdict), ("in place", Verdict.RIGHT)]


def test_a_heavy_robot_on_narrow_feet_does_not_rock(tmp_path: Path, engine: str) -> None:
    """As Valkyrie: its motors gave way on MuJoCo and came back a step later, which rocked it by 5 mm and more."""

    def limb(name: str, mass: float, moment: float, height: float, content: str = "") -> str:
        moments = " ".join(f'{axes}="{moment}"' for axes in ("ixx", "iyy", "izz"))
        inertial = f'<inertial><origin xyz="0 0 {height}"/><mass value="{mass}"/><inertia {moments}/></inertial>'
        return f'<link name="{name}">{inertial}{content}</link>'

    def pitch(parent: str, child: str, height: float, effort: float) -> str:
        limit = f'<origin xyz="0 0 {height}"/><limit lower="-1" upper="1" velocity="6" effort="{effort}"/>'
        return joint(child, parent, child, limit, axis="0 1 0")

    sole = '<collision><origin xyz="0.02 0 -0.04"/><geometry><box size="0.26 0.3 0.04"/></geometry></collision>'
    limbs = (
        limb("base", 100, 4, 0.2),
        limb("thigh", 12, 0.2, -0.2),
        limb("shank", 8, 0.2, -0.2),
        limb("foot", 3, 0.02, 0, sole),
    )
    joints = pitch("base", "thigh", 0, 350), pitch("thigh", "shank", -0.45, 350), pitch("shank", "foot", -0.45, 205)
    with Bench(made(tmp_path, *limbs, *joints), engine) as bench:
        standing = bench.stand()
        standing.set_positions(np.zeros(3))
        bench.arena.step(200)
        places = []
        for _ in range(25):
            bench.arena.step()
            places.append(standing.position)
    assert np.ptp(places, axis=0) == pytest.approx(0.0, abs=1e-4)


def test_the_depth_is_that_of_the_solids_in_the_ground(tmp_path: Path) -> None:
    """A box that is put 3 mm into the ground; a bolted one may stand in it."""
    skip_without("ode")
    box = made(tmp_path, *ROBOTS["box"])
    for tried, deep in ((box, 0.003), (replace(box, model=replace(box.model, fixed_base=True)), 0.0)):
        with Bench(tried, "ode") as bench:
            bench.stand()
            bench.engine.place_robot(bench.engine.state.handles[0], (0.0, 0.0, 0.047), (1.0, 0.0, 0.0, 0.0))
            assert motion.depth_of(bench) == pytest.approx(deep, abs=1e-9)


def test_a_limb_that_leans_needs_the_moment_of_its_weight(tmp_path: Path) -> None:
    arm = made(tmp_path, *ROBOTS["arm"])
    down = np.array([0.0, 0.0, -10.0])
    # About x: at 0.5 rad the mass of 1 kg is 0.2 m sin(0.5) to the side -y, and falls on to greater angles.
    assert torques_at_rest(arm, np.array([0.5]), down)[0] == pytest.approx(-2.0 * math.sin(0.5))
    slide = made(tmp_path, *ROBOTS["slide"])
    assert torques_at_rest(slide, np.array([0.1]), np.array([-10.0, 0.0, 0.0]))[0] == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("verdict", "limp", "positions"),
    [
        (Verdict.RIGHT, False, (0.9, 0.99, 1.03)),
        (Verdict.NOTE, False, (0.9, 0.98, 1.06)),
        (Verdict.WRONG, False, (1.0, 1.02, 1.06, 1.09)),
        (Verdict.WRONG, False, (0.98, 1.5, 1.5, 1.6)),
        (Verdict.RIGHT, True, (0.9, 0.98, 1.03)),
        (Verdict.WRONG, True, (0.9, 0.98, 1.06)),
    ],
)
def test_a_joint_may_pass_its_stop_by_its_way_in_a_cycle_and_a_limp_one_by_two_degrees(verdict, limp, positions):
    knee = Joint("knee", JointKind.REVOLUTE, "a", "b", lower=-1.0, upper=1.0, max_velocity=5.0)
    assert at_stops("stops", knee, np.array(positions), "pressed", late=not limp).verdict is verdict


def test_the_table_has_a_line_for_each_part_and_says_what_is_wrong() -> None:
    right = Finding("rest", "standing", Verdict.RIGHT, "0.1 mm")
    wrong = Finding("rest", "standing", Verdict.WRONG, "9 mm", "it sinks")
    lone = Finding("stops", "knee", Verdict.NOTE, "3 deg", "it passes")
    findings = {"ode": [right], "bullet": [wrong, lone]}
    lines = [line.split() for line in table(findings)]
    assert ["rest", "standing", "0.1", "mm", "9", "mm", "WRONG"] in lines
    assert ["stops", "knee", "-", "3", "deg", "*"] in lines
    assert ["rest", "standing", "(bullet):", "it", "sinks"] in lines
    assert summary(findings) == "ode: all of 1 right; bullet: 1 of 2 wrong, 1 notes"
    assert is_right({"ode": [right, lone]}) and not is_right(findings)
    assert summary({"ode": [right, lone]}) == "ode: all of 2 right, 1 notes"
