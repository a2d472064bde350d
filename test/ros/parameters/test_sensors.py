"""Parameters of robots' sensors as ROS parameters."""

import pytest

from simspark_ros.perceptors.rays import RangeParameters
from simspark_ros.robots.description import PerceptorSpec
from simspark_ros.ros.parameters.declared import descriptor
from simspark_ros.ros.parameters.sensors import sensor_parameters
from simspark_ros.simulation.registry import PERCEPTORS


def test_a_parameter_is_described_in_the_words_of_its_class_or_of_the_one_below() -> None:
    parameters = sensor_parameters(PerceptorSpec("sonar", "left", "torso"), RangeParameters)
    described = {one.key: descriptor(one.declaration).description for one in parameters}
    ground = "whether the ground sends the signal back: `ground` of the sensor sonar 'left'"
    assert described["ground"].startswith(ground)
    assert described["range_max"].startswith("least and greatest reading, m; nearer")


@pytest.mark.parametrize("kind", PERCEPTORS)
def test_no_parameter_of_a_sensor_lacks_its_meaning(kind: str) -> None:
    parameters = sensor_parameters(PerceptorSpec(kind, "a"), PERCEPTORS[kind].options)
    unexplained = [one.key for one in parameters if one.declaration.setting.help.startswith("`")]
    assert not unexplained
