"""Definitions of message types as texts, from the files that their packages install.

No library for MCAP looks definitions up: mcap-ros2-support and rosbags want the text from their caller.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from simspark_ros.configuration.resources import PACKAGE, resource, ros_package

_SEPARATOR = "=" * 80
_BASIC = frozenset(("bool", "byte", "char", "float32", "float64", "string", "wstring")) | {
    f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)
}
_TYPE = re.compile(r"[A-Za-z][\w/]*")


class DefinitionError(Exception):
    """The definition of a type is not installed; the message names the type."""


@lru_cache(maxsize=1024)
def message_definition(name: str) -> str:
    """The definition of a type, e.g. `sensor_msgs/msg/Imu`, and of all types in it, in MCAP's encoding `ros2msg`.

    Raises:
        DefinitionError: one of them is not installed.
    """
    package, _, message = name.partition("/msg/")
    texts: dict[str, str] = {}
    waiting = [f"{package}/{message}"]
    while waiting:
        key = waiting.pop(0)
        if key not in texts:
            texts[key] = _read(key)
            waiting += _parts(texts[key], key.partition("/")[0])
    main, *others = texts.items()
    return "".join([main[1], *(f"\n{_SEPARATOR}\nMSG: {key}\n{text}" for key, text in others)])


def same_definition(one: str, other: str) -> bool:
    """Whether two definitions are of the same type: comments and the order of the types inside do not count."""
    return _normalised(one) == _normalised(other)


def _normalised(definition: str) -> dict[str, list[str]]:
    types = definition.split(_SEPARATOR)
    named = {text.split(maxsplit=2)[1].replace("/msg/", "/"): text.split("\n", 2)[-1] for text in types[1:]}
    return {name: list(_lines(text)) for name, text in {"": types[0], **named}.items()}


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        # A # in the default of a string would be cut off, in both texts alike.
        if words := line.partition("#")[0].split():
            yield " ".join(words)


def _parts(text: str, package: str) -> Iterator[str]:
    """Names of the types of the fields, without basic ones, e.g. `std_msgs/Header`."""
    for line in _lines(text):
        kind = _TYPE.match(line)
        if kind and kind[0] not in _BASIC:
            found = kind[0].replace("/msg/", "/")
            yield found if "/" in found else f"{package}/{found}"


def _read(key: str) -> str:
    package, _, message = key.partition("/")
    for folder in _folders(package):
        path = folder / "msg" / f"{message}.msg"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise DefinitionError(f"the definition of {package}/msg/{message} is not installed")


def _folders(package: str) -> Iterator[Path]:
    """Folders that may have the shared files of a package."""
    if package == PACKAGE:
        yield resource("package.xml").parent
    try:
        yield ros_package(package)
    except FileNotFoundError:
        # ROS's wheels need no ROS 2 environment: <prefix>/lib/pythonX.Y/site-packages/<package>/__init__.py.
        spec = find_spec(package)
        if spec is not None and spec.origin:
            yield Path(spec.origin).parents[min(4, len(Path(spec.origin).parents) - 1)] / "share" / package
        yield Path(sys.prefix) / "share" / package
