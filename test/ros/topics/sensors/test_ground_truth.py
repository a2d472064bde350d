"""The noise of ground truth."""

from dataclasses import replace

from simspark_ros.perceptors.ground_truth import GROUND_TRUTH
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.cycle import Cycle
from simspark_ros.ros.topics.publisher import RobotEntry
from simspark_ros.ros.topics.sensors.ground_truth import GroundTruthPublisher


def test_noise_depends_on_the_seed(played):
    nao = load_robot("nao")
    noisy = replace(GROUND_TRUTH, parameters={"position_noise": 0.1})
    described = replace(nao, perceptors=(*nao.perceptors, noisy))
    robot = played.world.add_robot(described, (0.0, 0.0, 1.0), 0.3)
    percepts = played.run(1)

    def x(seed: int) -> float:
        cycle = Cycle(seed)
        cycle.bind(played.world, percepts)
        cycle.update(played.world, percepts, {})
        (publisher,) = GroundTruthPublisher.of_robot(RobotEntry(robot.handle, "r", "/r", described, "global"), cycle)
        publisher.bind()
        assert publisher.fill()
        return float(publisher.message.pose.pose.position.x)

    assert x(1) == x(1) != x(2)
