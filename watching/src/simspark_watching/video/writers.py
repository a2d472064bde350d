"""Files of videos: MP4 by FFmpeg, GIF by Pillow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PIL import Image

from simspark_ros.rendering.renderer import Picture
from simspark_watching.video.settings import VideoError, VideoSettings, require_encoder

_COLOURS = 128
"""Number of colours of a GIF; more would make it larger rather than better."""

_QUALITY = 7
"""Quality of an MP4, of ten."""


def write_video(pictures: Iterable[Picture], settings: VideoSettings) -> int:
    """Write pictures (height, width, 3) into the file of the settings; returns how many there were.

    Raises:
        VideoError: the file cannot be written, or there are no pictures.
        MissingPackageError: what writes it is not installed.
    """
    require_encoder(settings)
    if not settings.output.parent.is_dir():
        raise VideoError(f"{settings.output}: there is no folder {settings.output.parent}")
    count = 0

    def counted() -> Iterator[Picture]:
        nonlocal count
        for count, picture in enumerate(pictures, 1):  # noqa: B007
            yield picture

    write: Callable[[Iterator[Picture], VideoSettings], None] = _write_gif if settings.is_gif else _write_mp4
    try:
        write(counted(), settings)
    except OSError as error:
        raise VideoError(f"{settings.output}: cannot be written: {error.strerror or error}") from None
    return count


def _write_mp4(pictures: Iterator[Picture], settings: VideoSettings) -> None:
    import imageio_ffmpeg

    first = _first(pictures, settings)
    # Every player shows pictures in yuv420p; the size is taken as it is, not rounded to blocks of 16.
    file = imageio_ffmpeg.write_frames(
        str(settings.output), (settings.width, settings.height), fps=settings.rate, quality=_QUALITY, macro_block_size=2
    )
    file.send(None)
    try:
        file.send(first)
        for picture in pictures:
            file.send(picture)
    finally:
        file.close()


def _write_gif(pictures: Iterator[Picture], settings: VideoSettings) -> None:
    first = _indexed(_first(pictures, settings))
    following = map(_indexed, pictures)
    first.save(settings.output, "gif", save_all=True, append_images=following, duration=1000.0 / settings.rate, loop=0)


def _indexed(picture: Picture) -> Image.Image:
    """The picture with a palette of its own, and without dither, which would change in every picture."""
    return Image.fromarray(picture).quantize(_COLOURS, dither=Image.Dither.NONE)


def _first(pictures: Iterator[Picture], settings: VideoSettings) -> Picture:
    picture = next(pictures, None)
    if picture is None:
        raise VideoError(f"{settings.output}: there is nothing to show from {settings.start:g} s on")
    return picture
