"""Scenes as our own server shows them, without a world: each link stands 0.1 m beside the one before."""

from collections.abc import Iterable

import numpy as np

from simspark_ros.exchange import GameSnapshot, Layout, Percepts, Poses, RobotLayout
from simspark_ros.physics.geometry.rotations import rotations_from_quaternions
from simspark_ros.protocol.monitor.encoder import MonitorEncoder
from simspark_ros.protocol.monitor.look import load_look
from simspark_ros.protocol.monitor.reader import MonitorReader
from simspark_ros.robots.catalogue import load_robot
from simspark_watching.broadcast.scene_recognition import SceneRecognizer

FINDER = SceneRecognizer(load_look())
BALL = (3.0, -1.0, 0.042)


def robot(name: str, variant: int, side: str, unum: int) -> RobotLayout:
    links = tuple(link.name for link in load_robot(name, variant).model.links)
    return RobotLayout(1, "", name, variant, side, side, unum, 0, (), (), (), links)


def percepts(*robots: RobotLayout, quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)) -> Percepts:
    count = [len(one.links) for one in robots]
    places = np.zeros((sum(count), 3))
    places[:, 0] = np.concatenate([np.arange(n) * 0.1 for n in count] or [np.zeros(0)])
    places[:, 2] = 0.3
    poses = Poses(places, rotations_from_quaternions(np.tile(quaternion, (len(places), 1))), np.array(BALL))
    game = GameSnapshot(12.0, "PlayOn", 1, 0, 1, "Lions", "<b>Dragons</b>")
    return Percepts(1, 1.0, Layout(1, robots, ()), game, np.zeros(0), np.zeros(0, np.bool_), poses=poses)


def frame(moment: Percepts) -> bytes:
    return frames([moment])[0]


def frames(moments: Iterable[Percepts]) -> list[bytes]:
    """Full frames of moments with the same robots."""
    encoder, told = MonitorEncoder(load_look()), list[bytes]()
    for moment in moments:
        if not told:
            encoder.adopt(moment.layout)
        full = encoder.encode(moment, full=True, partial=False).full
        assert full is not None
        told.append(full)
    return told


def shown(*robots: RobotLayout, quaternion: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)) -> MonitorReader:
    reader = MonitorReader()
    reader.show(frame(percepts(*robots, quaternion=quaternion)))
    return reader
