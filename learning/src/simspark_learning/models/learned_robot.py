"""Files of robots that move by a trained motion model."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import yaml

from simspark_ros.configuration.errors import UserError
from simspark_ros.motion.models.neural import NeuralParameters
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.robots.description import EffectorSpec

WHEELS = "wheels"
"""The effector that drives by the model."""


def robot_file(name: str, parameters: NeuralParameters) -> str:
    """The YAML file of a robot of the package whose wheels follow a motion model.

    Raises:
        UserError: there is no such robot, or it has no wheels in two rows.
    """
    effectors = load_robot(name).effectors
    wheels = next((dict(spec.parameters) for spec in effectors if spec.kind == WHEELS), {})
    if "left" not in wheels:
        raise UserError(f"robot '{name}' has no wheels in two rows, which alone can follow a motion model")
    wheels["motion_model"] = asdict(parameters)
    others = [_document(spec) for spec in effectors if spec.kind != WHEELS]
    document = {"based_on": name, "effectors": [*others, {"kind": WHEELS, "parameters": wheels}]}
    text: str = yaml.safe_dump(_plain(document), sort_keys=False, default_flow_style=None, width=120)
    return f"# Made by `simspark motion-model train`: a robot that moves as a log has taught.\n{text}"


def _document(spec: EffectorSpec) -> dict[str, Any]:
    document: dict[str, Any] = {"kind": spec.kind}
    if spec.joint:
        document["joints"] = {spec.joint: spec.name}
    return document | ({"parameters": dict(spec.parameters)} if spec.parameters else {})


def _plain(value: Any) -> Any:
    """The value with lists in place of tuples, for YAML."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
