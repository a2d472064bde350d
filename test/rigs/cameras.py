"""A node in the place of a simulator, its messages, and camera processes beside it."""

import signal
import time
from collections.abc import Callable
from typing import Any

from std_msgs.msg import String

from simspark_ros.msg import ScenePoses
from simspark_ros.rendering.scene_models import line_of_model
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.topics.world.scene_poses import MODELS_TOPIC, POSES_TOPIC, ROBOTS_QOS, ROBOTS_TOPIC
from test.rigs.ros_processes import Domain, Observer, Process

Start = Callable[..., Process]
NAO = load_robot("nao")
LINKS = len(NAO.model.links)


class Peer(Observer):
    """A node in the place of the simulator, which the test serves itself."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self.scene = self.node.create_publisher(ScenePoses, ROBOTS_TOPIC, ROBOTS_QOS)
        self.poses = self.node.create_publisher(ScenePoses, POSES_TOPIC, 1)
        self.models = self.node.create_publisher(String, MODELS_TOPIC, ROBOTS_QOS)
        self.models.publish(String(data="\n".join(line_of_model(load_robot(name)) for name in ("nao", "nao_sensors"))))

    def wait(
        self, condition: Callable[[], Any], act: Callable[[], object] = lambda: None, *, every: float = 0.2
    ) -> None:
        """Serve callbacks until a condition holds; `act` is repeated meanwhile, with a period in s."""
        again = 0.0

        def holds() -> Any:
            nonlocal again
            if not (found := condition()) and time.monotonic() >= again:
                act()
                again = time.monotonic() + every
            return found

        self.until(holds)

    def collect(self, kind: type, topic: str) -> list[Any]:
        """Messages of a topic, as they come."""
        return self.hear(kind, topic, 5).messages


def end(process: Process, number: int = signal.SIGTERM) -> str:
    """End a camera process with a signal; what it has printed."""
    assert process.end(number) == 0, process.output
    assert "Traceback" not in process.output
    return process.output


def message(*names: str, seconds: int = 1) -> ScenePoses:
    """Robots whose links are all in one place, which suffices without pictures."""
    count = len(names)
    message = ScenePoses(names=list(names), models=["nao"] * count, variants=[0] * count, teams=[1] * count)
    message.header.stamp.sec = seconds
    message.header.stamp.nanosec = 20_000_000
    message.link_counts = [LINKS] * count
    message.positions = [0.0, 0.0, 0.5] * LINKS * count
    message.quaternions = [0.0, 0.0, 0.0, 1.0] * LINKS * count
    message.ball = [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    return message
