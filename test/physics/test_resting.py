"""Robots of any weight lie on the ground, and do not sink in."""

import math

import pytest

from simspark_conformance.harness import CheckedWorld
from simspark_conformance.models import solid_box
from simspark_ros.arena import Arena
from simspark_ros.physics.model import ArticulatedModel, SceneModel, SurfaceMaterial
from simspark_ros.physics.registry import create_engine
from simspark_ros.physics.surfaces import hardness_of
from test.physics.engine_availability import skip_without


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("ground", [None, SurfaceMaterial()])
def test_a_box_of_any_weight_sinks_in_by_less_than_two_millimetres(engine: str, ground: SurfaceMaterial | None) -> None:
    """PyBullet let a tonne in by 0.2 m, ODE and MuJoCo by 13 mm."""
    skip_without(engine)
    made = create_engine(engine)
    world = CheckedWorld(made, SceneModel(ground=ground))
    for number, mass in enumerate((0.01, 1.0, 100.0, 1000.0)):
        world.add(ArticulatedModel("box", (solid_box("box", mass, (0.4, 0.4, 0.2)),), ()), (3.0 * number, 0.0, 0.1))
    world.run_for(5.0)
    heights = world.state.position[:, 2]
    assert (heights > 0.098).all() and (heights <= 0.1 + 1e-6).all()
    assert (world.state.rotation[:, 2, 2] > 1.0 - 1e-6).all()
    made.close()


def test_the_contacts_of_usual_robots_are_those_of_the_preset() -> None:
    assert [hardness_of(mass) for mass in (1e-6, 5.0, 50.0, 51.0, 100.0, 1000.0)] == [1.0, 1.0, 1.0, 2.0, 2.0, 32.0]


def _solid(name: str, mass: float, moment: float, centre: float, shape: str, place: float) -> str:
    inertia = "".join(f'{key}="{moment}" ' for key in ("ixx", "iyy", "izz"))
    return (
        f'<link name="{name}"><inertial><origin xyz="0 0 {centre}"/><mass value="{mass}"/><inertia {inertia}/>'
        f'</inertial><collision><origin xyz="0 0 {place}"/><geometry>{shape}</geometry></collision></link>'
    )


def _hinge(name: str, place: str, parent: str, child: str, limit: str) -> str:
    return (
        f'<joint name="{name}" type="revolute"><origin xyz="{place}"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="0 1 0"/><limit {limit}/></joint>'
    )


def _quadruped() -> str:
    """A robot of 10 kg on four legs, whose knees have no zero: they start at their stops."""
    parts = [_solid("trunk", 6, 0.06, 0, '<box size="0.4 0.2 0.1"/>', 0)]
    for leg, (x, y) in enumerate(((0.2, 0.13), (0.2, -0.13), (-0.2, 0.13), (-0.2, -0.13))):
        parts += [
            _solid(f"thigh{leg}", 0.9, 0.009, -0.1, '<box size="0.03 0.03 0.2"/>', -0.1),
            _solid(f"shin{leg}", 0.2, 0.002, -0.1, '<sphere radius="0.02"/>', -0.2),
            _hinge(
                f"hip{leg}", f"{x} {y} 0", "trunk", f"thigh{leg}", 'lower="-0.7" upper="4.5" effort="24" velocity="30"'
            ),
            _hinge(
                f"knee{leg}",
                "0 0 -0.2",
                f"thigh{leg}",
                f"shin{leg}",
                'lower="-2.8" upper="-0.888" effort="35" velocity="20"',
            ),
        ]
    return "\n".join(['<robot name="quadruped">', *parts, "</robot>"])


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_legs_that_start_at_their_stops_stand(engine: str) -> None:
    """Elastic stops threw the legs off: on MuJoCo this robot jumped aside by 12 mm, Unitree's Go1 onto its back."""
    skip_without(engine)
    with Arena(engine=engine, world="empty") as arena:
        robot = arena.add(_quadruped())
        start = robot.position.copy()
        robot.set_positions(robot.joint_positions)
        arena.step(100)
        # The feet sink in by 1 to 2 mm.
        assert robot.position == pytest.approx(start, abs=0.0025)


@pytest.mark.parametrize(("engine", "most"), [("bullet", 0.025), ("ode", 0.002), ("mujoco", 0.002)])
def test_a_heavy_robot_does_not_creep_down_a_slope(engine: str, most: float) -> None:
    """The slip of the classic league's robots is a velocity per force: on a slope of 10 degrees this box slid 2 m.

    Engines that need softness in rows of friction let it creep, PyBullet, which has one softness for all, by 5 mm/s.
    """
    skip_without(engine)
    made, tilt = create_engine(engine), math.radians(10.0)
    world = CheckedWorld(made, SceneModel(gravity=(9.81 * math.sin(tilt), 0.0, -9.81 * math.cos(tilt))))
    world.add(ArticulatedModel("box", (solid_box("box", 200.0, (0.4, 0.4, 0.2)),), ()), (0.0, 0.0, 0.1))
    world.run_for(5.0)
    assert abs(float(world.state.position[0, 0])) < most
    made.close()


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
def test_a_motor_that_holds_a_joint_at_its_stop_does_not_press_against_it(engine: str) -> None:
    """On MuJoCo a motor that carried 59 N m at its stop pushed the stop with 1,500 N m."""
    skip_without(engine)
    parts = [
        _solid("base", 20, 1, 0, '<box size="0.6 0.6 0.2"/>', 0),
        _solid("arm", 20, 0.1, 0.3, '<box size="0.1 0.1 0.1"/>', 0.3),
        _hinge("j", "0 0 0.3", "base", "arm", 'lower="0" upper="0.5" effort="2000" velocity="1"').replace(
            'xyz="0 0 0.3"', 'xyz="0 0 0.3" rpy="0 1.5707963 0"'
        ),
    ]
    with Arena(engine=engine, world="empty") as arena:
        robot = arena.add("\n".join(['<robot name="crane">', *parts, "</robot>"]), fixed_base=True)
        robot.set_positions({"j": 0.0})
        arena.step(100)
        load = 20.0 * 9.81 * 0.3
        # Motor and stop share the load, which pulls outwards or inwards.
        assert abs(float(robot.joint_efforts[0])) < 1.01 * load


@pytest.mark.parametrize("engine", ["bullet", "ode", "mujoco"])
@pytest.mark.parametrize("kind", ["revolute", "fixed"])
def test_a_heavy_body_does_not_sink_into_the_joints_of_its_leg(engine: str, kind: str) -> None:
    """On ODE each joint gave way by a millimetre or two: Atlas and Robonaut 2 sank by 6 mm, this body by 7."""
    skip_without(engine)
    limit = 'lower="-1" upper="1" effort="900" velocity="5"'
    parts = [_solid("body", 150, 5, 0, '<box size="0.4 0.4 0.3"/>', 0)]
    for number, parent in enumerate(("body", "part0", "part1", "part2")):
        joint = _hinge(f"j{number}", "0 0 -0.15" if number == 0 else "0 0 -0.2", parent, f"part{number}", limit)
        parts += [
            _solid(f"part{number}", 5, 0.2, -0.1, '<box size="0.5 0.5 0.1"/>', -0.1),
            joint.replace("revolute", kind),
        ]
    with Arena(engine=engine, world="empty") as arena:
        robot = arena.add("\n".join(['<robot name="heavy">', *parts, "</robot>"]))
        start = robot.position.copy()
        robot.set_positions(robot.joint_positions)
        arena.step(150)
        # What a robot at rest may in `simspark robot check`.
        assert robot.position == pytest.approx(start, abs=0.003)
