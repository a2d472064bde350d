"""Presets of engines: named settings in `config/physics/ENGINE/NAME.yaml`, or in a file of the user's own."""

from __future__ import annotations

from typing import TypeVar

from simspark_ros.configuration.library import Library
from simspark_ros.configuration.schema import build

Settings = TypeVar("Settings")


def load_preset(engine: str, kind: type[Settings], name: str) -> Settings:
    """Read a preset of `config/physics/ENGINE`, or the YAML file of that name, and those that it is based on.

    Raises:
        ConfigurationError: preset, file or a value cannot be used; names file, key, value and what is allowed.
    """
    presets = Library(f"physics/{engine}", f"preset of {engine}")
    path = presets.path(name)
    return build(kind, presets.document(path), str(path))
