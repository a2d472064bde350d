"""Refuses docstring entries that do not say what a thing is: their first word is a preposition or a relative word.

An entry, in a section or in prose, describes an argument, an attribute or a constant. Editors show it alone, so it
needs a noun of its own: not "trajectory: that is followed." but "trajectory: the joint trajectory being followed." The
shape of an array may stand before the words, e.g. "points: (N, 3) corners of the mesh, m.", but not alone.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

REFUSED = re.compile(
    r"(above|after|among|as|at|before|behind|below|beside|between|by|for|from|how|in|into|of|on|over|that|these|this"
    r"|those|through|to|under|what|where|which|while|who|whose|with|without)(?![\w-])|\.?$",
    re.IGNORECASE,
)
"""Beginnings of texts that leave the noun to another line: one of these words, or nothing at all."""

SHAPE = re.compile(r"\([^()]*\),? ?")
"""An array's shape before the words of a text, e.g. `(N, 3)`."""

SECTIONS = ("Args:", "Attributes:")
ENTRY = re.compile(r"(?P<name>\*{0,2}[A-Za-z_][\w.]*(?:, \w+)*)(?: \([^)]*\))?: (?P<text>.*)")

INLINE = re.compile(r"(?:^|[;.] )(?P<name>[a-z_]\w*(?:, \w+)*): (?P<text>[^;]+)")
"""An entry in the middle of prose, e.g. `joints: (K,) indices of the joints;`."""


def inline_entries(docstring: str, names: set[str]) -> Iterator[tuple[int, str, str]]:
    """Yield as `entries` does, for the arguments and attributes of these names that prose before all sections has."""
    for number, line in enumerate(docstring.splitlines()):
        if line.strip() in SECTIONS:
            return
        for match in INLINE.finditer(line.strip()):
            if not names.isdisjoint(match["name"].split(", ")):
                yield number, match["name"], match["text"]


def names_in(node: ast.AST) -> set[str]:
    """The names of the arguments of a function, or of the fields of a class."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    fields = (item.target for item in getattr(node, "body", []) if isinstance(item, ast.AnnAssign))
    return {field.id for field in fields if isinstance(field, ast.Name)}


def entries(docstring: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line within the docstring, the name and the text of each entry for an argument or an attribute."""
    indent: int | None = None
    for number, line in enumerate(docstring.splitlines()):
        depth = len(line) - len(line.lstrip())
        if line.strip() in SECTIONS:
            indent = 0
        elif line.strip() and indent is not None:
            indent = indent or depth
            match = ENTRY.match(line.lstrip())
            if depth < indent:
                indent = None
            elif depth == indent and match:
                yield number, match["name"], match["text"]


def strings(node: ast.AST) -> Iterator[tuple[ast.stmt | None, int, str]]:
    """Yield the statement before, the line and the text of each string that stands alone in a node's blocks."""
    for _, block in ast.iter_fields(node):
        statements = [item for item in block if isinstance(item, ast.stmt)] if isinstance(block, list) else []
        for before, statement in zip([None, *statements], statements, strict=False):
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield before, statement.lineno, value.value


def fault(text: str) -> str | None:
    """Return a description of how an entry's text begins if it lacks a noun there; None if it does not."""
    text = text.strip()
    shape = SHAPE.match(text)
    refused = REFUSED.match(text, shape.end() if shape else 0)
    if refused is None:
        return None
    return f"begins with '{refused[1]}'" if refused[1] else "says nothing but a shape"


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each entry of a module's source that lacks a noun at its beginning."""
    for node in ast.walk(ast.parse(source)):
        for before, line, text in strings(node):
            if isinstance(before, ast.Assign | ast.AnnAssign):
                if found := fault(text):
                    yield line, f"the note on a constant or attribute {found}"
            elif before is None:
                for offset, name, entry in (*entries(text), *inline_entries(text, names_in(node))):
                    if found := fault(entry):
                        yield line + offset, f"the entry of {name} {found}"


def main(paths: list[str]) -> int:
    """Check the Python files given, and all below the folders given; returns the exit status."""
    found = 0
    for given in map(Path, paths):
        for path in sorted(given.rglob("*.py")) if given.is_dir() else [given]:
            for line, message in problems(path.read_text(encoding="utf-8")):
                print(f"{path}:{line}: {message}; say what the thing is, with its noun")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
