"""A policy on the topics of a simulator's robot."""

import signal
import sys
from pathlib import Path

import numpy as np
from sensor_msgs.msg import JointState

from simspark_learning.policy import Policy
from simspark_learning.tasks.body import NAO
from test.rigs.ros_processes import Domain, Observer, Process

PARAMETERS = ("robots:=['nao']", "referee:=false")


def test_a_policy_moves_the_robot_whose_topics_it_is_given(domain: Domain, observer: Observer, tmp_path: Path) -> None:
    # Whatever it perceives, it bends the left knee by an action of 1: 0.5 rad more than the -0.9 rad of its pose.
    bend = np.array([float(name == "llj4") for name in NAO.moved])
    size = 36
    policy = Policy("stand", "percepts", np.zeros(size), np.ones(size), [(np.zeros((len(bend), size)), bend)])
    policy.save(tmp_path / "policy.npz")
    command = [sys.executable, "-m", "simspark_ros.cli", "policy", str(tmp_path / "policy.npz"), "--robot", "/nao"]
    process = Process(domain, command=command)
    try:
        with observer.hear(JointState, "/nao/joint_states") as states:

            def angle(name: str) -> float:
                last = states.messages[-1]
                return float(last.position[last.name.index(name)])

            def is_bent() -> bool:
                return bool(states.messages) and abs(angle("llj4") + 0.4) < 0.05 and abs(angle("rlj4") + 0.9) < 0.05

            observer.until(is_bent, "the pose of the policy")
    finally:
        assert process.end(signal.SIGINT) == 0, process.output
