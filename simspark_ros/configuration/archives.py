"""Numpy archives of what was learned: arrays, and a text in JSON, `about`, that says what they are."""

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
"""What reading and using other files may raise."""


def write_archive(
    path: Path, about: Any, arrays: Mapping[str, NDArray[Any]], error: type[UserError] = UserError
) -> None:
    """Write arrays by name, and what JSON can hold about them.

    Raises:
        UserError: it cannot be written; of the class `error`.
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
    """Read an archive in this block: what is said about it, and its arrays by name. No code in it is run.

    Args:
        path: of the file.
        what: it has to be, for messages.
        largest: size of the file, bytes.
        error: class of what is raised.

    Raises:
        UserError: it cannot be read, is larger, or the block finds that something is missing, or has a wrong form.
    """
    try:
        if path.stat().st_size > largest:
            raise error(f"{path}: is larger than any {what}, {largest >> 20} MB")
        with np.load(path) as data:
            yield json.loads(str(data[_ABOUT])), data
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except _MISFITS as problem:
        raise error(f"{path}: is no {what}: {problem}") from None
