"""XML files of foreign formats."""

from __future__ import annotations

import codecs
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from simspark_ros.configuration.errors import reason, shown
from simspark_ros.configuration.foreign import check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.urdf.document import parse_xml

_DECLARED = re.compile(r"""\A\s*<\?xml\s[^>]*?(encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["'])""")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_HEAD = 200
"""Number of bytes in which the XML declaration is looked for."""

_TEXTS = re.compile(r"(us-)?ascii|utf-?(8|16)(-sig)?|iso-8859-\d+|latin-?1|(windows-|cp)125\d", re.IGNORECASE)
"""Encodings of texts; others of Python hide what a text says, or are none of texts."""


def read_xml(path: Path, limits: LimitSettings, only_utf8: bool = False) -> ET.Element:
    """The root of a file's tree, whose elements know their lines.

    only_utf8: whether the file is UTF-8 whatever it declares, as for programs that read it again and know no other.

    Raises:
        RobotError: the file cannot be read or is no accepted XML.
        UserError: the file is too long.
    """
    note_file(path)
    check_file_size(path, limits)
    # Blanks before an XML declaration are no XML, yet many readers take them.
    return parse_xml(xml_text(path, only_utf8).lstrip("\ufeff \t\r\n"), str(path))


def without_comments(text: str) -> str:
    """An XML text without its comments, in linear time, as an expression that looks for unclosed ones takes not."""
    kept, start = [], 0
    while (begin := text.find("<!--", start)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept.append(text[start:begin])
        start = end + 3
    return "".join((*kept, text[start:]))


def xml_text(path: Path, only_utf8: bool = False) -> str:
    """The text of an XML file in the encoding that its byte order mark or its declaration names, else in UTF-8.

    only_utf8: see `read_xml`. The declaration of the returned text names UTF-8 (XML 1.0, section 4.3.3).

    Raises:
        RobotError: the file cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {reason(error)}") from None
    declared = _DECLARED.match(content[:_HEAD].decode("latin-1"))
    encoding = next((name for mark, name in _MARKS if content.startswith(mark)), declared[2] if declared else "utf-8")
    if only_utf8:
        encoding = "utf-8"
    if not _TEXTS.fullmatch(encoding):
        raise RobotError(f"{path}: its encoding {shown(encoding)} is unknown; save the file as UTF-8")
    try:
        text = content.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise RobotError(f"{path}: cannot be read as {encoding} text: {error}; save the file as UTF-8") from None
    found = _DECLARED.match(text)
    return text if found is None else f'{text[: found.start(1)]}encoding="UTF-8"{text[found.end(1) :]}'
