"""Sets fields of messages from JSON values."""

from __future__ import annotations

from typing import Any

from simspark_ros.ros.topics.publisher import message_type


def fill(message: Any, fields: dict[str, Any]) -> None:
    """Set fields of a message from JSON values, converted to the types of the fields."""
    for name, value in fields.items():
        old = getattr(message, name)
        if isinstance(value, dict):
            fill(old, value)
        elif isinstance(value, list):
            kind = message.get_fields_and_field_types()[name].removeprefix("sequence<").removesuffix(">")
            setattr(message, name, [_item(kind, item) for item in value])
        else:
            setattr(message, name, type(old)(value))


def _item(kind: str, value: Any) -> Any:
    """Return an item of a list field; `kind` is its type as written in definitions of messages."""
    if "/" in kind:
        package, _, name = kind.partition("/")
        item = message_type(f"{package}/msg/{name}")()
        fill(item, value)
        return item
    if "int" in kind:
        return int(value)
    return float(value) if kind in ("float", "double") else str(value)
