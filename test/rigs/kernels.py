"""Kernels as they are compiled, and the same sources uncompiled."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

import simspark_ros.kernels

FOLDER = Path(simspark_ros.kernels.__file__).parent


@cache
def uncompiled(name: str) -> ModuleType:
    """A kernel's module uncompiled, such as `planar.body`, with the kernels uncompiled that it imports."""
    source = FOLDER.joinpath(*name.split(".")).with_suffix(".py")
    used = re.findall(r"^from (simspark_ros\.kernels\.([\w.]+)) import", source.read_text(), re.MULTILINE)
    spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", source)
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, {path: uncompiled(other) for path, other in used}):
        spec.loader.exec_module(module)
    return module


def both(name: str) -> tuple[ModuleType, ModuleType]:
    """A kernel's module compiled, and uncompiled."""
    return importlib.import_module(f"simspark_ros.kernels.{name}"), uncompiled(name)


def same_bits(name: str, compute: Callable[[Any], Any]) -> Any:
    """What a function computes with a compiled kernel: numbers that the uncompiled one gives, to the bit."""
    compiled, uncompiled = (compute(module) for module in both(name))
    assert np.asarray(compiled).tobytes() == np.asarray(uncompiled).tobytes()
    return compiled
