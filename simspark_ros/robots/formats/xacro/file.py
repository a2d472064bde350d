"""Processes xacro files. They are programs of strangers, so this module limits what they compute and read.

Expressions reach only values (`expressions`), and files are the model's own (`sources`). Environment and
working directory are forbidden: a robot must be the same in every process. Messages give only the kind of an error and
the file, as the texts of errors may hold anything that a file has read.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.parsers.expat import ExpatError

import yaml

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.files.xml_text import without_comments
from simspark_ros.robots.formats.xacro.expressions import create_symbols, evaluate
from simspark_ros.robots.formats.xacro.sources import Sources

_LOCK = threading.Lock()
"""Lock around xacro, which keeps its state in module variables; robots may be spawned from several threads."""

_OWN_WORDS = re.compile(r"[A-Za-z ]*")
"""Beginning of a message of xacro, before it names something."""

_DECLARATION = re.compile("<xacro:(arg|property|macro|include)[\\s>]")

SUPPORTED = "xacro>=2.0.10,<3"
"""Versions of xacro that have all the names which are used and replaced here; pyproject.toml requires the same."""


def is_xacro(name: str, text: str) -> bool:
    """Whether a model with a file's name and text is for xacro, also as `.urdf`, such as those of TurtleBot3.

    Calls of macros alone, without a declaration, are left over in files that xacro has processed.
    """
    if name.endswith(".xacro"):
        return True
    return "xmlns:xacro" in text and _DECLARATION.search(without_comments(text)) is not None


def process_xacro(
    model: Path,
    variant: int,
    changes: Mapping[str, float] = MappingProxyType({}),
    arguments: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """The URDF text of a xacro file, processed with `type:=variant`; a `RobotError` says what is wrong with it.

    Changed parameters become the xacro argument `changes`, written as the arguments of `dict`; `arguments` are further
    ones.
    """
    # Imported late: robots from plain URDF do without it.
    import xacro

    given = {"type": str(variant)}
    if changes:
        given["changes"] = ", ".join(f"{name}={value!r}" for name, value in changes.items())
    given.update(arguments)
    with _LOCK:
        try:
            with _confined(Sources(model)):
                # Resolved, as the target of a link refers to files beside itself, not beside the link.
                document = xacro.process_file(str(model.resolve()), mappings=given)
                return str(document.toprettyxml(indent="  "))
        # xacro evaluates expressions of the file, which may raise any error; all errors are the file's fault.
        except Exception as error:
            problem = _problem(error, xacro.filestack)
            raise RobotError(f"{model}: xacro failed for type:={cut(given['type'], 40)}: {problem}") from None


@contextmanager
def _confined(sources: Sources) -> Iterator[None]:
    """Give xacro functions that refuse; afterwards xacro is as before for other users in this process."""
    import xacro

    symbols = create_symbols(xacro, partial(_load_yaml, sources))

    def substituted(text: str) -> str:
        return substitute(text, xacro.substitution_args_context["arg"], sources, symbols)

    def included(name: str, local_symbols: Any) -> list[str]:
        return sources.files(xacro.abs_filename_spec(xacro.eval_text(name, local_symbols)))

    # All that xacro gives no other way to change.
    replaced = {
        "_global_symbols": symbols,
        "safe_eval": evaluate,
        "eval_extension": substituted,
        "get_include_files": included,
    }
    before = {name: getattr(xacro, name) for name in replaced}
    vars(xacro).update(replaced)
    try:
        yield
    finally:
        vars(xacro).update(before)


class _UnitLoader(yaml.SafeLoader):
    """Reads xacro's tags for units, whose values are expressions; other YAML files must not have them."""


def _load_yaml(sources: Sources, name: str) -> Any:
    """The content of a YAML file of the model, in place of xacro's `load_yaml`, which changes YAML for all."""
    import xacro

    for unit in xacro.ConstructUnits:
        _UnitLoader.add_constructor(unit.value.tag, unit.constructor)
    path = sources.path(xacro.abs_filename_spec(name))
    with open(path, encoding="utf-8") as file:
        xacro.filestack.append(path)
        try:
            return xacro.YamlListWrapper.wrap(yaml.load(file, _UnitLoader))
        finally:
            xacro.filestack.pop()


def _problem(error: BaseException, files: list[str | None] | None) -> str:
    """File and kind of an error."""
    words = ""
    # xacro wraps what it catches.
    while isinstance(inner := getattr(error, "exc", None), BaseException):
        words = _words(error) or words
        error = inner
    if isinstance(error, AttributeError) and getattr(error.obj, "__name__", "") == "xacro":
        return f"xacro {version('xacro')} has no {error.name!r}; simspark_ros works with {SUPPORTED}"
    where = f"in {shown(Path(files[-1]).name)}: " if files and files[-1] else ""
    # The texts of these errors repeat nothing of a file that messages may not show.
    if isinstance(error, RobotError | ExpatError):
        return f"{where}{error}"
    own = type(error).__name__ == "XacroException"
    kind = _words(error) or words if own else ": ".join(filter(None, [words, type(error).__name__]))
    return f"{where}{kind or 'an error'}; run the command xacro for details"


def _words(error: BaseException) -> str:
    """The beginning of a message, which is xacro's own text."""
    text = error.args[0] if error.args else None
    found = _OWN_WORDS.match(text) if isinstance(text, str) else None
    return cut(found[0].strip(), 60) if found else ""


_OF_THE_PROCESS = ("cwd", "env")
"""Commands whose result depends on the process."""

_CONSTANTS = {"true": True, "false": False, "True": True, "False": False}


def substitute(text: str, arguments: Mapping[str, str], sources: Sources, symbols: Mapping[str, Any]) -> str:
    """Return what a substitution stands for, in place of xacro's own function.

    A robot must be the same in every process: `$(optenv NAME DEFAULT)` is the default, as where nobody has set the
    variable; `$(env NAME)` and `$(cwd)` are refused.

    Args:
        text: the substitution, `$(COMMAND ...)`; its inner expressions are evaluated already.
        arguments: values of the file's `xacro:arg`.
        sources: the files and packages that the model may read.
        symbols: the names that expressions may use.

    Raises:
        RobotError: there is no such command, argument or package.
    """
    inner = text[2:-1]
    command, *words = inner.split() or [""]
    if command in _OF_THE_PROCESS:
        raise RobotError(f"$({command} ...) may differ between processes, so robot files cannot use it; use xacro:arg")
    if command == "optenv" and words:
        return " ".join(words[1:])
    if command == "eval":
        return _evaluated(inner.partition("eval")[2], arguments, sources, symbols)
    if command not in ("arg", "find") or len(words) != 1:
        raise RobotError("a substitution must be $(arg NAME), $(find PACKAGE), $(optenv NAME) or $(eval EXPRESSION)")
    if command == "find":
        return sources.find(words[0])
    if words[0] not in arguments:
        raise RobotError(
            "$(arg ...) names no xacro:arg of the file: give it a value as 'FILE?NAME=VALUE', or in "
            "xacro_arguments of the robot's YAML file"
        )
    return arguments[words[0]]


def _evaluated(expression: str, arguments: Mapping[str, str], sources: Sources, symbols: Mapping[str, Any]) -> str:
    given = {name: _value(text) for name, text in arguments.items()}
    functions = {"arg": lambda name: given[name], "find": sources.find}
    return str(evaluate(expression, {**symbols["math"], **symbols, **given, **_CONSTANTS, **functions}))


def _value(text: str) -> int | float | bool | str:
    """The number or truth value that an argument's text stands for, else the text."""
    with suppress(ValueError):
        return float(text) if "." in text else int(text)
    return {"true": True, "false": False}.get(text.lower(), text)
