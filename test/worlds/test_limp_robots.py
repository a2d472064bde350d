"""A robot whose motors have no power falls as a rag doll: no joint runs away, and stops hold."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simspark_ros.arena import Arena
from simspark_ros.physics.engine import JointControl
from test.physics.engine_availability import skip_without
from test.robots.formats.adaptation.makers import joint, link, robot, write

FOOT = link("base", '<collision><geometry><box size="2 2 0.1"/></geometry></collision>', mass=200.0)


# The two presets of PyBullet move limbs in different ways.
@pytest.mark.parametrize(("engine", "preset"), [("bullet", ""), ("ode", ""), ("mujoco", ""), ("bullet", "legacy")])
def test_a_limp_nao_falls_and_comes_to_rest(engine: str, preset: str) -> None:
    skip_without(engine)
    with Arena("nao=nao", engine=engine, preset=preset, world="empty") as arena:
        nao = arena["nao"]
        arena.step(20)
        arena.world.motors.set_stiffness(np.arange(len(nao.joints)), 0.0)
        lower, upper = np.array([(one.lower, one.upper) for one in nao.description.model.joints]).T
        fastest, beyond = 0.0, 0.0
        for _ in range(400):
            arena.step()
            positions = np.asarray(nao.joint_positions)
            fastest = max(fastest, float(np.abs(nao.joint_velocities).max()))
            beyond = max(beyond, float(np.maximum(lower - positions, positions - upper).max()))
        last, height = float(np.abs(nao.joint_velocities).max()), float(nao.position[2])
    assert height < 0.2
    # A limb that falls freely by the Nao's height of 0.6 m hits the ground with 3.4 m/s, and on an arm of 0.2 m turns
    # with 17 rad/s. Without friction light links spun ever faster, with 1,000 rad/s on ODE.
    assert fastest < 17.0
    # Stops act within the step in which a limp joint would pass them. When they acted afterwards, joints were up to 2.7
    # degrees beyond, on PyBullet's preset `legacy` 21, and a `nao_v6`'s hands 22 to 33 on each engine.
    assert np.degrees(beyond) < 1.0
    assert last < 0.2


RAIL = '<origin xyz="0 0 2"/><axis xyz="0 0 1"/><limit lower="-0.5" upper="0.5" velocity="10" effort="{}"/>'


@pytest.mark.parametrize("effort", [0.0, 20.0])
def test_a_limp_slide_falls_onto_its_stop(tmp_path: Path, engine: str, effort: float) -> None:
    """It arrives with 3 m/s, 6 cm in a step; the stop takes the energy up."""
    rail = joint("rail", "base", "cart", RAIL.format(effort), "prismatic").replace('<axis xyz="1 0 0"/>', "", 1)
    held = joint("held", "base", "more", '<limit lower="-1" upper="1" velocity="1" effort="10"/>')
    path = write(tmp_path, robot(FOOT, link("cart"), link("more"), rail, held))
    with Arena(f"cart={path}", engine=engine, world="empty") as arena:
        made = arena["cart"]
        number = made.joints.index("rail")
        arena.world.motors.set_stiffness(np.array([number]), 0.0)
        places = []
        for _ in range(40):
            arena.step()
            places.append(float(made.joint_positions[number]))
    assert min(places) > -0.505
    assert places[-1] == pytest.approx(-0.5, abs=0.005)


def test_a_joint_that_was_limp_has_its_own_stop_again(tmp_path: Path, engine: str) -> None:
    """Stiff again, its motor holds it anywhere between its stops, as if it had never been limp."""
    limit = '<origin xyz="0 0 1"/><limit lower="-0.4" upper="0.4" velocity="10" effort="50"/>'
    path = write(tmp_path, robot(FOOT, link("arm"), joint("shoulder", "base", "arm", limit)))
    places = []
    for softness in ((), (0.0, 1.0)):
        with Arena(f"arm={path}", engine=engine, world="empty") as arena:
            arm = arena["arm"]
            for stiffness in softness:
                arena.world.motors.set_stiffness(np.array([0]), stiffness)
                arena.step(3)
            for goal in (0.4, -0.3):
                arm.set_positions({"shoulder": goal})
                arena.step(20)
                places.append(float(arm.joint_positions[0]))
    assert places[:2] == pytest.approx([0.4, -0.3], abs=0.005)
    assert places[2:] == pytest.approx(places[:2], abs=1e-4)


def test_an_effort_of_nothing_is_an_effort_whatever_other_robots_do() -> None:
    skip_without("mujoco")
    seen = []
    for stiffness in (1.0, 0.0):
        with Arena("one=nao", "two=nao", engine="mujoco", world="empty") as arena:
            one, joints = arena["one"], len(arena["one"].joints)
            arena.world.motors.set_stiffness(np.arange(joints, 2 * joints), stiffness)
            for _ in range(10):
                one.set_efforts({"llj4": 0.0})
                arena.step()
            seen.append(float(one.joint_positions[one.joints.index("llj4")]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("effort", [0.0, 0.5, 2.0, 8.0])
def test_a_stop_holds_whatever_its_motor_can(tmp_path: Path, engine: str, effort: float) -> None:
    """An arm that needs 8.8 N m to be held hangs sideways, above a stop at 0.4 rad."""
    moment = 'ixx="0.06" iyy="0.06" izz="0.01" ixy="0" ixz="0" iyz="0"'
    arm = f'<inertial><origin xyz="0 0.3 0"/><mass value="3"/><inertia {moment}/></inertial>'
    limit = f'<origin xyz="0 0 1"/><limit lower="-0.4" upper="0.4" velocity="10" effort="{effort}"/>'
    other = '<limit lower="-1" upper="1" velocity="1" effort="10"/>'
    parts = [FOOT, f'<link name="arm">{arm}</link>', link("more")]
    joints = [joint("shoulder", "base", "arm", limit), joint("other", "base", "more", other)]
    path = write(tmp_path, robot(*parts, *joints))
    with Arena(f"arm={path}", engine=engine, world="empty") as arena:
        made = arena["arm"]
        lowest = 0.0
        # The weakest motor takes a tenth of the energy up with each bounce at its elastic stop.
        for _ in range(400):
            arena.step()
            angle = float(made.joint_positions[0])
            lowest = min(lowest, angle)
    # It falls with up to 5 rad/s, 0.1 rad in a step of 20 ms.
    assert lowest > -0.5
    assert angle == pytest.approx(-0.4, abs=0.05)


@pytest.mark.parametrize("same_limit", [False, True])
def test_a_limp_joint_whose_damping_exceeds_its_motor_ends_at_its_stop(
    tmp_path: Path, engine: str, same_limit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arm falls onto its stop, damped by more than its motor can; also if the limit of its effort never changes."""
    dynamics = '<dynamics damping="0.5" friction="0"/>'
    limit = f'<origin xyz="0 0 1"/><limit lower="-0.4" upper="0.4" velocity="20" effort="0.2"/>{dynamics}'
    moment = 'ixx="0.06" iyy="0.06" izz="0.01" ixy="0" ixz="0" iyz="0"'
    arm = f'<link name="arm"><inertial><origin xyz="0 0.3 0"/><mass value="3"/><inertia {moment}/></inertial></link>'
    path = write(tmp_path, robot(FOOT, arm, joint("shoulder", "base", "arm", limit)))
    with Arena(f"arm={path}", engine=engine, world="empty") as arena:
        made, step = arena["arm"], arena.world.engine.step

        def steady(control: JointControl) -> None:
            step(replace(control, effort_limit=np.ones(1)))

        if same_limit:
            monkeypatch.setattr(arena.world.engine, "step", steady)
        arena.step()
        arena.world.motors.set_stiffness(np.array([0]), 0.0)
        places = []
        for _ in range(60):
            arena.step()
            places.append(float(made.joint_positions[0]))
    assert np.degrees(min(places)) > np.degrees(-0.4) - 2.0
    assert places[-1] == pytest.approx(-0.4, abs=0.01)


LIMB = """
<link name="{0}"><inertial><origin xyz="{2} 0 0"/><mass value="{1}"/>
<inertia ixx="{3}" iyy="{4}" izz="{4}" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""


@pytest.mark.parametrize("seed", range(3))
def test_a_limp_hand_stays_within_its_stop_at_zero_on_an_arm_that_whirls(
    tmp_path: Path, engine: str, seed: int
) -> None:
    """On ODE and MuJoCo its hinge tilts by 2 degrees, as ODE's do, and ODE takes a tilt at 0 for an angle."""
    limit = '<origin xyz="{} 0 0"/><limit lower="{}" upper="{}" velocity="4" effort="{}"/>'
    arm, hand = LIMB.format("arm", 0.5, 0.1, 1e-4, 2e-3), LIMB.format("hand", 0.2, 0.02, 1e-5, 1.5e-5)
    shoulder = joint("shoulder", "base", "arm", limit.format(0.1, -2, 2, 10), axis="0 0 1")
    fingers = joint("fingers", "arm", "hand", limit.format(0.2, 0, 1, 0), axis="0 1 0")
    path = write(tmp_path, robot(link("base"), arm, hand, shoulder, fingers))
    with Arena(engine=engine, world="empty") as arena:
        made = arena.add(str(path), position=(0.0, 0.0, 5.0))
        handle, number = arena.world.engine.state.handles[0], made.joints.index("fingers")
        arena.world.motors.set_stiffness(np.arange(2), 0.0)
        random = np.random.default_rng(seed)
        arena.world.engine.set_joint_positions(handle, np.array([0.0, 0.5]))
        arena.world.engine.set_velocity(handle, (0.0, 0.0, 0.0), tuple(random.normal(size=3) * 12.0))
        angles = []
        for _ in range(45):
            arena.step()
            angles.append(float(made.joint_positions[number]))
    assert -1.0 < np.degrees(min(angles)) < 30.0
    assert max(angles) < 1.0 + np.radians(1.0)
