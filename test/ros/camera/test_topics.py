"""Noise of the pictures on topics."""

from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from builtin_interfaces.msg import Time

from simspark_ros.rendering.robot_cameras import cameras_of
from simspark_ros.robots.catalogue import load_robot
from simspark_ros.ros.camera import topics


def test_noise_depends_on_the_seed_and_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    (camera,) = cameras_of(load_robot("nao"))
    drawn: list[float] = []

    def taken(view: Any, settings: Any, lens: Any, random: np.random.Generator) -> Any:
        drawn.append(random.random())
        return np.zeros((2, 2, 3), np.uint8)

    monkeypatch.setattr(topics, "taken", taken)
    monkeypatch.setattr(topics, "create_publisher", MagicMock())
    source: Any = SimpleNamespace(robot=SimpleNamespace(name="a"), camera=camera)
    for seed, second in ((1, 3), (1, 3), (2, 3), (1, 4)):
        made = topics.CameraTopics(MagicMock(), source, seed=seed)
        made.wanted = frozenset(["image_raw"])
        made.publish(Time(sec=second), camera.settings, MagicMock(), ("png", 0))
    assert drawn[0] == drawn[1] and len(set(drawn)) == 3
