"""Data derived from a model, kept as long as the model."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from simspark_ros.physics.model import ArticulatedModel

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_OfModel = Callable[Concatenate[ArticulatedModel, _Arguments], _Result]


def kept_with_model(function: _OfModel[_Arguments, _Result]) -> _OfModel[_Arguments, _Result]:
    """Compute a result once for each model and further arguments, which are hashable.

    A cache of a fixed size would keep robots that left long ago, and forget some robots of a large world. A result
    must not refer to its model. Safe from any thread: at worst a result is computed twice.
    """
    kept: WeakKeyDictionary[ArticulatedModel, dict[Hashable, _Result]] = WeakKeyDictionary()

    @wraps(function)
    def result_of(model: ArticulatedModel, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        results = kept.get(model) or kept.setdefault(model, {})
        key = arguments, tuple(named.items())
        if key not in results:
            results[key] = function(model, *arguments, **named)
        return results[key]

    return result_of
