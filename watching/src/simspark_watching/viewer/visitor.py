"""Lets only some messages of a browser reach viser, whose handlers set any attribute and keep any upload.

Messages that pass are packed again from the checked values. Needs msgspec, which viser brings.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec

from simspark_ros.configuration.line_limit import LineLimit

_FARTHEST = 1e6
"""Largest coordinate of a camera, m."""

_NOTE_PERIOD = 5.0
"""Time between two notes to a browser that only watches, s: notes must not pile up if it reads none."""

_Number = Annotated[float, msgspec.Meta(ge=-_FARTHEST, le=_FARTHEST)]
_Size = Annotated[float, msgspec.Meta(ge=0.0, le=_FARTHEST)]
_Point = tuple[_Number, _Number, _Number]


class _Message(msgspec.Struct):
    """Any message of the page's script."""

    type: str


class _Camera(msgspec.Struct, tag="ViewerCameraMessage", tag_field="type"):
    """The browser's own camera."""

    wxyz: tuple[_Number, _Number, _Number, _Number]
    position: _Point
    fov: _Size
    near: _Size
    far: _Size
    image_height: _Size
    image_width: _Size
    look_at: _Point
    up_direction: _Point


class ElementValue(msgspec.Struct, forbid_unknown_fields=True):
    """New value of an element of the panel."""

    value: bool | float | str


class Update(msgspec.Struct, tag="GuiUpdateMessage", tag_field="type"):
    """An element of the panel was used; all browsers share its value."""

    uuid: str
    updates: ElementValue


class Click(msgspec.Struct, tag="SceneNodeClickMessage", tag_field="type"):
    """Something in the scene was clicked: the name of its mesh, and the index of the instance."""

    name: str
    instance_index: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] | None
    ray_origin: _Point
    ray_direction: _Point
    screen_pos: tuple[_Number, _Number]
    modifier: None
    owner: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Drag(msgspec.Struct, tag="TransformControlsUpdateMessage", tag_field="type"):
    """A handle in the scene was dragged."""

    name: str
    wxyz: tuple[_Number, _Number, _Number, _Number]
    position: _Point
    owner: Annotated[str, msgspec.Meta(max_length=64)] = ""


class _Held(msgspec.Struct):
    """A handle in the scene was taken or let go."""

    name: str
    owner: Annotated[str, msgspec.Meta(max_length=64)] = ""


class Taken(_Held, tag="TransformControlsDragStartMessage", tag_field="type"):
    """A handle in the scene was taken, to drag it."""


class LetGo(_Held, tag="TransformControlsDragEndMessage", tag_field="type"):
    """A handle in the scene was let go."""


class Trigger(msgspec.Struct, tag="CommandTriggerMessage", tag_field="type"):
    """A key of a shortcut was pressed, or its command chosen."""

    uuid: str


Use = Update | Click | Drag | Taken | LetGo | Trigger
"""Messages that only browsers with the token may send."""


_ANY = msgspec.msgpack.Decoder(_Message)
_ADMITTED = msgspec.msgpack.Decoder(_Camera | Use)


class Visitor:
    """A browser at the page. Each may move its own camera; only browsers with the token may use the panel.

    Args:
        may_command: whether the browser opened the page with the token.
        takes: function that tells whether the page offers the element that a message uses.
    """

    def __init__(self, may_command: bool, takes: Callable[[Use], bool]) -> None:
        self._may_command, self._takes = may_command, takes
        self._notes = LineLimit(1, 1.0 / _NOTE_PERIOD)
        self._note: Callable[[], object] | None = None
        self._is_refused = False

    def greet(self, note: Callable[[], object]) -> None:
        """Take the function that tells the browser that it only watches; it may have been refused before."""
        self._note = note
        if self._is_refused:
            self._refuse()

    async def receive(self, source: Callable[[], Awaitable[bytes]]) -> bytes:
        """Wait for the next message that is admitted.

        Raises:
            msgspec.DecodeError: what came is no message.
            TypeError: it is text.
        """
        while True:
            message = self._admitted(await source())
            if message is not None:
                return message

    def _admitted(self, packed: bytes) -> bytes | None:
        _ANY.decode(packed)
        try:
            message = _ADMITTED.decode(packed)
        except msgspec.ValidationError:
            return None
        if not isinstance(message, _Camera):
            if not self._may_command:
                self._refuse()
                return None
            if not self._takes(message):
                return None
        return msgspec.msgpack.encode(message)

    def _refuse(self) -> None:
        self._is_refused = True
        if self._note is not None and self._notes.admit() is not None:
            self._note()
