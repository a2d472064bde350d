import numpy as np
import pytest

from simspark_ros.server.joint_arrays import JointArrays


def test_every_command_has_its_robot():
    arrays = JointArrays()
    for robots, counts, handles in (
        ([], [], []),
        ([3, 8], [2, 1], [3, 3, 8]),
        ([3, 8], [1, 2], [3, 8, 8]),
        ([], [], []),
    ):
        assert arrays.handles(robots, counts).tolist() == handles


def test_arrays_are_used_again_only_while_nothing_has_changed():
    arrays = JointArrays()
    before = arrays.joints([4, 5])
    assert arrays.joints([4, 5]) is before
    assert arrays.joints([5, 4]).tolist() == [5, 4]
    assert before.tolist() == [4, 5]


def test_nobody_can_write_into_them():
    arrays = JointArrays()
    for array in (arrays.handles([1], [2]), arrays.joints([0, 1])):
        assert array.dtype == np.int64
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9
