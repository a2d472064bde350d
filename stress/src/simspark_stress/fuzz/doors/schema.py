"""YAML of settings, drawn by the declarations of their classes: within ranges, at limits, beyond them, absurd."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass
from typing import Any

import yaml

from simspark_ros.configuration.schema import Declaration, Range, declarations
from simspark_stress.fuzz.grammar import WORDS

_ABSURD = (
    *("0", "-1", "1.0e-300", "1.0e+9", "1.0e+200", "1e999", ".nan", ".inf", "[1, 2]", "{}", "~", "yes", "2026-11-23"),
    *("9" * 400, "1_0", "0x7f", "'1'"),
)

_WIDEST = 1e6
"""Largest absolute value of numbers without a declared limit."""


def draw_settings(source: random.Random, cls: type[Any], base: Mapping[str, Any], absurd: float) -> str:
    """Draw a mapping with some of the keys that a class declares or `base` has.

    `base` holds usual values by key; `absurd` is the fraction of wrong values.
    """
    declared = {declaration.name: declaration for declaration in declarations(cls)}
    return _mapping(source, declared, base, absurd)


def _mapping(source: random.Random, declared: Mapping[str, Declaration], base: Mapping[str, Any], absurd: float) -> str:
    known = sorted({*declared, *base})
    keys = source.sample(known, source.randint(1, min(4, len(known)))) if known else []
    entries = [f"{key}: {draw_value(source, declared.get(key), base.get(key), absurd)}" for key in keys]
    if source.random() < absurd:
        entries.append(f"{source.choice(('nothing', *known))}: {source.choice(_ABSURD)}")
    return f"{{{', '.join(entries)}}}"


def draw_value(source: random.Random, declaration: Declaration | None, usual: Any, absurd: float) -> str:
    """Draw the text of a value; `usual` is a usual value, None if it is unknown."""
    if source.random() < absurd:
        return source.choice(_ABSURD) if source.random() < 0.9 else repr(source.choice(WORDS))
    if declaration and is_dataclass(declaration.kind):
        return draw_settings(source, declaration.kind, usual or {}, absurd)
    if declaration and declaration.choices:
        return str(source.choice(declaration.choices))
    if declaration and usual is None and declaration.default is not MISSING:
        usual = declaration.default
    if isinstance(usual, Mapping):
        return _mapping(source, {}, usual, absurd)
    if isinstance(usual, bool):
        return source.choice(("true", "false"))
    if isinstance(usual, list | tuple):
        return f"[{', '.join(draw_value(source, declaration, item, absurd) for item in usual)}]"
    if isinstance(usual, int | float):
        limits = (declaration.range if declaration else None) or Range(-_WIDEST, _WIDEST)
        return _number(source, limits, usual, absurd)
    return str(usual)


def _number(source: random.Random, limits: Range, usual: float, absurd: float) -> str:
    """Draw a number near the usual one, at a limit, between the limits, or sometimes just beyond them."""
    low, high = max(limits.low, -_WIDEST), min(limits.high, _WIDEST)
    drawn = source.choice((usual * source.uniform(0.3, 3.0), usual, low, high, source.uniform(low, high)))
    drawn = min(max(drawn, low), high)
    if source.random() < absurd:
        drawn = source.choice((math.nextafter(high, math.inf), math.nextafter(low, -math.inf), 2 * high, -drawn))
    return str(round(drawn)) if isinstance(usual, int) else yaml.safe_dump(drawn).split()[0]
