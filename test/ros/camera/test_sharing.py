"""Camera processes share the cameras: each picture is drawn once, and those of a lost process go on."""

import signal
from collections import Counter
from collections.abc import Callable
from itertools import count

from sensor_msgs.msg import CameraInfo

from simspark_ros.ros.camera.sharing import LOST_AFTER, CameraShare, owner
from test.rigs.cameras import Peer, message
from test.rigs.ros_nodes import RosNodes
from test.rigs.ros_processes import Process

NAMES = tuple(f"left_{number}" for number in range(1, 9))


def test_cameras_are_spread_and_only_those_of_a_process_that_goes_change_hands() -> None:
    cameras = [f"robot_{number}/camera" for number in range(300)]
    before = {camera: owner(camera, ["a", "b", "c"]) for camera in cameras}
    assert min(Counter(before.values()).values()) > 60
    after = {camera: owner(camera, ["c", "a"]) for camera in cameras}
    assert all(after[camera] == before[camera] for camera in cameras if before[camera] != "b")


def test_a_silent_process_is_taken_for_lost_and_one_that_ends_says_so(room: RosNodes) -> None:
    now = [0.0]
    share = CameraShare(room.node("camera"), lambda: now[0])
    cameras = [f"{number}/camera" for number in range(50)]
    assert all(map(share.owns, cameras))
    share.hear("another")
    share.hear(share.identity)
    own = sum(map(share.owns, cameras))
    assert 0 < own < 50
    now[0] = LOST_AFTER - 0.1
    share.forget_lost()
    assert sum(map(share.owns, cameras)) == own
    now[0] = LOST_AFTER + 0.1
    share.forget_lost()
    assert all(map(share.owns, cameras))
    share.hear("another")
    share.hear("-another")
    assert all(map(share.owns, cameras))


def test_two_processes_send_everything_once_and_one_takes_over(peer: Peer, start: Callable[..., Process]) -> None:
    peer.scene.publish(message(*NAMES))
    infos = {name: peer.collect(CameraInfo, f"/{name}/camera/camera_info") for name in NAMES}
    processes = [start("camera.node", "--ros-args", "-r", f"__node:=camera_{number}") for number in (1, 2)]
    seconds = count(5)
    sent = [0]

    def send() -> None:
        sent[0] = next(seconds)
        peer.poses.publish(message(*NAMES, seconds=sent[0]))

    def times(name: str, stamp: int) -> int:
        return sum(info.header.stamp.sec == stamp for info in infos[name])

    def all_once() -> bool:
        # Of the state before the last one, whose messages may be on their way.
        return sent[0] > 6 and all(times(name, sent[0] - 1) == 1 for name in NAMES)

    peer.wait(lambda: peer.poses.get_subscription_count() == 2)
    peer.wait(all_once, send, every=0.5)
    assert processes[0].end(signal.SIGKILL) == -signal.SIGKILL
    peer.wait(lambda: all(times(name, sent[0] - 1) == 1 for name in NAMES), send, every=0.5)
    assert processes[1].end(signal.SIGTERM) == 0
