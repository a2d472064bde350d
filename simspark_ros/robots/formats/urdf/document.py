"""URDF documents as trees of elements that know their lines."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from xml.parsers import expat

from simspark_ros.configuration.errors import cut
from simspark_ros.configuration.names import is_unicode
from simspark_ros.robots.description import RobotError

_CHUNK = 1 << 14
"""Characters that are parsed before other threads, such as the simulation's, get a turn."""

MAX_DEPTH = 100
"""Most elements within one another, as functions that walk a tree are recursive."""

_FRAMES = ("attached_to", "relative_to", "canonical_link", "placement_frame", "expressed_in")
_NAMING = frozenset(("name", "link", "joint", "reference", *_FRAMES))
"""Attributes with names of links, joints and frames, in URDF and SDF: blanks around these mean nothing."""


class LinedElement(ET.Element):
    """An element and the line at which it begins."""

    line = 0


def line_of(element: ET.Element) -> int:
    """The line of an element, 0 if it is not known."""
    return element.line if isinstance(element, LinedElement) else 0


def parse_xml(document: str, source: str) -> ET.Element:
    """The root of an XML text, whose name in messages is `source`.

    Raises:
        RobotError: the text is no XML, nests too deep, or defines entities.
    """
    if "<!DOCTYPE" in document:
        raise RobotError(f"{source}: has a <!DOCTYPE>, whose entities may expand to any amount of text; remove it")
    if not is_unicode(document):
        raise RobotError(f"{source}: has half of a character (a surrogate), which XML forbids")
    return _Parser(source).root(document)


def parse_urdf(document: str, source: str) -> ET.Element:
    """The `<robot>` of a document; arguments and errors as `parse_xml`, and `RobotError` if it is no URDF."""
    root = parse_xml(document, source)
    if root.tag != "robot":
        raise RobotError(f"{source}: a URDF document starts with <robot>, this one with <{cut(root.tag, 40)}>")
    return root


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._depth = 0
        self._tree = ET.TreeBuilder(element_factory=LinedElement)
        # Prefixes of namespaces stay as they are: URDF has no use for them.
        self._parser = expat.ParserCreate("UTF-8")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._tree.data

    def root(self, document: str) -> ET.Element:
        try:
            for start in range(0, len(document), _CHUNK):
                self._parser.Parse(document[start : start + _CHUNK], False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            problem = f"not well-formed XML: {expat.ErrorString(error.code)}"
            raise RobotError(f"{self._source}: line {error.lineno}, column {error.offset + 1}: {problem}") from None
        return self._tree.close()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            line = self._parser.CurrentLineNumber
            raise RobotError(f"{self._source}: line {line}: elements are nested more than {MAX_DEPTH} deep")
        given = {key: value.strip() if key in _NAMING else value for key, value in attributes.items()}
        element = self._tree.start(tag, given)
        if isinstance(element, LinedElement):
            element.line = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(tag)
