"""Worlds from clients' files or texts, read by a process with limits: see `configuration.foreign`.

This module is also the program of that process, and has the limits on their size.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

from simspark_ros.configuration.foreign import answer, as_file, ask, check_written_out
from simspark_ros.configuration.library import is_path
from simspark_ros.configuration.limits import LimitSettings, only_limits
from simspark_ros.configuration.schema import ConfigurationError
from simspark_ros.robots.catalogue import robot_names
from simspark_ros.soccer.referee.rulebook import RULE_BOOKS
from simspark_ros.soccer.settings import WorldText, read_world, soccer_settings
from simspark_ros.worlds.settings import ThingsFile


def read_foreign_world(path: Path, limits: LimitSettings) -> WorldText:
    """The content of a world's file; takes as long as `foreign.ask`. Safe from any thread.

    Raises:
        ConfigurationError: the files cannot be used, or only beyond the limits.
    """
    read = ask(__name__, path, [], only_limits(limits), ConfigurationError)
    return WorldText(path, read["document"], read["books"])


def read_foreign_world_text(text: str, limits: LimitSettings) -> WorldText:
    """As `read_foreign_world`, for the text of a world's file; its relative paths lead nowhere."""
    ending = ".sdf" if text.lstrip("\ufeff \t\r\n").startswith("<") else ".yaml"
    with as_file(text, ending, limits, ConfigurationError) as path:
        return read_foreign_world(path, limits)


def _read(path: Path, limits: LimitSettings) -> dict[str, Any]:
    text = read_world(path)
    check_size(soccer_settings(text).things, limits, path)
    book = text.book
    books = {book: RULE_BOOKS.document(Path(book))} if is_path(book) else {}
    read = {"document": text.document, "books": books}
    check_written_out(path, read, limits, _unknown)
    return read


def _unknown(value: Any) -> Any:
    raise ConfigurationError(f"the world has a value of type {type(value).__name__}, which is not allowed")


def check_size(things: ThingsFile, limits: LimitSettings, where: object) -> None:
    """Refuse a client's world that is too large, or that names files of robots, by a ConfigurationError."""
    count = len(things.obstacles) + len(things.objects)
    fields = [thing.height_field.heights for thing in things.obstacles.values() if thing.height_field]
    points = sum(len(heights) * len(heights[0]) for heights in fields)
    for what, number, setting in (
        ("obstacles and objects", count, "world_things"),
        ("robots", len(things.robots), "world_robots"),
        ("points of height fields", points, "world_points"),
    ):
        if number > (most := getattr(limits, setting)):
            raise ConfigurationError(f"{where}: the world has {number} {what}; {setting} allows {most}")
    for name, robot in things.robots.items():
        if robot.robot.partition("?")[0] not in robot_names():
            raise ConfigurationError(f"{where}: robots: {name}: robot: clients may use only robots of the package")


def main() -> NoReturn:
    """Read the file in the program's argument."""
    answer(sys.argv[1], _read)
