"""Settings as ROS parameters."""

from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.parameter import Parameter

from simspark_ros.configuration.schema import declarations
from simspark_ros.ros.parameters.declared import PARAMETERS, descriptor, refusal, rule_changes, warn_of_unknown
from simspark_ros.ros.parameters.rule_book import rule_declarations
from simspark_ros.ros.settings import BridgeParameters, CameraNodeParameters, PlayerParameters
from simspark_ros.soccer.referee.rulebook import load_rule_book
from simspark_ros.soccer.referee.rules import RULES, rule_numbers

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


def test_only_some_parameters_change_in_a_running_node_and_the_rule_book_by_those_of_the_start() -> None:
    changeable = {declaration.name for declaration in PARAMETERS if not descriptor(declaration).read_only}
    assert changeable == {"pacing", "speed", "late_cycles", "catch_up_limit", "tf"}
    given = {"rule_book.game.half_time": 60.0, "rule_book.order.offside": True, "rules": "msl"}
    overrides = {name: Parameter(name, value=value) for name, value in given.items()}
    assert rule_changes(overrides) == ["rules.game.half_time=60.0", "rules.order.offside=true"]


def test_no_parameter_has_the_name_of_a_group_of_others() -> None:
    """`ros2 param dump` and parameter files nest names at their dots."""
    names = {*(one.name for one in PARAMETERS), *rule_declarations(rule_numbers(load_rule_book(), RULES))}
    groups = {name[:at] for name in names for at, letter in enumerate(name) if letter == "."}
    assert "rule_book.game" in groups and not groups & names


def test_parameters_of_other_nodes_in_a_common_file_are_no_typing_errors() -> None:
    lines: list[str] = []
    given = dict.fromkeys(("speed", "jpeg_quality", "agent_port", "players", "jpeg_qualty"))
    logger = SimpleNamespace(warning=lines.append)
    node: Any = SimpleNamespace(_parameter_overrides=given, has_parameter="speed".__eq__, get_logger=lambda: logger)
    warn_of_unknown(node, PARAMETERS)
    assert [line.split(" is unknown")[0] for line in lines] == ["parameter 'jpeg_qualty'"]
