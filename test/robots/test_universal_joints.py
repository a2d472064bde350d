"""Two hinge joints sensed and commanded as one, from a robot's file to the bytes of a client."""

import math

import numpy as np
import pytest

from simspark_ros.exchange import Commands
from simspark_ros.protocol.agent.decoder import AgentDecoder
from simspark_ros.protocol.agent.dialect import load_dialect
from simspark_ros.protocol.agent.encoder import AgentEncoder
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import RobotError

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
HINGE = (
    '<joint name="laj{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="{3}"/>'
    '<limit lower="-2" upper="2" velocity="6" effort="50"/></joint>'
)
URDF = (
    '<robot name="arm">'
    + "".join(LINK.format(name) for name in ("trunk", "shoulder", "hand"))
    + HINGE.format(1, "trunk", "shoulder", "0 1 0")
    + HINGE.format(2, "shoulder", "hand", "0 0 1")
    + "</robot>"
)
SENSOR = "{kind: universal_joint, name: laj1_2, joints: [laj1, laj2]}"
MOTOR = "{kind: universal, joints: {laj1: lae1_2, laj2: lae1_2}}"


@pytest.fixture
def arm(tmp_path):
    def make(sensor: str = SENSOR, motor: str = MOTOR):
        (tmp_path / "arm.urdf").write_text(URDF)
        path = tmp_path / "arm.yaml"
        path.write_text(f"model: arm.urdf\nperceptors: [{sensor}]\neffectors: [{motor}]\n")
        return load_robot(str(path))

    return make


def test_both_angles_are_sent_in_one_list(played, arm):
    robot = played.world.add_robot(arm(), (0, 0, 2), 0.0, client="me")
    played.world.engine.set_joint_positions(robot.handle, np.radians([-30.0, 45.0]))
    percepts = played.run(1)
    angles = np.degrees(played.world.engine.state.joint_position)
    message = AgentEncoder(load_dialect("measured")).encode(percepts)["me"][4:].decode()
    assert message == f"(UJ (n laj1_2) (ax1 {angles[0]:.2f}) (ax2 {angles[1]:.2f}))"


@pytest.mark.parametrize(("profile", "factor"), [("measured", 1.0), ("manual2010", math.radians(50.0))])
def test_one_command_moves_both_joints(played, arm, profile, factor):
    robot = played.world.add_robot(arm(), (0, 0, 2), 0.0, client="me")
    layout = played.run(1).layout.robots[0]
    decoder = AgentDecoder(load_dialect(profile))
    decoder.bind("me", robot.handle, layout.hinge_effectors)
    decoded = decoder.decode("me", b"(lae1_2 -2.3 1.2)(syn)")
    assert decoded.syn and not decoded.rejected
    handles = np.full(2, decoded.handle)
    played.link.inbox.append(
        Commands(handles=handles, joints=np.array(decoded.joints), velocities=np.array(decoded.numbers))
    )
    assert decoder.decode("me", b"(lae1_2 1)").rejected == ["lae1_2: the command needs 2 speeds, not 1"]
    assert "is not a number" in decoder.decode("me", b"(lae1_2 1 x)").rejected[0]
    assert len(decoder.decode("me", b"(lae1_2 1 2 3)").numbers) == 2
    played.run(1)
    assert played.world.motors.target == pytest.approx([-2.3 * factor, 1.2 * factor])


@pytest.mark.parametrize(
    ("sensor", "motor", "fragment"),
    [
        ("{kind: universal_joint, name: a, joints: [laj1]}", MOTOR, "two joints, not 1"),
        ("{kind: universal_joint, name: a, joints: [laj1, laj9]}", MOTOR, "'laj9'"),
        (SENSOR, "{kind: universal, joints: {laj1: lae1_2}}", "'lae1_2': a universal joint has two joints, not 1"),
    ],
)
def test_what_is_no_universal_joint_is_named(arm, sensor, motor, fragment):
    with pytest.raises(RobotError, match=fragment):
        arm(sensor, motor)
