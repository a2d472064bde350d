"""What kernels use of Cython's pure-Python mode, for machines without Cython: uncompiled they need no more."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


class _Type:
    """A C type. A call converts a value; indexing makes views of arrays of it, or an array of so many."""

    def __init__(self, convert: Callable[..., Any]) -> None:
        self._convert = convert

    def __getitem__(self, dimensions: object) -> _Type:
        return _Type(lambda: [None] * dimensions) if isinstance(dimensions, int) else self

    def __call__(self, *value: Any) -> Any:
        return self._convert(*value)


def _same(value: Any) -> Any:
    return value


def _declare(kind: _Type, *value: Any) -> Any:
    return kind(*value)


def _exceptval(**_: object) -> Callable[[Any], Any]:
    return _same


def install() -> None:
    """Let `import cython` find this, for the whole process."""
    cython = ModuleType("cython", __doc__)
    integers = dict.fromkeys(("Py_ssize_t", "longlong", "int", "uint", "uchar", "schar"), _Type(int))
    marks = dict.fromkeys(("cclass", "cfunc", "ccall", "inline", "final", "address"), _same)
    vars(cython).update(
        integers,
        **marks,
        double=_Type(float),
        bint=_Type(bool),
        void=_Type(_same),
        const=_Type(_same),
        p_char=_Type(_same),
        compiled=False,
        cast=_declare,
        declare=_declare,
        exceptval=_exceptval,
        nogil=contextlib.nullcontext(),
        dataclasses=dataclasses,
        __path__=[],
    )
    sys.modules["cython"] = cython
    for name in ("cython.cimports", "cython.cimports.libc"):
        sys.modules[name] = ModuleType(name)
    sys.modules["cython.cimports.libc.math"] = math
