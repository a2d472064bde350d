"""XML texts of foreign files as trees whose elements know their lines."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from xml.parsers import expat

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.robots.description import RobotError

MAX_DEPTH = 100
"""Elements within one another; deeper trees break the programs that walk them."""


class LinedElement(ET.Element):
    """An element and the line of its file at which it begins."""

    line: int = 0


def line_of(element: ET.Element) -> int:
    """The line of an element, 0 if it is not known."""
    return element.line if isinstance(element, LinedElement) else 0


def read_xml(path: Path) -> ET.Element:
    """The root of a file's tree.

    Raises:
        RobotError: the file cannot be read, is no XML, has a document type (entities multiply text), or nests too deep.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from None
    return _Reader(path).root(content)


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._depth = 0
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._tree = ET.TreeBuilder(element_factory=LinedElement)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._tree.data
        self._parser.StartDoctypeDeclHandler = self._doctype

    def root(self, content: bytes) -> ET.Element:
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            problem = f"column {error.offset + 1}: not well-formed XML: {expat.ErrorString(error.code)}"
            raise RobotError(f"{self._path}:{error.lineno}: {problem}") from None
        # Of an encoding that Python does not know.
        except (LookupError, ValueError) as error:
            raise RobotError(f"{self._path}: cannot be read as XML: {cut(str(error), 80)}") from None
        return self._tree.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._refused(f"more than {MAX_DEPTH} elements within one another")
        element = self._tree.start(tag, attributes)
        if isinstance(element, LinedElement):
            element.line = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(tag)

    def _doctype(self, name: str, *_: object) -> None:
        raise self._refused(f"has a <!DOCTYPE {shown(name)}>, whose entities stand for any amount of text; take it out")

    def _refused(self, problem: str) -> RobotError:
        return RobotError(f"{self._path}:{self._parser.CurrentLineNumber}: {problem}")
