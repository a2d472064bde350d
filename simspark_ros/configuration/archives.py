"""Numpy archives of learned data: arrays, and a JSON text, `about`, that describes them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspark_ros.configuration.errors import UserError

_ABOUT = "about"

_MISFITS = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, EOFError, zipfile.BadZipFile)
"""Errors that reading and using other files may raise."""


def write_archive(
    path: Path, about: Any, arrays: Mapping[str, NDArray[Any]], error: type[UserError] = UserError
) -> None:
    """Write arrays by name, and a description of them that JSON can hold.

    Raises:
        UserError: the file cannot be written; of the class `error`.
    """
    named: dict[str, Any] = {_ABOUT: np.array(json.dumps(about)), **arrays}
    try:
        with path.open("wb") as file:
            np.savez(file, **named)
    except OSError as problem:
        raise error(f"{path}: cannot be written: {problem.strerror}") from None


@contextmanager
def archive(
    path: Path, what: str, largest: int, error: type[UserError] = UserError
) -> Iterator[tuple[Any, Mapping[str, NDArray[Any]]]]:
    """Read an archive in this block: its description, and its arrays by name. No code in the archive is run.

    Args:
        path: path of the file.
        what: kind of file that it has to be, for messages.
        largest: largest size of the file, bytes.
        error: class of the error.

    Raises:
        UserError: the file cannot be read, is larger, or the block finds something missing or of a wrong form.
    """
    try:
        if path.stat().st_size > largest:
            raise error(f"{path}: is larger than {largest >> 20} MB, so it is not a {what}")
        with np.load(path) as data:
            yield json.loads(str(data[_ABOUT])), data
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except _MISFITS as problem:
        raise error(f"{path}: is not a {what}: {problem}") from None
