"""Drawings of programs as messages for monitors that ask by `(inspect ...)`: JSON `{"drawing": ...}`.

Pillow is imported with the first drawing: no server without drawings waits for it.
"""

from __future__ import annotations

import io
import json
from base64 import b64decode, b64encode
from functools import lru_cache
from typing import Any

import numpy as np

from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.simulation.drawings import LONGEST_NAME, MOST_CELLS, MOST_DRAWINGS, Colours, Drawing, Plane


@lru_cache(maxsize=MOST_DRAWINGS)
def write_drawing(name: str, drawing: Drawing) -> bytes:
    """The message of a drawing. Arrays are base64 of little-endian float32 and bytes, the map's picture is a PNG."""
    told: dict[str, Any] = {
        "name": name,
        "points": _packed(drawing.points),
        "point_colours": b64encode(drawing.point_colours.tobytes()).decode(),
        "point_size": drawing.point_size,
        "segments": _packed(drawing.segments),
        "segment_colours": b64encode(drawing.segment_colours.tobytes()).decode(),
        "texts": drawing.texts,
    }
    if (plane := drawing.plane) is not None:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(plane.pixels).save(file, "png", compress_level=1)
        place = {"width": plane.width, "height": plane.height, "centre": plane.centre, "heading": plane.heading}
        told["plane"] = {"png": b64encode(file.getvalue()).decode(), **place}
    return json.dumps({"drawing": told}, separators=(",", ":")).encode()


def read_drawing(told: Any, where: str) -> tuple[str, Drawing]:
    """Name and drawing from the value of the key `drawing`.

    Raises:
        ConfigurationError: the value is no drawing, or too large; the text says why.
    """
    from PIL.Image import DecompressionBombError

    try:
        plane = told.get("plane")
        drawing = Drawing(
            points=_unpacked(told["points"]).reshape(-1, 3),
            point_colours=_colours(told["point_colours"]),
            point_size=float(told["point_size"]),
            segments=_unpacked(told["segments"]).reshape(-1, 2, 3),
            segment_colours=_colours(told["segment_colours"]),
            texts=tuple((float(x), float(y), float(z), str(text)) for x, y, z, text in told["texts"]),
            plane=None if plane is None else _plane(plane),
        )
        return str(told["name"])[:LONGEST_NAME], drawing
    # Pillow's own errors are OSError and ValueError; its limit of pixels is no subclass of theirs.
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, OSError, DecompressionBombError) as error:
        raise ConfigurationError(f"{where}: a drawing cannot be read: {str(error)[:80]}") from None


def _packed(values: Any) -> str:
    return b64encode(np.asarray(values, "<f4").tobytes()).decode()


def _unpacked(text: str) -> Any:
    return np.frombuffer(b64decode(text), "<f4").astype(np.float64)


def _colours(text: str) -> Colours:
    return np.frombuffer(b64decode(text), np.uint8).reshape(-1, 3)


def _plane(told: Any) -> Plane:
    from PIL import Image

    with Image.open(io.BytesIO(b64decode(told["png"])), formats=["png"]) as image:
        if image.width * image.height > MOST_CELLS:
            raise ValueError("the map has too many cells")
        pixels = np.asarray(image.convert("RGB"))
    x, y, z = map(float, told["centre"])
    return Plane(pixels, float(told["width"]), float(told["height"]), (x, y, z), float(told["heading"]))
