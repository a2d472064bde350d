"""Players of the demonstration team that use public topics and services alone."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Empty, String

from simspark_ros.clients.team import drawn_types
from simspark_ros.configuration.schema import ConfigurationError, declarations
from simspark_ros.msg import Beam, FootContacts, GameState, Hear, Say, SeenObjects
from simspark_ros.players.answer import Answer
from simspark_ros.players.geometry import Pose
from simspark_ros.players.player import PlayerAgent
from simspark_ros.players.team import ROBOT, team_player, type_of, usual_tactics
from simspark_ros.players.team_settings import load_team_settings
from simspark_ros.ros.parameters.declared import declare, warn_of_unknown
from simspark_ros.ros.player.percepts import PerceptCollector
from simspark_ros.ros.process import BackgroundExecutor, run_process
from simspark_ros.ros.services.spawn_client import CallError, call, call_standard, delete
from simspark_ros.ros.services.standard import set_resource
from simspark_ros.ros.settings import PlayerParameters
from simspark_ros.ros.topics.publisher import LATCHED
from simspark_ros.ros.topics.world.game import ROBOT_TYPES
from simspark_ros.server.signals import Signals
from simspark_ros.srv import JoinTeam

TIMEOUT = 60.0
"""Seconds to wait for the simulator."""
_PATIENCE = 3.0
"""Seconds after which the node says what it waits for."""

MATCHED = 25
"""Percepts between the discovery of the simulator's readers and a beam: the readers must find the player, too."""

_SLICE = 0.1
"""Time between two checks whether to end, s."""

# Only the newest percept is of use. Messages of single events are kept.
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
ALL = QoSProfile(depth=10)


class RosPlayer:
    """A player and the topics of its robot, whose namespace is `robot`; side: `left` or `right`."""

    def __init__(self, node: Node, robot: str, player: PlayerAgent, unum: int, side: str) -> None:
        self._player = player
        self._percepts = percepts = PerceptCollector(unum, side)
        self._speeds = JointState()
        self._answer = Answer()
        self._joints = node.create_publisher(JointState, f"{robot}/joint_command", ALL)
        self._say = node.create_publisher(Say, f"{robot}/say", ALL)
        self._beam = node.create_publisher(Beam, f"{robot}/beam", ALL)
        self._pass = node.create_publisher(Empty, f"{robot}/pass", ALL)
        self._heard = 0
        self._place: Pose | None = None
        node.create_subscription(GameState, "game/state", percepts.on_game_state, NEWEST)
        node.create_subscription(Hear, f"{robot}/hear", percepts.on_hear, ALL)
        node.create_subscription(SeenObjects, f"{robot}/seen_objects", percepts.on_seen_objects, NEWEST)
        node.create_subscription(FootContacts, f"{robot}/foot_contacts", percepts.on_foot_contacts, NEWEST)
        node.create_subscription(Imu, f"{robot}/imu/data_raw", self._on_imu, NEWEST)
        node.create_subscription(JointState, f"{robot}/joint_states", self._on_joint_states, NEWEST)

    def _on_imu(self, message: Any) -> None:
        self._percepts.on_imu(message)
        self._act()

    def _on_joint_states(self, message: Any) -> None:
        self._percepts.on_joint_states(message)
        self._act()

    def _act(self) -> None:
        percept = self._percepts.take()
        if percept is None:
            return
        # A command before the simulator has found its topic would be lost.
        if not self._heard and not all(
            topic.get_subscription_count() for topic in (self._joints, self._say, self._beam, self._pass)
        ):
            return
        self._heard += 1
        # The answer to the percept before: motions expect the delay of the classic protocol, whose percepts are a
        # cycle old. Sent now, it always takes effect with the next cycle; sent at once, sometimes a cycle earlier.
        self._send(self._answer)
        self._answer = self._player.act(percept)

    def _send(self, answer: Answer) -> None:
        self._speeds.name, self._speeds.velocity = list(answer.speeds), list(answer.speeds.values())
        self._joints.publish(self._speeds)
        self._place = answer.beam or self._place
        # A player beams once, so its beam must not be lost.
        if self._place is not None and self._heard > MATCHED:
            x, y, theta = self._place
            self._beam.publish(Beam(x=x, y=y, theta=theta))
            self._place = None
        if answer.say:
            self._say.publish(Say(text=answer.say))
        if answer.request_pass:
            self._pass.publish(Empty())


class PlayerNode(Node):
    """Node `player`: spawns robots, has them join a team, and plays with them.

    `PlayerParameters` are its parameters. The robots are named `<team>_<number>`, and leave when the node ends.

    Raises:
        ConfigurationError: a parameter is wrong; the message names it.
    """

    def __init__(self) -> None:
        super().__init__("player")
        try:
            self._squad = PlayerParameters(**declare(self, declarations(PlayerParameters)))
        except ValueError as error:
            raise ConfigurationError(str(error)) from None
        warn_of_unknown(self, declarations(PlayerParameters))
        self._robots: list[str] = []
        self._players: list[RosPlayer] = []

    def join(self, ending: threading.Event) -> None:
        """Spawn the robots and have them join; before the executor serves this node. `ending` interrupts it.

        Raises:
            CallError: the simulator does not answer, or refuses; the message says why.
            ConfigurationError: a parameter or a file cannot be used.
        """
        tactics = load_team_settings(usual_tactics(self._squad.world))
        team, namespace = self._squad.team, self._squad.services_namespace
        types = drawn_types(_robot_types(self, ending))
        for unum in self._squad.numbers:
            fill = partial(_fill, f"{team}_{unum}", f"{ROBOT}/{type_of(unum, tactics, types)}")
            robot = call_standard(self, namespace, "spawn_entity", fill, ending.is_set, TIMEOUT).entity_name
            self._robots.append(robot)
            wish = JoinTeam.Request(entity=robot, team=team, unum=unum)
            accepted = call(self, JoinTeam, "game/join_team", wish, ending.is_set, TIMEOUT)
            side = "left" if accepted.left else "right"
            player = team_player(team, unum, tactics, accepted.cycle, types, world=self._squad.world)
            self._players.append(RosPlayer(self, robot, player, int(accepted.unum), side))
            self.get_logger().info(f"'{robot}' plays as {side} {accepted.unum}")

    def leave(self) -> None:
        """Delete the robots, as far as the simulator still answers; after the executor has ended."""
        for robot in self._robots:
            try:
                delete(self, self._squad.services_namespace, robot)
            except CallError:
                return


def _robot_types(node: Node, ending: threading.Event) -> str:
    """The types that were drawn for the match, see `drawn_types`; errors as in `call`."""
    told: list[str] = []
    topic = node.create_subscription(String, ROBOT_TYPES, lambda message: told.append(message.data), LATCHED)
    began, domain, is_told = time.monotonic(), node.context.get_domain_id(), False
    deadline = began + TIMEOUT
    while not told:
        if not is_told and time.monotonic() > began + _PATIENCE:
            is_told = True
            node.get_logger().info(f"waiting for a simulator in ROS domain {domain}")
        if ending.is_set() or time.monotonic() > deadline:
            raise CallError(f"no message on '{topic.topic_name}' within {TIMEOUT:g} s; is the simulator running there?")
        rclpy.spin_once(node, timeout_sec=_SLICE)
    node.destroy_subscription(topic)
    return told[-1] if json.loads(told[-1]) else ""


def _fill(name: str, uri: str, request: Any) -> None:
    request.name, request.allow_renaming = name, True
    set_resource(request, uri)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play until SIGINT or SIGTERM; returns the exit status, see `run_process`."""
    ending = threading.Event()
    Signals().on_signal(ending.set)

    def work() -> None:
        node = PlayerNode()
        try:
            node.join(ending)
            executor = BackgroundExecutor(node)
            ending.wait()
            executor.close()
        except CallError:
            if not ending.is_set():
                raise
        finally:
            node.leave()
            node.destroy_node()

    return run_process("player", arguments, work)


if __name__ == "__main__":
    sys.exit(main())
