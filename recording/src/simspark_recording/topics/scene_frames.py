"""Frames for monitors from recorded topics: `scene_poses` or `scene`, `game/state` and the teams."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from std_msgs.msg import String

from simspark_recording.topics.definitions import message_definition, same_definition
from simspark_recording.topics.reader import RecordedTopic
from simspark_ros.configuration.errors import cut
from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.msg import GameState, ScenePoses, TeamStatus
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.rendering.scene_models import SimulatedRobot
from simspark_ros.robots.catalogue import load_robot, robot_names
from simspark_ros.robots.description import RobotError
from simspark_ros.ros.topics.world.scene_poses import WORLD_TOPIC, scene_of
from simspark_ros.soccer.settings import world_of_text

SCENE, GAME, TEAM = (f"simspark_ros/msg/{kind.__name__}" for kind in (ScenePoses, GameState, TeamStatus))
_TEXT = "std_msgs/msg/String"
_GAME_FIELDS = attrgetter(
    *("time", "play_mode", "left_score", "right_score", "half", "left_team", "right_team"),
    *("left_score_wait", "right_score_wait"),
)
"""Fields of the message in the order of `GameSnapshot`."""
_TYPES = {SCENE: ScenePoses, GAME: GameState, TEAM: TeamStatus}


class SceneFrames:
    """Makes frames of the last messages. Numbers of players come from the topics of teams, if these were recorded.

    `environment` has the sizes of the field by monitors' names, until the recording tells of its world if `is_told`;
    `tell` takes lines for the operator, equal ones once.
    """

    def __init__(self, environment: dict[str, float], tell: Callable[[str], object], is_told: bool = False) -> None:
        self._encoder = MonitorEncoder(load_look(), environment)
        self._is_told = is_told
        self._tell = lru_cache(maxsize=64)(tell)
        self._scene: bytes | None = None
        self._game: bytes | None = None
        self._teams: dict[str, bytes] = {}
        self._state = GameSnapshot(0.0, "BeforeKickOff", 0, 0, 1, "", "")
        self._numbers: dict[str, int] = {}
        self._layout = Layout(0, (), ())
        self._known: dict[RecordedTopic, bool] = {}

    def take(self, topic: RecordedTopic, data: bytes) -> None:
        """Keep a message, if it has a part of the scene."""
        if self._is_told and tells_world(topic):
            self._take_world(data)
        if topic.kind not in _TYPES or not self._is_known(topic):
            return
        if topic.kind == SCENE:
            self._scene = data
        elif topic.kind == GAME:
            self._game = data
        else:
            self._teams[topic.name] = data

    def _take_world(self, data: bytes) -> None:
        try:
            environment = world_of_text(deserialize_message(data, String).data).environment
        # Whatever the file holds: the rest of it is played.
        except Exception as error:
            self._tell(f"a world that cannot be used is left out: {cut(str(error), 80)}")
            return
        self._encoder = MonitorEncoder(load_look(), environment)
        self._layout = Layout(self._layout.revision + 1, (), ())

    def next_frame(self) -> bytes:
        """The next frame, if there are new poses; empty if not, or if they cannot be shown."""
        scene, self._scene = self._scene, None
        if scene is None:
            return b""
        try:
            return self._encoded(deserialize_message(scene, ScenePoses))
        # Whatever the file holds: the rest of it is played.
        except Exception as error:
            self._tell(f"a scene that cannot be shown is left out: {cut(str(error), 80)}")
            return b""

    def _encoded(self, message: Any) -> bytes:
        robots, pose = scene_of(message)
        self._follow_game()
        layouts = tuple(self._robot(number, robot) for number, robot in enumerate(robots))
        if layouts != self._layout.robots:
            self._layout = Layout(self._layout.revision + 1, layouts, ())
        full = self._encoder.adopt(self._layout)
        ball = (
            np.array(message.ball, np.float64) if len(message.ball) else np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
        )
        poses = Poses(pose.positions, rotations_from_quaternions(pose.quaternions), ball[:3], ball[3:])
        time = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        nothing = np.zeros(0)
        percepts = Percepts(0, time, self._layout, self._state, nothing, nothing.astype(np.bool_), poses=poses)
        frames = self._encoder.encode(percepts, full=full, partial=not full)
        return frames.full or frames.partial or b""

    def _follow_game(self) -> None:
        if self._game is not None:
            game, self._game = deserialize_message(self._game, GameState), None
            self._state = GameSnapshot(*_GAME_FIELDS(game))
        for data in self._teams.values():
            self._numbers |= {player.name: player.unum for player in deserialize_message(data, TeamStatus).players}
        self._teams = {}

    def _robot(self, number: int, robot: SimulatedRobot) -> RobotLayout:
        name, links, body = _look_of(robot.model, robot.variant, robot.links)
        side = robot.team.value if robot.team else ""
        team = {"left": self._state.team_left, "right": self._state.team_right}.get(side, "")
        unum = self._numbers.get(robot.name, 0) if side else 0
        return RobotLayout(number, robot.name, name, robot.variant, team, side, unum, 0, (), (), (), links, body)

    def _is_known(self, topic: RecordedTopic) -> bool:
        if topic not in self._known:
            same = same_definition(topic.definition, message_definition(topic.kind))
            self._known[topic] = same
            if not same:
                self._tell(
                    f"{topic.name} is not shown: the definition of {topic.kind} here differs from the recorded one"
                )
        return self._known[topic]


def tells_world(topic: RecordedTopic) -> bool:
    """Whether the messages of a topic tell the world."""
    return topic.kind == _TEXT and topic.name.rpartition("/")[2] == WORLD_TOPIC


@lru_cache(maxsize=256)
def _look_of(model: str, variant: int, links: int) -> tuple[str, tuple[str, ...], int]:
    """Name, links and looks of a robot; of one that this installation does not know, links without names.

    A recording may name any file as a model, so only robots of the package are looked up.
    """
    if model.partition("?")[0] in robot_names():
        try:
            description = load_robot(model, variant)
        except RobotError:
            pass
        else:
            if len(description.model.links) == links:
                return description.name, tuple(link.name for link in description.model.links), description.body
    return model, tuple(f"link {number}" for number in range(links)), variant
