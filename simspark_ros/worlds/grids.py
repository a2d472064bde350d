"""Height fields from greyscale pictures: heights replace the picture in the document of a world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.worlds.settings import FAR, MAX_POINTS

_DIGITS = 4
"""Decimals of heights in m: a tenth of a millimetre."""


def with_heights(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """The document of a world file whose height fields have `heights` instead of `image` and `height`.

    The upper row of a picture is in the north, at +y; black is 0 and white is `height`, m. The picture is a file beside
    the world's file.

    Raises:
        ConfigurationError: a picture cannot be used.
    """
    obstacles = document.get("obstacles")
    if not isinstance(obstacles, dict):
        return document
    return {**document, "obstacles": {name: _filled(thing, name, path) for name, thing in obstacles.items()}}


def _filled(thing: Any, name: Any, path: Path) -> Any:
    field = thing.get("height_field") if isinstance(thing, dict) else None
    if not isinstance(field, dict) or "image" not in field:
        return thing
    where = f"{path}: obstacles: {cut(str(name), 40)}: height_field"
    height, image = field.get("height"), field["image"]
    if not isinstance(height, int | float) or isinstance(height, bool) or not 0.0 < height <= FAR:
        raise ConfigurationError(f"{where}: height: must be above 0 and at most {FAR:g} m, not {shown(height)}")
    # A reader of another format has looked where its pictures may lie.
    if not isinstance(image, Path) and (not isinstance(image, str) or Path(image).name != image):
        raise ConfigurationError(f"{where}: image: must name a file beside that of the world, not {shown(image)}")
    heights = _heights(path.parent / image, float(height), where)
    others = {key: value for key, value in field.items() if key not in ("image", "height")}
    return {**thing, "height_field": {**others, "heights": heights}}


def _heights(picture: Path, height: float, where: str) -> list[list[float]]:
    # Imported late, as few worlds have a picture.
    import numpy as np
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(picture) as image:
            if image.width * image.height > MAX_POINTS:
                raise ConfigurationError(
                    f"{where}: image: {image.width} x {image.height} pixels are more than {MAX_POINTS} points"
                )
            grey = np.asarray(image.convert("L"), float)
    except (OSError, UnidentifiedImageError, ValueError, Image.DecompressionBombError) as error:
        problem = cut(str(error), 80)
        raise ConfigurationError(f"{where}: image: {shown(picture.name)} cannot be read: {problem}") from None
    rounded: list[list[float]] = np.round(np.flipud(grey) * (height / 255.0), _DIGITS).tolist()
    return rounded
