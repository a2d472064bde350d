"""Grass, lines and sky. The software renderer is slow on large faces, so every pixel's colour is looked up instead.

The field is painted once, from above, in several sizes (a mip map). A pixel looks up its point of the ground in the
size that fits its distance, so that far lines fade instead of flickering. Pixels that are finer than the paint look up
how far the next line is, so that near lines have straight and sharp edges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.physics.engine import Array, IntArray
from simspark_ros.rendering.drawing.drawer import Pixels
from simspark_ros.rendering.drawing.optics import CameraPose, Lens
from simspark_ros.soccer.field import Field
from simspark_ros.worlds.settings import GRASS_TEXTURE, STRIPES, STRIPES_TEXTURE, GroundSettings

Colours = NDArray[np.uint8]

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
    row = np.array(GRASS, np.uint8)[stripe]
    if ground.texture == GRASS_TEXTURE:
        return _rounded(row * _blades(len(y), len(x)))
    return np.broadcast_to(row, (len(y), *row.shape))


def _blades(rows: int, columns: int) -> NDArray[np.float32]:
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
            f"ground: texture: {shown(ground.texture)} is not a readable picture ({type(error).__name__}); use "
            f"'{STRIPES_TEXTURE}', '{GRASS_TEXTURE}', or the path of a PNG or JPEG file"
        ) from None
    return np.asarray(scaled)[::-1]


FLOOR = (150, 148, 142)
"""The ground of a world without a field, unless it has a texture."""
LINE = (240, 243, 240)
HORIZON = (214, 228, 240)
ZENITH = (112, 160, 214)
SHADOW = 0.62
"""Brightness of the ground in shadow."""
LINE_WIDTH = 0.05
"""Width of painted lines, m, centred on the lines that robots sense."""

SKY, GRASS_LABEL, LINE_LABEL = 0, 1, 2
"""Labels of pixels."""

_LEVEL = np.float32(-1e-6)
"""Descent of a ray above which it shows the sky."""
_TEXEL = 0.02
_REACH = 0.06
"""Distance from the middle of a line within which pixels of the finest size ask for it, m."""
_MILLIMETRE = 1e-3
_NEARNESS = 127
"""Nearness of a texel in the middle of a line, which falls by one each millimetre."""
_MARGIN = 3.0
_LEVELS = 7
_SKY_SHADES = 256
_BLOCK = 16384


class Ground:
    """The painted field under a sky; it has a true centre circle, though robots sense its chords.

    Raises:
        ConfigurationError: the texture of the ground cannot be used.
    """

    def __init__(self, field: Field, ground: GroundSettings = STRIPES) -> None:
        half = np.array([field.length, field.width]) / 2.0 + _MARGIN
        if _is_bare(field, ground):
            half = np.full(2, _TEXEL)
        block = 2 ** (_LEVELS - 1)
        # Columns and rows in whole blocks, so that every level halves the one before exactly.
        self._shape = (np.ceil(2.0 * half / _TEXEL / block) * block).astype(np.int32)
        self._origin = -self._shape * _TEXEL / 2.0
        sizes = [int(self._shape.prod()) >> 2 * level for level in range(_LEVELS)]
        self._starts = np.cumsum([0, *sizes[:-1]], dtype=np.int32)
        # All levels in one flat array, row by row, the finest first: one index per pixel gives its colour. The fourth
        # byte of the finest, which has no lines, is the nearness of a line, that of others the share of lines.
        paint = np.zeros((sum(sizes), 4), np.uint8)
        self._paint(paint, field, ground)
        self._colours, self._nearness = paint.view(np.uint32).reshape(-1), paint[:, 3]
        self._sky = _packed(_sky_shades())

    def colours(self, camera: CameraPose, lens: Lens, shadows: NDArray[np.bool_] | None = None) -> Pixels:
        """An empty field, (height, width) pixels; `shadows` (height, width) says where the ground is in shadow.

        A camera below the ground sees it from just above.
        """
        position, picture = camera.position.tolist(), np.empty(lens.height * lens.width, np.uint32)
        for part, rays in _blocks(camera, lens):
            shadow = None if shadows is None else shadows.reshape(-1)[part]
            picture[part] = self._block(position, rays, lens.focal_length, shadow)
        return picture.reshape(lens.height, lens.width)

    def labels(self, camera: CameraPose, lens: Lens) -> NDArray[np.uint16]:
        """Labels of an empty field, (height, width): `SKY`, `GRASS_LABEL` or `LINE_LABEL`."""
        position, labels = camera.position.tolist(), np.empty(lens.height * lens.width, np.uint16)
        for part, rays in _blocks(camera, lens):
            index, is_sky = self._texels(position, rays, lens.focal_length)
            nearness = self._nearness[index]
            is_line, near = nearness > _NEARNESS, self._near(index, nearness, is_sky)
            is_line[near] = self._shares(position, rays[:, near], lens.focal_length) > 0.5
            labels[part] = np.where(is_sky, SKY, np.where(is_line, LINE_LABEL, GRASS_LABEL))
        return labels.reshape(lens.height, lens.width)

    @staticmethod
    def depth(camera: CameraPose, lens: Lens) -> NDArray[np.float32]:
        """Distances of an empty field along the camera's axis, (height, width), m; infinite in the sky."""
        up = camera.rotation.astype(np.float32)[2] @ lens.rays()
        distance = np.float32(_height(camera.position.tolist())) / np.maximum(-up, -_LEVEL)
        return np.where(up < _LEVEL, distance, np.float32(np.inf)).reshape(lens.height, lens.width)

    def _block(
        self, position: list[float], rays: NDArray[np.float32], focal_length: float, shadow: NDArray[np.bool_] | None
    ) -> Pixels:
        """Colours (n,) seen from a position (m) along rays (3, n) in the world's axes."""
        index, is_sky = self._texels(position, rays, focal_length)
        colours: Pixels = self._colours[index]
        near = self._near(index, colours.view(np.uint8)[3::4], is_sky)
        if len(near):
            turf = colours[near].view(np.uint8).reshape(-1, 4)[:, :3].astype(np.float32)
            share = self._shares(position, rays[:, near], focal_length)[:, None]
            colours[near] = _packed(turf + (np.array(LINE, np.float32) - turf) * share)
        if shadow is not None:
            colours[shadow] = _SHADED[colours[shadow].view(np.uint8)].view(np.uint32)
        if is_sky.any():
            colours[is_sky] = self._sky_colours(*rays[:, is_sky])
        return colours

    def _texels(
        self, position: list[float], rays: NDArray[np.float32], focal_length: float
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """Flat indices (n,) of the texels along rays (3, n), and whether (n,) each ray shows the sky instead."""
        x, y, height = position[0], position[1], _height(position)
        east, north, up = rays
        is_ground = up < _LEVEL
        # Metres along the camera's axis.
        depth = np.float32(height) / np.where(is_ground, -up, 1.0)
        column, row = self._texel(x + depth * east, 0), self._texel(y + depth * north, 1)
        # A pixel covers about depth / f across and depth / height times as much along. The level fits the geometric
        # mean of both, (depth ** 3 / height) ** 0.5 / f: a compromise between flicker and blur.
        offset = np.float32(-0.5 * math.log2(height) - math.log2(focal_length * _TEXEL))
        level = np.clip(np.rint(1.5 * np.log2(depth) + offset), 0, _LEVELS - 1).astype(np.int32)
        index = self._starts[level] + (row >> level) * (self._shape[0] >> level) + (column >> level)
        return index, ~is_ground

    def _near(
        self, index: NDArray[np.int32], nearness: NDArray[np.uint8], is_sky: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Places of pixels of the finest size that have a line nearby, by flat indices and nearness of their texels."""
        return np.flatnonzero((nearness > _NEARNESS - _REACH / _MILLIMETRE) & (index < self._starts[1]) & ~is_sky)

    def _shares(self, position: list[float], rays: NDArray[np.float32], focal_length: float) -> NDArray[np.float32]:
        """Shares (n,) of pixels that lines cover, seen from a position (m) along rays (3, n) to the ground."""
        east, north, up = rays
        height = np.float32(_height(position))
        depth = height / -up
        places = zip((position[0], position[1]), (east, north), self._origin, self._shape, strict=True)
        (column, across), (row, along) = (
            _between((at + depth * ray - origin) / _TEXEL - 0.5, size) for at, ray, origin, size in places
        )
        index = row * self._shape[0] + column
        # The nearness between four texels is linear beside a line.
        near = self._nearness
        upper, lower = ((1.0 - across) * near[i] + across * near[i + 1] for i in (index, index + self._shape[0]))
        # The mean size of a pixel, as in `_texels`.
        size = depth * np.sqrt(depth / height) / np.float32(focal_length)
        return _covered((1.0 - along) * upper + along * lower, size)

    def _texel(self, position: NDArray[np.float32], axis: int) -> NDArray[np.int32]:
        """Columns or rows of the painted field for positions in m; its edge goes on for ever."""
        texel = (position - np.float32(self._origin[axis])) * np.float32(1.0 / _TEXEL)
        return np.clip(texel, 0, self._shape[axis] - 1).astype(np.int32)

    def _sky_colours(self, east: NDArray[np.float32], north: NDArray[np.float32], up: NDArray[np.float32]) -> Pixels:
        sine = up / np.sqrt(east * east + north * north + up * up)
        shade = np.clip(sine * _SKY_SHADES, 0, _SKY_SHADES - 1).astype(np.int32)
        colours: Pixels = self._sky[shade]
        return colours

    def _paint(self, paint: NDArray[np.uint8], field: Field, ground: GroundSettings) -> None:
        """Paint the field from above, rows along y and columns along x, in all sizes; see `__init__`."""
        columns, rows = self._shape
        finest, start = paint[: rows * columns], rows * columns
        picture = finest.reshape(rows, columns, 4)
        x, y = ((np.arange(n) + 0.5) * _TEXEL + at for n, at in zip(self._shape, self._origin, strict=True))
        bare = _is_bare(field, ground)
        picture[:, :, :3] = FLOOR if bare else turf(ground, x, y, field.length, _TEXEL)
        nearness = np.zeros((rows, columns), np.uint8)
        if field.is_there:
            for (ax, ay, _), (bx, by, _) in field.lines()[: -field.circle_chords]:
                _mark(nearness, x, y, (ax, ay), (bx, by))
            _mark_circle(nearness, x, y, field.centre_circle)
        # Smaller sizes have lines.
        painted = np.flatnonzero(nearness)
        turf_there = finest[painted, :3]
        share = _covered(nearness.reshape(-1)[painted].astype(np.float32), _TEXEL)[:, None]
        lines = turf_there + (np.array(LINE, np.float32) - turf_there) * share
        finest[painted] = _rounded(np.concatenate((lines, 255.0 * share), axis=1))
        whole = Image.frombuffer("RGBX", (columns, rows), paint, "raw", "RGBX", 0, 1)
        for _ in range(1, _LEVELS):
            whole = whole.reduce(2)
            smaller = np.asarray(whole).reshape(-1, 4)
            paint[start : start + len(smaller)] = smaller
            start += len(smaller)
        finest[painted, :3] = turf_there
        picture[:, :, 3] = nearness


def _blocks(camera: CameraPose, lens: Lens) -> Iterator[tuple[slice, NDArray[np.float32]]]:
    """Parts of a picture's pixels, and their rays (3, n) in the world's axes."""
    rays, rotation = lens.rays(), camera.rotation.astype(np.float32)
    # Larger arrays leave the processor's cache, which takes nearly twice as long at 640x480.
    for start in range(0, rays.shape[1], _BLOCK):
        part = slice(start, start + _BLOCK)
        yield part, rotation @ rays[:, part]


def _is_bare(field: Field, ground: GroundSettings) -> bool:
    """Whether the ground has one plain colour; stripes are for fields only."""
    return not field.is_there and ground.texture == STRIPES.texture


def _height(position: list[float]) -> float:
    return max(position[2], 0.001)


def _between(texel: NDArray[np.float32], count: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The texel before each place along an edge, and how far on the place is, 0 to 1."""
    before = np.clip(np.floor(texel), 0, count - 2).astype(np.int32)
    return before, np.clip(texel - before, 0.0, 1.0).astype(np.float32)


def _mark(
    nearness: NDArray[np.uint8], x: Array, y: Array, start: tuple[float, float], end: tuple[float, float]
) -> None:
    """Draw a line that runs along x or y, with square ends that fill corners."""
    (left, right), (low, high) = (sorted(pair) for pair in zip(start, end, strict=True))
    over_x, over_y = (np.maximum(a - at, at - b) for at, a, b in ((x, left, right), (y, low, high)))
    columns, rows = (np.flatnonzero(over < 2.0 * _REACH) for over in (over_x, over_y))
    _bring(nearness, rows, columns, np.maximum(over_y[rows][:, None], over_x[columns][None, :]))


def _mark_circle(nearness: NDArray[np.uint8], x: Array, y: Array, radius: float) -> None:
    """Draw the centre circle, and the mark in its middle with a line's width as radius."""
    columns, rows = (np.flatnonzero(np.abs(at) < radius + 2.0 * _REACH) for at in (x, y))
    distance = np.hypot(x[columns][None, :], y[rows][:, None])
    # Points less than half a line's width away are painted.
    _bring(nearness, rows, columns, np.minimum(np.abs(distance - radius), distance - LINE_WIDTH / 2.0))


def _bring(nearness: NDArray[np.uint8], rows: IntArray, columns: IntArray, off: Array) -> None:
    """Bring the middle of a line to these distances (rows, columns), m, where no other line is nearer."""
    part = np.ix_(rows, columns)
    nearness[part] = np.maximum(nearness[part], _rounded(_NEARNESS - off / _MILLIMETRE))


def _covered(nearness: NDArray[np.float32], size: NDArray[np.float32] | float) -> NDArray[np.float32]:
    """Shares (n,) that lines cover of pixels of some sizes, m, by the nearness of their middles."""
    distance = (_NEARNESS - nearness) * np.float32(_MILLIMETRE)
    shares: NDArray[np.float32] = np.clip((LINE_WIDTH / 2.0 - distance) / size + 0.5, 0.0, 1.0)
    return shares


def _sky_shades() -> NDArray[np.float32]:
    """Colours (_SKY_SHADES, 3) by the sine of the elevation."""
    share = np.sqrt(np.linspace(0.0, 1.0, _SKY_SHADES))[:, None]
    colours: NDArray[np.float32] = (np.array(HORIZON) * (1.0 - share) + np.array(ZENITH) * share).astype(np.float32)
    return colours


def _rounded(values: NDArray[np.floating[Any]]) -> NDArray[np.uint8]:
    rounded: NDArray[np.uint8] = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded


def _packed(colours: NDArray[np.float32]) -> Pixels:
    rgba = np.full((len(colours), 4), 255, np.uint8)
    rgba[:, :3] = _rounded(colours)
    return rgba.view(np.uint32).reshape(-1)


_SHADED = _rounded(np.arange(256) * SHADOW)
"""Bytes of colours in shadow."""
