"""The build backend: setuptools', which asks for CMake and ROS 2's generators only where messages are built."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from setuptools import build_meta

# What pip calls besides.
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_Settings = Mapping[str, Any] | None


def ros_requirements() -> list[str]:
    """What a build with ROS 2 messages needs beside pyproject.toml's `requires`."""
    lines = Path(__file__).with_name("ros_build_requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def _with_ros(requirements: list[str]) -> list[str]:
    return requirements if os.environ.get("SIMSPARK_WITHOUT_ROS") else [*requirements, *ros_requirements()]


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """What pip installs before it builds a wheel."""
    return _with_ros(build_meta.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: _Settings = None) -> list[str]:
    """What pip installs before it builds an editable installation."""
    return _with_ros(build_meta.get_requires_for_build_editable(config_settings))


def get_requires_for_build_sdist(config_settings: _Settings = None) -> list[str]:
    """What pip installs before it packs the sources."""
    required: list[str] = build_meta.get_requires_for_build_sdist(config_settings)
    return required
