"""Qhull through scipy, without all that scipy's package of it imports: a twentieth of the time."""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_PACKAGES = ("scipy.linalg", "scipy.spatial")
"""Packages around Qhull and what it is linked to, which import most of scipy and numpy."""


@cache
def qhull() -> Any:
    """The module with `ConvexHull` and `QhullError` of `scipy.spatial`, whose classes are the same ones.

    Raises:
        ImportError: scipy is missing.
    """
    # Other threads might meet the packages without their content.
    if threading.active_count() == 1 and not any(name in sys.modules for name in _PACKAGES):
        try:
            return _alone()
        # A version of scipy that has Qhull elsewhere.
        except (ImportError, AttributeError):
            pass
    return import_module("scipy.spatial")


def _alone() -> ModuleType:
    """Qhull's module, imported into packages whose own files do not run; they are imported anew when they are used."""
    home = Path(import_module("scipy").__path__[0])
    try:
        for name in _PACKAGES:
            package = ModuleType(name)
            package.__path__ = [str(home / name.rpartition(".")[2])]
            sys.modules[name] = package
        module = import_module("scipy.spatial._qhull")
        _ = module.ConvexHull, module.QhullError
        return module
    finally:
        # Their modules go, too: packages get their modules as attributes when these are imported.
        for name in [name for name in sys.modules if name.startswith(_PACKAGES)]:
            del sys.modules[name]
