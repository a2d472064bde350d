from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from simspark_recording.playing.monitor_state import MonitorState
from simspark_recording.topics.definitions import message_definition
from simspark_recording.topics.reader import RecordedTopic
from simspark_recording.topics.scene_frames import GAME, SCENE, TEAM, SceneFrames
from simspark_ros.exchange import Action
from simspark_ros.msg import ScenePoses
from simspark_ros.protocol.monitor.log import read_frames
from simspark_ros.ros.topics.world import game, scene_poses
from simspark_ros.server.monitor_log import MonitorLog
from test.conftest import Played
from test.rigs.messages.monitor_reader import Board, read

KINDS = {"scene": SCENE, "scene_poses": SCENE, "game/state": GAME, "game/left_team": TEAM, "game/right_team": TEAM}
TOPICS = {name: RecordedTopic(name, kind, message_definition(kind), {}) for name, kind in KINDS.items()}


class Wire:
    """Stands for a publisher, and keeps what is published as bytes."""

    def __init__(self, sent: list[tuple[str, bytes]], topic: str) -> None:
        self._sent, self._topic = sent, topic

    def get_subscription_count(self) -> int:
        return 1

    def publish(self, message: Any) -> None:
        self._sent.append((self._topic, serialize_message(message)))


def numbers(board: Board) -> np.ndarray:
    return np.array([node.matrix for node in board.nodes if node.matrix])


def test_they_show_what_a_monitor_log_shows(played: Played, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent: list[tuple[str, bytes]] = []
    for module in (game, scene_poses):
        monkeypatch.setattr(module, "create_publisher", lambda node, kind, topic, qos: Wire(sent, topic))
    names: dict[int, str] = {}
    simulation = played.simulation
    node: Any = None
    topics = game.GameTopics(node, played.referee.match, names, {"nao": []})
    poses = scene_poses.ScenePosesControl(node, names, 50.0)
    for control in (topics, poses, MonitorLog(tmp_path / "match.log", 0.02, print)):
        simulation.add_node(control)
    topics.refresh()
    poses.refresh()
    played.run(3)
    played.join("a", "Lions", 7)
    played.join("b", "Dragons", 2, variant=4)
    played.act(Action("trainer", "playMode", ("PlayOn",)), cycles=30)
    simulation.run(0)

    types = [deserialize_message(data, String).data for topic, data in sent if topic == "game/robot_types"]
    assert types == ['{"nao": []}']
    frames = SceneFrames(played.world.settings.environment, pytest.fail)
    state, frame = MonitorState(), b""
    for topic, data in sent:
        if topic in TOPICS:
            frames.take(TOPICS[topic], data)
        if frame := frames.next_frame():
            state.show(frame)
    logged = MonitorState()
    for frame in read_frames(tmp_path / "match.log"):
        logged.show(frame)
    made, expected = Board(), Board()
    made.show(read(state.full().decode()))
    expected.show(read(logged.full().decode()))
    assert made.environment == expected.environment
    assert [node.facts for node in made.nodes] == [node.facts for node in expected.nodes]
    # Poses are float32 on the topic, and small changes are not sent.
    assert numbers(made) == pytest.approx(numbers(expected), abs=0.012)


def poses_message(**values: Any) -> bytes:
    robot = {"names": ["one"], "models": ["nao"], "variants": [0], "teams": [1], "link_counts": [1]}
    places = {"positions": [0.0, 0.0, 1.0], "quaternions": [0.0, 0.0, 0.0, 1.0], "ball": []}
    return bytes(serialize_message(ScenePoses(**{**robot, **places, **values})))


@pytest.mark.parametrize("values", [{"teams": [7]}, {"positions": [0.0]}, {"link_counts": [5]}])
def test_a_scene_that_contradicts_itself_is_left_out_with_a_line(values: dict[str, Any]) -> None:
    told: list[str] = []
    frames = SceneFrames({}, told.append)
    frames.take(TOPICS["scene"], poses_message(**values))
    assert not frames.next_frame() and len(told) == 1
    frames.take(TOPICS["scene"], b"\0\1")
    assert not frames.next_frame()
    frames.take(TOPICS["scene"], poses_message())
    assert frames.next_frame()


def test_robots_of_files_are_not_read_from_these_and_another_type_of_that_name_is_not_shown(tmp_path: Path) -> None:
    frames = SceneFrames({}, pytest.fail)
    frames.take(TOPICS["scene"], poses_message(models=[str(tmp_path / "own.yaml")]))
    assert read(frames.next_frame().decode()).full
    told: list[str] = []
    frames = SceneFrames({}, told.append)
    scene = replace(TOPICS["scene"], definition="int32 x\n")
    for _ in range(2):
        frames.take(scene, poses_message())
    assert not frames.next_frame() and len(told) == 1 and "differs from the recorded one" in told[0]
