"""URDF texts of the package's xacro files, kept on the disk: xacro would take two seconds for them at every start.

A text is used if it is whole and none of its sources has changed. It is kept below `$XDG_CACHE_HOME`, else `~/.cache`;
if that cannot be written, nothing is kept.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from simspark_ros.configuration.whole_files import write_whole
from simspark_ros.robots.formats.xacro.file import process_xacro


def state_of(sources: Sequence[Path]) -> str:
    """Text that changes with the sources of models: xacro and YAML files in folders, and xacro itself.

    Raises:
        OSError: a file cannot be read.
    """
    # The readers of foreign files, which start often, do without it.
    from importlib.metadata import version

    files = sorted(path for folder in sources for path in folder.rglob("*") if path.suffix in (".xacro", ".yaml"))
    digest = _digest(*(part for path in files for part in (str(path).encode(), path.read_bytes())))
    return f"{version('xacro')} {digest}"


def kept_model(model: Path, variant: int, state: str) -> str:
    """As `process_xacro`; state: `state_of` the folders with all files of the model."""
    try:
        # Checkouts side by side have files of equal names.
        place = _digest(str(model).encode())[:8]
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        kept = cache / "simspark_ros" / f"{model.name}.{variant}.{place}.urdf"
    # There is no home folder.
    except RuntimeError:
        return process_xacro(model, variant)
    made_from = f"{model} {state}"
    with contextlib.suppress(OSError, ValueError):
        head, text = kept.read_text(encoding="utf-8").split("\n", 1)
        if head == f"{made_from} {_digest(text.encode())}":
            return text
    text = process_xacro(model, variant)
    with contextlib.suppress(OSError):
        write_whole(kept, f"{made_from} {_digest(text.encode())}\n{text}")
    return text


def _digest(*parts: bytes) -> str:
    digest = sha256()
    for part in parts:
        digest.update(sha256(part).digest())
    return digest.hexdigest()
