"""Settings of a part, taken by name from the options of the program that has the part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

S = TypeVar("S", bound="TakenOptions")


class TakenOptions:
    """Base of settings that a program has among its options, under the same names or under others."""

    options: ClassVar[Mapping[str, str]] = {}
    """Fields that a program's options have, with the names that they have there."""

    @classmethod
    def of(cls: type[S], options: object, **more: Any) -> S:
        """The settings among a program's options; `more` are those that the program decides."""
        named = {name: getattr(options, option) for name, option in cls.options.items() if hasattr(options, option)}
        return cls(**{**named, **more})
