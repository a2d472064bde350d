"""Processes xacro files. They are programs of strangers, so this module limits what they compute and read.

Expressions reach only values (`xacro_expressions`), and files are the model's own (`xacro_sources`). Environment and
working directory are forbidden: a robot must be the same in every process. Messages tell only the kind of an error and
the file, as the texts of errors may hold anything that a file has read.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any
from xml.parsers.expat import ExpatError

from simspark_ros.configuration.errors import cut, shown
from simspark_ros.robots.description import RobotError
from simspark_ros.robots.formats.xacro.expressions import create_symbols, evaluate
from simspark_ros.robots.formats.xacro.sources import Sources

_LOCK = threading.Lock()
"""Lock around xacro, which keeps its state in module variables; robots may be spawned from several threads."""

_OWN_WORDS = re.compile(r"[A-Za-z ]*")
"""Beginning of a message of xacro, before it names something."""

_CONSTANTS = {"true": True, "false": False, "True": True, "False": False}


def process_xacro(model: Path, variant: int, changes: Mapping[str, float] = MappingProxyType({})) -> str:
    """The URDF text of a xacro file, processed with `type:=variant`; a `RobotError` says what is wrong with it.

    Changed parameters become the xacro argument `changes`, written as the arguments of `dict`.
    """
    # Imported late: robots from plain URDF do without it.
    import xacro

    arguments = {"type": str(variant)}
    if changes:
        arguments["changes"] = ", ".join(f"{name}={value!r}" for name, value in changes.items())
    with _LOCK:
        try:
            with _confined(Sources(model)):
                # Resolved, as the target of a link refers to files beside itself, not beside the link.
                document = xacro.process_file(str(model.resolve()), mappings=arguments)
                return str(document.toprettyxml(indent="  "))
        # xacro evaluates expressions of the file, which may raise any error; all errors are the file's fault.
        except Exception as error:
            problem = _problem(error, xacro.filestack)
            raise RobotError(f"{model}: xacro failed for type:={variant}: {problem}") from None


@contextmanager
def _confined(sources: Sources) -> Iterator[None]:
    """Give xacro functions that refuse; afterwards xacro is as before for other users in this process."""
    import xacro
    import yaml
    from xacro import substitution_args

    parse, extension, name_of = xacro.parse, xacro.eval_extension, xacro.abs_filename_spec
    symbols = create_symbols(xacro)

    def parse_own(text: Any, filename: str | None = None) -> Any:
        return parse(text, filename if filename is None else sources.path(filename))

    def without_folder(text: str) -> Any:
        return _refuse("cwd") if text == "$(cwd)" else extension(text)

    def evaluate_arguments(expression: str, context: dict[str, Any]) -> str:
        arguments = context.get("arg", {})
        convert = substitution_args.convert_value
        given = {name: convert(value, "auto") for name, value in arguments.items()}
        named = {"arg": lambda name: given[name], "find": sources.find}
        return str(evaluate(expression, {**symbols["math"], **symbols, **given, **_CONSTANTS, **named}))

    with (
        _replaced(
            xacro,
            _global_symbols=symbols,
            safe_eval=evaluate,
            parse=parse_own,
            eval_extension=without_folder,
            # Also for files named by patterns, and for YAML files.
            abs_filename_spec=lambda name: sources.path(name_of(name)),
            glob=sources,
        ),
        _replaced(
            substitution_args,
            _eval=evaluate_arguments,
            _env=lambda *_: _refuse("env"),
            _optenv=lambda *_: _refuse("optenv"),
            _eval_find=sources.find,
        ),
        # xacro adds tags whose values are expressions.
        _replaced(yaml.SafeLoader, yaml_constructors=dict(yaml.SafeLoader.yaml_constructors)),
    ):
        yield


@contextmanager
def _replaced(owner: Any, **attributes: Any) -> Iterator[None]:
    before = {name: getattr(owner, name) for name in attributes}
    for name, value in attributes.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)


def _refuse(command: str) -> str:
    raise RobotError(f"$({command} ...) is not for robot files, which are the same in every process; use xacro:arg")


def _problem(error: BaseException, files: list[str | None] | None) -> str:
    """File and kind of an error."""
    words = ""
    # xacro wraps what it catches.
    while isinstance(inner := getattr(error, "exc", None), BaseException):
        words = _words(error) or words
        error = inner
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
