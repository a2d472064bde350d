"""Prints what pyproject.toml requires for a build, one requirement a line, for `pip install --requirement`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    from pip._vendor import tomli as tomllib


def main() -> None:
    """Print the requirements."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)
    print("\n".join(project["build-system"]["requires"]))


if __name__ == "__main__":
    main()
