"""Builds the scene graph of RSG files, within bounds: templates, definitions, imports with arguments, cases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from simspark_ros.configuration.errors import shown
from simspark_ros.configuration.foreign import check_file_size
from simspark_ros.configuration.limits import LimitSettings
from simspark_ros.configuration.read_files import note_file
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.folders import Folders
from simspark_ros.robots.formats.rsg.arithmetic import ExpressionError, Value, evaluate
from simspark_ros.robots.formats.rsg.nodes import Call, Node
from simspark_ros.robots.formats.rsg.text import Atom, Expression, Listing, read_rsg_text

MAX_IMPORTS = 20
"""Most files that import one another in a row."""

_PER_LINK = 200
"""Most expressions of a scene per allowed link of a robot; the Nao's arms take 25."""


class SceneBuilder:
    """Builds one scene; all errors are `RobotError`s with file and line."""

    def __init__(self, path: Path, variables: Mapping[str, Any], limits: LimitSettings) -> None:
        self._variables = variables
        self._limits = limits
        self._left = _PER_LINK * limits.max_links
        self._texts: dict[Path, Listing] = {}
        # Names of files are relative to the folder that holds the folder `rsg`.
        parents = path.resolve().parents
        self.root = next((one.parent for one in parents if one.name == "rsg"), path.resolve().parent)
        self.folders = Folders(path, self.root)

    def scene(self, path: Path, arguments: tuple[Value, ...]) -> Node:
        """The root of the scene of a file, given the arguments of its template."""
        root = Node("Scene", path, 1)
        self._import(path.resolve(), arguments, root, depth=0)
        return root

    def _import(self, path: Path, arguments: tuple[Value, ...], node: Node, depth: int) -> None:
        if path not in self._texts:
            note_file(path)
            check_file_size(path, self._limits)
            try:
                self._texts[path] = read_rsg_text(path, path.read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise RobotError(f"{path}: cannot be read as UTF-8 text: {error}") from None
        _File(self, path, depth).run(self._texts[path].items, node, arguments)

    def import_scene(self, file: _File, call: Listing, arguments: tuple[Value, ...], node: Node) -> None:
        """Carry out `(importScene file arguments...)`."""
        place = f"{file.path}:{call.line}: importScene"
        if file.depth == MAX_IMPORTS:
            raise RobotError(f"{place}: more than {MAX_IMPORTS} files import one another in a row, perhaps in a circle")
        if not arguments:
            raise RobotError(f"{place}: names no file")
        found = self.folders.find(str(arguments[0]), self.root, place)
        self._import(found, arguments[1:], node, file.depth + 1)

    def count(self, file: Path, line: int) -> None:
        """Count an expression; refuse scenes that grow without end."""
        self._left -= 1
        if self._left < 0:
            most = _PER_LINK * self._limits.max_links
            raise RobotError(f"{file}:{line}: the scene has more than {most} expressions; max_links allows no more")

    def computed(self, text: str) -> Value:
        """The value of an expression with the scripts' variables."""
        return evaluate(text, self._variables)


class _File:
    """One file while it is carried out, with its own variables."""

    def __init__(self, scene: SceneBuilder, path: Path, depth: int) -> None:
        self.path = path
        self.depth = depth
        self._scene = scene
        self._local: dict[str, Value] = {}

    def run(self, expressions: tuple[Expression, ...], node: Node, arguments: tuple[Value, ...] = ()) -> None:
        """Carry out expressions below a node."""
        for expression in expressions:
            self._scene.count(self.path, expression.line)
            if isinstance(expression, Atom):
                self._fail(expression, f"{shown(expression.text)} stands outside of brackets")
            self._carry_out(expression, node, arguments)

    def _carry_out(self, expression: Listing, node: Node, arguments: tuple[Value, ...]) -> None:
        head, rest = expression.head, expression.items[1:]
        if head in ("nd", "node"):
            if not rest or not isinstance(rest[0], Atom):
                self._fail(expression, "must name a class of nodes")
            child = Node(rest[0].text, self.path, expression.line, node)
            node.children.append(child)
            self.run(rest[1:], child)
        elif head == "templ":
            self._template(expression, rest, arguments)
        elif head in ("def", "define"):
            if len(rest) != 2 or not isinstance(rest[0], Atom):
                self._fail(expression, "a definition needs a $name and a value")
            self._local[rest[0].text] = self._value(rest[1])
        elif head == "importScene":
            self._scene.import_scene(self, expression, tuple(map(self._value, rest)), node)
        elif head == "switch":
            self._switch(expression, rest, node)
        elif not head:
            self._fail(expression, "a list must begin with a word")
        else:
            node.calls.append(Call(head, tuple(map(self._value, rest)), expression.line))

    def _template(self, expression: Listing, names: tuple[Expression, ...], arguments: tuple[Value, ...]) -> None:
        if len(names) > len(arguments):
            wanted = " ".join(name.text for name in names if isinstance(name, Atom))
            self._fail(expression, f"the file needs {len(names)} arguments ({wanted[:200]}), not {len(arguments)}")
        for name, argument in zip(names, arguments, strict=False):
            if not isinstance(name, Atom):
                self._fail(expression, "a template may hold only $names")
            self._local[name.text] = argument

    def _switch(self, expression: Listing, rest: tuple[Expression, ...], node: Node) -> None:
        """Carry out the case of a value, if there is one."""
        if not rest:
            self._fail(expression, "must name a value")
        value = _word(self._value(rest[0]))
        for case in rest[1:]:
            if isinstance(case, Listing) and case.head == value:
                self.run(case.items[1:], node)

    def _value(self, expression: Expression) -> Value:
        self._scene.count(self.path, expression.line)
        if isinstance(expression, Atom):
            return self._atom(expression)
        parts = [self._value(part) for part in expression.items[1:]]
        if expression.head == "join":
            return "".join(map(_word, parts))
        if expression.head == "eval":
            quoted = any(isinstance(part, Atom) and part.quoted for part in expression.items[1:])
            # A text in quotes is an expression, with variables between its pieces.
            text = ("" if quoted else " ").join(map(_word, parts))
            try:
                return self._scene.computed(text)
            except ExpressionError as error:
                self._fail(expression, f"(eval {text[:80]}): {error}")
        self._fail(expression, f"({expression.head} ...) is not a value")

    def _atom(self, atom: Atom) -> Value:
        if atom.quoted or not atom.text.startswith("$"):
            return atom.text
        if atom.text not in self._local:
            self._fail(atom, f"{atom.text} is not defined")
        return self._local[atom.text]

    def _fail(self, expression: Expression, problem: str) -> NoReturn:
        raise RobotError(f"{self.path}:{expression.line}: {problem}")


def _word(value: Value) -> str:
    """A value as text, as `join` and cases know no numbers."""
    return value if isinstance(value, str) else repr(value)
