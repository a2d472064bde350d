"""Settings of a video, apart from it, so that reading a command line loads nothing heavy."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from simspark_ros.configuration.errors import MissingPackageError, UserError
from simspark_ros.configuration.schema import Checked, ConfigurationError, Range, Setting
from simspark_ros.server.viewer_settings import TV, Follow, require_target
from simspark_ros.simulation.settings import Renderer

MP4, GIF = ".mp4", ".gif"

LARGEST = 4096
"""Most pixels along an edge."""


class VideoError(UserError):
    """A video cannot be made; the message says what to do."""


@dataclass(frozen=True)
class VideoSettings(Checked):
    """Settings of a video; no option sets the file that is written, and its width and height, pixels."""

    output: Path
    width: int = 1280
    height: int = 720
    rate: Annotated[float, Range(1.0, 100.0, "1/s"), Setting("pictures per second")] = 25.0
    speed: Annotated[
        float, Range(0.01, 100.0), Setting("speed of the video as a multiple of the recorded one", metavar="X")
    ] = 1.0
    start: Annotated[float, Range(0.0, 1e6, "s"), Setting("recorded time at the video's start")] = 0.0
    end: Annotated[float, Range(0.0, 1e6, "s"), Setting("recorded time at the video's end; 0 = the log's end")] = 0.0
    world: Annotated[
        str, Setting("field that is shown, a name or a YAML file; empty = the field of the log's league")
    ] = ""
    follow: Follow = TV
    distance: Annotated[float, Range(0.0, 1000.0, "m", above=True), Setting("distance of the camera")] = 6.0
    shadows: Annotated[bool, Setting("draw shadows, which take half of the time")] = True
    renderer: Renderer = "auto"
    labels: Annotated[bool, Setting("show numbers and names over robots")] = True
    replays: Annotated[bool, Setting("show goals again in slow motion")] = True
    jobs: Annotated[int, Range(0, 256), Setting("number of processes that draw; 0 = one for each core")] = 0

    def __post_init__(self) -> None:
        """Check size, format and target."""
        super().__post_init__()
        require_target(self.follow)
        if self.output.suffix.lower() not in (MP4, GIF):
            raise ConfigurationError(f"{self.output}: the name of a video must end in {MP4} or {GIF}")
        for name, edge in (("width", self.width), ("height", self.height)):
            if not 16 <= edge <= LARGEST or edge % 2:
                raise ConfigurationError(
                    f"the {name} of a video must be even and from 16 to {LARGEST} pixels, not {edge}"
                )
        if self.end and self.end <= self.start:
            raise ConfigurationError(
                f"a video cannot begin at {self.start:g} s and end at {self.end:g} s; choose a later end"
            )

    @property
    def is_gif(self) -> bool:
        """Whether it is a GIF."""
        return self.output.suffix.lower() == GIF


def require_encoder(settings: VideoSettings) -> None:
    """Check that the file's encoder is installed, without loading it.

    Raises:
        MissingPackageError: it is not installed.
    """
    if not settings.is_gif and find_spec("imageio_ffmpeg") is None:
        raise MissingPackageError(
            "MP4 files need imageio-ffmpeg: pip install 'simspark_watching[video]'; GIF needs nothing"
        )
