"""Refuses docstring entries that do not say what a thing is: their first word is a preposition or a relative word.

An entry describes an argument, an attribute or a constant. Editors show it alone, so it needs a noun of its own:
not "trajectory: that is followed." but "trajectory: the joint trajectory being followed."
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

REFUSED = frozenset(
    "above after among as at before behind below beside between by for from in into of on over that these this those "
    "through to under what where which while who whose with without".split()
)
"""First words of entries that leave the noun to another line."""

SECTIONS = ("Args", "Attributes")
ENTRY = re.compile(r"^(?P<indent> +)(?P<name>\*{0,2}[A-Za-z_][\w.]*(?:, \w+)*)(?: \([^)]*\))?: (?P<word>\w+)")


def entries(docstring: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line within the docstring, the name and the first word of each entry for an argument or an attribute."""
    indent = 0
    inside = False
    for number, line in enumerate(docstring.splitlines()):
        text = line.strip()
        if text.rstrip(":") in SECTIONS and text.endswith(":"):
            inside, indent = True, 0
        elif inside and text:
            depth = len(line) - len(line.lstrip())
            indent = indent or depth
            match = ENTRY.match(line)
            if depth < indent:
                inside = False
            elif depth == indent and match:
                yield number, match["name"], match["word"]


def problems(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and a message for each entry of a module's source that begins with a refused word."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for before, statement in zip([None, *body], body, strict=False):
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
                continue
            text = statement.value.value
            if not isinstance(text, str):
                continue
            if before is None:
                for offset, name, word in entries(text):
                    if word.lower() in REFUSED:
                        yield statement.lineno + offset, f"the entry of {name} begins with '{word}'"
            elif isinstance(before, ast.Assign | ast.AnnAssign):
                word = re.match(r"\w*", text.strip())
                if word and word[0].lower() in REFUSED:
                    yield statement.lineno, f"the note on a constant or attribute begins with '{word[0]}'"


def main(folders: list[str]) -> int:
    """Check all Python files below folders; returns the exit status."""
    found = 0
    for path in sorted(path for folder in folders for path in Path(folder).rglob("*.py")):
        for line, message in problems(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {message}; say what the thing is, with its noun")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
