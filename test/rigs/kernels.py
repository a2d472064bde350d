"""Kernels as they are compiled, and the same sources uncompiled."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import simspark_ros.kernels

FOLDER = Path(simspark_ros.kernels.__file__).parent


def both(name: str) -> tuple[ModuleType, ModuleType]:
    """A kernel's module compiled, and uncompiled."""
    spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    uncompiled = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(uncompiled)
    return importlib.import_module(f"simspark_ros.kernels.{name}"), uncompiled


def same_bits(name: str, compute: Callable[[Any], Any]) -> Any:
    """What a function computes with a compiled kernel: numbers that the uncompiled one gives, to the bit."""
    compiled, uncompiled = (compute(module) for module in both(name))
    assert np.asarray(compiled).tobytes() == np.asarray(uncompiled).tobytes()
    return compiled
