"""Addresses of files that clients name: a path, `file://` or `package://<package>/path`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from simspark_ros.configuration.errors import UserError, cut, suggestion
from simspark_ros.configuration.resources import PACKAGE, resource, ros_package

_SHOWN = 200


class AddressError(UserError):
    """An address leads to no file that can be used; the message says why.

    Attributes:
        unsupported: whether files of that kind are never used; False = there is no such file.
    """

    def __init__(self, text: str, unsupported: bool = False) -> None:
        super().__init__(text)
        self.unsupported = unsupported


def find_file(address: str, what: str, known: Iterable[str], endings: Collection[str] = (".yaml",)) -> Path:
    """The file of an address, with one of the endings; `what` and the `known` names are for messages.

    Raises:
        AddressError: nothing there, or another ending.
    """
    known = list(known)
    names = ", ".join(known)
    if not address:
        raise AddressError(f"no uri given; name a {what}: {names}")
    try:
        path = _path(address)
        missing = path.suffix in ("", *endings) and not path.is_file()
    # The name may be too long, for example.
    except OSError as error:
        raise AddressError(f"'{cut(address, _SHOWN)}': {error.strerror}") from None
    if missing:
        raise AddressError(nothing_there(address, path, what, known, endings))
    if path.suffix not in endings:
        problem = f"'{cut(address, _SHOWN)}': {what}s are loaded from {', '.join(endings)} files only"
        raise AddressError(problem, unsupported=True)
    return path


def nothing_there(address: str, path: Path, what: str, known: Iterable[str], endings: Collection[str]) -> str:
    """The message for an address whose path does not exist."""
    if path.suffix in endings or path.is_absolute():
        start = "" if path.is_absolute() else f" in {cut(str(Path.cwd()), _SHOWN)}, where this program was started"
        remedy = f"give the path of a {what}'s file, or a name of `simspark list {what}s`"
        return f"there is no file '{cut(str(path), _SHOWN)}'{start}; {remedy}"
    hint = suggestion(cut(address, _SHOWN), known, f", or the path of a {' or '.join(endings)} file")
    return f"there is no {what} '{cut(address, _SHOWN)}'; {hint}"


def _path(address: str) -> Path:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        problem = f"'{cut(address, _SHOWN)}' is no URI: {cut(str(error), 80)}"
        raise AddressError(problem, unsupported=True) from None
    if parts.scheme == "package":
        return _in_package(parts.netloc, unquote(parts.path).lstrip("/"))
    if parts.scheme in ("", "file"):
        return Path(unquote(parts.path) if parts.scheme else address)
    raise AddressError(f"'{cut(parts.scheme, 40)}://' is not supported; use file:// or package://", unsupported=True)


def _in_package(package: str, path: str) -> Path:
    try:
        return resource(path) if package == PACKAGE else ros_package(package) / path
    except FileNotFoundError as error:
        raise AddressError(str(error)) from None
