"""From a drawn view to a user's picture: blur, noise, limits of distance, compression."""

from __future__ import annotations

import io
import struct
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from simspark_ros.perceptors.camera import CameraParameters
from simspark_ros.rendering.drawing.optics import Lens
from simspark_ros.rendering.drawing.panorama import MirrorLens
from simspark_ros.rendering.renderer import CameraView, Picture

CompressedFormat = Literal["jpeg", "png"]

_BLURS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Deviations of the blurred copies that are mixed, pixels."""

_DEPTH_MAX, _QUANTIZATION = 10.0, 100.0
"""Greatest distance, m, and steps of inverse distances: defaults of the plug-in `compressedDepth`."""

_PNG_LEVEL = 1
"""Level of compression, of nine. A higher one takes several times as long for a few percent."""


def focused(
    picture: Picture, depth: NDArray[np.float32], lens: Lens | MirrorLens, settings: CameraParameters
) -> Picture:
    """A picture as by a thin lens: points at other distances (height, width), m, than the focus are blurred.

    A point becomes a disc of diameter f A |1 / distance - 1 / focus| pixels, for the aperture A. A Gaussian with the
    disc's deviation, a quarter of the diameter, stands for it; blurred copies of whole pictures are mixed.
    """
    disc = lens.focal_length * settings.aperture * np.abs(1.0 / depth - 1.0 / settings.focus)
    deviation = np.minimum(disc / 4.0, _BLURS[-1])
    most = int(np.searchsorted(_BLURS, deviation.max(initial=0.0)))
    copies = [picture, *(_blurred(picture, blur) for blur in _BLURS[1 : most + 1])]
    # Each pixel mixes the two copies whose blurs are next to its own.
    level = np.interp(deviation, _BLURS, range(len(_BLURS)))
    lower = np.minimum(level.astype(np.int64), max(most - 1, 0))
    share = (level - lower)[:, :, None]
    stack = np.stack(copies)
    rows, columns = np.indices(depth.shape, sparse=True)
    mixed = stack[lower, rows, columns] * (1.0 - share) + stack[np.minimum(lower + 1, most), rows, columns] * share
    whole: Picture = np.rint(mixed).astype(np.uint8)
    return whole


def taken(
    view: CameraView, settings: CameraParameters, lens: Lens | MirrorLens, random: np.random.Generator
) -> Picture:
    """The picture (height, width, 3) that a camera makes of a view; with an aperture it needs the depth, too."""
    picture = focused(view.picture, view.depth, lens, settings) if settings.aperture else view.picture
    return imperfect(picture, settings, random)


def imperfect(picture: Picture, settings: CameraParameters, random: np.random.Generator) -> Picture:
    """A picture (height, width, 3) with the blur and then the noise of a camera."""
    if settings.blur:
        picture = _blurred(picture, settings.blur)
    if settings.noise:
        noise = random.standard_normal(picture.shape, np.float32) * np.float32(settings.noise)
        picture = np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)
    return picture


def measured_depth(
    depth: NDArray[np.float32], settings: CameraParameters, random: np.random.Generator
) -> NDArray[np.float32]:
    """Distances (height, width), m, with noise; NaN where a camera measures no distance (REP-118)."""
    inside = (depth >= settings.depth_min) & (depth <= settings.depth_max)
    if settings.depth_noise:
        depth = depth + random.standard_normal(depth.shape, np.float32) * np.float32(settings.depth_noise)
    return np.where(inside, depth, np.float32(np.nan))


def compressed_depth(depth: NDArray[np.float32]) -> bytes:
    """Distances (height, width), m, as image_transport's plug-in `compressedDepth` writes and reads them.

    The bytes are a header and a PNG file of 16-bit numbers A / depth + B, 0 without a distance or above 10 m: steps of
    distance are 0.1 mm at 1 m and 1 cm at 10 m.
    """
    scale = _QUANTIZATION * (_QUANTIZATION + 1.0)
    shift = 1.0 - scale / _DEPTH_MAX
    known = np.isfinite(depth) & (depth > 0.0) & (depth < _DEPTH_MAX)
    inverse = np.where(known, scale / np.where(known, depth, 1.0) + shift, 0.0)
    steps = np.clip(np.rint(inverse), 0, 65535).astype(np.uint16)
    file = io.BytesIO()
    Image.fromarray(steps).save(file, "png", compress_level=_PNG_LEVEL)
    return struct.pack("<i2f", 0, scale, shift) + file.getvalue()


def _blurred(picture: Picture, deviation: float) -> Picture:
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(deviation)))


def compressed(picture: Picture, kind: CompressedFormat, quality: int) -> bytes:
    """A picture as a file; `quality` of JPEG, 1 to 100."""
    file = io.BytesIO()
    options = {"quality": quality} if kind == "jpeg" else {"compress_level": _PNG_LEVEL}
    Image.fromarray(picture).save(file, kind, **options)
    return file.getvalue()
