"""What enters by topics and services is recorded, too: such a run is repeated to the same hashes, without ROS."""

import signal
import socket
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sensor_msgs.msg import JointState

from simspark_ros import srv
from simspark_ros.msg import Beam, EntityState, GameState, Resource, Result, SimulationState
from simspark_ros.simulation.inputs import INPUTS
from simspark_ros.simulation.logs.log_file import read_lines
from test.rigs.messages.messagepack import packed
from test.rigs.ros_processes import Domain, Observer, Process
from test.rigs.waiting import DEADLINE
from test.server.test_continuation import hashes, verified

CART = """<robot name="cart">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><geometry><box size="0.4 0.3 0.1"/></geometry></collision></link>
  <link name="arm"><inertial><mass value="0.2"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
  <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.05"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/></joint>
</robot>"""

SERVE = [sys.executable, "-m", "simspark_ros.cli", "serve", "--headless", "--agent-port=0", "--monitor-port=0"]


def play(observer: Observer) -> None:

    def call(kind: Any, service: str, **values: Any) -> None:
        answer = observer.call(kind, service, kind.Request(**values))
        assert answer.result.result == Result.RESULT_OK, answer.result.error_message

    with observer.hear(JointState, "/one/joint_states") as joints:
        commands = observer.publisher(JointState, "/one/joint_command")
        first = joints.wait()[0].position[0]
        for values in ({"velocity": [1.0, 0.5]}, {"position": [0.4, -0.3]}, {"effort": [0.1, 0.2]}):
            commands.publish(JointState(name=["hj1", "laj2"], **values))
            joints.wait(5)
        observer.until(lambda: abs(joints.wait()[0].position[0] - first) > 0.1, "the head turning")
    call(srv.JoinTeam, "game/join_team", entity="one", team="Reds", unum=3)
    call(srv.SpawnEntity, "/spawn_entity", name="two", entity_resource=Resource(uri="nao/4"), entity_namespace="away")
    call(srv.SpawnEntity, "/spawn_entity", name="two", allow_renaming=True, entity_resource=Resource(uri="nao"))
    call(srv.SpawnEntity, "/spawn_entity", name="keep", entity_resource=Resource(uri="player:goalkeeper?policy=block"))
    with observer.hear(GameState, "game/state") as game:
        assert observer.set_parameter("rule_book.set_plays.drop_ball_time", 0.1) == ""
        assert "out of range" in observer.set_parameter("rule_book.set_plays.drop_ball_time", -1.0)
        assert observer.set_parameter("sensors.one.gyroscope.torso.noise", 0.1) == ""
        call(srv.KickOff, "game/kick_off", team=srv.KickOff.Request.LEFT_TEAM)
        call(srv.DropBall, "game/drop_ball")
        call(srv.SetPlayMode, "game/set_play_mode", play_mode="BeforeKickOff")
        observer.until(lambda: game.messages and game.messages[-1].play_mode == "BeforeKickOff", "the play mode")
    beam = observer.publisher(Beam, "/one/beam")
    beam.publish(Beam(x=-3.0, y=2.0, theta=0.5))
    with observer.hear(JointState, "/one/joint_states") as joints:
        joints.wait(20)
    ball = EntityState()
    ball.pose.position.x, ball.twist.linear.y = 2.0, 1.0
    call(srv.SetEntityState, "/set_entity_state", entity="ball", state=ball, set_pose=True, set_twist=True)
    call(srv.SetEntityState, "/set_entity_state", entity="one", state=EntityState(), set_pose=True)
    call(srv.DeleteEntity, "/delete_entity", entity="two")
    paused = SimulationState(state=SimulationState.STATE_PAUSED)
    call(srv.SetSimulationState, "/set_simulation_state", state=paused)
    call(srv.ResetSimulation, "/reset_simulation", scope=srv.ResetSimulation.Request.SCOPE_ALL)
    call(srv.SetSimulationState, "/set_simulation_state", state=SimulationState(state=SimulationState.STATE_PLAYING))
    with observer.hear(JointState, "/one/joint_states") as joints:
        joints.wait(60)
    call(srv.UnloadWorld, "/unload_world")
    call(srv.LoadWorld, "/load_world", world_resource=Resource(resource_string="based_on: spl_12ms\nteams: {size: 3}"))
    call(srv.SpawnEntity, "/spawn_entity", name="one", entity_resource=Resource(resource_string=CART))
    call(srv.SetSimulationState, "/set_simulation_state", state=SimulationState(state=SimulationState.STATE_PLAYING))
    with observer.hear(JointState, "/one/joint_states") as joints:
        joints.wait(60)


def drive(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as driver:
        driver.settimeout(DEADLINE)
        driver.connect(str(path))
        driver.sendall(packed({"Position": [0.3] * 25, "Stiffness": [0.5] * 25}))
        for _ in range(5):
            assert driver.recv(896, socket.MSG_WAITALL)


def test_a_simulator_without_server_is_recorded(domain: Domain, start: Callable[..., Process], tmp_path: Path) -> None:
    record, first, second = tmp_path / "run.gz", tmp_path / "first", tmp_path / "second"
    files = (f"record:={record}", f"hash_log:={first}")
    node = start("simulator_node", parameters=(*files, "robots:=['one=nao']", "pacing:=fast", "late_cycles:=quanta"))
    with closing(Observer(domain)) as observer, observer.hear(JointState, "/one/joint_states") as joints:
        commands = observer.publisher(JointState, "/one/joint_command")
        joints.wait()
        commands.publish(JointState(name=["hj1"], velocity=[1.0]))
        observer.until(lambda: joints.wait()[0].position[0] > 0.1, "the head turning")
    assert node.end(signal.SIGTERM) == 0
    done = verified(record, f"--hash-log={second}")
    assert done.status == 0, done.errors
    assert len(hashes(first)) > 1
    assert hashes(first) == hashes(second)


def test_a_server_is_recorded_by_its_own_option(domain: Domain, tmp_path: Path) -> None:
    server = Process(domain, f"record:={tmp_path / 'run.gz'}", command=SERVE)
    assert server.wait() == 2
    assert "parameter 'record': use the option --record" in server.output


def test_what_enters_by_ros_is_repeated_to_the_same_hashes(domain: Domain, tmp_path: Path) -> None:
    record, first, second = tmp_path / "run.gz", tmp_path / "first", tmp_path / "second"
    files = (f"--record={record}", f"--hash-log={first}", f"--lola={tmp_path}")
    parameters = ("--ros-args", "-p", "robots:=['one=nao', 'driven=nao_lola']")
    with Process(domain, command=[*SERVE, "--engine=ode", "--late-cycles=quanta", *files, *parameters]) as server:
        server.wait_for_line("Ctrl-C ends it")
        drive(tmp_path / "driven")
        with closing(Observer(domain)) as observer:
            play(observer)
    entered = {name for line in read_lines(record) for name in INPUTS if f'["{name}"'.encode() in line}
    # Only a clock that is followed sets the time.
    assert entered == {*INPUTS} - {"agents", "set_time", "vacated"}
    done = verified(record, f"--hash-log={second}")
    assert done.status == 0, done.errors
    before, after = hashes(first), hashes(second)
    assert abs(len(before) - len(after)) <= 1
    assert after[: len(before)] == before[: len(after)]
