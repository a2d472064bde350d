"""Identifications of robots, without numpy: options are checked before anything heavy is loaded."""

from __future__ import annotations

from typing import NamedTuple

from simspark_ros.configuration.errors import cut

_ID_LENGTH = 20


class Identity(NamedTuple):
    """Identifications of a robot's body and head, 20 characters each; teams look up their configuration by them."""

    body: str
    head: str


def identity_of(robot: str) -> Identity:
    """The identity of a robot without one: the last 20 characters of its name, after zeros."""
    made = robot[-_ID_LENGTH:].rjust(_ID_LENGTH, "0")
    return Identity(made, made)


def read_identities(text: str) -> dict[str, Identity]:
    """Read the identities of robots by their names, from `NAME=BODY[/HEAD],...`; a missing head is the body's.

    Raises:
        ValueError: the text has another form, or an identification is not 20 ASCII characters long.
    """
    identities: dict[str, Identity] = {}
    for entry in filter(None, (part.strip() for part in text.split(","))):
        name, sign, given = entry.partition("=")
        body, _, head = given.partition("/")
        made = Identity(body, head or body)
        if not (sign and name) or any(len(one) != _ID_LENGTH or not one.isascii() for one in made):
            raise ValueError(f"{cut(entry, 60)!r} is not NAME=BODY or NAME=BODY/HEAD with {_ID_LENGTH} characters each")
        identities[name] = made
    return identities
