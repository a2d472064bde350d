"""What pip installs before it builds the package."""

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest
from setuptools import build_meta

from simspark_ros.configuration.resources import resource


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_file_location("build_backend", resource("scripts", "build_backend.py"))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    # Setuptools would run setup.py.
    for kind in ("wheel", "editable"):
        monkeypatch.setattr(build_meta, f"get_requires_for_build_{kind}", lambda settings: ["wheel"])
    return module


@pytest.mark.parametrize("kind", ["wheel", "editable"])
def test_cmake_and_ros_are_asked_for_where_messages_are_built(
    backend: Any, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = getattr(backend, f"get_requires_for_build_{kind}")
    monkeypatch.delenv("SIMSPARK_WITHOUT_ROS", raising=False)
    asked = ask()
    assert any(line.startswith("cmake") for line in asked) and any(line.startswith("ros-") for line in asked)
    monkeypatch.setenv("SIMSPARK_WITHOUT_ROS", "1")
    assert ask() == ["wheel"]


def test_nothing_of_ros_is_asked_for_in_any_case() -> None:
    required = resource("pyproject.toml").read_text(encoding="utf-8").partition("]")[2].partition("]")[0]
    assert "cython" in required
    assert "ros-" not in required and "cmake" not in required and "catkin" not in required
