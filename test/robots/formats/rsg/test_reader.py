"""What a robot in SimSpark's RSG becomes; its expressions are sums and products, no programs."""

import math
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.physics.model import JointKind
from simspark_ros.robots.description import RobotDescription
from simspark_ros.robots.files.formats import read_format
from simspark_ros.robots.files.reading import describe
from simspark_ros.robots.formats.rsg.arithmetic import ExpressionError, evaluate

BODY = "(nd RigidBody (setName body) (setSphereTotal 1 0.1))"


def transform(name: str, x: float, content: str = "", body: str = BODY) -> str:
    return f"(nd Transform (setName {name}) (setLocalPos {x} 0 0) {body} {content})\n"


def hinge(first: str, second: str, more: str = "", kind: str = "HingeJoint") -> str:
    return f"(nd {kind} (attach {first} {second}) (setAnchor 0 0 0) {more})"


def described(folder: Path, content: str, variant: int = 0) -> RobotDescription:
    path = folder / "robot.rsg"
    path.write_text(f"(RSG 0 1)\n(\n{content})", encoding="utf-8")
    read = read_format(path, variant, LimitSettings())
    return describe(path, read.document, read.urdf, variant, report=read.report)


def test_right_becomes_left_hinges_sliders_types_and_variables_are_read(tmp_path: Path) -> None:
    box = "(nd BoxCollider (setBoxLengths 1 2 3))"
    limb = transform("b", 2, box + hinge("../body", "../../a/body", "(setAxis 0 1 0)"))
    robot = described(tmp_path, transform("a", 0) + limb)
    (joint,) = robot.model.joints
    assert joint.position == pytest.approx((0.0, -2.0, 0.0))
    assert joint.axis == pytest.approx((1.0, 0.0, 0.0))
    assert robot.model.link("b").collisions[0].size == (2.0, 1.0, 3.0)
    devices = "(nd HingePerceptor (setName hj1)) (nd HingeEffector (setName he1))"
    limits = "(setLowStopDeg 0 -90) (setHighStopDeg 0 45) (setMaxMotorForce 0 7) (setJointMaxSpeed1 3)"
    hinged = transform("b", 1, hinge("../body", "../../a/body", limits + devices))
    robot = described(tmp_path, transform("a", 0) + hinged)
    (joint,) = robot.model.joints
    assert (joint.name, joint.max_effort, joint.max_velocity) == ("hj1", 7.0, 3.0)
    assert (joint.lower, joint.upper) == pytest.approx((-math.pi / 2.0, math.pi / 4.0))
    assert [(one.kind, one.name, one.joint) for one in robot.effectors] == [("hinge", "he1", "hj1")]
    content = "(templ $type) (def $mass (eval 1 + $type))"
    content += transform("a", 0, body="(nd RigidBody (setSphereTotal $mass 1))")
    assert described(tmp_path, content, 3).model.mass == pytest.approx(4.0)
    (tmp_path / "rsg_variables.yaml").write_text("Nao.Mass: 2.5\nNaoType: [{toe: 'false'}]", encoding="utf-8")
    cases = f'(switch (eval "NaoType["$type"][\'toe\']") (true {transform("t", 0)}) (false {transform("f", 0)}))'
    mass = "(nd RigidBody (setSphereTotal (eval Nao.Mass) 0.1))"
    robot = described(tmp_path, f"(templ $type) {cases.replace(BODY, mass)}")
    assert (robot.model.base.name, robot.model.mass) == ("f", pytest.approx(2.5))
    slide = hinge("../body", "../../a/body", "(setAxis 0 0 1) (setLowStopPos 0 -1) (setHighStopPos 0 2)", "SliderJoint")
    content = transform("a", 0) + transform("b", 1, slide)
    content += transform("c", 2, hinge("../body", "../../b/body", "", "FixedJoint"))
    model = described(tmp_path, content).model
    (joint,) = model.joints
    assert (joint.kind, joint.lower, joint.upper) == (JointKind.PRISMATIC, -1.0, 2.0)
    # Without an effector it has no motor.
    assert joint.max_effort == 0.0
    assert [(one.parent, one.child) for one in model.fixed_joints] == [("b", "c")]


@pytest.mark.parametrize(
    ("ends", "sign"), [(("../body", "../../a/body"), 1.0), (("../../a/body", "../body"), -1.0)], ids=["child", "parent"]
)
def test_angles_count_from_the_second_body_to_the_first(tmp_path: Path, ends: tuple[str, str], sign: float) -> None:
    limb = transform("b", 1, hinge(*ends, "(setAxis 0 0 1)"))
    (joint,) = described(tmp_path, transform("a", 0) + limb).model.joints
    assert (joint.parent, joint.child) == ("a", "b")
    assert joint.axis == pytest.approx((0.0, 0.0, sign))


@pytest.fixture
def crawler() -> RobotDescription:
    path = Path(__file__).parents[3] / "data" / "robots" / "rsg" / "crawler" / "crawler.rsg"
    found = read_format(path, 0, LimitSettings())
    return describe(path, found.document, found.urdf, 0, report=found.report)


def test_a_crawler_has_universal_joints_devices_and_mirrored_arms(crawler: RobotDescription) -> None:
    robot = crawler
    first, second = (joint for joint in robot.model.joints if joint.name.startswith("neck"))
    assert (first.name, second.name) == ("neck_1", "neck_2")
    # The first axis is that of the head, so its hinge is the outer one.
    assert (second.parent, second.child, first.parent, first.child) == ("trunk", second.child, second.child, "head")
    # Right, x of SimSpark, is -y here.
    assert second.axis == pytest.approx((0.0, -1.0, 0.0))
    assert {one.name for one in robot.effectors if one.kind == "universal"} == {"neckeffector"}
    assert [one.name for one in robot.perceptors if one.kind == "universal_joint"] == ["neck"]
    kinds = {one.kind for one in robot.perceptors}
    assert {"time", "gyroscope", "accelerometer", "restricted_vision", "touch", "hinge_joint"} <= kinds
    assert robot.visible_parts == {"head": "head"}
    assert (robot.model.touch_links, robot.model.linear_drag) == (("larm", "rarm"), 0.01)
    left, right = (next(one for one in robot.model.joints if one.name == name) for name in ("laj1", "raj1"))
    assert np.array(left.position) == pytest.approx(np.array(right.position) * [1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("mass", "moment"),
    [
        ("(setBoxTotal 12 1 2 3)", 12.0 / 12.0 * (1.0 + 9.0)),
        ("(setBox 2 1 2 3)", 12.0 / 12.0 * (1.0 + 9.0)),
        ("(setSphereTotal 12 0.5)", 0.4 * 12.0 * 0.25),
        ("(setCylinderTotal 12 1 2)", 12.0 * (3.0 + 4.0) / 12.0),
    ],
)
def test_masses_are_totals_or_densities(tmp_path: Path, mass: str, moment: float) -> None:
    base = described(tmp_path, transform("a", 0, body=f"(nd RigidBody {mass})")).model.base
    assert base.mass == pytest.approx(12.0)
    # About our x, which is SimSpark's y.
    assert base.inertia[0] == pytest.approx(moment)


VARIABLES = {"Soccer.Width": 14.0, "Type": [{"tl": 0.5}], "Flag": "true", "Deep": True}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("-1 * (0.5 - 2)", 1.5),
        ("7 / 2", 3),
        ("7 / 2.0", 3.5),
        ("Soccer.Width / 2", 7.0),
        ("Type[0]['tl']", 0.5),
        ("Flag", "true"),
        ("Deep", "true"),
    ],
)
def test_expressions_are_computed_as_ruby_does(text: str, value: float | str) -> None:
    assert evaluate(text, VARIABLES) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("__import__('os').system('true')", "not a sum or product"),
        ("().__class__", "unknown variable"),
        ("9 ** 9 ** 9", "not a sum or product"),
        ("'a' * 1000000000", "not a number"),
        ("1e14 * 1e14", "too large"),
        ("1 / 0", "by zero"),
        ("Other.Width", "unknown variable Other.Width"),
        ("Type[3]['tl']", r"Type\[3\] does not exist"),
        ("Type", "not a finite number or word"),
        ("1" * 2000, "longer than 1000"),
        ("(" * 400 + ")" * 400, "not a sum or product"),
        ("", "not a sum or product"),
    ],
)
def test_anything_else_is_refused(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        evaluate(text, VARIABLES)
