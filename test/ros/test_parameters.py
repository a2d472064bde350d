"""Settings as ROS parameters."""

from __future__ import annotations

import pytest

from simspark_ros.configuration.schema import declarations
from simspark_ros.ros.parameters import PARAMETERS, descriptor, refusal
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, PlayerParameters

OTHERS = (BridgeParameters, CameraNodeParameters, PlayerParameters)
ALL = (*PARAMETERS, *(declaration for cls in OTHERS for declaration in declarations(cls)))


@pytest.mark.parametrize("declaration", ALL, ids=lambda declaration: declaration.name)
def test_every_parameter_is_described_and_refuses_what_is_out_of_range(declaration) -> None:
    made = descriptor(declaration)
    assert made.description
    if declaration.choices:
        assert declaration.name in refusal(declaration, "nonsense")
        assert str(declaration.choices[0]) in made.additional_constraints
    elif declaration.range:
        assert declaration.name in refusal(declaration, declaration.range.low - 1)
        assert not refusal(declaration, declaration.range.high)
        (limits,) = made.floating_point_range or made.integer_range
        assert (limits.from_value, limits.to_value) == (declaration.range.low, declaration.range.high)


def test_what_may_change_while_the_node_runs_is_not_read_only() -> None:
    changeable = {declaration.name for declaration in PARAMETERS if not descriptor(declaration).read_only}
    assert changeable == {"pacing", "speed", "late_cycles", "catch_up_limit", "tf"}
