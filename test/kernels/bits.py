"""The same computation by a kernel that is compiled, and by its source."""

from collections.abc import Callable
from typing import Any

import numpy as np

from test.rigs.kernels import both


def same_bits(name: str, compute: Callable[[Any], Any]) -> Any:
    """What a function computes with a compiled kernel: numbers that the uncompiled one gives, to the bit."""
    compiled, uncompiled = (compute(module) for module in both(name))
    assert np.asarray(compiled).tobytes() == np.asarray(uncompiled).tobytes()
    return compiled
