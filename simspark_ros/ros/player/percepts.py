"""A player's ROS topics as one percept a cycle. Plain functions of messages, no node."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from simspark_ros.motion.interface import Triple
from simspark_ros.players.geometry import Polar
from simspark_ros.players.percepts import FootForce, GameReport, HeardMessage, Percept, SeenObjects, SeenPlayer
from simspark_ros.ros.conversions import seconds_of
from simspark_ros.soccer.game_state import PlayMode

BALL = "B"
MOST_HEARD = 16
"""Messages kept until the next percept."""

_MODES = {mode.value: mode for mode in PlayMode}


class PerceptCollector:
    """Collects the messages of one robot until a cycle is complete.

    A cycle is complete with joints and inertial readings of the same stamp; all else that has arrived by then belongs
    to it. Its first percept carries the player's number and side (`left` or `right`).
    """

    def __init__(self, unum: int, side: str) -> None:
        self._introduction: tuple[int, str] | None = (unum, side)
        self._joints: Any = None
        self._imu: Any = None
        self._last = -1.0
        self._feet: dict[str, FootForce] = {}
        self._sight: SeenObjects | None = None
        self._heard: list[HeardMessage] = []
        self._game = GameReport()

    def on_joint_states(self, message: Any) -> None:
        """Take a sensor_msgs/JointState."""
        self._joints = message

    def on_imu(self, message: Any) -> None:
        """Take a sensor_msgs/Imu."""
        self._imu = message

    def on_foot_contacts(self, message: Any) -> None:
        """Take a simspark_ros/FootContacts."""
        self._feet = {
            contact.name: FootForce(_triple(contact.point), _triple(contact.force))
            for contact in message.contacts
            if contact.touching
        }

    def on_seen_objects(self, message: Any) -> None:
        """Take a simspark_ros/SeenObjects."""
        self._sight = sight_of(message)

    def on_hear(self, message: Any) -> None:
        """Take a simspark_ros/Hear."""
        if len(self._heard) < MOST_HEARD:
            self._heard.append(HeardMessage(message.team, None if message.own else message.direction, message.text))

    def on_game_state(self, message: Any) -> None:
        """Take a simspark_ros/GameState."""
        self._game = GameReport(
            _MODES.get(message.play_mode), message.time, int(message.left_score), int(message.right_score)
        )

    def take(self) -> Percept | None:
        """The percept of a cycle, once; None while it is not complete."""
        if self._joints is None or self._imu is None or self._joints.header.stamp != self._imu.header.stamp:
            return None
        time = seconds_of(self._joints.header.stamp)
        if time == self._last:
            return None
        self._last = time
        game, sight, heard = self._game, self._sight, tuple(self._heard)
        self._sight, self._heard = None, []
        if self._introduction:
            game = GameReport(game.play_mode, game.time, game.score_left, game.score_right, *self._introduction)
            self._introduction = None
        return Percept(
            time,
            dict(zip(self._joints.name, self._joints.position, strict=False)),
            _triple(self._imu.angular_velocity),
            _triple(self._imu.linear_acceleration),
            self._feet,
            sight,
            heard,
            game,
        )


def sight_of(message: Any) -> SeenObjects:
    """Content of a simspark_ros/SeenObjects; all names that are not of players' parts are marks."""
    marks: dict[str, Polar] = {}
    players: dict[tuple[str, int], dict[str, Polar]] = defaultdict(dict)
    for name, *numbers in zip(message.names, message.ranges, message.bearings, message.elevations, strict=False):
        team, slash, rest = name.rpartition("/")[0].rpartition("/")
        if slash and rest.isdigit():
            players[team, int(rest)][name.rpartition("/")[2]] = Polar(*numbers)
        else:
            marks[name] = Polar(*numbers)
    ball = marks.pop(BALL, None)
    return SeenObjects(marks, ball, tuple(SeenPlayer(team, unum, parts) for (team, unum), parts in players.items()))


def _triple(vector: Any) -> Triple:
    return (vector.x, vector.y, vector.z)
