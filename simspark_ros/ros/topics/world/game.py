"""The game on topics: its state, the referee's decisions, both teams. A topic without subscribers is not filled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from simspark_ros.msg import GameState, PlayerStatus, RefereeEvent, TeamStatus
from simspark_ros.physics.geometry.rotations import quaternion_from_rotation
from simspark_ros.robots.types.parameters import TypesJson
from simspark_ros.ros.conversions import MAP, set_quaternion, set_stamp, set_xyz, tick_of
from simspark_ros.ros.endpoints import create_publisher
from simspark_ros.ros.topics.publisher import LATCHED, RELIABLE, Fuse
from simspark_ros.simulation.loop import ControlNode, Simulation
from simspark_ros.soccer.posture import has_fallen
from simspark_ros.soccer.referee.decision import Decision
from simspark_ros.soccer.referee.decision_log import DecisionLog
from simspark_ros.soccer.referee.match import Match
from simspark_ros.soccer.teams import Side
from simspark_ros.soccer.world import SoccerRobot, SoccerWorld

ROBOT_TYPES = "game/robot_types"
"""The topic of the types that were drawn for the match, JSON."""

TEAM_RATE = 5.0
"""Messages of each team per simulated second."""

EVENTS_QOS = QoSProfile(depth=100)
"""Several decisions may be taken in one cycle."""

TEAMS = {None: RefereeEvent.NO_TEAM, Side.LEFT: RefereeEvent.LEFT_TEAM, Side.RIGHT: RefereeEvent.RIGHT_TEAM}
"""Constants of messages."""


class GameTopics(ControlNode):
    """Publishes `game/state` once a cycle, `game/events` with every decision, and both teams at `TEAM_RATE`.

    `game/robot_types` is published once.
    `namespaces` has the namespaces of robots' topics, by handle, where they differ from the robots' names; `types`: see
    `RobotTypes.as_json`.
    """

    def __init__(self, node: Node, match: Match | None, namespaces: Mapping[int, str], types: TypesJson) -> None:
        self._match, self._namespaces = match, namespaces
        self._state = create_publisher(node, GameState, "game/state", RELIABLE)
        self._events = create_publisher(node, RefereeEvent, "game/events", EVENTS_QOS)
        self._teams = {side: create_publisher(node, TeamStatus, f"game/{side.value}_team", RELIABLE) for side in Side}
        self._types = create_publisher(node, String, ROBOT_TYPES, LATCHED)
        self._types.publish(String(data=json.dumps(types)))
        names = ("state", "events", *(f"{side.value}_team" for side in Side))
        self._fuses = {name: Fuse(node, f"game/{name}") for name in names}
        self._state_wanted = False
        self._teams_wanted: tuple[Side, ...] = ()
        self._published = 0
        self._team_tick = -1

    def refresh(self) -> None:
        """Find out which topics have subscribers; for the executor's thread."""
        self._state_wanted = self._state.get_subscription_count() > 0
        self._teams_wanted = tuple(side for side, one in self._teams.items() if one.get_subscription_count() > 0)

    def end_cycle(self, simulation: Simulation) -> None:
        """Publish the messages that are due and wanted."""
        world, time = simulation.world, simulation.time
        if self._match is not None and self._match.log.count != self._published:
            log = self._match.log
            self._fuses["events"].run(lambda: self._publish_decisions(log, time))
        if self._state_wanted:
            self._fuses["state"].run(lambda: self._state.publish(game_state(world, time)))
        if not self._teams_wanted:
            return
        tick = tick_of(time, TEAM_RATE)
        if tick != self._team_tick:
            self._team_tick = tick
            for side in self._teams_wanted:
                self._fuses[f"{side.value}_team"].run(partial(self._publish_team, world, side, time))

    def _publish_decisions(self, log: DecisionLog, time: float) -> None:
        for decision in log.since(self._published):
            self._events.publish(referee_event(decision, time))
        self._published = log.count

    def _publish_team(self, world: SoccerWorld, side: Side, time: float) -> None:
        self._teams[side].publish(self._team_status(world, side, time))

    def _team_status(self, world: SoccerWorld, side: Side, time: float) -> Any:
        game = world.game
        message = TeamStatus(name=world.teams.of(side).name, score_wait=game.score_wait.get(side, 0.0))
        set_stamp(message.header.stamp, time)
        message.header.frame_id = MAP
        message.score = game.score_left if side is Side.LEFT else game.score_right
        message.players = [
            self._player(world, row, robot) for row, robot in enumerate(world.robots.values()) if robot.side is side
        ]
        return message

    def _player(self, world: SoccerWorld, row: int, robot: SoccerRobot) -> Any:
        name = self._namespaces.get(robot.handle, robot.name)
        state = world.engine.state
        description, position = robot.description, state.position[row].tolist()
        message = PlayerStatus(name=name, unum=robot.unum, model=description.name, variant=description.variant)
        set_xyz(message.pose.position, position)
        set_quaternion(message.pose.orientation, quaternion_from_rotation(state.rotation[row]))
        message.fallen = has_fallen(description, float(state.rotation[row, 2, 2]), position[2])
        message.touches_ball = row in state.ball_contacts
        message.out = self._match is not None and self._match.repositioning.is_out(robot.handle)
        return message


def game_state(world: SoccerWorld, time: float) -> Any:
    """The message on the game; time: simulated, s."""
    game, teams = world.game, world.teams
    message = GameState(play_mode=game.play_mode.value, time=game.time, mode_time=game.mode_time, half=game.half)
    set_stamp(message.header.stamp, time)
    message.left_team, message.right_team = teams.left.name, teams.right.name
    message.left_score, message.right_score = game.score_left, game.score_right
    message.left_score_wait = game.score_wait.get(Side.LEFT, 0.0)
    message.right_score_wait = game.score_wait.get(Side.RIGHT, 0.0)
    return message


def referee_event(decision: Decision, time: float) -> Any:
    """The message on a decision; time: simulated, s."""
    message = RefereeEvent(
        number=decision.number,
        cycle=decision.cycle,
        time=decision.time,
        rule=decision.rule,
        kind=decision.kind,
        team=TEAMS[decision.side],
        unum=decision.unum,
        play_mode=decision.play_mode.value,
        has_place=decision.place is not None,
        evidence_names=list(decision.evidence),
        evidence_values=list(decision.evidence.values()),
        text=decision.text,
    )
    set_stamp(message.header.stamp, time)
    message.header.frame_id = MAP
    if decision.place is not None:
        set_xyz(message.place, (*decision.place, 0.0))
    return message
