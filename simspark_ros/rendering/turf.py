"""Cover of the ground, without lines: mown stripes, grass, or the picture of a carpet in tiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array
from simspark_ros.worlds.settings import GRASS_TEXTURE, STRIPES_TEXTURE, GroundSettings

Colours = NDArray[np.float32]

GRASS = ((74, 134, 62), (84, 147, 70))
"""Two greens that alternate in stripes across the field."""

_STRIPES = 20

_PATCHES = ((1, 0.07), (3, 0.05), (24, 0.05))
"""Edges of lighter and darker patches of grass, texels, and standard deviations of their brightness."""
_DRY = np.array((0.9, 0.35, -0.2), np.float32)
"""Changes of red, green and blue of a dry patch, as parts of the change of its brightness."""

_LARGEST_TILE = 4096
"""Most texels along the edge of a tile."""


def turf(ground: GroundSettings, x: Array, y: Array, length: float, texel: float) -> Colours:
    """Colours (rows, columns, 3) of a ground without lines, 0 to 255.

    Args:
        ground: settings of the cover.
        x: (columns,) places of the texels, m.
        y: (rows,) places of the texels, m.
        length: length of the field, m, for the stripes.
        texel: distance between two texels, m.

    Raises:
        ConfigurationError: the file of a texture cannot be used; the message names it.
    """
    if ground.texture not in (STRIPES_TEXTURE, GRASS_TEXTURE):
        tile = _tile(ground, texel)
        rows, columns = (np.arange(len(places)) % size for places, size in zip((y, x), tile.shape[:2], strict=True))
        repeated: Colours = tile[rows][:, columns]
        return repeated
    stripe = np.floor((x + length / 2.0) / (length / _STRIPES)).astype(np.int64) % 2
    colours: Colours = np.tile(np.array(GRASS, np.float32)[stripe], (len(y), 1, 1))
    if ground.texture == GRASS_TEXTURE:
        colours *= _blades(len(y), len(x))
    return colours


def _blades(rows: int, columns: int) -> Colours:
    """Factors (rows, columns, 3) of colours, the same each time: bright and dark, fresh and dry patches."""
    random = np.random.default_rng(0)
    light, dry = np.ones((rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    for size, deviation in _PATCHES:
        light += np.float32(deviation) * _patches(random, rows, columns, size)
        dry += np.float32(deviation) * _patches(random, rows, columns, size)
    return light[:, :, None] + dry[:, :, None] * _DRY


def _patches(random: np.random.Generator, rows: int, columns: int, size: int) -> NDArray[np.float32]:
    """Noise (rows, columns) of deviation 1 at points that are `size` texels apart, smooth between them."""
    noise = random.standard_normal((rows // size + 2, columns // size + 2), np.float32)
    if size == 1:
        return noise[:rows, :columns]
    whole = Image.fromarray(noise).resize((columns, rows), Image.Resampling.BICUBIC)
    return np.asarray(whole, np.float32)


def _tile(ground: GroundSettings, texel: float) -> Colours:
    """The picture of a file (rows, columns, 3), in texels, `tile` m wide; its upper edge points along y."""
    try:
        with Image.open(Path(ground.texture)) as picture:
            width = min(max(1, round(ground.tile / texel)), _LARGEST_TILE)
            height = min(max(1, round(width * picture.height / picture.width)), _LARGEST_TILE)
            scaled = picture.convert("RGB").resize((width, height), Image.Resampling.BOX)
    # Pillow's decoders have errors of several kinds.
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ConfigurationError(
            f"ground: texture: {shown(ground.texture)} is no readable picture ({type(error).__name__}); use "
            f"'{STRIPES_TEXTURE}', '{GRASS_TEXTURE}', or the path of a PNG or JPEG file"
        ) from None
    return np.asarray(scaled, np.float32)[::-1]
