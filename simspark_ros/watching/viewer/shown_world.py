"""The world whose lines and obstacles the page shows."""

from __future__ import annotations

from pathlib import Path

from simspark_ros.soccer.settings import SoccerSettings, load_soccer_settings, world_of_text


class ShownWorld:
    """The world that a server tells of, else one by its name or file; empty = soccer.

    A file is read again when it changes, as `serve --reload` does.

    Attributes:
        settings: settings of the last usable version.

    Raises:
        ConfigurationError: the file cannot be used.
    """

    def __init__(self, world: str) -> None:
        self._world, self._path = world or None, Path(world)
        self._stamp = self._look()
        self._told = ""
        self.settings: SoccerSettings = load_soccer_settings(self._world)

    def follow(self, told: str) -> bool:
        """Take the text that the server tells, or read the file if it tells none; whether the world is another one.

        Raises:
            ConfigurationError: the world cannot be used; raised once for each version.
        """
        if told:
            if told == self._told:
                return False
            self._told = told
            self.settings = world_of_text(told)
            return True
        stamp = self._look()
        if stamp in (None, self._stamp):
            return False
        self._stamp = stamp
        self.settings = load_soccer_settings(self._world)
        return True

    def _look(self) -> tuple[int, int] | None:
        """Time of the file's last change, ns, and its size; None if it is no file, or just being replaced."""
        try:
            status = self._path.stat() if self._path.is_file() else None
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size) if status else None
