from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.catalogue import load_robot, with_more
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.worlds.errors import UnusableRobotError
from test.perceptors.readings import is_present, reading
from test.physics.engine_availability import skip_without

G = 9.81
# A quarter turn back about the axis to the left.
ON_ITS_BACK = (0.0, -(0.5**0.5), 0.0, 0.5**0.5)
# A heavy base on which a limb turns about y.
URDF = """<robot name="arm">
  <link name="base"><inertial><mass value="30"/><inertia ixx="2" iyy="2.5" izz="3"/></inertial></link>
  <link name="limb"><inertial><origin xyz="0.2 0 0"/><mass value="0.5"/><inertia ixx="1e-3" iyy="2e-3" izz="3e-3"/>
    </inertial></link>
  <link name="hand"><inertial><origin xyz="0.1 0.05 0"/><mass value="0.2"/><inertia ixx="1e-3" iyy="1e-3" izz="1e-3"/>
    </inertial></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="limb"/><origin xyz="0.1 0 0"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="6" effort="50"/></joint>
  <joint name="wrist" type="fixed"><parent link="limb"/><child link="hand"/><origin xyz="0.4 0 0"/></joint>
</robot>"""


@pytest.fixture(params=["bullet", "ode", "mujoco"])
def engine(request: pytest.FixtureRequest) -> str:
    skip_without(request.param)
    return str(request.param)


def with_sensors(robot: Any, *links: str, **parameters: float) -> Any:
    specs = [PerceptorSpec("force_torque", link, link, parameters) for link in links]
    return replace(robot, perceptors=(*robot.perceptors, *specs))


def demand(played: Any, robot: Any, *links: str) -> None:
    played.simulation.sensing.demand({(robot.handle, "force_torque", link) for link in links})


def wrench(percepts: Any, link: str) -> tuple[bool, Any]:
    return is_present(percepts, "force_torque", 0, link), reading(percepts, "force_torque", 0, link)


def test_the_ankles_of_a_standing_robot_carry_all_but_its_feet(play: Any, engine: str) -> None:
    played = play(engine=engine, referee=False)
    nao = with_sensors(load_robot("nao"), "rfoot", "lfoot")
    robot = played.world.add_robot(nao, (0.0, 0.0, nao.spawn_height), 0.7)
    assert not wrench(played.run(100), "rfoot")[0], "nothing is sensed without demand"
    demand(played, robot, "rfoot", "lfoot")
    assert not wrench(played.run(1), "rfoot")[0], "the first momentum has none to compare with"
    weight = nao.model.link("rfoot").mass * G
    for _ in range(5):
        percepts = played.run(1)
        touch = dict(zip(nao.model.touch_links, played.world.engine.state.touch_force, strict=True))
        for foot in ("rfoot", "lfoot"):
            assert wrench(percepts, foot)[1][:3] == pytest.approx(touch[foot] - [0.0, 0.0, weight], abs=0.3)
    if engine != "bullet":
        # PyBullet's contact forces are those of the last one of its steps, and change from one to the next.
        both = sum(wrench(percepts, foot)[1][2] for foot in ("rfoot", "lfoot"))
        assert both == pytest.approx(nao.model.mass * G - 2.0 * weight, rel=0.01)


def test_a_joint_feels_its_motor_and_the_inertia_beyond(play: Any, engine: str, tmp_path: Any) -> None:
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "arm.yaml").write_text("model: arm.urdf\n")
    played = play(engine=engine, referee=False)
    arm = with_sensors(load_robot(str(tmp_path / "arm.yaml")), "limb", "hand")
    demand(played, played.world.add_robot(arm, (0.0, 0.0, 5.0), 0.3), "limb", "hand")
    played.run(2)
    # In a fall nothing weighs.
    assert wrench(played.run(1), "limb")[1] == pytest.approx([0.0] * 6, abs=0.05)
    state, motors = played.world.engine.state, played.world.motors
    motors.set_efforts(np.array([0]), np.array([0.8]), state)
    before = state.joint_velocity[0]
    _, felt = wrench(played.run(1), "limb")
    acceleration = (played.world.engine.state.joint_velocity[0] - before) / played.world.elapsed
    assert acceleration > 1.0
    # What turns the limb one way turns the base the other way.
    assert felt[4] == pytest.approx(-0.8, rel=0.05)
    _, hand = wrench(played.simulation.percepts, "hand")
    # The hand's centre is 0.5 m from the elbow, and accelerates down, as y points left.
    assert hand[2] == pytest.approx(0.2 * 0.5 * acceleration, rel=0.1)


def test_any_joint_may_have_a_sensor_also_between_links_that_meet_the_ground(play: Any, engine: str) -> None:
    base, *carried = [link.name for link in load_robot("nao").model.links]
    sensors: list[dict[str, Any]] = [{"kind": "force_torque", "name": link, "link": link} for link in carried]
    nao = with_more("nao", 0, {"perceptors": [*sensors, {"kind": "touch", "link": base}]})
    played = play(engine=engine, referee=False)
    robot = played.world.add_robot(nao, (0.0, 0.0, 0.15), 0.0)
    # On its back: head, torso and feet meet the ground.
    played.world.engine.place_robot(robot.handle, (0.0, 0.0, 0.15), ON_ITS_BACK)
    demand(played, robot, *carried)
    percepts = played.run(100)
    made = played.world.engine
    _, (turn, *rotations) = made.link_poses(made.select_links([(robot.handle, link) for link in (base, *carried)]))
    force = {link: turn @ wrench(percepts, link)[1][:3] for link, turn in zip(carried, rotations, strict=True)}
    touch = made.state.touch_force[nao.model.touch_links.index(base)]
    on_torso = sum(force[joint.child] for joint in nao.model.joints if joint.parent == base)
    # The torso is at rest between what its joints and the ground exert. As in test_touch.py.
    assert on_torso + turn @ touch == pytest.approx([0.0, 0.0, nao.model.base.mass * G], abs=0.1)
    assert force["rlowerarm"][2] == pytest.approx(-G * nao.model.link("rlowerarm").mass, abs=0.05)


def test_places_and_contacts_that_cannot_be_sensed_are_refused(play: Any) -> None:
    played = play()
    nao = load_robot("nao")
    for link, words in (("torso", "no joint carries"), ("nose", "no joint carries"), ("", "'link'")):
        with pytest.raises((UnusableRobotError, ConfigurationError), match=words):
            played.world.add_robot(with_sensors(nao, link), (0.0, 0.0, 1.0), 0.0)
