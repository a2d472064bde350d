"""XML files of foreign formats."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from simspark_ros.configuration.foreign import check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.document import parse_xml


def read_xml(path: Path, limits: LimitSettings) -> ET.Element:
    """The root of a file's tree, whose elements know their lines.

    Raises:
        RobotError: the file cannot be read or is no accepted XML.
        UserError: the file is too long.
    """
    note_file(path)
    check_file_size(path, limits)
    try:
        # Blanks before an XML declaration are no XML, yet many readers take them.
        text = path.read_text(encoding="utf-8").lstrip("\ufeff \t\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RobotError(f"{path}: cannot be read as UTF-8 text: {error}") from None
    return parse_xml(text, str(path))
