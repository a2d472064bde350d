"""A world with cycles of 12 ms on ROS topics, with bridges to which classic agents may not come."""

import signal
from itertools import pairwise

import pytest
from sensor_msgs.msg import JointState

from simspark_ros.clients.classic_client import ClassicClient
from simspark_ros.msg import Result
from simspark_ros.srv import JoinTeam
from test.rigs.ros_processes import BridgeProcess, Domain, Observer, Process, seconds

PARAMETERS = ("world:=spl_12ms", "robots:=['nao_lola']", "bridge:=true")


def test_data_comes_once_a_cycle_of_the_world_which_a_player_is_told_when_it_joins(observer: Observer) -> None:
    with observer.hear(JointState, "/nao_lola/joint_states") as joints:
        joints.wait(30)
    stamps = [seconds(message.header.stamp) for message in joints.messages[:30]]
    assert [b - a for a, b in pairwise(stamps)] == pytest.approx([0.012] * 29)
    answer = observer.call(JoinTeam, "game/join_team", JoinTeam.Request(entity="nao_lola", team="Blue", unum=3))
    assert (answer.result.result, answer.cycle) == (Result.RESULT_OK, 0.012)


def test_an_agent_at_a_bridge_gets_no_robot_and_both_programs_say_why(simulator: Process, domain: Domain) -> None:
    line = "classic agents are refused: they count on cycles of 0.02 s"
    simulator.wait_for_line(line)
    bridge = BridgeProcess(domain)
    bridge.wait_for_line("a simulator was found")
    with ClassicClient("127.0.0.1", bridge.agent_port) as client:
        client.send("(scene rsg/agent/nao/nao.rsg)")
        bridge.wait_for_line(line)
    assert bridge.end(signal.SIGINT) == 0, bridge.output
